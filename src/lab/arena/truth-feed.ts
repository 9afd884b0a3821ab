/**
 * What a feed would say that knows the truth of a market up to an error, and late: so that strategies that quote around their
 * user's own value can be judged where the truth is known.
 */

import type { FeedValue } from '../../shared/protocol/seam.js';
import { logit, sigmoid } from '../../trader/strategy/maths/log-odds.js';
import { PythonRandom } from './challenge/python-random.js';
import type { Conditions } from './conditions.js';

/** Beside the seeds of everything else in a world. */
const SEEDS_APART = 2 ** 35;
/** Nobody's model says that anything is sure. */
const NEAREST_TO_SURE = 0.0005;

/** Of one market; a word for each second, each with an error of its own. */
export class TruthFeed {
  readonly #random: PythonRandom;
  readonly #sd: number;
  readonly #lagMs: number;
  readonly #conditionId: string;
  /** The oldest first; none that a later one has replaced. */
  #words: FeedValue[] = [];

  constructor(conditionId: string, seed: number, { feedSd, feedLagS }: Pick<Conditions, 'feedSd' | 'feedLagS'>) {
    this.#conditionId = conditionId;
    this.#random = new PythonRandom(seed + SEEDS_APART);
    this.#sd = feedSd;
    this.#lagMs = feedLagS * 1000;
  }

  /** What it says now, the truth being this: of the newest moment that it knows; null before there is one. */
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
