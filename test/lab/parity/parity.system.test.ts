/** A simulated trader's run, read from its journal, compared with the exchange's data and with backtests. */

import { describe, expect, it } from 'vitest';
import { compare, runParity } from '../../../src/lab/parity/parity.js';
import { readRecordedRun } from '../../../src/lab/parity/read-recorded-run.js';
import { analyse } from '../../../src/lab/report/analysis/analyse.js';
import type { FillRecord, SessionRecord } from '../../../src/lab/session/contract.js';
import { must } from '../../../src/shared/base/errors.js';
import { micros } from '../../../src/shared/base/micros.js';
import type { RunJournal, RunStep } from '../../../src/shell/journal/runs.js';
import { CALM } from '../../simulation/faults.js';
import { FUNDS, traderSettings } from '../../simulation/setting.js';
import { World } from '../../simulation/world.js';
import { MemoryDiary } from '../replay/diary.js';
import { journalOf } from './simulated-journal.js';

const MINUTE_MS = 60_000;
/** Our clock minus the exchange's. */
const OFF_MS = 7_000;
/** Long enough for a hundred fills: with fewer, chance alone moves a model's fills by more than the bound. */
const LIVED_MS = 6 * MINUTE_MS;

const diary = new MemoryDiary();
const world = new World(3, { ...CALM, clockOffMs: OFF_MS }, diary);
world.pass(LIVED_MS);
world.command({ kind: 'stop' });
world.pass(10_000);
const fills = world.process?.ledger.fills({ limit: 10_000 }) ?? [];
const cash = (world.process?.ledger.cash() ?? 0) - FUNDS;
world.close();
const run = diary.onlyRun;
const journal = journalOf(run);
const liveRun = await readRecordedRun(journal);
const result = await runParity(journal, {
  trader: traderSettings(run.runId),
  fillModels: ['trade-through', 'risk-averse', 'optimistic'],
  latency: null,
  seed: 1,
  landingMs: 700,
});

/** The journal with these steps in place of each. */
const altered = (change: (step: RunStep) => readonly RunStep[]): RunJournal => ({
  ...journal,
  steps: async function* () {
    for await (const step of journal.steps()) yield* change(step);
  },
});

describe('what a journal tells of its run', () => {
  const ours = liveRun.session.markets.flatMap((market) => market.fills);

  it('is every fill that the ledger booked, and the currency that moved, to the micro', () => {
    expect(fills.length).toBeGreaterThan(10);
    const line = (fill: Pick<FillRecord, 'orderPubkey' | 'amountMicros'> & { readonly feeMicros: number | null }) =>
      `${fill.orderPubkey} ${fill.amountMicros} ${fill.feeMicros ?? 0}`;
    expect(ours.map(line).sort()).toEqual(fills.map(line).sort());
    expect(liveRun.session.endCashMicros - liveRun.session.capitalMicros).toBe(cash);
  });

  it('stands on the clock of the exchange, whatever ours said', () => {
    // The exchange gives the second of a trade.
    expect(ours.map(({ timeMs }) => Math.floor(timeMs / 1000)).sort()).toEqual(
      fills.map(({ timestampS }) => timestampS).sort(),
    );
    for (const { timeMs, seenMs } of ours) expect(seenMs ?? 0).toBeGreaterThanOrEqual(timeMs);
    expect(liveRun.commands).toMatchObject([{ command: { kind: 'stop' } }]);
    expect((liveRun.commands[0]?.atMs ?? 0) - liveRun.fromMs).toBeGreaterThan(LIVED_MS - 3_000);
    expect((liveRun.commands[0]?.atMs ?? 0) - liveRun.fromMs).toBeLessThanOrEqual(LIVED_MS + 1_000);
  });

  it('is the others’ side of the market: our own quotes are not in it', () => {
    for (const { series } of liveRun.session.markets) {
      const crossed = series.timeMs.filter((_, i) => (series.bidMicros[i] ?? 0) >= (series.askMicros[i] ?? 1_000_000));
      expect(crossed.length).toBeLessThanOrEqual(series.timeMs.length / 100);
    }
    expect(liveRun.sources.length).toBe(4);
    expect(liveRun.roundTrips.roundTripsMs.length).toBeGreaterThan(100);
  });

  it('cut off anywhere is a run up to there', async () => {
    const half = await readRecordedRun(altered((step) => (step.index < 1_000 ? [step] : [])));
    expect(half.toMs).toBeLessThan(liveRun.toMs);
    expect(half.commands).toEqual([{ atMs: half.toMs, command: { kind: 'stop' } }]);
    expect(analyse(half.session).warnings.filter(({ level }) => level === 'wrong')).toEqual([]);
  });
});

it('counts the time of a market from its first book, as a backtest does', async () => {
  const isKept = ({ index }: RunStep, endpoint: string) => index > 1_000 || endpoint !== 'markets.book';
  const late = altered((step) => [
    { ...step, requests: step.requests.filter(({ call }) => isKept(step, call.endpoint)) },
  ]);
  const { session, sources, commands } = await readRecordedRun(late);
  const counted = sources.map(({ firstMs }) => must(commands[0], 'the stop').atMs - must(firstMs, 'a book'));
  expect(session.markets.map(({ quoting }) => quoting.openForMs)).toEqual(counted);
  expect(Math.max(...counted)).toBeLessThan(LIVED_MS - MINUTE_MS);
});

it('gains nothing by a redeem of shares from before the run', async () => {
  const data = { pubkey: 'r', market_condition_id: 'M', state: 'done', funds: 5, onchain_funds: 5, yes_shares: 5 };
  const redeemed = altered((step) => {
    const sent = { requestId: 1, sentMs: 0, nowMs: step.observation.nowMs, venueTimeMs: null };
    const observation = { kind: 'outcome', ...sent, outcome: { kind: 'answered', data } };
    const requests = [{ id: 1, call: { endpoint: 'redeems.detail', params: { pubkey: 'r' }, query: {} } }];
    return step.index === 0
      ? ([
          { ...step, requests },
          { ...step, observation },
        ] as unknown as RunStep[])
      : [];
  });
  expect(analyse((await readRecordedRun(redeemed)).session).result.resultMicros).toBe(0);
});

describe('live and backtests side by side', () => {
  it('have no figure that contradicts another', () => {
    expect(analyse(liveRun.session).warnings.filter(({ level }) => level === 'wrong')).toEqual([]);
    const { sides, markets } = result.parity;
    expect(sides.map(({ name }) => name)).toEqual(['live', 'trade-through', 'risk-averse', 'optimistic']);
    for (const [index, side] of sides.entries()) {
      for (const name of ['fills', 'sharesMicros', 'resultMicros', 'ordersPlaced'] as const)
        expect(markets.reduce((total, market) => total + (market.sides[index] ?? side)[name], 0)).toBe(side[name]);
    }
  });

  it('cover the same span, quote about as much and fill about as much', () => {
    const [first, ...models] = result.parity.sides;
    const live = must(first, 'the live side');
    for (const model of models) {
      const more = (model.twoSidedShare ?? 0) - (live.twoSidedShare ?? 0);
      expect(more).toBeGreaterThan(-0.25);
      // After a fill no order is placed before the next poll: a model with far fewer fills is seldom without a side.
      if (model.fills > 0.8 * live.fills) expect(more).toBeLessThan(0.25);
      expect(model.publicRequests ?? 0).toBeGreaterThan((live.publicRequests ?? 0) * 0.8);
      expect(model.publicRequests ?? 0).toBeLessThan((live.publicRequests ?? 0) * 1.2);
    }
    // Replays the trades of others: an order with the same place in the queue gets about the same fills.
    const error = (name: string) => result.parity.band.errors.find((one) => one.name === name)?.sharesShare ?? 9;
    expect(Math.abs(error('risk-averse'))).toBeLessThan(0.3);
    expect(error('trade-through')).toBeLessThan(error('risk-averse'));
  });

  it('say what cannot be compared', () => {
    expect(result.parity.remarks.join('\n')).toMatch(/other traders may have reacted to our orders/);
    expect(result.parity.remarks.join('\n')).toMatch(/there is no copy of its starting ledger/);
    expect(result.latency).toBe('recorded');
  });
});

describe('another configuration played over the run', () => {
  const options = { fillModels: ['optimistic'], latency: null, seed: 1, landingMs: 700 };
  const own = traderSettings('other');

  it('has the live side of the run, and trades by its own settings whatever the run was configured with', async () => {
    const strategies = own.strategies.slice(0, 1);
    const other = { ...own, strategies, capitalMicros: micros(own.capitalMicros / 2) };
    const { capitalMicros, risk, merge, economics } = own;
    const config = JSON.stringify({ settings: { capitalMicros, risk, merge, economics, strategies: [] } });
    const said = { copy: 'h', changes: [], by: 'operator', reason: 'test' } as const;
    const configure = { kind: 'configure', hash: 'h', config, ...said } as const;
    const configured = altered((step) => {
      const { nowMs } = step.observation;
      const commanded = { ...step, requests: [], observation: { kind: 'command', nowMs, command: configure } } as const;
      return step.index === 0 ? [step, commanded] : [step];
    });
    const plain = await runParity(journal, { ...options, trader: other, isOther: true });
    const played = await runParity(configured, { ...options, trader: other, isOther: true });
    expect([played.parity, played.parity.sides[0]]).toEqual([plain.parity, result.parity.sides[0]]);
    expect(played.parity.sides[1]?.ordersPlaced).toBeGreaterThan(10);
    expect(played.parity.sides[1]).not.toEqual(result.parity.sides[3]);
    // As in the run itself, the trader applies the change and stops quoting.
    expect((await runParity(configured, { ...options, trader: other })).parity.sides[1]?.ordersPlaced).toBe(0);
  });

  it('that selects nothing of the run does nothing, and says so', async () => {
    const none = { ids: ['none'], state: 'open', categories: [], max: 1 } as const;
    const strategies = own.strategies.map((strategy) => ({ ...strategy, markets: none }));
    const { parity } = await runParity(journal, { ...options, trader: { ...own, strategies }, isOther: true });
    expect(parity.sides[1]).toMatchObject({ fills: 0, ordersPlaced: 0, resultMicros: 0 });
    expect(parity.remarks).toContain('No strategy selects any of the 4 markets that the run has read.');
  });
});

/** A session with this number of bought shares. */
const session = (fillModel: string | null, shares: number): SessionRecord => {
  const base = liveRun.session;
  const market = must(base.markets[0], 'a market');
  const fill = must(base.markets.flatMap((one) => one.fills)[0], 'a fill');
  const bought = shares === 0 ? [] : [{ ...fill, isYes: true, isBuy: true, amountMicros: shares * 1_000_000 }];
  const kind = fillModel === null ? 'live' : 'backtest';
  const assumptions = { ...base.assumptions, fillModel };
  return { ...base, kind, assumptions, markets: [{ ...market, fills: bought, conversions: [] }] };
};
const band = (live: number, ...models: readonly number[]) =>
  compare([session(null, live), ...models.map((shares, i) => session(`m${i}`, shares))].map(analyse), []).band;

it.each([
  ['holds what lies within', [100, 80, 130], { lowShare: -0.2, highShare: 0.3, holds: true }],
  ['has its edges by what is filled, not by name', [100, 130, 80], { lowShare: -0.2, highShare: 0.3 }],
  ['does not hold what lies outside', [100, 50, 90], { lowShare: -0.5, highShare: -0.1, holds: false }],
  ['has no share of nothing', [0, 0, 10], { lowShare: null, highShare: null, holds: true }],
  ['is nothing without a model', [10], { lowShare: null, highShare: null, holds: false, errors: [] }],
])('the band of the fill models %s', (_, [live = 0, ...models], expected) =>
  expect(band(live, ...models)).toMatchObject(expected),
);

it('a run that saw no market cannot be compared, and says so', async () => {
  const blind = altered((step) => (step.index === 0 ? [{ ...step, requests: [] }] : []));
  const options = { trader: traderSettings('r1'), fillModels: ['log'], latency: null, seed: 1, landingMs: 0 };
  const failure = { code: 'recording_invalid', message: 'this run never read an order book' };
  await expect(runParity(blind, options)).rejects.toMatchObject(failure);
});

it('hears what the run heard of its feeds, on the clock of the exchange', async () => {
  const value = { conditionId: 'M', p: 0.4, bid: null, ask: null, sd: null, atMs: 0, validUntilMs: null };
  let atMs = 0;
  const heard = altered((step) => {
    if (atMs > 0 || liveRun.fromMs > step.observation.nowMs) return [step];
    atMs = step.observation.nowMs;
    const values = [{ ...value, atMs: atMs - 100, validUntilMs: atMs + 1000 }];
    return [step, { ...step, requests: [], observation: { kind: 'feed', nowMs: atMs, feed: 'model', values } }];
  });
  const { feedValues, fromMs } = await readRecordedRun(heard);
  const offsetMs = fromMs - must(run.steps[0], 'a step').observation.nowMs;
  expect(Math.abs(offsetMs + OFF_MS)).toBeLessThan(1000);
  const timeMs = atMs + offsetMs;
  const moved = { ...value, atMs: timeMs - 100, validUntilMs: timeMs + 1000 };
  expect(feedValues).toEqual([{ feed: 'model', timeMs, value: moved }]);
});
