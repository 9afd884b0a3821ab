/** What is ours in a market, as a strategy sees it. */

import { type Micros, minMicros, sub } from '../../shared/base/micros.js';
import type { Inventory, OwnMarketState, OwnOrder, OwnOrderView } from './view.js';

/** Names what a strategy may see: the engine's own orders carry more. */
export const viewOrder = (order: OwnOrder, queueAheadMicros: Micros | null, nowMs: number): OwnOrderView => ({
  intentId: order.intentId,
  side: order.side,
  priceMicros: order.priceMicros,
  remainingMicros: order.remainingMicros,
  isYes: order.isYes,
  submittedMs: order.submittedMs,
  acceptedMs: order.acceptedMs,
  queueAheadMicros,
  ageMs: nowMs - order.submittedMs,
});

/** Holdings, what they cost, and what may still be spent and held. */
export function makeInventory(own: OwnMarketState): Inventory {
  return {
    yesMicros: own.yesMicros,
    noMicros: own.noMicros,
    netMicros: sub(own.yesMicros, own.noMicros),
    pairsMicros: minMicros(own.yesMicros, own.noMicros),
    avgYesCostMicros: own.avgYesCostMicros,
    avgNoCostMicros: own.avgNoCostMicros,
    availableFundsMicros: own.availableFundsMicros,
    maxPositionMicros: own.maxPositionMicros,
  };
}
