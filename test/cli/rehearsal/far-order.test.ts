import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { farOrder } from '../../../src/cli/rehearsal/market-choice.js';
import { complement, type Micros, mul, ONE } from '../../../src/shared/base/micros.js';
import type { OrderbookConfig } from '../../../src/shared/protocol/records.js';
import type { Book } from '../../../src/trader/market/view.js';
import { detail } from '../../trader/market/fixtures.js';
import { limitsOf } from '../../trader/risk/states.js';

const m = (value: number) => Math.round(value * ONE) as Micros;

// The fixture is an order book's.
const rules = detail().config as OrderbookConfig;
const level = (price: number) => ({ priceMicros: m(price), amountMicros: m(10) });
const book = (bid: number | null, ask: number | null): Book => ({
  bids: bid === null ? [] : [level(bid)],
  asks: ask === null ? [] : [level(ask)],
});
const limits = (shares: string) => limitsOf({ maxOrderSharesMicros: m(Number(shares)) });

describe('the smallest order far from the market', () => {
  test.each([
    ['buys YES where YES is dearer', book(0.6, 0.64), '250', true, 0.01, 100],
    ['buys NO where NO is dearer', book(0.2, 0.22), '250', false, 0.01, 100],
    ['goes up until our own limit of shares allows the least worth', book(0.6, 0.64), '25', true, 0.04, 25],
    ['buys YES where nobody sells', book(null, null), '250', true, 0.01, 100],
  ] as const)('%s', (_, seen, shares, isYes, price, amount) => {
    expect(farOrder(rules, seen, limits(shares))).toEqual({ isYes, priceMicros: m(price), amountMicros: m(amount) });
  });

  test('is none where our own limit of shares is below the market’s smallest order', () =>
    expect(farOrder({ ...rules, min_amount: m(30) }, book(0.6, 0.64), limits('25'))).toMatch(/max_order_shares/));

  test('is none where every price that our limit allows is near', () =>
    expect(farOrder(rules, book(0.5, 0.52), limits('3'))).toMatch(/far/));

  test('keeps to the grid, to every limit, and far from what others ask, whatever the book', () => {
    const price = fc.integer({ min: 1, max: 99 }).map((cents) => cents / 100);
    const drawn = fc.record({ bid: fc.option(price), ask: fc.option(price), shares: fc.integer({ min: 1, max: 500 }) });
    fc.assert(
      fc.property(drawn, ({ bid, ask, shares }) => {
        const found = farOrder(rules, book(bid, ask), limits(String(shares)));
        if (typeof found === 'string') return;
        const { isYes, priceMicros, amountMicros } = found;
        expect(2 * priceMicros).toBeLessThanOrEqual(isYes ? m(ask ?? 1) : complement(m(bid ?? 0)));
        expect(priceMicros % m(0.01)).toBe(0);
        expect(amountMicros % m(0.01)).toBe(0);
        expect(amountMicros).toBeLessThanOrEqual(m(shares));
        expect(amountMicros).toBeGreaterThanOrEqual(rules.min_amount);
        expect(mul(priceMicros, amountMicros, 'ceil')).toBeGreaterThanOrEqual(rules.min_funds);
      }),
    );
  });
});
