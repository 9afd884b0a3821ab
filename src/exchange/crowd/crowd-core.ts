/** Accounts of the crowd, and its prices in ticks. */

import type { Micros } from '../../shared/base/micros.js';
import { type AccountSlot, ASK, BID, type BookSide, type MarketIndex } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';

/** Each kind of trader has its own account, so that they trade with each other. */
export interface CrowdAccounts {
  readonly maker: AccountSlot;
  readonly noise: AccountSlot;
  readonly informed: AccountSlot;
}

/** Ticks of one cent in micros; the crowd counts prices in ticks, 1 to 99. */
export const TICK_MICROS = 10_000;
export const LOWEST_TICK = 1;
export const HIGHEST_TICK = 99;

// Whole ticks and shares are integers of millionths far below 2^53.
/** The price of a tick of the crowd's markets. */
export const tickToMicros = (tick: number): Micros => (tick * TICK_MICROS) as Micros;
/** This many whole shares as Micros. */
export const sharesToMicros = (shares: number): Micros => (shares * 1_000_000) as Micros;

/** Best price of a side in ticks; null for an empty side. */
export function bestTick(core: ExchangeCore, market: MarketIndex, side: BookSide): number | null {
  const price = core.catalog.market(market).bestPrice(side);
  return price === null ? null : price / TICK_MICROS;
}

/** Visible price, in (0, 1): the mid of the book, else its only side, else the last trade. */
export function visiblePrice(core: ExchangeCore, market: MarketIndex): number {
  const bid = bestTick(core, market, BID);
  const ask = bestTick(core, market, ASK);
  if (bid !== null && ask !== null) return (bid + ask) / 200;
  const only = bid ?? ask;
  if (only !== null) return only / 100;
  const last = core.marketFacts(market).lastTradePrice;
  return last === null ? 0.5 : last / 1_000_000;
}
