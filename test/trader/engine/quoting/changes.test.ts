import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../../src/shared/base/micros.js';
import { type DesiredQuotes, findChanges, type QuotedOrder } from '../../../../src/trader/engine/quoting/changes.js';
import type { BookSide, MarketFacts } from '../../../../src/trader/market/view.js';
import type { Quotes } from '../../../../src/trader/strategy/contract.js';
import { FACTS } from '../../strategy/fixtures.js';

const shares = (n: number) => micros(n * 1_000_000);
const cents = (n: number) => micros(n * 10_000);

const facts: MarketFacts = { ...FACTS, maxAmountMicros: shares(1000) };

const quotes = (bids: [number, number][], asks: [number, number][] = [], ticks = 0, fraction = 0.2): Quotes => ({
  fairMicros: cents(50),
  bids: bids.map(([price, amount]) => ({ priceMicros: cents(price), amountMicros: shares(amount) })),
  asks: asks.map(([price, amount]) => ({ priceMicros: cents(price), amountMicros: shares(amount) })),
  keepWithinTicks: ticks,
  keepWithinSizeFraction: fraction,
  note: '',
  factors: {},
});

let nextId = 0;
const order = (
  side: BookSide,
  price: number,
  amount: number,
  phase: QuotedOrder['phase'] = 'resting',
): QuotedOrder => ({
  intentId: `i${nextId++}`,
  orderPubkey: `o${nextId}`,
  strategy: 's',
  side,
  priceMicros: cents(price),
  remainingMicros: shares(amount),
  isYes: side === 'bid',
  submittedMs: nextId,
  acceptedMs: nextId,
  phase,
});

const prices = (wishes: readonly DesiredQuotes[]) =>
  wishes.map((w) => [w.side, w.priceMicros / 10_000, w.amountMicros / 1e6]);

describe('changes towards quotes', () => {
  it('places everything where nothing rests', () => {
    const { cancels, wishes } = findChanges(quotes([[48, 25]], [[52, 25]]), [], facts);
    expect(cancels).toEqual([]);
    expect(prices(wishes)).toEqual([
      ['bid', 48, 25],
      ['ask', 52, 25],
    ]);
  });

  it('asks for nothing when what rests is what is wanted, or near enough', () => {
    const orders = [order('bid', 48, 25), order('ask', 53, 22)];
    expect(findChanges(quotes([[48, 25]], [[52, 25]], 1), orders, facts)).toEqual({ cancels: [], wishes: [] });
  });

  it('moves even what is near enough where the quotes are exact', () => {
    const orders = [order('bid', 48, 25), order('ask', 53, 25), order('bid', 47, 22)];
    const wanted = quotes(
      [
        [48, 25],
        [47, 25],
      ],
      [[52, 25]],
      1,
      0.2,
    );
    expect(findChanges(wanted, orders, facts)).toEqual({ cancels: [], wishes: [] });
    const { cancels, wishes } = findChanges({ ...wanted, exact: true }, orders, facts);
    expect(cancels).toEqual([orders[1]]);
    expect(prices(wishes)).toEqual([['bid', 47, 3]]);
  });

  it('pulls what fits no level, and puts nothing on that side before it is gone', () => {
    const stale = order('bid', 40, 25);
    const first = findChanges(quotes([[48, 25]], [[52, 25]]), [stale], facts);
    expect(first.cancels).toEqual([stale]);
    expect(prices(first.wishes)).toEqual([['ask', 52, 25]]);
    const meanwhile = findChanges(quotes([[48, 25]]), [{ ...stale, phase: 'canceling' }], facts);
    expect(meanwhile).toEqual({ cancels: [], wishes: [] });
  });

  it('tops up what was partly filled instead of giving up the place in the queue', () => {
    const { cancels, wishes } = findChanges(quotes([[48, 25]]), [order('bid', 48, 10)], facts);
    expect(cancels).toEqual([]);
    expect(prices(wishes)).toEqual([['bid', 48, 15]]);
  });

  it('keeps the oldest orders of a level that holds too much, and pulls the newest', () => {
    const [old, young] = [order('ask', 52, 20), order('ask', 52, 20)];
    expect(findChanges(quotes([], [[52, 25]]), [young, old], facts).cancels).toEqual([young]);
  });

  it('cannot pull what is still in flight, and waits for it', () => {
    const pending = order('bid', 40, 25, 'pending');
    expect(findChanges(quotes([[48, 25]]), [pending], facts)).toEqual({ cancels: [], wishes: [] });
  });

  it('pulls everything for empty quotes', () => {
    const orders = [order('bid', 48, 25), order('ask', 52, 25), order('ask', 53, 5, 'canceling')];
    expect(findChanges(quotes([]), orders, facts).cancels).toEqual(orders.slice(0, 2));
  });

  it('never lets more rest on a side than is wanted there, whatever rested before', () => {
    const side = fc.constantFrom<BookSide>('bid', 'ask');
    const phase = fc.constantFrom<QuotedOrder['phase']>('resting', 'pending', 'canceling');
    const anyOrder = fc.tuple(side, fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 40 }), phase);
    fc.assert(
      fc.property(fc.array(anyOrder, { maxLength: 8 }), fc.integer({ min: 2, max: 97 }), (rows, price) => {
        const wanted = quotes([[price, 25]], [[price + 1, 25]], 1);
        const orders = rows.map((row) => order(...row));
        const { cancels, wishes } = findChanges(wanted, orders, facts);
        for (const one of ['bid', 'ask'] as const) {
          const placed = wishes.filter((wish) => wish.side === one).reduce((sum, wish) => sum + wish.amountMicros, 0);
          const kept = orders.filter((o) => o.side === one && !cancels.includes(o));
          const rests = kept.reduce((sum, o) => sum + o.remainingMicros, 0);
          if (placed > 0) expect(placed + rests).toBeLessThanOrEqual(25_000_000 * 1.2);
        }
      }),
    );
  });
});
