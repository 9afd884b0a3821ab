import { expect, it } from 'vitest';
import { isFlat } from '../../../../src/trader/engine/control/complete-sets.js';
import type { MarketFacts } from '../../../../src/trader/market/view.js';
import { m } from '../../ledger/books.js';

/** A market with a minimum order of 5 shares, in lots of a hundredth. */
const FACTS = { minAmountMicros: m(5_000_000), lotMicros: m(10_000) } as MarketFacts;

it.each([
  [0, 0, true],
  [2.31, 0, true],
  [0, 4.99, true],
  [5, 0, false],
  // Any number of complete sets is merged: the minimum order does not apply to merges.
  [2.99, 2.99, false],
  [0.01, 2.3, false],
  [0.009, 2.3, true],
])('with %d YES and %d NO a market is flat: %s', (yes, no, expected) => {
  expect(isFlat(m(yes * 1_000_000), m(no * 1_000_000), FACTS)).toBe(expected);
});
