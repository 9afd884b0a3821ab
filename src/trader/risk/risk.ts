/**
 * The judge between what the engine wants and what leaves: an `Intent` becomes `Approved` or `Refused` with the two
 * numbers that were compared. An `Approved` carries a symbol that this file alone knows, so no other code can make one.
 *
 * Every control counts what is held, open, in flight and unknown at its worst. A figure that is missing or not finite
 * refuses. Cancelling is never refused. Neither this file nor `controls.ts` reads a clock or remembers anything between
 * two calls: the same intent and the same facts get the same verdict.
 */

import { conversionSanity, PLACE_CONTROLS, type RiskFacts, SPLIT_CONTROLS, toWorkingOrder } from './controls.js';
import type { WorkingOrder } from './exposure.js';
import type { Breach, Intent, PlaceIntent, Refused, SplitIntent } from './intent.js';

const approvedByRisk: unique symbol = Symbol('approved by risk');

/** An intent that passed every control. Only `judge` makes one. */
export interface Approved<I extends Intent = Intent> {
  readonly verdict: 'approved';
  readonly intent: I;
  /** The judged intent itself: a copy with another intent is not approved. */
  readonly [approvedByRisk]: I;
}

/** True only for a result of `judge`, whatever the static type. */
export const isApproved = (value: object): value is Approved =>
  approvedByRisk in value && 'intent' in value && value[approvedByRisk] === value.intent;

/**
 * Approves or refuses one intent. Add an approved place or split to `facts.exposure` (as `in_flight`) before judging
 * the next intent; otherwise the next one ignores it.
 */
export function judge<I extends Intent>(intent: I, facts: RiskFacts): Approved<I> | Refused {
  // A control returns its breach; the first one decides.
  switch (intent.kind) {
    case 'cancel':
      return approve(intent);
    case 'merge':
    case 'redeem': {
      const breach = conversionSanity(intent, facts.exposure);
      return breach === null ? approve(intent) : refuse(intent, 14, 'sane_input', breach);
    }
    case 'split':
      return judgeSplit(intent, facts) ?? approve(intent);
    case 'place':
      return judgePlace(intent, facts) ?? approve(intent);
  }
}

function judgeSplit(split: SplitIntent, facts: RiskFacts): Refused | null {
  for (const { number, name, check } of SPLIT_CONTROLS) {
    const breach = check(split, facts);
    if (breach !== null) return refuse(split, number, name, breach);
  }
  return null;
}

function judgePlace(place: PlaceIntent, facts: RiskFacts): Refused | null {
  // Several controls weigh the same order: its weight is computed once.
  let made: WorkingOrder | null = null;
  const order = () => {
    made ??= toWorkingOrder(place, facts);
    return made;
  };
  for (const control of PLACE_CONTROLS) {
    const breach = control.check(place, facts, order);
    if (breach !== null) return refuse(place, control.number, control.name, breach);
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
