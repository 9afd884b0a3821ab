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

/**
 * Of one market. The returned function is called once per second with the truth; it returns the value of the newest moment
 * that the feed knows, null before the first. Each value has its own error.
 */
export function openTruthFeed(conditionId: string, seed: number, conditions: Pick<Conditions, 'feedSd' | 'feedLagS'>) {
  const { feedSd: sd, feedLagS } = conditions;
  const random = new PythonRandom(seed + SEEDS_APART);
  /** Oldest first, without replaced values. */
  let values: FeedValue[] = [];
  return (atMs: number, probability: number): FeedValue | null => {
    const within = Math.min(1 - NEAREST_TO_SURE, Math.max(NEAREST_TO_SURE, probability));
    const p = sigmoid(logit(within) + random.gauss(0, sd));
    values.push({ conditionId, p, bid: null, ask: null, sd, atMs, validUntilMs: null });
    const known = values.findLastIndex((value) => value.atMs <= atMs - feedLagS * 1000);
    values = values.slice(Math.max(0, known));
    return known < 0 ? null : (values[0] ?? null);
  };
}
