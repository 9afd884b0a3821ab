/** Events that quoters receive on request, from a whole trader on a recorded market, and rarer executor events. */

import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../../../src/lab/backtest/run.js';
import type { QuoteSlot } from '../../../../src/trader/engine/quoting/quote-slot.js';
import { tellRefused } from '../../../../src/trader/engine/reactions.js';
import type { PaceView } from '../../../../src/trader/market/view.js';
import {
  type AnyEvent,
  ASKED_EVENTS,
  type AskedEvent,
  defineStrategy,
  NO_QUOTES,
} from '../../../../src/trader/strategy/contract.js';
import { plan } from '../../../lab/backtest/plans.js';
import { ASK, BID, end, level, source, trade } from '../../../lab/backtest/recordings.js';
import { m } from '../../market/fixtures.js';
import { wish } from '../played-trader.js';

const MOVED_MS = 30_000;
const CLOSED_MS = 50_000;
/** A detail is read each minute: it shows that the market is over. */
const LASTS_MS = 115_000;

/** Takers hit the bids, then the price rises at once; the market is settled at the end. */
const rows = [
  level(0, BID, 0.45, 100),
  level(0, ASK, 0.55, 100),
  trade(20_000, ASK, 0.46, 24),
  level(MOVED_MS, ASK, 0.55, 0),
  level(MOVED_MS, ASK, 0.85, 100),
  level(MOVED_MS, BID, 0.75, 100),
  end(CLOSED_MS),
];
const other = [level(0, BID, 0.45, 100), level(0, ASK, 0.55, 100), end(LASTS_MS)];

/** Bids at 0.47 with a core of sets, until the price has moved; then at 0.70 without. */
function listener(observes: readonly AskedEvent[] | undefined, told: AnyEvent[]) {
  return defineStrategy({
    name: 'listener',
    summary: 'Hears what there is to hear.',
    params: {},
    ...(observes === undefined ? {} : { observes }),
    create: (_params, { conditionId }) => ({
      quote: ({ estimates, nowMs, pace }) => {
        paces.push(pace);
        if (conditionId !== SETTLED) return NO_QUOTES('the other market only makes the run longer');
        const hasMoved = (estimates.mid ?? 0) > 0.6;
        const sets = { coreSharesMicros: m(hasMoved ? 0 : 20), merge: 'auto' } as const;
        return { ...wish(0.8, hasMoved ? 0.7 : 0.47), sets, againMs: nowMs + 500 };
      },
      observe: (event: AnyEvent) => void told.push(event),
    }),
  });
}

const paces: PaceView[] = [];

const SETTLED = 'A'.padEnd(44, '1');

/** For three strategies with equal quotes: one requests no events, one jumps, one all. */
async function hear(): Promise<readonly (readonly AnyEvent[])[]> {
  const told: AnyEvent[][] = [[], [], []];
  const sources = [
    source(rows, { conditionId: SETTLED, outcome: true }),
    source(other, { conditionId: 'B'.padEnd(44, '1') }),
  ];
  const made = plan(sources, { strategy: listener(undefined, []), params: {} });
  const strategies = made.trader.strategies.flatMap((one) =>
    [undefined, ['jump'] as const, ASKED_EVENTS].map((observes, i) => ({
      ...one,
      name: `listener ${i}`,
      module: listener(observes, told[i] ?? []),
    })),
  );
  await runBacktest({ ...made, trader: { ...made.trader, strategies } });
  return told;
}

it('a quoter observes fills, and in YES space and in order every other event that it asks for', async () => {
  const [nothing = [], jumps = [], told = []] = await hear();
  const first = (kind: AnyEvent['kind']) => told.find((event) => event.kind === kind);
  const rested = first('rested');
  expect(rested).toMatchObject({ side: 'bid', priceMicros: m(0.47), amountMicros: m(10) });
  expect(first('fill')).toMatchObject({ side: 'bid', priceMicros: m(0.47) });
  expect(first('split')).toMatchObject({ amountMicros: m(20) });
  expect(first('jump')).toMatchObject({ changeLogOdds: expect.closeTo(Math.log(4), 6) });
  const canceled = first('canceled');
  expect(canceled).toMatchObject({ side: 'bid', priceMicros: m(0.47), leftMicros: m(6) });
  const places = told.filter((event) => event.kind === 'rested').map(({ intentId }) => intentId);
  expect(places).toContain(canceled?.kind === 'canceled' ? canceled.intentId : null);
  expect(first('merged')).toMatchObject({ amountMicros: m(20) });
  expect(first('resolved')).toMatchObject({ phase: 'resolved' });
  const times = told.map(({ nowMs }) => nowMs);
  expect(times).toEqual([...times].sort((a, b) => a - b));

  // Drafts and submits take 0.1 s here; polls are free while the budget suffices. Earlier requests raise the price.
  expect(paces[0]).toMatchObject({ reactS: 2, readPrice: 0, currencyPricePerS: 1e-7 });
  const { reactS = 0, requestPrice = 0 } = paces.at(-1) ?? {};
  expect(reactS > 0.2 && reactS < 1.9).toBe(true);
  for (const price of [paces[0]?.requestPrice ?? 0, requestPrice]) {
    expect(price).toBeGreaterThanOrEqual(0.001);
    expect(price).toBeLessThan(0.004);
  }

  expect(new Set(nothing.map(({ kind }) => kind))).toEqual(new Set(['fill']));
  expect(new Set(jumps.map(({ kind }) => kind))).toEqual(new Set(['fill', 'jump']));
});

describe('a refusal', () => {
  const heard = (name: string, told: AnyEvent[], observes: readonly AskedEvent[] = ['refused']) =>
    ({
      strategy: { name, module: { observes } },
      observe: (event: AnyEvent) => void told.push(event),
    }) as unknown as QuoteSlot;

  const ledgerOf = (kind: string) =>
    ({
      intent: (id: string) => ({
        kind: id === 'c' ? 'cancel' : kind,
        strategy: id === 'c' ? '' : 'a',
        orderPubkey: 'o',
      }),
      order: () => ({ intentId: 'p' }),
    }) as never;

  it.each([
    ['place', 'p', [1, 0]],
    ['place', 'c', [1, 0]],
    ['merge', 'm', [1, 1]],
  ] as const)('of a %s (intent %s) is told to whom it concerns', (kind, intentId, counts) => {
    const told: AnyEvent[][] = [[], []];
    const slots = told.map((each, i) => heard('ab'[i] ?? '', each));
    tellRefused(ledgerOf(kind), { listSlots: () => slots }, { intentId, market: 'M' }, 'insufficient_funds', 5);
    expect(told.map(({ length }) => length)).toEqual(counts);
    const what = intentId === 'c' ? 'cancel' : kind;
    expect(told[0]?.[0]).toEqual({ kind: 'refused', nowMs: 5, what, slug: 'insufficient_funds' });
  });

  it('costs one that did not ask not even a look into the ledger', () => {
    const told: AnyEvent[] = [];
    const ledger = { intent: () => expect.unreachable(), order: () => expect.unreachable() } as never;
    tellRefused(ledger, { listSlots: () => [heard('a', told, ['rested'])] }, { intentId: 'p', market: 'M' }, 'x', 5);
    expect(told).toEqual([]);
  });
});
