/** Earliest time of a probe after a rejection, for a limit named by the venue and for a guessed one. */

import { expect, it } from 'vitest';
import { Pacing } from '../../../src/shell/client/pacing.js';

const PROFILE_LIMIT = 200;
const SENT = 40;
const PAUSE_MS = 1_000;

/** Forty requests were answered; the venue rejected the next two with a Retry-After of a second each. */
function refused(budget: { readonly limit: number; readonly remaining: number } | null): Pacing {
  const pacing = new Pacing(PROFILE_LIMIT, Number.POSITIVE_INFINITY, () => 0);
  for (let i = 0; i < SENT; i++) {
    pacing.start('place');
    pacing.onAnswer('place', { genuine: true, throttled: false, askedMs: null, budget: null }, 0);
  }
  for (let i = 0; i < 2; i++) {
    pacing.start('place');
    pacing.onAnswer('place', { genuine: true, throttled: true, askedMs: PAUSE_MS, budget }, 0);
  }
  return pacing;
}

it.each([
  ['named by the venue', { limit: SENT, remaining: 0 }, Number.POSITIVE_INFINITY],
  ['a guess of ours', null, 2 * PAUSE_MS],
])('cancels and own reads probe after the pause as the limit is %s', (_, budget, probeMs) => {
  const pacing = refused(budget);
  expect(pacing.freePermits(2 * PAUSE_MS)).toBeLessThan(1);
  expect(pacing.nextProbeMs(false, 2 * PAUSE_MS)).toBe(probeMs);
  // Within the Retry-After only the cancels of a kill are sent.
  expect(pacing.nextProbeMs(false, PAUSE_MS / 2)).toBe(Number.POSITIVE_INFINITY);
  expect(pacing.nextProbeMs(true, PAUSE_MS / 2)).toBeLessThan(2 * PAUSE_MS);
});
