/** Another book's price without its margin, and this book's usual distance from it. */

import { type FeedView, logit } from '../../src/trader/strategy/strategy.js';

/**
 * Probabilities of exclusive outcomes from prices whose sum is not one, by the power method: each price to the power k
 * at which the sum is one (Clarke, Kovalchik, Ingram 2017). RangeError unless all lie in (0, 1).
 */
export function powerProbabilities(prices: readonly number[]): { readonly k: number; readonly p: readonly number[] } {
  if (prices.length < 2 || prices.some((price) => !(price > 0 && price < 1)))
    throw new RangeError('two or more prices in (0, 1) are wanted');
  const sum = (k: number): number => prices.reduce((total, price) => total + price ** k, 0);
  let [low, high] = [0, 1];
  while (sum(high) > 1) high *= 2;
  // The sum falls in k; sixty bisections exhaust a double's precision.
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (sum(middle) > 1) low = middle;
    else high = middle;
  }
  const k = (low + high) / 2;
  return { k, p: prices.map((price) => price ** k) };
}

/** Log-odds of YES by a reference. With a bid and an ask, YES costs the ask and NO costs 1 - bid. */
export function referenceLogOdds({ p, bid, ask }: Pick<FeedView, 'p' | 'bid' | 'ask'>): number {
  if (p !== null) return logit(p);
  const [yes, no] = powerProbabilities([ask ?? 0, 1 - (bid ?? 1)]).p;
  return logit((yes ?? 0) / ((yes ?? 0) + (no ?? 0)));
}

/** Saved form of the basis. */
export interface SavedBasis {
  readonly basis: number;
  readonly weightS: number;
  readonly atMs: number;
}

/** Maximum time between two reads that counts: unobserved time is no evidence. */
const LONGEST_S = 60;
/** Weight of the first observation. */
const FIRST_S = 1;

/** Mean distance of this book from the reference, in log-odds; older observations decay with the half-life. */
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

/** Reads a saved basis; null when none of this form was saved. */
export function savedBasis(saved: unknown): SavedBasis | null {
  if (typeof saved !== 'object' || saved === null || !('basis' in saved)) return null;
  // `save` of this version wrote it.
  return saved.basis as SavedBasis | null;
}
