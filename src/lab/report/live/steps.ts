/** Equal steps over a stretch of time. */

import { MAX_SAMPLES } from '../../session/contract.js';

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
