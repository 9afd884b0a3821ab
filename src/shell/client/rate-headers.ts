/** Reads the request budget from an answer's headers. Values that are not plain numbers are ignored. */

import type { Scope } from '../../shared/protocol/endpoints.js';
import type { BudgetReport } from '../../shared/protocol/seam.js';

type Header = (name: string) => string | null;

/** `offsetMs` is the venue's clock minus ours. Null unless all three rate headers are present and plausible. */
export function readBudget(header: Header, scope: Scope, offsetMs: number): BudgetReport | null {
  const limit = whole(header('x-ratelimit-limit'));
  const remaining = whole(header('x-ratelimit-remaining'));
  const reset = whole(header('x-ratelimit-reset'));
  if (limit === null || remaining === null || reset === null || limit === 0 || remaining > limit) return null;
  return { scope, limit, remaining, resetMs: reset * 1_000 - offsetMs };
}

/** Wait requested by `Retry-After`, ms (seconds, or a date on the venue's clock); null without one. */
export function readRetryAfter(header: Header, venueNowMs: number): number | null {
  const text = header('retry-after');
  if (text === null) return null;
  const seconds = whole(text);
  if (seconds !== null) return seconds * 1_000;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - venueNowMs);
}

/** Venue clock, ms, from the `Date` header; null for an answer from a cache, which has an old date. */
export function readDate(header: Header): number | null {
  if (header('age') !== null) return null;
  const dateMs = Date.parse(header('date') ?? '');
  return Number.isNaN(dateMs) ? null : dateMs;
}

const whole = (text: string | null): number | null => (text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null);
