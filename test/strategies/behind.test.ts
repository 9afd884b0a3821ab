/** Makers at the best price of others: an order behind it fills only when the price has reached it. */

import { describe, expect, it } from 'vitest';
import type { MarketView } from '../../src/trader/market/view.js';
import type { Quotes } from '../../src/trader/strategy/contract.js';
import closingMaker from '../../strategies/closing-maker.js';
import logOddsMaker from '../../strategies/log-odds-maker.js';
import { book, m } from '../trader/market/fixtures.js';
import { FACTS, holding, paramsFor, viewOf } from '../trader/strategy/fixtures.js';

/** Others are a cent off the middle on each side, and each maker wants to be two or three off it. */
const VIEW = viewOf(book([[0.49, 100]], [[0.51, 100]]), { timeToResolutionMs: 3_600_000 });

const MAKERS = { closingMaker, logOddsMaker };
const quote = (name: keyof typeof MAKERS, view: MarketView, raw: unknown = { behind_ticks: 0 }): Quotes => {
  const maker = MAKERS[name];
  return maker.create(paramsFor(maker, raw), FACTS, undefined).quote(view);
};
const sides = ({ bids, asks }: Quotes) => [bids.length, asks.length];

describe.each(Object.keys(MAKERS) as (keyof typeof MAKERS)[])('%s', (name) => {
  it('opens nothing behind the best of others, and says what it believes all the same', () => {
    const quotes = quote(name, VIEW);
    expect(sides(quotes)).toEqual([0, 0]);
    expect(quotes.fairMicros).toBe(m(0.5));
  });

  it('opens behind it as far as it is told it may', () => {
    expect(sides(quote(name, VIEW, { behind_ticks: 3 }))).toEqual([1, 1]);
    expect(sides(quote(name, VIEW, {}))).toEqual([1, 1]);
  });

  it('opens at it', () => expect(sides(quote(name, { ...VIEW, ...at(0.46, 0.54) }))).toEqual([1, 1]));

  it('lets go of what it holds wherever it stands', () => {
    expect(sides(quote(name, holding(VIEW, 5)))).toEqual([0, 1]);
    expect(sides(quote(name, holding(VIEW, -5)))).toEqual([1, 0]);
  });
});

const at = (bid: number, ask: number): Pick<MarketView, 'book' | 'others' | 'estimates'> => {
  const { book: seen, others, estimates } = viewOf(book([[bid, 100]], [[ask, 100]]));
  return { book: seen, others, estimates };
};

it.each(['closingMaker', 'logOddsMaker'] as const)('%s may lean away behind others for what it holds', (name) => {
  const { bids, asks } = quote(name, holding({ ...VIEW, ...at(0.46, 0.54) }, 100));
  expect([bids.length, asks.length]).toEqual([1, 1]);
  expect(bids[0]?.priceMicros).toBeLessThan(m(0.46));
});

it('log-odds-maker says which sides it left out', () => {
  expect(quote('logOddsMaker', VIEW).note).toMatch(/; not quoted, because it would be behind others: bid and ask$/);
  expect(quote('logOddsMaker', holding(VIEW, 5)).note).toMatch(/behind others: bid$/);
  expect(quote('logOddsMaker', VIEW, { behind_ticks: 3 }).note).not.toMatch(/behind others/);
});
