/** All allowed changes of an intent's state, one line per change. Any other change cancels all orders and exits. */

import { AssertionFailed } from '../../shared/base/errors.js';
import type { ConversionState, OrderStatus, RedeemState } from '../../shared/protocol/states.js';
import type { IntentState } from '../ledger/contract.js';

export const INTENT_EVENTS = [
  'draftStored', // a draft arrived and is in the ledger
  'draftRefused', // the exchange rejected the draft, or its request was never sent
  'draftLost', // it is unknown whether a draft was made
  'withdrawn', // the trader withdrew it, and nothing was signed
  'signed', // the signature is in the ledger
  'signRefused', // the signer refused the draft
  'neverSent', // no byte of any submit was sent
  'uncertain', // a submit was sent and not clearly accepted
  'accepted', // the exchange's record shows that it took effect and is not finished
  'settled', // the exchange's record shows that it is finished, with its effect
  'recordFailed', // the exchange's record shows it as failed
  'recordExpired', // the exchange's record shows it as expired in two reads, one poll apart
  'lapsed', // an unsigned draft has expired on the exchange's clock
] as const;
export type IntentEvent = (typeof INTENT_EVENTS)[number];

export const LIFECYCLE: Readonly<Record<IntentState, Readonly<Partial<Record<IntentEvent, IntentState>>>>> = {
  intended: {
    draftStored: 'drafted',
    draftRefused: 'refused',
    // An unsigned draft has no effect, but its possible locks last until it expires.
    draftLost: 'abandoned',
    withdrawn: 'abandoned',
    // The order ended before its cancel was drafted.
    settled: 'done',
  },
  drafted: {
    signed: 'signed',
    signRefused: 'abandoned',
    withdrawn: 'abandoned',
    // The order ended while its cancel's draft awaited the signature.
    settled: 'done',
  },
  signed: {
    // The signature was never sent: the order's price is too old, or the mode forbids the conversion.
    neverSent: 'abandoned',
    uncertain: 'unknown',
    accepted: 'live',
    settled: 'done',
    // A list or read may show the end before the submit is answered.
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  unknown: {
    // The same signature was sent again, without a clear answer.
    uncertain: 'unknown',
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  live: {
    // A repeated submit was rejected because the first one worked.
    uncertain: 'live',
    // A later list shows the order again.
    accepted: 'live',
    settled: 'done',
    // A merge or split whose transaction failed, or an order that the exchange withdrew.
    recordFailed: 'failed',
    // The order rested, so it took effect before the exchange ended it.
    recordExpired: 'done',
  },
  abandoned: {
    // A late answer with the draft, which stays unsigned.
    draftStored: 'abandoned',
    draftLost: 'abandoned',
    // No draft exists, so nothing is locked.
    draftRefused: 'refused',
    lapsed: 'expired',
    // The signature was reported as never sent, but it had been sent: the exchange's record counts, with an alarm.
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  done: {
    // A final order rests again: the exchange contradicts itself, so the order counts as resting.
    accepted: 'live',
    // Another final record, for example canceled after filled.
    settled: 'done',
    recordFailed: 'done',
    recordExpired: 'done',
  },
  failed: {
    // The exchange reported it as failed, and it took effect later.
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'failed',
  },
  expired: {
    // The exchange reported it as expired, and it took effect later.
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  // No answer can arrive without draft and pubkey.
  refused: {},
};

export interface Standing {
  /** Phase of the intent's reservation; null when it has ended. */
  readonly reserves: 'in_flight' | 'resting' | 'unknown' | 'abandoned' | null;
  /**
   * Effect at the exchange. `none`: no signature is stored. `maybe`: the signature may have to be sent again. `there`:
   * took effect. `over`: finished, read at most once more. `never`: had no effect.
   */
  readonly effect: 'none' | 'maybe' | 'there' | 'over' | 'never';
}

export const STANDINGS: Readonly<Record<IntentState, Standing>> = {
  intended: { reserves: 'in_flight', effect: 'none' },
  drafted: { reserves: 'in_flight', effect: 'none' },
  signed: { reserves: 'in_flight', effect: 'maybe' },
  unknown: { reserves: 'unknown', effect: 'maybe' },
  live: { reserves: 'resting', effect: 'there' },
  abandoned: { reserves: 'abandoned', effect: 'never' },
  done: { reserves: null, effect: 'over' },
  failed: { reserves: null, effect: 'over' },
  expired: { reserves: null, effect: 'over' },
  refused: { reserves: null, effect: 'never' },
};

/** Event for each state of a record of orders, conversions and redeems; `unsigned` without a signature. */
export const RECORD_STATES: Readonly<
  Record<
    OrderStatus | ConversionState | RedeemState,
    'unsigned' | Extract<IntentEvent, 'accepted' | 'settled' | 'recordFailed' | 'recordExpired'>
  >
> = {
  // State of a redeem before its draft exists. After a submit, only an outdated answer shows this state.
  created: 'unsigned',
  waiting_to_sign: 'unsigned',
  open: 'accepted',
  partially_filled: 'accepted',
  in_process: 'accepted',
  filled: 'settled',
  canceled: 'settled',
  partially_filled_canceled: 'settled',
  done: 'settled',
  completed: 'settled',
  failed: 'recordFailed',
  expired: 'recordExpired',
};

/** Returns the next state. Throws AssertionFailed for a pair that is not in the table. */
export function nextState(state: IntentState, event: IntentEvent): IntentState {
  const next = LIFECYCLE[state][event];
  if (next === undefined) throw new AssertionFailed(`an intent that is ${state} cannot be ${event}`);
  return next;
}

// Waits before the next read or retry. Reads of an unsettled record are limited in rate, not in number: only the
// record ends them, and until then its capital stays reserved.

/** First wait after an uncertain submit: an earlier read could overtake the submit. */
export const FIRST_LOOK_MS = 500;
/** Longest wait for an exchange that does not answer, so that its return is noticed within seconds. */
const LONGEST_LOOK_MS = 10_000;
const LONGEST_MISSING_MS = 60_000;
/** Longest wait for a conversion to settle: half a second on the paper exchange, seconds on a chain. */
const LONGEST_LANDING_MS = 5_000;
/** Maximum requests for a conversion's draft after lost answers; repeats are harmless: unsigned drafts do nothing. */
export const MOST_DRAFT_ASKS = 3;
/** Longest delay of a request whose answer was lost; it extends the wait for a draft's locks. */
export const LATE_DELIVERY_S = 60;
/** Maximum age of an order's price when it is signed and sent. Draft and submit normally take under a second. */
export const PLACE_USEFUL_MS = 5_000;
/** Tolerance for the exchange's clock and rounding in the latest accepted expiry of a draft. */
export const EXPIRY_SLACK_S = 60;
/** Tolerance for exchange times in whole seconds: one second on each side. */
export const WHOLE_SECONDS_S = 2;

const doubling = (tries: number, longestMs: number): number =>
  // 2^20 exceeds every longest wait and avoids overflow.
  Math.min(longestMs, FIRST_LOOK_MS * 2 ** Math.min(tries, 20));

export const lookWaitMs = (tries: number): number => doubling(tries, LONGEST_LOOK_MS);
export const missingWaitMs = (tries: number): number => doubling(tries, LONGEST_MISSING_MS);
export const landingWaitMs = (tries: number): number => doubling(tries, LONGEST_LANDING_MS);
