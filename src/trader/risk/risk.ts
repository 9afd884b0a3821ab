/**
 * Risk judges every intent of the engine. `judge` returns `Approved`, or `Refused` with the two compared numbers. An
 * `Approved` contains a symbol private to this module, so that no other code can create an `Approved`.
 *
 * Holdings and orders (open, in flight or unknown) count at their worst case. A missing or infinite figure causes a
 * refusal. Cancels are never refused. Risk reads no clock and keeps no state, so equal inputs give equal verdicts.
 */

import { findRefusal, type RiskFacts } from './controls.js';
import type { Intent, Refused } from './intent.js';

const approvedByRisk: unique symbol = Symbol('approved by risk');

/** Intent that passed every risk control. Only `judge` creates objects of this type. */
export interface Approved<I extends Intent = Intent> {
  readonly verdict: 'approved';
  readonly intent: I;
  /** The judged intent. A copy of this object with another `intent` does not count as approved. */
  readonly [approvedByRisk]: I;
}

/** True only for an object returned by `judge` as approved; checked at run time. */
export const isApproved = (value: object): value is Approved =>
  approvedByRisk in value && 'intent' in value && value[approvedByRisk] === value.intent;

/** Approves or refuses one intent. Add an approved place or split to `facts.exposure` before the next call. */
export function judge<I extends Intent>(intent: I, facts: RiskFacts): Approved<I> | Refused {
  const refusal = findRefusal(intent, facts);
  if (refusal !== null) return { verdict: 'refused', intent, ...refusal };
  return Object.freeze({ verdict: 'approved', intent, [approvedByRisk]: intent });
}
