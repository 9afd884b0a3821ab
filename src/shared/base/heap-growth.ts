/** Bounds the growth of the heap between collections. */

import { setFlagsFromString } from 'node:v8';

/** Allowed growth beyond the last full collection, per cent; V8's own bound is three times that. */
const GROWTH = 100;

/**
 * From now on, for all threads of this process: for a program with little long-lived data and many short-lived objects,
 * such as a backtest. The heap is collected at twice its size instead of four times, at no measurable cost.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
}
