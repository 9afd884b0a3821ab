/** Equal steps over a stretch of time. */

import { MAX_SAMPLES } from '../../session/contract.js';
import { mergeSpans, type Span, sumSpans } from './spans.js';

export interface Steps {
  readonly stepMs: number;
  readonly timeMs: readonly number[];
}

/** At least a second each: fills are not timed better. Empty for an empty stretch. */
export function stepsOver(fromMs: number, toMs: number): Steps {
  if (toMs <= fromMs) return { stepMs: 1_000, timeMs: [] };
  const stepMs = Math.max(1_000, Math.ceil((toMs - fromMs) / (MAX_SAMPLES - 1)));
  const count = Math.min(MAX_SAMPLES, Math.floor((toMs - fromMs) / stepMs) + 1);
  return { stepMs, timeMs: Array.from({ length: count }, (_, index) => fromMs + index * stepMs) };
}

/** The same over spans, one after the other; what lies between them is left out. */
export function stepsWithin(spans: readonly Span[]): Steps {
  const within = mergeSpans(spans);
  const { stepMs, timeMs } = stepsOver(0, sumSpans(within));
  let [at, beforeMs] = [0, 0];
  const placed = timeMs.map((sinceMs) => {
    for (let span = within[at]; span !== undefined && sinceMs - beforeMs > span[1] - span[0]; span = within[++at])
      beforeMs += span[1] - span[0];
    return (within[at]?.[0] ?? 0) + sinceMs - beforeMs;
  });
  return { stepMs, timeMs: placed };
}
