/** Value of a market's holdings for the limits. A complete set is worth exactly 1 and needs no buyer. */

import { add, complement, type Micros, micros, minMicros, mul, sub, ZERO } from '../../shared/base/micros.js';
import type { Book, BookLevel } from '../market/view.js';
import type { ShareCaps } from './slow-average.js';

export interface Shares {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
}

/** Shares at the YES price, each at most at its cap, rounded down; null without a required price. */
export function valueAtPrice(shares: Shares, yesPrice: Micros | null, caps: ShareCaps): Micros | null {
  const { pairs, single, isYes } = splitSets(shares);
  if (single === 0) return pairs;
  if (yesPrice === null) return null;
  const price = isYes ? yesPrice : complement(yesPrice);
  return add(pairs, mul(single, minMicros(price, isYes ? caps.yesMicros : caps.noMicros), 'floor'));
}

/**
 * Shares at others' bids for that many, each at most at its cap, rounded down. Shares without a bid are worth 0.
 *
 * @param others YES book without own orders
 */
export function valueByDepth(shares: Shares, others: Book, caps: ShareCaps): Micros {
  const { pairs, single, isYes } = splitSets(shares);
  const cap = isYes ? caps.yesMicros : caps.noMicros;
  const levels: readonly BookLevel[] = isYes ? others.bids : others.asks;
  let left = single;
  let value = pairs;
  for (const { priceMicros, amountMicros } of levels) {
    if (left === 0) break;
    const sold = minMicros(left, amountMicros);
    value = add(value, mul(sold, minMicros(isYes ? priceMicros : complement(priceMicros), cap), 'floor'));
    left = sub(left, sold);
  }
  return value;
}

function splitSets({ yesMicros, noMicros }: Shares) {
  const pairs = minMicros(yesMicros, noMicros);
  const isYes = yesMicros > pairs;
  const single = isYes ? sub(yesMicros, pairs) : micros(Math.max(ZERO, noMicros - pairs));
  return { pairs, single, isYes };
}
