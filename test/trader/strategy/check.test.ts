import { describe, expect, test } from 'vitest';
import { checkQuotes } from '../../../src/trader/strategy/check.js';
import { NO_QUOTES, type Quotes } from '../../../src/trader/strategy/contract.js';
import { m } from '../market/fixtures.js';
import { FACTS, VIEW } from './fixtures.js';

const level = (price: number, amount = 10) => ({ priceMicros: m(price), amountMicros: m(amount) });

const GOOD: Quotes = {
  fairMicros: m(0.5),
  bids: [level(0.49), level(0.48)],
  asks: [level(0.51), level(0.53)],
  keepWithinTicks: 1,
  keepWithinSizeFraction: 0.2,
  note: 'fine',
  factors: { fair_price: 0.5 },
};

test('good quotes and no quotes pass', () => {
  expect([checkQuotes(GOOD, VIEW), checkQuotes(NO_QUOTES('a reason'), VIEW)]).toEqual([null, null]);
  expect(checkQuotes({ ...GOOD, exact: true, edge: { bid: 0.01, ask: -0.01 } }, VIEW)).toBeNull();
  expect(checkQuotes({ ...GOOD, sets: { coreSharesMicros: m(50), merge: 'never' } }, VIEW)).toBeNull();
});

describe('nonsense is named', () => {
  // A user's JavaScript may return anything, whatever the types say.
  const cases: readonly (readonly [string, unknown])[] = [
    ['quotes must be an object, got null', null],
    ['quotes must be an object, got undefined', undefined],
    ['bids and asks must be arrays', { ...GOOD, bids: null }],
    ['note must be text', { ...GOOD, note: 5 }],
    ['fairMicros must not be null when bids or asks have levels', { ...GOOD, fairMicros: null }],
    ['fairMicros must be an integer of millionths, got 0.5', { ...GOOD, fairMicros: 0.5 }],
    ['fairMicros must lie in (0, 1000000), got 1000000', { ...GOOD, fairMicros: m(1) }],
    ['keepWithinTicks must be a whole number', { ...GOOD, keepWithinTicks: -1 }],
    ['keepWithinSizeFraction must lie in [0, 1], got NaN', { ...GOOD, keepWithinSizeFraction: Number.NaN }],
    ['keepWithinSizeFraction must lie in [0, 1], got "0.2"', { ...GOOD, keepWithinSizeFraction: '0.2' }],
    ['keepWithinSizeFraction must lie in [0, 1], got 0', { ...GOOD, keepWithinSizeFraction: 0n }],
    ['factor x must be a finite number, got NaN', { ...GOOD, factors: { x: Number.NaN } }],
    ['sets must be an object, got null', { ...GOOD, sets: null }],
    ['sets.coreSharesMicros must be a whole number', { ...GOOD, sets: { coreSharesMicros: -1, merge: 'auto' } }],
    ['sets.coreSharesMicros must be a whole number', { ...GOOD, sets: { coreSharesMicros: 0.5, merge: 'auto' } }],
    ["sets.merge must be 'auto' or 'never'", { ...GOOD, sets: { coreSharesMicros: 1, merge: 'always' } }],
    ['exact must be true or false, got 1', { ...GOOD, exact: 1 }],
    ['edge must be an object, got null', { ...GOOD, edge: null }],
    ['edge.ask must lie in [-1, 1], in currency per share, got NaN', { ...GOOD, edge: { bid: 0.01, ask: Number.NaN } }],
    ['edge.bid must lie in [-1, 1]', { ...GOOD, edge: { ask: 0.01 } }],
    ['edge.bid must lie in [-1, 1]', { ...GOOD, edge: { bid: [0.5], ask: 0.01 } }],
    ['factors must be an object', { ...GOOD, factors: null }],
    [
      'at most 10 levels per side, but got 11 bids',
      { ...GOOD, bids: Array.from({ length: 11 }, (_, i) => level(0.4 - i / 100)) },
    ],
    [
      'bid 1: priceMicros must be an integer of millionths, got NaN',
      { ...GOOD, bids: [{ ...level(0.4), priceMicros: Number.NaN }] },
    ],
    ['bid 1: priceMicros 485000 is not a multiple of 10000', { ...GOOD, bids: [level(0.485)] }],
    ['bid 1: priceMicros 0 is outside', { ...GOOD, bids: [level(0)] }],
    ['ask 1: priceMicros 1000000 is outside', { ...GOOD, asks: [level(1)] }],
    ['bid 1: amountMicros 500000 is outside', { ...GOOD, bids: [level(0.4, 0.5)] }],
    ['bid 1: amountMicros -10000000 is outside', { ...GOOD, bids: [level(0.4, -10)] }],
    ['bid 1: amountMicros 10005000 is not a multiple of 10000', { ...GOOD, bids: [level(0.4, 10.005)] }],
    ['bid 2: price 490000 must be below the previous level', { ...GOOD, bids: [level(0.49), level(0.49)] }],
    ['ask 2: price 500000 must be above the previous level', { ...GOOD, asks: [level(0.52), level(0.5)] }],
    ['bid 1: the level must be an object, got 5', { ...GOOD, bids: [5] }],
    ['own quotes cross: best bid 510000 is not below best ask 510000', { ...GOOD, bids: [level(0.51)] }],
  ];
  test.each(cases)('%s', (message, quotes) => expect(checkQuotes(quotes as Quotes, VIEW)).toContain(message));

  test('a price whose complement is no price: the ask could not be worked as buying NO', () => {
    const view = { ...VIEW, market: { ...FACTS, minPriceMicros: m(0.05) } };
    expect(checkQuotes({ ...GOOD, asks: [level(0.97)] }, view)).toContain('1 - priceMicros 30000 is outside');
  });
});
