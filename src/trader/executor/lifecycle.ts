/**
 * Every allowed change of an intent's state, one line each. Any other change stops the process after it has canceled
 * everything.
 */

import { AssertionFailed } from '../../shared/base/errors.js';
import type { ConversionState, OrderStatus, RedeemState } from '../../shared/protocol/states.js';
import type { IntentState } from '../ledger/contract.js';

export const INTENT_EVENTS = [
  'draftStored', // the exchange answered a draft, and it is in the ledger
  'draftRefused', // the exchange said no to the draft, or the request for it never left
  'draftLost', // nobody knows whether a draft was made
  'withdrawn', // we no longer want it, and nothing was signed
  'signed', // the signature is in the ledger
  'signRefused', // the signer would not sign what the exchange drafted
  'neverSent', // no byte of any submit left
  'uncertain', // a submit left and was not clearly accepted
  'accepted', // the exchange's record shows that it took effect and is under way
  'settled', // the exchange's record shows that it is over, with its effect
  'recordFailed', // the exchange's record says failed
  'recordExpired', // the exchange's record says expired, twice, one poll apart
  'lapsed', // the lifetime of a draft that was never signed is over, on the exchange's clock
] as const;
export type IntentEvent = (typeof INTENT_EVENTS)[number];

export const LIFECYCLE: Readonly<Record<IntentState, Readonly<Partial<Record<IntentEvent, IntentState>>>>> = {
  intended: {
    draftStored: 'drafted',
    draftRefused: 'refused',
    // An unsigned draft has no effect; its possible locks are waited out.
    draftLost: 'abandoned',
    withdrawn: 'abandoned',
    // The order ended before its cancel arrived.
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
    // A new order that waited too long is stale; a conversion may be forbidden by now; the signature never left.
    neverSent: 'abandoned',
    uncertain: 'unknown',
    accepted: 'live',
    settled: 'done',
    // A list or read may show the record's end before the submit is answered.
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
    // The next list shows it again.
    accepted: 'live',
    settled: 'done',
    // A merge or split whose transaction did not land, or an order that the exchange withdrew.
    recordFailed: 'failed',
    // It rested, so it took effect; then the exchange ended it.
    recordExpired: 'done',
  },
  abandoned: {
    // Late answer of an abandoned draft: it stays unsigned.
    draftStored: 'abandoned',
    draftLost: 'abandoned',
    // No draft exists, so nothing is locked.
    draftRefused: 'refused',
    lapsed: 'expired',
    // The shell reported that the signature never left, but it had: trust the exchange, with an alarm.
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  done: {
    // A record that was final rests later: the exchange contradicts itself, so the order counts as resting.
    accepted: 'live',
    // Another final record of the same order, for example canceled after filled.
    settled: 'done',
    recordFailed: 'done',
    recordExpired: 'done',
  },
  failed: {
    // Reported failed, but landed later.
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'failed',
  },
  expired: {
    // Reported expired, but landed later.
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  // No draft and no pubkey: no answer can arrive.
  refused: {},
};

/** Meaning of a state for other parts. */
export interface Standing {
  /** Its reservation; null when it has ended. */
  readonly reserves: 'in_flight' | 'resting' | 'unknown' | 'abandoned' | null;
  /**
   * Whether it took effect. `none`: no signature is stored. `maybe`: the signature may have to be sent again. `there`:
   * it did. `over`: read at most once more. `never`: it did not.
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

/**
 * Event for the state of a record, or that nothing is signed. Orders, sets and redeems spell their states differently;
 * this one table serves all three.
 */
export const RECORD_STATES: Readonly<
  Record<
    OrderStatus | ConversionState | RedeemState,
    'unsigned' | Extract<IntentEvent, 'accepted' | 'settled' | 'recordFailed' | 'recordExpired'>
  >
> = {
  // Of a redeem, before its draft exists. After our submit it can only be an old copy.
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

/** The next state. Throws AssertionFailed for a pair that is not in the table. */
export function nextState(state: IntentState, event: IntentEvent): IntentState {
  const next = LIFECYCLE[state][event];
  if (next === undefined) throw new AssertionFailed(`an intent that is ${state} cannot be ${event}`);
  return next;
}

// Waits before the next look or the next try. Looks at a record that is not settled are bounded in their rate, not in their
// number: only the record may end them, and until then its capital stays reserved.

/** After an uncertain submit: a read that overtakes the submit would show nothing. */
export const FIRST_LOOK_MS = 500;
/**
 * For an exchange that does not answer: short enough to notice its return within seconds, and cheap while it is away.
 */
const LONGEST_LOOK_MS = 10_000;
/** For a record that the exchange does not know: this seldom changes. */
const LONGEST_MISSING_MS = 60_000;
/** A transaction lands in half a second on the paper exchange and in seconds on a chain. */
const LONGEST_LANDING_MS = 5_000;
/**
 * Maximum requests for a conversion's draft after lost answers. A repeat is harmless, since unsigned drafts have no
 * effect, but useless while the exchange is away: then the engine decides again.
 */
export const MOST_DRAFT_ASKS = 3;
/** Longest delay of a request whose answer was lost: a draft's locks are waited out for this time more. */
export const LATE_DELIVERY_S = 60;
/**
 * Maximum age of an order's decision when it is signed and sent: its price comes from a book of that time. Draft and
 * submit normally take under a second.
 */
export const PLACE_USEFUL_MS = 5_000;
/** Tolerance for the exchange's clock and rounding in the latest expiry of a draft. */
export const EXPIRY_SLACK_S = 60;
/** Exchange times are whole seconds: one on each side. */
export const WHOLE_SECONDS_S = 2;

const doubling = (tries: number, longestMs: number): number =>
  // 2^20 exceeds every longest wait and cannot overflow.
  Math.min(longestMs, FIRST_LOOK_MS * 2 ** Math.min(tries, 20));

export const lookWaitMs = (tries: number): number => doubling(tries, LONGEST_LOOK_MS);
export const missingWaitMs = (tries: number): number => doubling(tries, LONGEST_MISSING_MS);
export const landingWaitMs = (tries: number): number => doubling(tries, LONGEST_LANDING_MS);
