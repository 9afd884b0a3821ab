/** Reduces pauses for the collection of short-lived objects. */

import { setFlagsFromString } from 'node:v8';

/**
 * From now on, for all threads: short collections for a program with a waiting user. V8 would make objects of places
 * such as zod's old at birth, and each keeps its answer alive until the whole heap is collected.
 */
export function keepCollectionsBrief(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** Allowed growth beyond the last full collection, per cent; V8's own bound is three times that. */
const GROWTH = 100;

/** From now on, for all threads: the heap is collected at twice its size, for a program with little long-lived data. */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
}
