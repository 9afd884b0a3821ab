/** One request to a channel: bounded in time, without redirects, and with most of its answer unread. */

import type { Delivery } from './contract.js';

const WITHIN_MS = 10_000;
/** Temporary errors. */
const AGAIN: readonly number[] = [408, 425, 429];
/** Longest wait that a channel may ask for, ms. */
const LONGEST_WAIT_MS = 3_600_000;

/** Rejects without an answer in time. */
export async function postText(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Delivery> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal });
  // The body is not needed and may be endless.
  await response.body?.cancel();
  if (response.ok) return { kind: 'delivered' };
  const why = `it answered ${response.status}`;
  if (response.status < 500 && !AGAIN.includes(response.status)) return { kind: 'refused', why };
  return { kind: 'failed', why, afterMs: parseWaitMs(response.headers.get('retry-after')) };
}

/** Seconds; dates are ignored. */
function parseWaitMs(header: string | null): number | null {
  const seconds = header === null || header.trim() === '' ? Number.NaN : Number(header);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : null;
}
