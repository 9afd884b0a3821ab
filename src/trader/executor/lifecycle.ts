/** Table of all allowed changes of an intent's state. Any other change makes the trader cancel all orders and exit. */

import { AssertionFailed } from '../../shared/base/errors.js';
import type { ConversionState, OrderStatus, RedeemState } from '../../shared/protocol/states.js';
import type { IntentState } from '../ledger/contract.js';
import type { Reservation } from './contract.js';

export const INTENT_EVENTS = [
  'draftStored', // a draft arrived and is in the ledger
  'draftRefused', // the exchange rejected the draft, or its request was never sent
  'draftLost', // it is unknown whether a draft was made
  'withdrawn', // the trader withdrew the intent before it was signed
  'signed', // the signature is in the ledger
  'signRefused', // the signer refused the draft
  'neverSent', // no byte of a submit was sent
  'uncertain', // a submit was sent, and its effect is unknown
  'accepted', // the exchange's record shows that the intent took effect and is not finished
  'settled', // the exchange's record shows that the intent took effect and is finished
  'recordFailed', // the exchange's record shows that the intent failed
  'recordExpired', // two reads, one poll apart, show that the intent expired, or its expired draft had no effect
  'lapsed', // an unsigned draft has expired on the exchange's clock
] as const;
type IntentEvent = (typeof INTENT_EVENTS)[number];

export const LIFECYCLE: Readonly<Record<IntentState, Readonly<Partial<Record<IntentEvent, IntentState>>>>> = {
  intended: {
    draftStored: 'drafted',
    draftRefused: 'refused',
    // An unsigned draft has no effect, but may lock shares or currency until it expires.
    draftLost: 'abandoned',
    withdrawn: 'abandoned',
    // The order ended before its cancel was drafted.
    settled: 'done',
  },
  drafted: {
    signed: 'signed',
    signRefused: 'abandoned',
    withdrawn: 'abandoned',
    // The order ended while the draft of its cancel waited for the signature.
    settled: 'done',
  },
  signed: {
    // The signature was never sent, because the order's price is too old or the mode forbids conversions.
    neverSent: 'abandoned',
    uncertain: 'unknown',
    accepted: 'live',
    settled: 'done',
    // A list or read may show that the intent failed or expired before the submit is answered.
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  unknown: {
    // The trader sent the intent's signature again and got no clear answer.
    uncertain: 'unknown',
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  live: {
    // A repeated submit was rejected because the first submit took effect.
    uncertain: 'live',
    // A later list shows the order as resting again.
    accepted: 'live',
    settled: 'done',
    // The transaction of a merge or split failed, or the exchange withdrew the order.
    recordFailed: 'failed',
    // The order had rested, so it took effect before the exchange ended it.
    recordExpired: 'done',
  },
  abandoned: {
    // The draft arrived late and stays unsigned.
    draftStored: 'abandoned',
    draftLost: 'abandoned',
    // The exchange made no draft, so no shares or currency are locked.
    draftRefused: 'refused',
    lapsed: 'expired',
    // The intent took effect although no signature was sent. An alarm is raised. The exchange's record then gives the state.
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  done: {
    // The exchange contradicts itself: an ended order rests again, so the intent is live again.
    accepted: 'live',
    // The exchange shows another final state than before, for example first filled, then canceled.
    settled: 'done',
    recordFailed: 'done',
    recordExpired: 'done',
  },
  failed: {
    // The intent took effect although the exchange had reported it as failed.
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'failed',
  },
  expired: {
    // The intent took effect although the exchange had reported it as expired.
    accepted: 'live',
    settled: 'done',
    recordFailed: 'failed',
    recordExpired: 'expired',
  },
  // Without a draft and its pubkey, no record of the intent can arrive.
  refused: {},
};

interface StateRule {
  /** Phase of the intent's reservation; null if the intent has ended and reserves nothing. */
  readonly reserves: Reservation['phase'] | null;
  /**
   * Effect of the intent at the exchange. `none`: no signature is stored yet. `maybe`: the intent may take effect, or
   * its signature must be sent again. `there`: the intent took effect. `over`: the intent has ended; its record is read
   * at most once more. `never`: the intent had no effect.
   */
  readonly effect: 'none' | 'maybe' | 'there' | 'over' | 'never';
}

export const STANDINGS: Readonly<Record<IntentState, StateRule>> = {
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

/** Intent event for each state of an exchange record. `unsigned`: the exchange has not received the signature. */
export const RECORD_STATES: Readonly<
  Record<
    OrderStatus | ConversionState | RedeemState,
    'unsigned' | Extract<IntentEvent, 'accepted' | 'settled' | 'recordFailed' | 'recordExpired'>
  >
> = {
  // A redeem is `created` before its draft exists. After a submit, only an outdated answer shows `created`.
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

export function nextState(state: IntentState, event: IntentEvent): IntentState {
  const next = LIFECYCLE[state][event];
  if (next === undefined) throw new AssertionFailed(`an intent that is ${state} cannot be ${event}`);
  return next;
}

/** Wait before the first read after an uncertain submit, ms. An earlier read could overtake the submit. */
export const FIRST_LOOK_MS = 500;
/** Maximum time by which a valid record time may be ahead of the exchange's clock, s. */
export const FUTURE_S = 120;
