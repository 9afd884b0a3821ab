/** Equal steps over a stretch of time. */

import { MAX_SAMPLES } from '../../session/contract.js';
import { FIRST_STEP_MS } from '../../session/samples.js';
import { mergeSpans, type Span, sumSpans } from './spans.js';

export interface Steps {
  readonly stepMs: number;
  readonly timeMs: readonly number[];
}

/** At least a second each: fills are not timed better. Empty for an empty stretch. `most`: of them, above 1. */
export function stepsOver(fromMs: number, toMs: number, most = MAX_SAMPLES): Steps {
  if (toMs <= fromMs) return { stepMs: FIRST_STEP_MS, timeMs: [] };
  const stepMs = Math.max(FIRST_STEP_MS, Math.ceil((toMs - fromMs) / (most - 1)));
  const count = Math.min(most, Math.floor((toMs - fromMs) / stepMs) + 1);
  return { stepMs, timeMs: Array.from({ length: count }, (_, index) => fromMs + index * stepMs) };
}

/** The same over spans, one after the other; what lies between them is left out. */
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
