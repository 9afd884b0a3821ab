import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candleRows, publicTradePage } from '../../../../src/exchange/core/records/market-rows.js';
import { Candles, TradeHistory } from '../../../../src/exchange/core/records/tape.js';
import { ONE } from '../../../../src/shared/base/micros.js';
import { MarginDesk } from '../margin/desk.js';
import { m, Venue } from '../venue.js';

const BARS_KEPT = 9_216;
const TAPE_LENGTH = 20_000;

type Bar = ReturnType<Candles['read']>[number];

const MINUTE_MS = 60_000;
/** Start of a half-hour. */
const START_MS = 1_699_999_200_000;

interface Price {
  readonly timeMs: number;
  readonly price: number;
  readonly notional: number;
}

/** Prices in time order, some simultaneous, some hours apart. */
const prices = fc
  .array(
    fc.record({
      gapMs: fc.oneof(fc.nat(MINUTE_MS), fc.nat(400 * MINUTE_MS), fc.constantFrom(0, 1, 300_000, 1_800_000)),
      price: fc.integer({ min: 1, max: 999_999 }),
      notional: fc.nat(1_000_000),
    }),
    { maxLength: 120 },
  )
  .map((steps) => {
    let timeMs = START_MS;
    return steps.map(({ gapMs, price, notional }): Price => {
      timeMs += gapMs;
      return { timeMs, price, notional };
    });
  });

/** The bars, computed plainly from the list of all trades. */
function plainBars(all: readonly Price[], lengthMs: number, fromMs: number, toMs: number): Bar[] {
  const starts = [...new Set(all.map(({ timeMs }) => Math.floor(timeMs / lengthMs) * lengthMs))];
  return starts
    .filter((start) => start >= fromMs && start < toMs)
    .map((timeMs) => {
      const own = all.filter((trade) => trade.timeMs >= timeMs && trade.timeMs < timeMs + lengthMs);
      const values = own.map(({ price }) => price);
      return {
        timeMs,
        open: values[0] ?? 0,
        high: Math.max(...values),
        low: Math.min(...values),
        close: values.at(-1) ?? 0,
        volume: own.reduce((sum, { notional }) => sum + notional, 0),
      };
    });
}

const written = (all: readonly Price[]): Candles => {
  const candles = new Candles();
  for (const { timeMs, price, notional } of all) candles.write(timeMs, price, notional);
  return candles;
};

const reloaded = (candles: Candles): Candles => {
  const copy = new Candles();
  copy.load(JSON.parse(JSON.stringify(candles.dump())));
  return copy;
};

describe('candles', () => {
  it('are what a recount of all trades gives, for any span, also after a snapshot', () =>
    fc.assert(
      fc.property(prices, fc.nat(600), fc.nat(2_000), (all, from, length) => {
        const fromMs = START_MS + (from - 100) * MINUTE_MS;
        const toMs = fromMs + length * MINUTE_MS;
        const candles = written(all);
        for (const each of [candles, reloaded(candles)]) {
          expect(each.read('5m', fromMs, toMs)).toEqual(plainBars(all, 300_000, fromMs, toMs));
          expect(each.read('30m', fromMs, toMs)).toEqual(plainBars(all, 1_800_000, fromMs, toMs));
        }
      }),
    ));

  it('go on in the running bar after a snapshot', () =>
    fc.assert(
      fc.property(prices, fc.nat(120), (all, cut) => {
        const copy = reloaded(written(all.slice(0, cut)));
        for (const { timeMs, price, notional } of all.slice(cut)) copy.write(timeMs, price, notional);
        expect(copy.read('5m', 0, Number.MAX_SAFE_INTEGER)).toEqual(
          written(all).read('5m', 0, Number.MAX_SAFE_INTEGER),
        );
      }),
    ));

  it('reach 32 days back on a market that never rests, and forget what is older', () => {
    const bars = BARS_KEPT + 50;
    const all = Array.from({ length: bars }, (_, at) => ({ timeMs: at * 300_000, price: 1 + at, notional: at }));
    const candles = written(all);
    for (const each of [candles, reloaded(candles)]) {
      const kept = each.read('5m', 0, Number.MAX_SAFE_INTEGER);
      expect([kept.length, kept[0]?.timeMs, kept.at(-1)?.close]).toEqual([BARS_KEPT, 50 * 300_000, bars]);
    }
    expect(BARS_KEPT * 300_000).toBe(32 * 86_400_000);
  });

  it('count the volume since a moment by whole bars', () => {
    const candles = written([
      { timeMs: 10, price: 1, notional: 1 },
      { timeMs: 300_000, price: 1, notional: 10 },
      { timeMs: 900_000, price: 1, notional: 100 },
    ]);
    expect([0, 299_999, 300_000, 599_999, 600_000, 1_200_000].map((since) => candles.volumeSince(since))).toEqual([
      111, 111, 110, 110, 100, 0,
    ]);
  });
});

describe('the candles of a market', () => {
  it('are what a recount of its public trades gives, in the space of each outcome', () => {
    const venue = new Venue();
    const [maker, taker] = [venue.account(1), venue.account(2)];
    for (const [n, gapMs] of [0, 7_000, 400_000, 1_000, 3_000_000, 12_000_000, 299_000, 300_000].entries()) {
      venue.pass(gapMs);
      const [price, isYes] = [`0.${30 + ((n * 17) % 40)}`, n % 2 === 0];
      venue.place(maker, [isYes, 'buy', price, '10']);
      venue.place(taker, [!isYes, 'buy', String((ONE - m(price)) / ONE), '10']);
    }
    const prints = publicTradePage(venue.first, { limit: 100 }).rows.toReversed();
    expect(prints.length).toBe(8);
    for (const isYes of [true, false]) {
      const all = prints.map(({ price, amount, timestamp, is_yes }): Price => {
        const notional = Math.floor((m(price) * m(amount)) / ONE);
        return { timeMs: 1000 * timestamp, price: is_yes === isYes ? m(price) : ONE - m(price), notional };
      });
      for (const [interval, lengthMs] of [['5m', 300_000] as const, ['30m', 1_800_000] as const]) {
        const bars = candleRows(venue.first, interval, 0, venue.nowMs + 1, isYes).map((row): Bar => {
          const [open, high, low, close] = [m(row.open), m(row.high), m(row.low), m(row.close)];
          return { timeMs: 1000 * row.timestamp, open, high, low, close, volume: m(row.volume) };
        });
        expect(bars).toEqual(plainBars(all, lengthMs, 0, Number.POSITIVE_INFINITY));
      }
    }
  });

  it('with margin follow its reference price, without volume', () => {
    const desk = new MarginDesk();
    for (const price of ['0.45', '0.2', '0.3']) desk.move(price);
    const bar = { open: '0.55', high: '0.8', low: '0.55', close: '0.7', volume: '0', is_yes: false };
    expect(candleRows(desk.first, '30m', 0, desk.nowMs + 1, false)).toMatchObject([bar]);
  });
});

describe('the tape', () => {
  it('knows the volume since a moment exactly, as a sum over all trades does', () =>
    fc.assert(
      fc.property(prices, fc.nat(3_000), (all, minutes) => {
        const tape = new TradeHistory();
        for (const { timeMs, price, notional } of all) tape.write(timeMs, price, 1, notional, true, 0, 0);
        const copy = new TradeHistory();
        copy.load(JSON.parse(JSON.stringify(tape.dump())));
        const edges = all.flatMap(({ timeMs }) => [timeMs - 1, timeMs]);
        for (const sinceMs of [START_MS + minutes * MINUTE_MS, ...edges]) {
          const later = all.filter(({ timeMs }) => timeMs > sinceMs);
          const sum = later.reduce((total, { notional }) => total + notional, 0);
          expect([tape.volumeSince(sinceMs), copy.volumeSince(sinceMs)]).toEqual([sum, sum]);
        }
      }),
      { numRuns: 50 },
    ));

  it('says that it does not know, once it has forgotten trades of the time', () => {
    const tape = new TradeHistory();
    for (let at = 1; at <= TAPE_LENGTH + 10; at++) tape.write(at, 500_000, 1, 2, true, 0, 0);
    expect([tape.volumeSince(10), tape.volumeSince(11)]).toEqual([null, 2 * (TAPE_LENGTH - 1)]);
    expect(tape.volumeSince(TAPE_LENGTH + 10)).toBe(0);
  });
});
