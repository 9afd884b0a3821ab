import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FEE_SCHEDULES, type FeeSchedule } from '../../../../src/shared/base/fees.js';
import { complement, micros } from '../../../../src/shared/base/micros.js';
import {
  chooseLegs,
  findChanges,
  findExcess,
  findTooNear,
  inYesSpace,
  legFees,
  type QuotedOrder,
} from '../../../../src/trader/engine/quoting/changes.js';
import type { BookSide, MarketFacts } from '../../../../src/trader/market/view.js';
import type { Quotes } from '../../../../src/trader/strategy/contract.js';
import { type Economics, USUAL_ECONOMICS } from '../../../../src/trader/strategy/economics.js';
import { forAll } from '../../for-all.js';
import { m } from '../../market/fixtures.js';
import { FACTS } from '../../strategy/fixtures.js';

const shares = m;
const cents = (n: number) => m(n / 100);

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

/** Two bids, of which the first is at 48. */
const deep = (second: number): [number, number][] => [48, second].map((price) => [price, 25]);

const sides = fc.constantFrom<BookSide>('bid', 'ask');

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

const prices = (wishes: readonly Parameters<typeof chooseLegs>[0][]) =>
  wishes.map((w) => `${w.side} ${w.amountMicros / 1e6} at ${w.priceMicros / 10_000}`);

describe('changes towards quotes', () => {
  it('places everything where nothing rests', () => {
    const { cancels, wishes } = findChanges(quotes([[48, 25]], [[52, 25]]), [], facts);
    expect(cancels).toEqual([]);
    expect(prices(wishes)).toEqual(['bid 25 at 48', 'ask 25 at 52']);
  });

  it('matches probes with probes only, whose cancels delay no other order', () => {
    const probe = { ...order('bid', 50, 1), isProbe: true };
    const { cancels, wishes } = findChanges(quotes([[50, 25]], []), [probe], facts);
    expect([cancels, prices(wishes)]).toEqual([[probe], ['bid 25 at 50']]);
  });

  it('asks for nothing when what rests is what is wanted, or near enough', () => {
    const orders = [order('bid', 48, 25), order('ask', 53, 22)];
    expect(findChanges(quotes([[48, 25]], [[52, 25]], 1), orders, facts)).toEqual({ cancels: [], wishes: [] });
  });

  it('moves even what is near enough where the quotes are exact', () => {
    const orders = [order('bid', 48, 25), order('ask', 53, 25), order('bid', 47, 22)];
    const wanted = quotes(deep(47), [[52, 25]], 1, 0.2);
    expect(findChanges(wanted, orders, facts)).toEqual({ cancels: [], wishes: [] });
    const { cancels, wishes } = findChanges({ ...wanted, exact: true }, orders, facts);
    expect(cancels).toEqual([orders[1]]);
    expect(prices(wishes)).toEqual(['bid 3 at 47']);
  });

  it('pulls what fits no level, and puts nothing on that side before it is gone', () => {
    const stale = order('bid', 40, 25);
    const first = findChanges(quotes([[48, 25]], [[52, 25]]), [stale], facts);
    expect(first.cancels).toEqual([stale]);
    expect(prices(first.wishes)).toEqual(['ask 25 at 52']);
    const meanwhile = findChanges(quotes([[48, 25]]), [{ ...stale, phase: 'canceling' }], facts);
    expect(meanwhile).toEqual({ cancels: [], wishes: [] });
  });

  it('tops up what was partly filled instead of giving up the place in the queue', () => {
    const { cancels, wishes } = findChanges(quotes([[48, 25]]), [order('bid', 48, 10)], facts);
    expect(cancels).toEqual([]);
    expect(prices(wishes)).toEqual(['bid 15 at 48']);
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
    const phase = fc.constantFrom<QuotedOrder['phase']>('resting', 'pending', 'canceling');
    const anyOrder = fc.tuple(sides, fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 40 }), phase);
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

const ask = (n: number, amount: number, strategy = 'maker') => ({
  ...order('ask', 50, amount),
  strategy,
  submittedMs: n,
});

it('while only the net position may be reduced, the newest orders of all strategies beyond it are too much', () => {
  const all = [ask(3, 30), ask(1, 60), ask(2, 50, 'other'), { ...order('bid', 40, 10), submittedMs: 0 }];
  const excess = findExcess(all, shares(100));
  expect(excess.map(({ submittedMs, side }) => `${side} ${submittedMs}`)).toEqual(['bid 0', 'ask 2']);
  expect(findExcess([ask(1, 60), ask(2, 40)], shares(100))).toEqual([]);
  expect(findExcess([ask(1, 100)], shares(84))).toHaveLength(1);
  expect(findExcess([{ ...order('bid', 40, 10), submittedMs: 0 }], shares(-10))).toEqual([]);
});

it('an order nearer to the fair price than the distance, or beyond it, is too near', () => {
  const orders = [...[47, 48, 52].map((at) => order('bid', at, 1)), ...[53, 52].map((at) => order('ask', at, 1))];
  const found = findTooNear(orders, cents(50), cents(3)).map((one) => `${one.side} ${one.priceMicros / 10_000}`);
  expect(found).toEqual(['bid 48', 'bid 52', 'ask 52']);
  expect(findTooNear(orders, null, cents(3))).toEqual([]);
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
    expect(short(quotes(deep(46)), [one, other]).cancels).toEqual([]);
    expect(short(quotes([[48, 25]]), [order('bid', 48, 25), far]).cancels).toEqual([far]);
  });

  it('what is not wanted at all goes, and so does what is not exact where that is wanted', () => {
    expect(short(quotes([]), [far]).cancels).toEqual([far]);
    expect(short({ ...quotes([[48, 25]]), exact: true }, [far]).cancels).toEqual([far]);
  });

  it('never offers more at any price than is wanted there or better', () => {
    const level = fc.tuple(fc.integer({ min: 40, max: 49 }), fc.integer({ min: 1, max: 50 }));
    const some = fc.array(level, { maxLength: 5 });
    forAll([some, some], (wanted, resting) => {
      const levels = [...new Map(wanted)].sort(([a], [b]) => b - a);
      const orders = resting.map(([price, amount]) => order('bid', price, amount));
      const { cancels } = short(quotes(levels, [], 0, 0), orders);
      const kept = orders.filter((each) => !cancels.includes(each));
      for (let price = 40; price < 50; price++) {
        const better = kept.filter((each) => each.priceMicros >= cents(price));
        const offered = better.reduce((sum, each) => sum + each.remainingMicros, 0);
        const wish = levels.reduce((sum, [at, amount]) => sum + (at >= price ? shares(amount) : 0), 0);
        expect(offered).toBeLessThanOrEqual(wish);
      }
    });
  });
});

const RESTING = { isTaking: false, economics: USUAL_ECONOMICS };
const FREE_OF_CHARGE: Economics = { requestPrice: 0, currencyPricePerS: 1e-9 };

const wish = (side: BookSide, price: number, amount: number): Parameters<typeof chooseLegs>[0] => ({
  side,
  priceMicros: cents(price),
  amountMicros: shares(amount),
});

describe('legs', () => {
  const free = (yes: number, no: number, cash = 1000) => ({
    yesMicros: shares(yes),
    noMicros: shares(no),
    cashMicros: shares(cash),
  });
  const shown = (side: BookSide, amount: number, held: ReturnType<typeof free>) =>
    chooseLegs(wish(side, 40, amount), held, facts, RESTING).map(
      (leg) => `${leg.side} ${leg.amountMicros / 1e6} ${leg.isYes ? 'YES' : 'NO'} at ${leg.priceMicros / 10_000}`,
    );

  it('sell what is held first and buy the complement with the rest', () => {
    expect(shown('bid', 10, free(50, 0))).toEqual(['buy 10 YES at 40']);
    expect(shown('bid', 10, free(0, 50))).toEqual(['sell 10 NO at 60']);
    expect(shown('bid', 10, free(0, 4))).toEqual(['sell 4 NO at 60', 'buy 6 YES at 40']);
    expect(shown('ask', 10, free(0, 0))).toEqual(['buy 10 NO at 60']);
    expect(shown('ask', 10, free(7, 0))).toEqual(['sell 7 YES at 40', 'buy 3 NO at 60']);
  });

  it('leave out what is too small for an order, on either leg', () => {
    expect(shown('bid', 10, free(0, 0.5))).toEqual(['buy 10 YES at 40']);
    expect(shown('bid', 10, free(0, 9.5))).toEqual(['sell 9.5 NO at 60']);
  });

  it('always add up to at most the wish, on the same side of the YES book at the same price', () => {
    const amount = fc.integer({ min: 100, max: 5000 }).map((n) => micros(n * 10_000));
    const held = fc.integer({ min: 0, max: 50_000_000 }).map(micros);
    const makerFeeRateMicros = fc.nat(40_000).map(micros);
    const charged = fc.record({ feeSchedule: fc.constantFrom(...FEE_SCHEDULES), makerFeeRateMicros });
    forAll([amount, held, held, sides, charged], (amountMicros, yes, no, side, fees) => {
      const one: Parameters<typeof chooseLegs>[0] = { side, priceMicros: cents(37), amountMicros };
      const own = { yesMicros: yes, noMicros: no, cashMicros: shares(1e6) };
      const legs = chooseLegs(one, own, { ...facts, ...fees }, RESTING);
      const sum = legs.reduce((total, leg) => total + leg.amountMicros, 0);
      expect(sum).toBeLessThanOrEqual(amountMicros);
      expect(amountMicros - sum).toBeLessThan(facts.minAmountMicros);
      for (const leg of legs) {
        expect(inYesSpace(leg.isYes, leg.side, leg.priceMicros)).toEqual({ side, priceMicros: one.priceMicros });
        expect(leg.amountMicros % facts.lotMicros).toBe(0);
        if (leg.side === 'sell') expect(leg.amountMicros).toBeLessThanOrEqual(leg.isYes ? yes : no);
      }
    });
    expect(complement(cents(37))).toBe(cents(63));
  });
});

describe('the cheapest leg', () => {
  const sets = (n: number, cashMicros = shares(1000)) => ({ yesMicros: shares(n), noMicros: shares(n), cashMicros });
  const withFee = (rate: number, feeSchedule: FeeSchedule = 'notional'): MarketFacts => ({
    ...facts,
    makerFeeRateMicros: shares(rate),
    takerFeeRateMicros: shares(2 * rate),
    feeSchedule,
  });
  const told = (legs: readonly ReturnType<typeof chooseLegs>[number][]) =>
    legs.map(({ side, isYes }) => `${side} ${isYes ? 'YES' : 'NO'}`);

  it.each([
    ['bid', 89, false, 0.0178, 0.0022],
    ['ask', 91, false, 0.0018, 0.0182],
    ['ask', 80, true, 0.008, 0.032],
  ] as const)('costs for a %s at %d (taking: %s) %d to buy and %d to sell', (side, price, isTaking, buy, sell) => {
    const fees = legFees(withFee(0.02), side, cents(price), isTaking);
    expect(fees.buy).toBeCloseTo(buy, 9);
    expect(fees.sell).toBeCloseTo(sell, 9);
  });

  it('goes by the fee that this very order would pay', () => {
    const onlyTakers = { ...withFee(0), takerFeeRateMicros: shares(0.04) };
    const ask = wish('ask', 91, 10);
    expect(told(chooseLegs(ask, sets(50), onlyTakers, RESTING))).toEqual(['sell YES']);
    expect(told(chooseLegs(ask, sets(50), onlyTakers, { ...RESTING, isTaking: true }))).toEqual(['buy NO']);
  });

  it('sells what is held where the fee saved is less than what a pair costs until it is merged', () => {
    const dearCurrency = { ...RESTING, economics: { requestPrice: 0.001, currencyPricePerS: 1e-3 } };
    expect(told(chooseLegs(wish('ask', 91, 10), sets(50), withFee(0.02), dearCurrency))).toEqual(['sell YES']);
  });

  it('is one order a wish, unless what the second saves pays for its four requests', () => {
    const held = { ...sets(0), yesMicros: shares(2) };
    const ask = wish('ask', 40, 10);
    expect(told(chooseLegs(ask, held, withFee(0.02), RESTING))).toEqual(['sell YES', 'buy NO']);
    const dear = { ...RESTING, economics: { ...USUAL_ECONOMICS, requestPrice: 0.01 } };
    expect(told(chooseLegs(ask, held, withFee(0.02), dear))).toEqual(['buy NO']);
  });

  it('is a sale where there is no currency to buy the complement with', () => {
    const ask = wish('ask', 91, 10);
    expect(told(chooseLegs(ask, sets(50, shares(0.91)), withFee(0.02), RESTING))).toEqual(['sell YES']);
    expect(told(chooseLegs(ask, sets(50, shares(0.92)), withFee(0.02), RESTING))).toEqual(['buy NO']);
  });

  it('is a sale as ever under a fee of the variance, of shares or of nothing, whatever requests cost', () => {
    const price = fc.integer({ min: 1, max: 99 });
    const schedules = fc.constantFrom(withFee(0), withFee(0.02, 'variance'), withFee(0.02, 'per_share'));
    const economics = fc.constantFrom(USUAL_ECONOMICS, FREE_OF_CHARGE, { requestPrice: 1, currencyPricePerS: 1e-9 });
    const held = fc.nat(30).map((n) => sets(n));
    forAll([price, schedules, economics, held, fc.boolean()], (at, market, prices, own, isTaking) => {
      for (const side of ['bid', 'ask'] as const) {
        const legs = told(chooseLegs(wish(side, at, 10), own, market, { isTaking, economics: prices }));
        const [sold, bought] = side === 'bid' ? ['sell NO', 'buy YES'] : ['sell YES', 'buy NO'];
        const count = own.yesMicros / 1e6;
        expect(legs).toEqual(count === 0 ? [bought] : count > 9 ? [sold] : [sold, bought]);
      }
    });
  });

  it('never pays more than the other single leg would have, but for what the pair costs', () => {
    const price = fc.integer({ min: 1, max: 99 });
    forAll([price, fc.integer({ min: 0, max: 5 }), sides], (at, rate, side) => {
      const market = withFee(rate / 100);
      const [leg] = chooseLegs(wish(side, at, 10), sets(50), market, { isTaking: false, economics: FREE_OF_CHARGE });
      const fees = legFees(market, side, cents(at), false);
      expect(leg === undefined ? Number.NaN : fees[leg.side]).toBe(Math.min(fees.sell, fees.buy));
    });
  });
});
