/** Prices of nested thresholds ("above 50", "above 60"). A threshold is never likelier than a wider threshold. */

import { eventReservationPrices } from '../../src/trader/strategy/strategy.js';
import type { Reading } from './outcomes.js';

/** Minimum variance of a mid. A mid without variance would outweigh all others. */
const LEAST_VARIANCE = 1e-12;

/**
 * Returns the nearest prices that never rise from one threshold to the next. The fit is least squares, weighted by each
 * book's precision (pool adjacent violators). A price pooled from several books has the precision of all these books.
 *
 * @param readings widest threshold first
 */
export function falling(readings: readonly Reading[]): readonly Reading[] {
  const blocks: { mid: number; weight: number; count: number }[] = [];
  for (const { mid, variance } of readings) {
    let block = { mid, weight: 1 / Math.max(LEAST_VARIANCE, variance), count: 1 };
    for (let before = blocks.at(-1); before !== undefined && before.mid < block.mid; before = blocks.at(-1)) {
      blocks.pop();
      const weight = before.weight + block.weight;
      const pooled = (before.mid * before.weight + block.mid * block.weight) / weight;
      block = { mid: pooled, weight, count: before.count + block.count };
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ mid, weight, count }) =>
    Array.from({ length: count }, () => ({ mid, variance: 1 / weight })),
  );
}

/** Largest amount by which a threshold's mid exceeds the mid of a wider threshold, in price; 0 if none does. */
export function findRise(mids: readonly number[]): number {
  let lowest = Number.POSITIVE_INFINITY;
  let rise = 0;
  for (const mid of mids) {
    rise = Math.max(rise, mid - lowest);
    lowest = Math.min(lowest, mid);
  }
  return rise;
}

/** Minimum probability of a case, even if the prices exclude the case. */
const LEAST_CHANCE = 1e-9;

/**
 * Reservation prices of nested markets for the shares held. The exclusive cases are the numbers of reached thresholds,
 * counted from the widest.
 *
 * @param prices falling, widest threshold first
 */
export function nestedReservationPrices(prices: readonly number[], gamma: number, net: readonly number[]): number[] {
  const cases = [1, ...prices].map((price, reached) => Math.max(LEAST_CHANCE, price - (prices[reached] ?? 0)));
  const total = cases.reduce((sum, chance) => sum + chance, 0);
  let held = 0;
  // In each case, the markets of all reached thresholds pay.
  const holdings = cases.map((_, reached) => (held += reached === 0 ? 0 : (net[reached - 1] ?? 0)));
  const shifted = eventReservationPrices(
    cases.map((chance) => chance / total),
    gamma,
    holdings,
  );
  let above = 0;
  return prices
    .map((_, index) => shifted[prices.length - index] ?? 0)
    .map((chance) => (above += chance))
    .reverse();
}
