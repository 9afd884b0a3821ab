/** From the book as a strategy wants it and the orders that rest to the fewest changes that lead there. */

import { type Micros, micros } from '../../../shared/base/micros.js';
import type { BookSide, MarketFacts, OwnOrder } from '../../market/view.js';
import type { QuoteLevel, Quotes } from '../../strategy/contract.js';

/** An order of ours that rests, or may rest, and what can be done about it. */
export interface QuotedOrder extends OwnOrder {
  readonly orderPubkey: string;
  readonly strategy: string;
  /** `resting`: can be canceled. `pending`: in flight or unknown. `canceling`: a cancel is under way. */
  readonly phase: 'resting' | 'pending' | 'canceling';
}

/** Shares that are missing at a level, in YES space. */
export interface DesiredQuotes {
  readonly side: BookSide;
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
}

export interface Changes {
  readonly cancels: readonly QuotedOrder[];
  readonly wishes: readonly DesiredQuotes[];
}

/**
 * Orders within the quotes' tolerance of a level stay, oldest first: they keep their place in the queue, and each place
 * kept saves four requests. What fits no level is canceled. A side on which anything is being canceled gets nothing new
 * until it is gone, so that what rests never exceeds what was wanted, whatever order the exchange sees the two in.
 */
export function findChanges(quotes: Quotes, orders: readonly QuotedOrder[], facts: MarketFacts): Changes {
  const bids = sideChanges('bid', quotes.bids, quotes, orders, facts);
  const asks = sideChanges('ask', quotes.asks, quotes, orders, facts);
  return { cancels: [...bids.cancels, ...asks.cancels], wishes: [...bids.wishes, ...asks.wishes] };
}

function sideChanges(
  side: BookSide,
  levels: readonly QuoteLevel[],
  quotes: Quotes,
  orders: readonly QuotedOrder[],
  facts: MarketFacts,
): Changes {
  const unplaced = orders.filter((order) => order.side === side).sort((a, b) => a.submittedMs - b.submittedMs);
  const isExact = quotes.exact === true;
  const tolerance = isExact ? 0 : quotes.keepWithinTicks * facts.tickMicros;
  const sizeFraction = isExact ? 0 : quotes.keepWithinSizeFraction;
  const wishes: DesiredQuotes[] = [];
  for (const level of levels) {
    const most = level.amountMicros * (1 + sizeFraction);
    let held = 0;
    for (let i = 0; i < unplaced.length; ) {
      const order = unplaced[i];
      const near = order !== undefined && Math.abs(order.priceMicros - level.priceMicros) <= tolerance;
      // One that is being canceled counts towards no level: it will be gone.
      if (order !== undefined && near && order.phase !== 'canceling' && held + order.remainingMicros <= most) {
        held += order.remainingMicros;
        unplaced.splice(i, 1);
      } else {
        i++;
      }
    }
    const missing = level.amountMicros - held;
    if (missing >= facts.minAmountMicros && missing > level.amountMicros * sizeFraction) {
      wishes.push({ side, priceMicros: level.priceMicros, amountMicros: onLot(missing, facts) });
    }
  }
  const waiting = unplaced.length > 0;
  return { cancels: unplaced.filter((order) => order.phase === 'resting'), wishes: waiting ? [] : wishes };
}

const onLot = (amount: number, facts: MarketFacts): Micros => micros(amount - (amount % facts.lotMicros));
