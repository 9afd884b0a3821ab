/** Measures the queue ahead of an order. */

import { type Book, type BookSide, ONE } from '../../src/trader/strategy/strategy.js';

/** Others' shares in the queue ahead of an own order at this YES price. `levels`: levels of the order's own side. */
export function sharesAhead(levels: Book['bids'], yesMicros: number, side: BookSide): number {
  let ahead = 0;
  for (const { priceMicros, amountMicros } of levels) {
    // Converting a price to NO and back may change the price by less than half a micro.
    if (side === 'bid' ? priceMicros < yesMicros - HALF_MICRO : priceMicros > yesMicros + HALF_MICRO) break;
    ahead += amountMicros / ONE;
  }
  return ahead;
}

const HALF_MICRO = 0.5;
