/**
 * Types of the core, for the rest of the exchange; its calls are the methods of `ExchangeCore` (core.ts). The core is
 * synchronous and sees no clock, no randomness and no network: time, secrets and the verdict on a signature are arguments,
 * records are spelled as on the wire (decimal strings).
 *
 * Mutators take `nowMs` first: the exchange's clock in ms, never going back (an earlier value counts as the latest one seen).
 * Everything that was due by then is done before. Arguments are plain JSON, so a journal of `[nowMs, method, args]`
 * replays to the identical state. Reads change nothing.
 */

export type * from './margin/contract.js';
export type * from './records/queries.js';
export type * from './records/wire-rows.js';
export * from './types.js';
