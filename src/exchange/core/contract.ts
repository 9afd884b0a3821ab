/**
 * Types of the core, for the rest of the exchange; its calls are the methods of `ExchangeCore` (core.ts). The core is
 * synchronous and sees no clock, no randomness and no network: time, secrets and the verdict on a signature are arguments,
 * records are spelled as on the wire (decimal strings).
 *
 * Mutators take `nowMs` first: the exchange's clock in ms, never going back (an earlier value counts as the latest one seen).
 * Everything that was due by then is done before. Arguments are plain JSON, so a journal of `[nowMs, method, args]`
 * replays to the identical state. Reads change nothing.
 */

import { MARGIN_MUTATORS } from './margin/contract.js';

export type { Delays } from './delays.js';
export type * from './margin/contract.js';
export type * from './records/queries.js';
export type * from './records/wire-rows.js';
export * from './types.js';

/** One line of a journal. */
export type Command = readonly [nowMs: number, method: Mutator, args: readonly unknown[]];

/** Every method that changes state. */
export const MUTATORS = [
  'advance',
  'createChallenge',
  'createKey',
  'revokeKey',
  'deposit',
  'setCustodial',
  'setSigningAvailable',
  'setDelays',
  'createMarket',
  'setMarketState',
  'setMarketPaused',
  'setUnbackedCollateral',
  'resolveMarket',
  'draftOrder',
  'submitOrder',
  'draftCancel',
  'submitCancel',
  'draftMerge',
  'submitMerge',
  'draftSplit',
  'submitSplit',
  'draftRedeem',
  'submitRedeem',
  'openInternalAccount',
  'placeInternal',
  'cancelInternal',
  'recordedLevel',
  'recordedTrade',
  'recordedClear',
  ...MARGIN_MUTATORS,
] as const;
/** The name of a call that may change the core; a journal holds these calls and nothing else. */
export type Mutator = (typeof MUTATORS)[number];
