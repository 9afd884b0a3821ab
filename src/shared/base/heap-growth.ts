/** How far a heap may grow before it is collected. */

import { setFlagsFromString } from 'node:v8';

/** Per cent by which a heap may grow beyond what its last whole collection left; V8's own bound is three times that. */
const GROWTH = 100;

/**
 * From now on, for all threads of this process: for a program that holds little and makes much that lives for a second or two, as a
 * backtest does. The heap is collected at twice its size instead of four times, at no measurable cost.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
}
