import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exposure, WorkingOrder } from '../../../src/trader/risk/exposure.js';
import { judge } from '../../../src/trader/risk/risk.js';
import { exposureOf, factsOf, holdingOf, ids, m, ONE, only, orderOf, paid, placeOf, sight, working } from './states.js';

const CAPITAL = 400 * ONE;
const LIMITS = {
  maxOpenOrders: 4,
  maxPositionSharesMicros: m(150 * ONE),
  maxEventPositionSharesMicros: m(220 * ONE),
  maxTotalCostMicros: m(120 * ONE),
};

const wish = fc.record({
  market: fc.constantFrom('a', 'b', 'c'),
  isYes: fc.boolean(),
  side: fc.constantFrom('buy' as const, 'buy' as const, 'sell' as const),
  priceMicros: fc.integer({ min: 1, max: 99 }).map((cents) => m(cents * 10_000)),
  amountMicros: fc.integer({ min: 1, max: 160 }).map((shares) => m(shares * ONE)),
  phase: fc.constantFrom('resting' as const, 'in_flight' as const, 'unknown' as const),
});

const start = fc.record({ yes: fc.integer({ min: 0, max: 60 }), no: fc.integer({ min: 0, max: 60 }) });

/** Returns every sequence in which these orders may fill. */
function* permutations<T>(all: readonly T[]): Generator<readonly T[]> {
  if (all.length === 0) yield [];
  for (const [i, first] of all.entries())
    for (const rest of permutations([...all.slice(0, i), ...all.slice(i + 1)])) yield [first, ...rest];
}

interface Book {
  yes: number;
  no: number;
  cost: number;
}

/** Returns the holdings after each fill, in this sequence. */
function* fillingInOrder(
  begin: ReturnType<Exposure['holding']>,
  orders: readonly WorkingOrder[],
): Generator<ReadonlyMap<string, Book>> {
  const books = new Map(['a', 'b', 'c'].map((market) => [market, { yes: 0, no: 0, cost: 0 }]));
  books.set('a', { yes: begin.yesMicros, no: begin.noMicros, cost: begin.costMicros });
  yield books;
  for (const order of orders) {
    const book = books.get(order.marketConditionId) ?? { yes: 0, no: 0, cost: 0 };
    book[order.isYes ? 'yes' : 'no'] += order.side === 'buy' ? order.remainingMicros : -order.remainingMicros;
    book.cost += Number(paid(order));
    yield books;
  }
}

const net = ({ yes, no }: Book) => Math.abs(yes - no);
const lost = ({ yes, no, cost }: Book) => Math.max(0, cost - yes, cost - no);
const sum = (books: Iterable<Book>, of: (book: Book) => number) => [...books].reduce((all, book) => all + of(book), 0);

it('orders that risk has let pass, in whatever order they fill, exceed no limit, nor what is owned (invariant 8)', () => {
  const passed = { orders: 0, fullSets: 0 };
  fc.assert(
    fc.property(start, fc.array(wish, { minLength: 1, maxLength: 8 }), ({ yes, no }, wishes) => {
      const costMicros = m((yes + no) * ONE * 0.5);
      const begin = holdingOf({ yesMicros: m(yes * ONE), noMicros: m(no * ONE), costMicros });
      const exposure = exposureOf([begin]);
      const orders: WorkingOrder[] = [];
      for (const [i, { market, phase, ...terms }] of wishes.entries()) {
        const place = placeOf({ ...terms, intentId: `o${i}`, ...ids(market), fairYesMicros: m(ONE / 2) });
        const view = sight({ book: { bids: [], asks: [] } }, market);
        const facts = factsOf({ limits: only(LIMITS), cashMicros: m(CAPITAL), exposure, sight: view });
        if (judge(place, facts).verdict !== 'approved') continue;
        const order = { ...working(place), phase };
        orders.push(order);
        exposure.addOrder(order);
      }
      passed.orders += orders.length;
      if (orders.length === LIMITS.maxOpenOrders) passed.fullSets += 1;
      expect(orders.length).toBeLessThanOrEqual(LIMITS.maxOpenOrders);
      for (const order of permutations(orders)) {
        for (const books of fillingInOrder(begin, order)) {
          const of = (market: string) => books.get(market) ?? { yes: 0, no: 0, cost: 0 };
          for (const book of books.values()) {
            expect(net(book)).toBeLessThanOrEqual(LIMITS.maxPositionSharesMicros);
            expect(Math.min(book.yes, book.no)).toBeGreaterThanOrEqual(0);
          }
          expect(net(of('a')) + net(of('b'))).toBeLessThanOrEqual(LIMITS.maxEventPositionSharesMicros);
          expect(sum(books.values(), lost)).toBeLessThanOrEqual(LIMITS.maxTotalCostMicros);
          expect(sum(books.values(), ({ cost }) => cost) - begin.costMicros).toBeLessThanOrEqual(CAPITAL);
        }
      }
    }),
    { numRuns: 150 },
  );
  expect(passed.fullSets).toBeGreaterThan(10);
});

describe('a figure of an order or a holding that is missing or not finite', () => {
  const fields = ['priceMicros', 'remainingMicros', 'feeRateMicros'] as const;
  const held = ['yesMicros', 'noMicros', 'costMicros', 'lockedYesMicros', 'lockedNoMicros'] as const;
  const bad = [undefined, null, Number.NaN, Number.POSITIVE_INFINITY, 0.5, '1'];

  /** Checks that approval is impossible: risk refuses, or throws an error that stops the trader. */
  const passes = (exposure: () => Exposure, side: 'buy' | 'sell'): boolean => {
    try {
      const place = placeOf({ side, priceMicros: m(side === 'buy' ? 410_000 : 430_000) });
      return judge(place, factsOf({ exposure: exposure() })).verdict === 'approved';
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
      return false;
    }
  };

  const base = { yesMicros: m(100 * ONE), noMicros: m(40 * ONE), costMicros: m(50 * ONE) };
  const cases = (['buy', 'sell'] as const).flatMap((side) => [
    ...fields.map((field) => ['order', field, side] as const),
    ...held.map((field) => ['holding', field, side] as const),
  ]);

  it.each(cases)('of our %s, %s, lets no %s pass', (kind, field, side) => {
    for (const value of bad) {
      const holding = holdingOf({ ...base, ...(kind === 'holding' ? { [field]: value } : {}) });
      const broken = () => exposureOf([holding], [orderOf(kind === 'order' ? { [field]: value } : {})]);
      expect([value, passes(broken, side)]).toEqual([value, false]);
    }
  });
});
