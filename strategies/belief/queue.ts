/** The queue before an order. */

import { type Book, type BookSide, ONE } from '../../src/trader/strategy/strategy.js';

/** Shares of others that a taker meets before an order of ours at this YES price; `levels` are of the same side. */
export function sharesAhead(levels: Book['bids'], yesMicros: number, side: BookSide): number {
  let ahead = 0;
  for (const { priceMicros, amountMicros } of levels) {
    // A price that was turned twice may be a hair off.
    if (side === 'bid' ? priceMicros < yesMicros - HALF_MICRO : priceMicros > yesMicros + HALF_MICRO) break;
    ahead += amountMicros / ONE;
  }
  return ahead;
}

const HALF_MICRO = 0.5;
