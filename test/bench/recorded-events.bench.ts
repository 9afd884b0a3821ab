/**
 * Recorded columns through the exchange core, as a backtest plays them: a second of recorded time a call, real orders in
 * the queues. Beside it a bare loop that keeps the same levels and as many queue places and does nothing else.
 */

import { ASK, BID } from '../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../src/exchange/core/core.js';
import type { RecordedColumns } from '../../src/exchange/core/matching/recorded-feed.js';
import { EVENT, SIDE } from '../../src/recording/contract.js';
import { type Micros, micros } from '../../src/shared/base/micros.js';
import { type Bench, type BenchRow, rate, sized } from './bench.js';
import { realMarkets, TICKS, wanderingMarket } from './recorded-stream.js';

const START_MS = Date.UTC(2026, 10, 21);
const EVENTS = sized(1_000_000, 10_000);
const STEP_MS = 1_000;
const TURNS = sized(9, 1);
/** Real orders at these ticks on either side; more shares than are ever traded, so that they stay. */
const ORDERS = [
  { side: BID, ticks: [46, 47, 48, 49] },
  { side: ASK, ticks: [51, 52, 53, 54] },
] as const;

function exchange(model: string, startMs: number): ExchangeCore {
  const core = new ExchangeCore({
    serviceName: 'SVC',
    draftLifetimeMs: 60_000,
    landingMs: 400,
    startingFunds: micros(1_000_000_000),
    challengeLifetimeMs: 600_000,
    seed: 1,
    fillModel: model,
  });
  core.at(startMs).markets.create({ config: { kind: 'orderbook' } });
  const account = core.at(startMs).identity.openInternal('trader', { unlimited: true });
  for (const { side, ticks } of ORDERS) {
    for (const tick of ticks) core.at(startMs).internal.place(account, 0, side, priceOf(tick), micros(1e11), false);
  }
  return core;
}

const priceOf = (tick: number): Micros => micros((tick * 1_000_000) / TICKS);

/** Events a second, through a fresh exchange. */
function played(model: string, events: RecordedColumns): number {
  const core = exchange(model, timeOf(events, 0));
  const started = performance.now();
  let at = 0;
  for (let untilMs = timeOf(events, 0); at < events.length; untilMs += STEP_MS)
    at = core.feed.play(0, events, at, untilMs);
  return events.length / ((performance.now() - started) / 1000);
}

const timeOf = (events: RecordedColumns, at: number): number => events.timeMs[at] ?? START_MS;

/** The least that a replay with queues can do: amounts of levels, and what is ahead of eight orders. */
function bareLoop(events: RecordedColumns): number {
  const totals = [new Float64Array(TICKS), new Float64Array(TICKS)] as const;
  const aheads = [new Float64Array(TICKS).fill(-1), new Float64Array(TICKS).fill(-1)] as const;
  for (const { side, ticks } of ORDERS) for (const tick of ticks) aheads[side][tick] = 0;
  const started = performance.now();
  let filled = 0;
  for (let at = 0; at < events.length; at++) {
    const tick = (events.priceMicros[at] ?? 0) / 10_000;
    const amount = events.amountMicros[at] ?? 0;
    const resting = (events.side[at] === SIDE.bid) === (events.kind[at] === EVENT.level) ? SIDE.bid : SIDE.ask;
    const ahead = aheads[resting][tick] ?? -1;
    if (events.kind[at] === EVENT.level) {
      totals[resting][tick] = amount;
      if (ahead >= 0) aheads[resting][tick] = Math.min(ahead, amount);
    } else if (ahead >= 0) {
      filled += Math.max(0, amount - ahead);
      aheads[resting][tick] = Math.max(0, ahead - amount);
    }
  }
  const perSecond = events.length / ((performance.now() - started) / 1000);
  if (filled < 0) throw new Error('a sum of shares below zero');
  return perSecond;
}

function rowsOf(name: string, events: RecordedColumns): BenchRow[] {
  const rows = ['trade-through', 'risk-averse', 'power:3', 'optimistic'].map((model) =>
    rate(`${name}, ${model}`, 'events/s', TURNS, () => played(model, events)),
  );
  return [...rows, rate(`${name}, the bare loop`, 'events/s', TURNS, () => bareLoop(events))];
}

export const bench: Bench = {
  title: 'recorded columns into the exchange core',
  async run() {
    const wandering = wanderingMarket(1, EVENTS, START_MS);
    const rows = [...rowsOf('a wandering market, 8 orders', wandering)];
    if (sized(false, true)) return rows;
    const real = await realMarkets();
    if (real !== null) return [...rows, ...rowsOf('22 real windows in a row, 8 orders', real)];
    return [...rows, { name: 'real windows: ../shared/data is missing', figure: 0, unit: 'events', spread: '-' }];
  },
};
