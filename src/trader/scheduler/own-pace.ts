/** Interval of own reads: the cost of a read against the loss by fills known late, within the budget. Pure. */

import { MINUTE_MS } from '../../shared/base/sliding-minute.js';

/** Default longest interval between two reads, ms. */
export const USUAL_LONGEST_MS = 15_000;

/**
 * Milliseconds between two looks at own trades that lose least. A look every T seconds costs `requestPrice` / T a second, and
 * fills known T / 2 late on average `lateFillCost` T / 2; the least of the sum is at the root of 2 requestPrice / lateFillCost.
 * 0 where looks cost nothing, Infinity where lateness does not.
 *
 * @param requestPrice of a signed request, currency
 * @param lateFillCost fills a second times what a second of not knowing one loses, currency per square second
 */
export const bestOwnPaceMs = (requestPrice: number, lateFillCost: number): number =>
  requestPrice === 0 ? 0 : 1000 * Math.sqrt((2 * requestPrice) / lateFillCost);

/** Own orders only confirm own trades and answers; fills matter more. */
export const ORDERS_PER_FILLS = 5;

/** Fraction of the signed budget for own reads; their intervals grow when it is small. */
export const SIGNED_PART = 0.3;
/** Fraction of that for reconciliation rounds, however often trades and orders are due. */
const ROUNDS_PART = 1 / 3;

/** Intervals of own reads, ms; `fillsMs` is null on a venue without own trades. */
export interface OwnIntervals {
  readonly fillsMs: number | null;
  readonly ordersMs: number;
  readonly roundsMs: number;
}

/**
 * The same intervals where the signed budget holds them. Where it does not, rounds stretch first, as the dearest and the least urgent,
 * until they have their part alone; then trades and orders stretch together into what is left.
 *
 * @param requestsARound signed requests of a round of reconciliation
 * @param signedPerMinute the whole signed budget, requests a minute
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
