/**
 * Risk judges every intent of the engine. `judge` returns `Approved`, or `Refused` with the two compared numbers. An
 * `Approved` contains a symbol private to this module, so that no other code can create an `Approved`.
 *
 * Holdings and orders (open, in flight or unknown) count at their worst case. A missing or infinite figure causes a
 * refusal. Cancels are never refused. Risk reads no clock and keeps no state, so equal inputs give equal verdicts.
 */

import { assert } from '../../shared/base/errors.js';
import {
  conversionSanity,
  PLACE_CONTROLS,
  type RiskControl,
  type RiskFacts,
  SPLIT_CONTROLS,
  toWorkingOrder,
} from './controls.js';
import type { WorkingOrder } from './exposure.js';
import type { Breach, Intent, PlaceIntent, Refused, SplitIntent } from './intent.js';

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

/** Approves or refuses one intent. Callers add approved places and splits to `facts.exposure` before the next call. */
export function judge<I extends Intent>(intent: I, facts: RiskFacts): Approved<I> | Refused {
  switch (intent.kind) {
    case 'cancel':
      return approve(intent);
    case 'merge':
    case 'redeem': {
      const breach = conversionSanity(intent, facts.exposure);
      return breach === null ? approve(intent) : refuse(intent, 14, 'sane_input', breach);
    }
    case 'split':
      return findRefusal(intent, SPLIT_CONTROLS, facts) ?? approve(intent);
    case 'place':
      return findRefusal(intent, PLACE_CONTROLS, facts) ?? approve(intent);
  }
}

function findRefusal<I extends PlaceIntent | SplitIntent>(
  intent: I,
  controls: readonly RiskControl<I>[],
  facts: RiskFacts,
): Refused | null {
  // The working order is created once, because its contribution to the worst case is cached per object.
  let made: WorkingOrder | null = null;
  const order = () => {
    assert(intent.kind === 'place', 'only a place intent becomes a working order');
    made ??= toWorkingOrder(intent, facts);
    return made;
  };
  for (const { number, name, check } of controls) {
    const breach = check(intent, facts, order);
    if (breach !== null) return refuse(intent, number, name, breach);
  }
  return null;
}

const approve = <I extends Intent>(intent: I): Approved<I> =>
  Object.freeze({ verdict: 'approved', intent, [approvedByRisk]: intent });

const refuse = (intent: Intent, control: number, name: string, breach: Breach): Refused => ({
  verdict: 'refused',
  intent,
  control,
  name,
  ...breach,
});
