/** Removes the margin from another venue's prices, and measures the mean distance of this market from those prices. */

import { type FeedView, logit } from '../../src/trader/strategy/strategy.js';

/**
 * Probabilities of exclusive outcomes from prices that do not sum to one. The power method raises each price to the
 * power k that makes the sum one (Clarke, Kovalchik, Ingram 2017). Throws RangeError unless all prices lie in (0, 1).
 */
export function powerProbabilities(prices: readonly number[]): { readonly k: number; readonly p: readonly number[] } {
  if (prices.length < 2 || prices.some((price) => !(price > 0 && price < 1)))
    throw new RangeError(`prices must be two or more numbers in (0, 1), got ${prices.join(', ')}`);
  const sum = (k: number): number => prices.reduce((total, price) => total + price ** k, 0);
  let [low, high] = [0, 1];
  while (sum(high) > 1) high *= 2;
  // The sum of the raised prices falls as k rises. Sixty bisections reach the precision of a double.
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (sum(middle) > 1) low = middle;
    else high = middle;
  }
  const k = (low + high) / 2;
  return { k, p: prices.map((price) => price ** k) };
}

/** Log-odds of YES in a reference. In a reference with bid and ask, YES costs the ask and NO costs 1 - bid. */
export function referenceLogOdds({ p, bid, ask }: Pick<FeedView, 'p' | 'bid' | 'ask'>): number {
  if (p !== null) return logit(p);
  const [yes, no] = powerProbabilities([ask ?? 0, 1 - (bid ?? 1)]).p;
  return logit((yes ?? 0) / ((yes ?? 0) + (no ?? 0)));
}

/** Saved form of the basis: the mean distance from the reference. */
export interface SavedBasis {
  readonly basis: number;
  readonly weightS: number;
  readonly atMs: number;
}

/** Maximum weight of one observation of the distance, s: a longer time without observations is no evidence. */
const LONGEST_S = 60;
/** Weight of the first observation of the distance, s. */
const FIRST_S = 1;

/** Mean distance of this book from the reference, in log-odds. Older distances decay with the half-life. */
export class Basis {
  #state: SavedBasis | null;
  readonly #halfLifeS: number;

  constructor(halfLifeS: number, saved: SavedBasis | null) {
    this.#halfLifeS = halfLifeS;
    this.#state = saved;
  }

  get saved(): SavedBasis | null {
    return this.#state;
  }

  get value(): number {
    return this.#state?.basis ?? 0;
  }

  observe(distance: number, nowMs: number): void {
    const last = this.#state;
    const elapsedS = last === null ? 0 : Math.max(0, nowMs - last.atMs) / 1000;
    const added = last === null ? FIRST_S : Math.min(LONGEST_S, elapsedS);
    const kept = (last?.weightS ?? 0) * 2 ** (-elapsedS / this.#halfLifeS);
    if (kept + added <= 0) return;
    const basis = ((last?.basis ?? 0) * kept + distance * added) / (kept + added);
    this.#state = { basis, weightS: kept + added, atMs: nowMs };
  }
}

/** Returns the saved basis; null if there is none. */
export function savedBasis(saved: unknown): SavedBasis | null {
  if (typeof saved !== 'object' || saved === null || !('basis' in saved)) return null;
  // The cast is safe, because `save` of this version wrote the value.
  return saved.basis as SavedBasis | null;
}
