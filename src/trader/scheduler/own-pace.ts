/**
 * Computes the intervals of own reads: the cost of a read against the loss by fills known late, within the request
 * budget. Pure.
 */

import { MINUTE_MS } from '../../shared/base/sliding-minute.js';

/** Default of the longest interval between two reads, ms. */
export const USUAL_LONGEST_MS = 15_000;

/**
 * Best interval of own-trade reads, ms. A read every T seconds costs `requestPrice` / T per second. Fills known T / 2
 * late cost `lateFillCost` T / 2. The sum is smallest at T = sqrt(2 requestPrice / lateFillCost). 0 if reads are free,
 * Infinity if lateness costs nothing.
 *
 * @param requestPrice of a signed request, currency
 * @param lateFillCost fills per second times the loss per second of an unknown fill, currency per square second
 */
export const bestOwnPaceMs = (requestPrice: number, lateFillCost: number): number =>
  requestPrice === 0 ? 0 : 1000 * Math.sqrt((2 * requestPrice) / lateFillCost);

/** Own-order reads per own-trade reads, 1 / 5: orders only confirm trades and answers. */
export const ORDERS_PER_FILLS = 5;

/** Fraction of the signed budget for own reads; intervals grow to fit it. */
export const SIGNED_PART = 0.3;
/** Fraction of the own reads that rounds of reconciliation may always use. */
const ROUNDS_PART = 1 / 3;

/** Intervals of own reads, ms; `fillsMs` is null on a venue without own trades. */
export interface OwnIntervals {
  readonly fillsMs: number | null;
  readonly ordersMs: number;
  readonly roundsMs: number;
}

/**
 * Extends intervals to fit the signed budget. Rounds are extended first, as the most expensive and least urgent, down
 * to their minimum part. Then trades and orders are extended together.
 *
 * @param requestsARound signed requests of a reconciliation round
 * @param signedPerMinute the whole signed budget, requests per minute
 */
export function fitOwnReads(
  { fillsMs, ordersMs, roundsMs }: OwnIntervals,
  requestsARound: number,
  signedPerMinute: number,
): OwnIntervals {
  const most = signedPerMinute * SIGNED_PART;
  const looks = MINUTE_MS / ordersMs + (fillsMs === null ? 0 : MINUTE_MS / fillsMs);
  const wanted = (requestsARound * MINUTE_MS) / roundsMs;
  const rounds = Math.min(wanted, Math.max(most * ROUNDS_PART, most - looks));
  const stretch = Math.max(1, looks / (most - rounds));
  return {
    fillsMs: fillsMs === null ? null : fillsMs * stretch,
    ordersMs: ordersMs * stretch,
    roundsMs: rounds < wanted ? (requestsARound * MINUTE_MS) / rounds : roundsMs,
  };
}
