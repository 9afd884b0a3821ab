/** Whether the venue's budget allows the intervals of own reads. */

import { MINUTE_MS } from '../../shared/base/sliding-minute.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import { Budget } from '../scheduler/budget.js';
import type { PollSettings } from '../scheduler/contract.js';
import { fitOwnReads, ORDERS_PER_FILLS, SIGNED_PART } from '../scheduler/own-pace.js';
import { requestsOfRound } from './round.js';

/**
 * Intervals of `polling` that this profile's budget stretches while orders rest, in a sentence; null when it stretches
 * none.
 */
export function describeStretch(
  { ownIntervalMs, assetsIntervalMs: roundsMs }: Pick<PollSettings, 'ownIntervalMs' | 'assetsIntervalMs'>,
  { own_trades: ownTrades, rate_limits: limits }: VenueProfile,
): string | null {
  const perMinute = new Budget(limits.signed_per_minute).perMinute(0);
  const asked = ownTrades
    ? { fillsMs: ownIntervalMs, ordersMs: ORDERS_PER_FILLS * ownIntervalMs, roundsMs }
    : { fillsMs: null, ordersMs: ownIntervalMs, roundsMs };
  const requests = requestsOfRound(ownTrades);
  const fitted = fitOwnReads(asked, requests, perMinute);
  if (fitted.ordersMs === asked.ordersMs && fitted.roundsMs === roundsMs) return null;
  const looks = (asked.fillsMs === null ? 0 : MINUTE_MS / asked.fillsMs) + MINUTE_MS / asked.ordersMs;
  const wanted = Math.round(looks + (requests * MINUTE_MS) / roundsMs);
  const fills = (ms: number | null) => (ms === null ? '' : `own trades every ${seconds(ms)}, `);
  return (
    `polling asks for ${fills(asked.fillsMs)}own orders every ${seconds(asked.ordersMs)} and a round of reconciliation ` +
    `(${requests} requests) every ${seconds(roundsMs)}, ${wanted} signed requests a minute; such reads may take ` +
    `${Math.floor(perMinute * SIGNED_PART)} of ${limits.signed_per_minute}, so while orders rest it will be ` +
    `${fills(fitted.fillsMs)}own orders every ${seconds(fitted.ordersMs)} and a round every ${seconds(fitted.roundsMs)}`
  );
}

const seconds = (ms: number): string => `${Number((ms / 1000).toFixed(1))} s`;
