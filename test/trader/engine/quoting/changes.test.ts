import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../../src/shared/base/micros.js';
import { type DesiredQuotes, findChanges, type QuotedOrder } from '../../../../src/trader/engine/quoting/changes.js';
import type { BookSide, MarketFacts } from '../../../../src/trader/market/view.js';
import type { Quotes } from '../../../../src/trader/strategy/contract.js';
import { FACTS } from '../../strategy/fixtures.js';
import { forAll } from '../../for-all.js';

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

  it('matches probes with probes only, whose cancels delay no other order', () => {
    const probe = { ...order('bid', 50, 1), isProbe: true };
    const { cancels, wishes } = findChanges(quotes([[50, 25]], []), [probe], facts);
    expect([cancels, prices(wishes)]).toEqual([[probe], [['bid', 50, 25]]]);
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
    forAll([fc.array(anyOrder, { maxLength: 8 }), fc.integer({ min: 2, max: 97 })], (rows, price) => {
        const wanted = quotes([[price, 25]], [[price + 1, 25]], 1);
        const orders = rows.map((row) => order(...row));
        const { cancels, wishes } = findChanges(wanted, orders, facts);
        for (const one of ['bid', 'ask'] as const) {
          const placed = wishes.filter((wish) => wish.side === one).reduce((sum, wish) => sum + wish.amountMicros, 0);
          const kept = orders.filter((o) => o.side === one && !cancels.includes(o));
          const rests = kept.reduce((sum, o) => sum + o.remainingMicros, 0);
          if (placed > 0) expect(placed + rests).toBeLessThanOrEqual(25_000_000 * 1.2);
        }
      });
  });
});

describe('while requests are short', () => {
  const short = (wanted: Quotes, orders: readonly QuotedOrder[]) => findChanges(wanted, orders, facts, () => true);
  const [far, near] = [order('bid', 46, 25), order('bid', 49, 25)];

  it('an order that is further off than is wanted waits for its move, and one that is nearer does not', () => {
    expect(short(quotes([[48, 25]]), [far])).toEqual({ cancels: [], wishes: [] });
    expect(short(quotes([[48, 25]]), [near]).cancels).toEqual([near]);
    const [low, high] = [order('ask', 51, 25), order('ask', 55, 25)];
    expect(short(quotes([], [[53, 25]]), [low]).cancels).toEqual([low]);
    expect(short(quotes([], [[53, 25]]), [high])).toEqual({ cancels: [], wishes: [] });
  });

  it('no more stays than is wanted at its price or better', () => {
    const [one, other] = [order('bid', 47, 20), order('bid', 46, 20)];
    expect(short(quotes([[48, 25]]), [one, other]).cancels).toEqual([other]);
    expect(
      short(
        quotes([
          [48, 25],
          [46, 25],
        ]),
        [one, other],
      ).cancels,
    ).toEqual([]);
    expect(short(quotes([[48, 25]]), [order('bid', 48, 25), far]).cancels).toEqual([far]);
  });

  it('what is not wanted at all goes, and so does what is not exact where that is wanted', () => {
    expect(short(quotes([]), [far]).cancels).toEqual([far]);
    expect(short({ ...quotes([[48, 25]]), exact: true }, [far]).cancels).toEqual([far]);
  });

  it('never offers more at any price than is wanted there or better', () => {
    const some = fc.array(fc.tuple(fc.integer({ min: 40, max: 49 }), fc.integer({ min: 1, max: 50 })), {
      maxLength: 5,
    });
    forAll([some, some], (wanted, resting) => {
        const levels = [...new Map(wanted)].sort(([a], [b]) => b - a);
        const orders = resting.map(([price, amount]) => order('bid', price, amount));
        const { cancels } = short(quotes(levels, [], 0, 0), orders);
        const kept = orders.filter((each) => !cancels.includes(each));
        for (let price = 40; price < 50; price++) {
          const offered = kept.reduce(
            (sum, each) => sum + (each.priceMicros >= cents(price) ? each.remainingMicros : 0),
            0,
          );
          const wish = levels.reduce((sum, [at, amount]) => sum + (at >= price ? shares(amount) : 0), 0);
          expect(offered).toBeLessThanOrEqual(wish);
        }
      });
  });
});
