/**
 * Every allowed change of an intent's state, one line each. What is not in the table cannot happen, and if it does the
 * process stops (after cancelling) rather than guess about money.
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
    // An unsigned draft has no effect; what it may lock is waited out.
    draftLost: 'abandoned',
    withdrawn: 'abandoned',
    // A cancel whose order ended by itself before the cancel got anywhere.
    settled: 'done',
  },
  drafted: {
    signed: 'signed',
    signRefused: 'abandoned',
    withdrawn: 'abandoned',
    // A cancel whose order ended by itself while its draft waited for the signature.
    settled: 'done',
  },
  signed: {
    // A new order that waited too long is stale, a conversion may be forbidden by now; no byte of the signature is out.
    neverSent: 'abandoned',
    uncertain: 'unknown',
    accepted: 'live',
    settled: 'done',
    // A list or read may show the record's end before the submit's own answer arrives.
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  unknown: {
    // The same signature was sent again, and again nobody answered clearly.
    uncertain: 'unknown',
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  live: {
    // A repeat of the submit was refused because the first one worked.
    uncertain: 'live',
    // The next list shows it again.
    accepted: 'live',
    settled: 'done',
    // A merge or split whose transaction did not land; an order that the exchange withdrew.
    recordFailed: 'failed',
    // It rested, so it did take effect, and then the exchange ended it.
    recordExpired: 'done',
  },
  abandoned: {
    // The late answer of a draft that we gave up: it stays unsigned.
    draftStored: 'abandoned',
    draftLost: 'abandoned',
    // No draft exists after all, so nothing is locked.
    draftRefused: 'refused',
    lapsed: 'expired',
    // The shell said that the signature never left, and it had: believe the exchange, loudly.
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  done: {
    // The record says final and later resting: the exchange contradicts itself, so we treat it as resting.
    accepted: 'live',
    // A further final record of the same order, e.g. canceled after filled.
    settled: 'done',
    recordFailed: 'done',
    recordExpired: 'done',
  },
  failed: {
    // Declared failed, and landed after all.
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'failed',
  },
  expired: {
    // An expiry that was declared, and then landed.
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  // No draft, no pubkey, nothing that could ever answer.
  refused: {},
};

/** What a state means for everything around it. */
export interface Standing {
  /** What it reserves; null when it is over. */
  readonly reserves: 'in_flight' | 'resting' | 'unknown' | 'abandoned' | null;
  /**
   * Whether it has taken effect: `none` (no signature is stored, so none can have left), `maybe` (the same signature may have
   * to be sent again), `there`, `over` (looked at once more at most), `never`.
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
 * What the state of a record says: that nothing is signed there, or the event that it is. An order, a merge or split and a redeem
 * spell their states differently; one reading serves all three.
 */
export const RECORD_STATES: Readonly<
  Record<
    OrderStatus | ConversionState | RedeemState,
    'unsigned' | Extract<IntentEvent, 'accepted' | 'settled' | 'recordFailed' | 'recordExpired'>
  >
> = {
  // Of a redeem, before its draft is made. After our submit it can only be a copy that is behind.
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

/** The state that follows. Throws AssertionFailed for a pair that is not in the table. */
export function nextState(state: IntentState, event: IntentEvent): IntentState {
  const next = LIFECYCLE[state][event];
  if (next === undefined) throw new AssertionFailed(`an intent that is ${state} cannot be ${event}`);
  return next;
}

// Waits before the next look or the next try. Looks at a record that is not settled are bounded in their rate, not in their
// number: only the record may end them, and until then its capital stays reserved.

/** After an uncertain submit: a look that overtakes a submit still under way would learn nothing. */
export const FIRST_LOOK_MS = 500;
/** The exchange does not answer: often enough to notice within seconds that it is back, cheap enough while it is away. */
const LONGEST_LOOK_MS = 10_000;
/** The exchange says that it does not know a record of its own: that seldom heals by itself. */
const LONGEST_MISSING_MS = 60_000;
/** A transaction lands within about half a second on the paper exchange and seconds on a chain. */
const LONGEST_LANDING_MS = 5_000;
/**
 * How often the draft of a conversion is asked for when its answer is lost. A repeat is harmless (unsigned drafts have no
 * effect) but pointless while the exchange is away: after these the engine decides anew.
 */
export const MOST_DRAFT_ASKS = 3;
/** A request whose answer was lost may still be on its way: the longest delay that a draft's locks are waited out for. */
export const LATE_DELIVERY_S = 60;
/**
 * A place is signed and sent at most this long after it was decided: its price comes from a book as old as that. Asking
 * for its draft and submitting it take well under a second; what took longer was held up, and the engine decides anew.
 */
export const PLACE_USEFUL_MS = 5_000;
/** Room for the exchange's clock and its roundings in the longest expiry that a draft may name. */
export const EXPIRY_SLACK_S = 60;
/** The exchange's times are whole seconds: one on each side. */
export const WHOLE_SECONDS_S = 2;

const doubling = (tries: number, longestMs: number): number =>
  // 2^20 is beyond every longest wait and far from overflow.
  Math.min(longestMs, FIRST_LOOK_MS * 2 ** Math.min(tries, 20));

export const lookWaitMs = (tries: number): number => doubling(tries, LONGEST_LOOK_MS);
export const missingWaitMs = (tries: number): number => doubling(tries, LONGEST_MISSING_MS);
export const landingWaitMs = (tries: number): number => doubling(tries, LONGEST_LANDING_MS);
