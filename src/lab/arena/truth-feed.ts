/**
 * A feed that knows the truth of a market with an error and a delay: it lets strategies that quote around a user's
 * value be judged in worlds with a known truth.
 */

import type { FeedValue } from '../../shared/protocol/seam.js';
import { logit, sigmoid } from '../../trader/strategy/maths/log-odds.js';
import { PythonRandom } from './challenge/python-random.js';
import type { Conditions } from './conditions.js';

/** Separate from all other seeds of a world. */
const SEEDS_APART = 2 ** 35;
/** No model reports certainty. */
const NEAREST_TO_SURE = 0.0005;

/** Of one market; one value per second, each with its own error. */
export class TruthFeed {
  readonly #conditionId: string;
  readonly #random: PythonRandom;
  readonly #conditions: Pick<Conditions, 'feedSd' | 'feedLagS'>;
  /** Oldest first, without replaced values. */
  #words: FeedValue[] = [];

  constructor(conditionId: string, seed: number, conditions: Pick<Conditions, 'feedSd' | 'feedLagS'>) {
    this.#conditionId = conditionId;
    this.#random = new PythonRandom(seed + SEEDS_APART);
    this.#conditions = conditions;
  }

  /** Present value, given the truth: of the newest moment that it knows; null before the first. */
  tell(atMs: number, probability: number): FeedValue | null {
    const { feedSd: sd, feedLagS } = this.#conditions;
    const within = Math.min(1 - NEAREST_TO_SURE, Math.max(NEAREST_TO_SURE, probability));
    const p = sigmoid(logit(within) + this.#random.gauss(0, sd));
    this.#words.push({ conditionId: this.#conditionId, p, bid: null, ask: null, sd, atMs, validUntilMs: null });
    const known = this.#words.findLastIndex((word) => word.atMs <= atMs - feedLagS * 1000);
    if (known < 0) return null;
    this.#words = this.#words.slice(known);
    return this.#words[0] ?? null;
  }
}
