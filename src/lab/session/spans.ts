/** Spans of time: of resting orders, of the trader's runs; and equal steps over them. */

import { MAX_SAMPLES } from './contract.js';
import { FIRST_STEP_MS } from './samples.js';

/** From, inclusive, to, exclusive; Unix ms. */
export type Span = readonly [fromMs: number, toMs: number];

/** The same time, in order, without overlaps and empty spans. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const result: [number, number][] = [];
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    if (to <= from) continue;
    const last = result.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** Intersection; both inputs are merged. */
export function common(left: readonly Span[], right: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (let [i, j] = [0, 0]; ; ) {
    const [a, b] = [left[i], right[j]];
    if (a === undefined || b === undefined) return result;
    const [from, to] = [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
    if (from < to) result.push([from, to]);
    if (a[1] < b[1]) i += 1;
    else j += 1;
  }
}

export const sumSpans = (spans: readonly Span[]): number => spans.reduce((total, [from, to]) => total + to - from, 0);

interface Steps {
  readonly stepMs: number;
  readonly timeMs: readonly number[];
}

/**
 * At least a second each: fills have no finer times. Empty for an empty span. `most`: their maximum number, above 1.
 */
export function stepsOver(fromMs: number, toMs: number, most = MAX_SAMPLES): Steps {
  if (toMs <= fromMs) return { stepMs: FIRST_STEP_MS, timeMs: [] };
  const stepMs = Math.max(FIRST_STEP_MS, Math.ceil((toMs - fromMs) / (most - 1)));
  const count = Math.min(most, Math.floor((toMs - fromMs) / stepMs) + 1);
  return { stepMs, timeMs: Array.from({ length: count }, (_, index) => fromMs + index * stepMs) };
}

/** The same over several spans; time between them is left out. */
export function stepsWithin(spans: readonly Span[], most: number): Steps {
  const within = mergeSpans(spans);
  const { stepMs, timeMs } = stepsOver(0, sumSpans(within), most);
  let [at, beforeMs] = [0, 0];
  const placed = timeMs.map((sinceMs) => {
    for (let span = within[at]; span !== undefined && sinceMs - beforeMs > span[1] - span[0]; span = within[++at])
      beforeMs += span[1] - span[0];
    return (within[at]?.[0] ?? 0) + sinceMs - beforeMs;
  });
  return { stepMs, timeMs: placed };
}
