/** Reduces pauses for the collection of short-lived objects. */

import { setFlagsFromString } from 'node:v8';

/**
 * From now on, for all threads of this process: for a program with a waiting user. V8 notes which places of the code make objects that
 * live on, and makes theirs old at birth from then on. zod's are among them; each then dies at once, but keeps alive all that the
 * answer which it has read held, until the whole heap is collected. The young were collected in 4 ms then, and in 0.8 ms without.
 */
export function keepCollectionsBrief(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** Allowed growth beyond the last full collection, per cent; V8's own bound is three times that. */
const GROWTH = 100;

/**
 * From now on, for all threads of this process: for a program with little long-lived data and many short-lived objects,
 * such as a backtest. The heap is collected at twice its size instead of four times, at no measurable cost.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
}
