/** The cancel reserve: what of the signed budget each lane must leave alone. */

import type { Scope } from '../../shared/protocol/endpoints.js';
import type { Lane } from '../../shared/protocol/seam.js';

/** Draft and submit of a cancel. */
const REQUESTS_PER_CANCEL = 2;
/** For what cancelling everything needs besides: the reads that prove it. */
const SLACK = 20;

/**
 * `2 x open orders + 20`, the requests that cancel everything and prove it; where a whole budget is below 80 a minute
 * the 20 shrink to a quarter of it. With more open orders than the budget can cancel in a minute the reserve exceeds
 * the budget, and no new draft leaves until some are gone: that is meant.
 */
export const cancelReserve = (openOrders: number, perMinute: number): number =>
  REQUESTS_PER_CANCEL * openOrders + Math.min(SLACK, Math.floor(perMinute / 4));

/**
 * What must be left after a request of this lane. Cancels may take everything. Reads of own state may take half of the
 * reserve (a cancel is safe only when what rests is known, but a storm of reads must not stop the cancels), and never
 * have to leave more than half the budget. Everything else, submits of new orders among it, leaves the whole reserve.
 * Only the signed scope can cancel, so only it has one.
 */
export function laneFloor(scope: Scope, lane: Lane, openOrders: number, perMinute: number): number {
  if (scope !== 'signed' || lane === 'cancel') return 0;
  const reserve = cancelReserve(openOrders, perMinute);
  if (lane !== 'own') return reserve;
  return Math.min(Math.ceil(reserve / 2), Math.floor(perMinute / 2));
}
