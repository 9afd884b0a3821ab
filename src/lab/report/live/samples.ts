/** Equal steps over a stretch of time, and what stood at each of them. */

import { MAX_SAMPLES } from '../../session/contract.js';
import type { Quote } from './quotes.js';

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

/** The last value that was noted up to each step. */
export function heldAt<T>(
  { timeMs }: Steps,
  changes: readonly { readonly timeMs: number; readonly value: T }[],
  before: T,
): T[] {
  let [at, value] = [0, before];
  return timeMs.map((now) => {
    for (let change = changes[at]; change !== undefined && change.timeMs <= now; change = changes[++at])
      value = change.value;
    return value;
  });
}

/** Places of the steps within a quote's span; quotes are short, so that this is cheap. */
function* stepsWithin({ stepMs, timeMs }: Steps, [fromMs, toMs]: Quote['span']): Generator<number> {
  const first = timeMs[0];
  if (first === undefined) return;
  for (let at = Math.max(0, Math.ceil((fromMs - first) / stepMs)); at < timeMs.length; at++) {
    if ((timeMs[at] ?? toMs) >= toMs) return;
    yield at;
  }
}

/** Our best price on one side at each step; null where none stood. */
export function bestAt(steps: Steps, quotes: readonly Quote[], side: Quote['side']): (number | null)[] {
  const best = steps.timeMs.map((): number | null => null);
  for (const quote of quotes) {
    if (quote.side !== side) continue;
    for (const at of stepsWithin(steps, quote.span)) {
      const now = best[at] ?? null;
      const isBetter = now === null || (side === 'bid' ? quote.priceMicros > now : quote.priceMicros < now);
      if (isBetter) best[at] = quote.priceMicros;
    }
  }
  return best;
}

/** Currency behind purchases at each step, as if none of it had filled. */
export function reservedAt(steps: Steps, quotes: readonly Quote[]): number[] {
  const reserved = steps.timeMs.map(() => 0);
  for (const { isBuy, ownPriceMicros, amountMicros, span } of quotes) {
    if (!isBuy) continue;
    const behind = Math.ceil((ownPriceMicros * amountMicros) / 1_000_000);
    for (const at of stepsWithin(steps, span)) reserved[at] = (reserved[at] ?? 0) + behind;
  }
  return reserved;
}
