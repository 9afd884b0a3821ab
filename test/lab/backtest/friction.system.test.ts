/** Latency of calls, their faults, and the fee of a fill. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { backtest } from '../../../src/lab/backtest/backtest.js';
import { feeCurve, rawFee, roundedFee } from '../../../src/lab/backtest/fees.js';
import { callKind, LatencyModel, makeLatencySource, readLatency } from '../../../src/lab/backtest/latency.js';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { analyse } from '../../../src/lab/report/analysis/analyse.js';
import { times } from '../../support/effort.js';
import { record, sweepPlace } from '../sweep/place.js';
import { plan } from './plans.js';
import { source, wanderingRows } from './recordings.js';

const roundTrip = (model: LatencyModel): number => model.thereMs + model.backMs;

describe('latency by kind of call', () => {
  it('as recorded is that of a kind where it was measured often enough, else that of all', () => {
    const calls = [
      ...Array.from({ length: 50 }, () => ({ endpoint: 'markets.book', roundTripMs: 50 })),
      ...Array.from({ length: 20 }, () => ({ endpoint: 'orders.submit', roundTripMs: 700 })),
      ...Array.from({ length: 19 }, () => ({ endpoint: 'orders.create', roundTripMs: 100 })),
      { endpoint: 'unheard.of', roundTripMs: 100 },
    ];
    const model = new LatencyModel({ spec: readLatency('recorded'), ...makeLatencySource(calls) }, 1);
    model.draw('orders.submit');
    expect(roundTrip(model)).toBe(700);
    for (let n = 0; n < 30; n++) {
      model.draw('orders.create');
      expect([50, 100, 700]).toContain(roundTrip(model));
      model.draw('markets.book');
      expect(roundTrip(model)).toBe(50);
    }
    // If all calls are of one kind, the recording has one latency for all calls.
    expect(makeLatencySource(calls.slice(0, 50)).byKind).toBeUndefined();
  });

  it('beyond what a client waits for is an answer that nobody hears', () => {
    const model = new LatencyModel({ spec: readLatency('recorded:x3'), roundTripsMs: [4_000] }, 1);
    model.draw('markets.book');
    expect(model.isLost).toBe(true);
  });

  it('leaves a backtest whole where some answers never come, and the same again', async () => {
    const run = (roundTripsMs: readonly number[]) => {
      const latency = new LatencyModel({ spec: readLatency('recorded'), roundTripsMs }, 1);
      return runBacktest({ ...plan([source(wanderingRows(4, times(1.5, 3)))]), latency });
    };
    const some = [...Array.from({ length: 19 }, () => 100), 20_000];
    const [lossy, again, sound] = [await run(some), await run(some), await run([100])];
    expect(again.traceHash).toBe(lossy.traceHash);
    expect(lossy.traceHash).not.toBe(sound.traceHash);
    expect(lossy.session.markets[0]?.fills.length).toBeGreaterThan(0);
    expect(lossy.session.notices.filter(({ text }) => text.includes('end with'))).toEqual([]);
  });

  it.each(['constant:150,submit=constant:1', 'constant', 'constant:10000:x2', 'recorded:3'])('refuses %s', (text) =>
    expect(() => readLatency(text)).toThrow(/unknown latency model/),
  );

  it('names every call that the trader makes', () => {
    const calls = ['merges.create', 'merges.submit', 'orders.list', 'redeems.submit'] as const;
    expect(calls.map(callKind)).toEqual(['draft', 'submit', 'read', 'submit']);
  });
});

function fee(name: string, price: number, shares: number, isMaker: boolean, isYes = true): number {
  const amounts = { priceMicros: Math.round(price * 1e6), amountMicros: Math.round(shares * 1e6) };
  return roundedFee(feeCurve(name), rawFee(feeCurve(name), { isMaker, isYes, ...amounts })) / 1e6;
}

describe('fees by name', () => {
  it.each([
    // A table of Kalshi's fees: takers of 1 and of 100 contracts, makers of 100.
    ['kalshi', 0.05, 1, false, 0.01],
    ['kalshi', 0.05, 100, false, 0.34],
    ['kalshi', 0.25, 100, false, 1.32],
    ['kalshi', 0.5, 1, false, 0.02],
    ['kalshi', 0.5, 100, false, 1.75],
    ['kalshi', 0.5, 100, true, 0],
    ['kalshi-maker', 0.5, 100, true, 0.44],
    ['kalshi-maker', 0.1, 100, true, 0.16],
    ['polymarket-sports', 0.5, 100, false, 0.75],
    ['polymarket-sports', 0.5, 100, true, 0],
    ['polymarket-crypto', 0.1, 100, false, 0.63],
    ['notional:0.02/0.01', 0.3, 10, false, 0.06],
    ['notional:0.02/0.01', 0.3, 10, true, 0.03],
    ['per-share:0.0025', 0.3, 10, false, 0.025],
    ['none', 0.5, 100, false, 0],
  ] as const)('%s at %f, %f shares, maker %s: %f', (name, price, shares, isMaker, expected) => {
    expect(fee(name, price, shares, isMaker)).toBeCloseTo(expected, 9);
  });

  it('takes the price of the outcome that was traded', () =>
    expect(fee('notional:0.1', 0.2, 10, false, false)).toBeCloseTo(0.8, 9));

  it.each(['kalshi:0.07', 'quadratic', 'notional:2', 'free'])('refuses %s', (name) => {
    expect(() => feeCurve(name)).toThrow(/there is no fee schedule/);
  });
});

describe('a backtest whose recording names no fee', () => {
  const FREE = { makerRateMicros: 0, takerRateMicros: 0 };
  const rows = wanderingRows(4, times(1.5, 3));
  const run = async (changes: object, market: object = {}) => {
    const { session } = await runBacktest({ ...plan([source(rows, market)], { fillModel: 'optimistic' }), ...changes });
    return { session, analysis: analyse(session) };
  };
  const warned = ({ warnings }: ReturnType<typeof analyse>) => warnings.some(({ name }) => name === 'free_of_fees');

  it('says so at the top, unless somebody has named one or said that there is none', async () => {
    expect(warned((await run({})).analysis)).toBe(true);
    expect(warned((await run({ feeCurve: feeCurve('none') })).analysis)).toBe(false);
    expect(warned((await run({ fees: { makerRateMicros: 0, takerRateMicros: 10_000 } })).analysis)).toBe(false);
    expect(warned((await run({}, { fees: FREE })).analysis)).toBe(false);
  });

  it('is charged by the curve, to the millionth, and the split still adds up', async () => {
    const free = await run({});
    const charged = await run({ feeCurve: feeCurve('kalshi-maker') });
    const before = free.analysis.result;
    const after = charged.analysis.result;
    expect(after.feesMicros).toBeGreaterThan(0);
    expect(after.feesMicros % 10_000).toBe(0);
    expect(after.resultMicros).toBe(before.resultMicros - after.feesMicros);
    expect(charged.analysis.warnings.map(({ name }) => name)).not.toContain('unexplained');
    expect(charged.session.endCashMicros).toBe(free.session.endCashMicros - after.feesMicros);
    expect(charged.session.maxDrawdownMicros ?? 0).toBeGreaterThanOrEqual(free.session.maxDrawdownMicros ?? 0);
    // The fills of one order are charged as one fill.
    const orders = new Map<string, { raw: number; charged: number }>();
    for (const each of charged.session.markets[0]?.fills ?? []) {
      const sum = orders.get(each.orderPubkey) ?? { raw: 0, charged: 0 };
      sum.raw += rawFee(feeCurve('kalshi-maker'), each);
      sum.charged += each.feeMicros;
      orders.set(each.orderPubkey, sum);
    }
    for (const { raw, charged: paid } of orders.values()) expect(paid).toBe(Math.ceil(raw / 10_000 - 1e-6) * 10_000);
  });

  it('is charged by the curve alone, even if code gives rates too', async () => {
    const place = sweepPlace();
    onTestFinished(() => place.remove());
    await record(place.data, { events: 1 });
    const given = { config: place.config, data: [place.data], fillModels: ['optimistic'], feeCurve: 'kalshi-maker' };
    const [curve] = await backtest(given);
    const [both] = await backtest({ ...given, fees: { makerRateMicros: 20_000, takerRateMicros: 20_000 } });
    expect(curve?.analysis.result.feesMicros).toBeGreaterThan(0);
    expect(both).toEqual(curve);
  });

  it('is not charged where the recording does name one', async () => {
    const { analysis } = await run({ feeCurve: feeCurve('kalshi-maker') }, { fees: FREE });
    expect(analysis.result.feesMicros).toBe(0);
  });
});
