/** How a wish in YES space is worked: sell what we hold first, else buy the other outcome's complement. */

import { complement, type Micros, micros, minMicros } from '../../../shared/base/micros.js';
import type { Side } from '../../../shared/protocol/states.js';
import type { BookSide, MarketFacts } from '../../market/view.js';
import type { DesiredQuotes } from './changes.js';

/** One order of the service, in the space of its own outcome. */
export interface Leg {
  readonly isYes: boolean;
  readonly side: Side;
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
}

/** Shares that no open order and no conversion holds. */
export interface FreeShares {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
}

/**
 * A bid sells NO that we hold, and buys YES with what is left; an ask sells YES that we hold, and buys NO with what is
 * left. Selling first recycles inventory into currency without waiting for a merge. A remainder too small for an order
 * is left out rather than rounded up.
 */
export function chooseLegs(wish: DesiredQuotes, free: FreeShares, facts: MarketFacts): Leg[] {
  const bid = wish.side === 'bid';
  const held = bid ? free.noMicros : free.yesMicros;
  const sellable = minMicros(wish.amountMicros, micros(held - (held % facts.lotMicros)));
  const legs: Leg[] = [];
  const sells = sellable >= facts.minAmountMicros;
  const sold = sells ? sellable : 0;
  const rest = micros(wish.amountMicros - sold);
  const other = complement(wish.priceMicros);
  if (sells)
    legs.push({ isYes: !bid, side: 'sell', priceMicros: bid ? other : wish.priceMicros, amountMicros: sellable });
  if (rest >= facts.minAmountMicros) {
    legs.push({ isYes: bid, side: 'buy', priceMicros: bid ? wish.priceMicros : other, amountMicros: rest });
  }
  return legs;
}

/** The same order seen in YES space. */
export const inYesSpace = (
  isYes: boolean,
  side: Side,
  priceMicros: Micros,
): { readonly side: BookSide; readonly priceMicros: Micros } => ({
  side: (side === 'buy') === isYes ? 'bid' : 'ask',
  priceMicros: isYes ? priceMicros : complement(priceMicros),
});
