/** The smallest order that a market takes, so far from it that nobody fills it. */

import {
  complement,
  type Micros,
  maxMicros,
  mulDiv,
  ONE,
  stepOfPrecision,
  toMultiple,
} from '../../shared/base/micros.js';
import type { OrderbookConfig } from '../../shared/protocol/records.js';
import type { Book } from '../../trader/market/view.js';
import type { RiskLimits } from '../../trader/risk/limits.js';

/** A buy. */
export interface FarOrder {
  readonly isYes: boolean;
  /** In the space of its own outcome. */
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
}

/** Far enough: a seller would have to go down to this part of what the cheapest one asks now. */
const FAR_PART = 2;

/**
 * A buy of the outcome that is dearer now, at the lowest price at which the smallest order is within our own limit of
 * shares; or one sentence that says why there is none. `book` in YES space.
 */
export function farOrder(config: OrderbookConfig, book: Book, limits: RiskLimits): FarOrder | string {
  const yesAsk = book.asks[0]?.priceMicros ?? ONE;
  const bestBid = book.bids[0]?.priceMicros;
  const noAsk = bestBid === undefined ? ONE : complement(bestBid);
  const isYes = yesAsk >= noAsk;
  const tick = stepOfPrecision(config.price_precision);
  const most = limits.maxOrderSharesMicros;
  // An order of `most` shares at this price is worth what the market wants at least.
  const worth = mulDiv(config.min_funds, ONE, most, 'ceil');
  const priceMicros = toMultiple(maxMicros(config.min_price, worth), tick, 'ceil');
  const shares = maxMicros(config.min_amount, mulDiv(config.min_funds, ONE, priceMicros, 'ceil'));
  const amountMicros = toMultiple(shares, stepOfPrecision(config.amount_precision), 'ceil');
  if (amountMicros > most) return `its smallest order has more shares than risk.max_order_shares`;
  if (FAR_PART * priceMicros > maxMicros(yesAsk, noAsk)) return 'no price in it is far from what others ask';
  return { isYes, priceMicros, amountMicros };
}
