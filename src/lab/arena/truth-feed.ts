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
  readonly #random: PythonRandom;
  readonly #sd: number;
  readonly #lagMs: number;
  readonly #conditionId: string;
  /** Oldest first, without replaced values. */
  #words: FeedValue[] = [];

  constructor(conditionId: string, seed: number, { feedSd, feedLagS }: Pick<Conditions, 'feedSd' | 'feedLagS'>) {
    this.#conditionId = conditionId;
    this.#random = new PythonRandom(seed + SEEDS_APART);
    this.#sd = feedSd;
    this.#lagMs = feedLagS * 1000;
  }

  /** Present value, given the truth: of the newest moment that it knows; null before the first. */
  tell(nowMs: number, probability: number): FeedValue | null {
    const within = Math.min(1 - NEAREST_TO_SURE, Math.max(NEAREST_TO_SURE, probability));
    const p = sigmoid(logit(within) + this.#random.gauss(0, this.#sd));
    const word = {
      conditionId: this.#conditionId,
      p,
      bid: null,
      ask: null,
      sd: this.#sd,
      atMs: nowMs,
      validUntilMs: null,
    };
    this.#words.push(word);
    const known = this.#words.findLastIndex(({ atMs }) => atMs <= nowMs - this.#lagMs);
    if (known > 0) this.#words = this.#words.slice(known);
    return known < 0 ? null : (this.#words[0] ?? null);
  }
}
