/** Computes the fewest changes from resting orders to the wanted quotes. */

import { type Micros, micros } from '../../../shared/base/micros.js';
import type { BookSide, MarketFacts, OwnOrder } from '../../market/view.js';
import type { QuoteLevel, Quotes } from '../../strategy/contract.js';

/** An own order that rests or may rest, and whether it can be canceled. */
export interface QuotedOrder extends OwnOrder {
  readonly orderPubkey: string;
  readonly strategy: string;
  /** `resting`: can be canceled. `pending`: in flight or unknown. `canceling`: a cancel is in flight. */
  readonly phase: 'resting' | 'pending' | 'canceling';
}

/** Missing shares at a price, in YES space. */
export interface DesiredQuotes {
  readonly side: BookSide;
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
  readonly isProbe?: boolean;
}

export interface Changes {
  readonly cancels: readonly QuotedOrder[];
  readonly wishes: readonly DesiredQuotes[];
}

/**
 * Finds the changes. An order within the tolerance of a level stays, oldest first; this keeps its queue position and
 * saves four requests. Other orders are canceled. A side with orders being canceled receives no new orders until they
 * are gone, so that resting orders never exceed the wanted amount. Probes are only matched with probes, and other
 * orders come first.
 *
 * @param movesWait true when requests are short: an order that fits no level stays if it offers no more than wanted,
 * unless the quotes are exact
 */
export function findChanges(
  quotes: Quotes,
  orders: readonly QuotedOrder[],
  facts: MarketFacts,
  movesWait: () => boolean = never,
): Changes {
  const parts = [false, true].flatMap((isProbe) => [
    sideChanges('bid', isProbe, quotes.bids, quotes, orders, facts, movesWait),
    sideChanges('ask', isProbe, quotes.asks, quotes, orders, facts, movesWait),
  ]);
  return { cancels: parts.flatMap(({ cancels }) => cancels), wishes: parts.flatMap(({ wishes }) => wishes) };
}

function sideChanges(
  side: BookSide,
  isProbe: boolean,
  levels: readonly QuoteLevel[],
  quotes: Quotes,
  orders: readonly QuotedOrder[],
  facts: MarketFacts,
  movesWait: () => boolean,
): Changes {
  const unplaced = orders.filter((order) => order.side === side && (order.isProbe === true) === isProbe);
  if (unplaced.length > 1) unplaced.sort((a, b) => a.submittedMs - b.submittedMs);
  const isExact = quotes.exact === true;
  const tolerance = isExact ? 0 : quotes.keepWithinTicks * facts.tickMicros;
  const sizeFraction = isExact ? 0 : quotes.keepWithinSizeFraction;
  const wishes: DesiredQuotes[] = [];
  const rooms: Room[] = [];
  for (const level of levels) {
    if ((level.isProbe === true) !== isProbe) continue;
    const most = level.amountMicros * (1 + sizeFraction);
    let held = 0;
    for (let i = 0; i < unplaced.length; ) {
      const order = unplaced[i];
      const near = order !== undefined && Math.abs(order.priceMicros - level.priceMicros) <= tolerance;
      // An order that is being canceled covers no level.
      if (order !== undefined && near && order.phase !== 'canceling' && held + order.remainingMicros <= most) {
        held += order.remainingMicros;
        unplaced.splice(i, 1);
      } else {
        i++;
      }
    }
    rooms.push({ priceMicros: level.priceMicros, shares: most - held });
    const missing = level.amountMicros - held;
    if (missing >= facts.minAmountMicros && missing > level.amountMicros * sizeFraction) {
      const wish = {
        side,
        priceMicros: level.priceMicros,
        amountMicros: micros(missing - (missing % facts.lotMicros)),
      };
      wishes.push(isProbe ? { ...wish, isProbe } : wish);
    }
  }
  const waiting = unplaced.length > 0;
  const harmless = waiting && !isExact && movesWait() ? findHarmless(side, unplaced, rooms) : [];
  const isInTheWay = (order: QuotedOrder) => order.phase === 'resting' && !harmless.includes(order);
  return { cancels: unplaced.filter(isInTheWay), wishes: waiting ? [] : wishes };
}

/** Wanted shares at a level that no order covers yet. */
interface Room {
  readonly priceMicros: Micros;
  readonly shares: number;
}

/** Orders, best price first, that keep the resting amount at each price or better within the wanted amount. */
function findHarmless(side: BookSide, orders: readonly QuotedOrder[], rooms: readonly Room[]): readonly QuotedOrder[] {
  const sign = side === 'bid' ? -1 : 1;
  let room = 0;
  let level = 0;
  return [...orders]
    .sort((a, b) => sign * (a.priceMicros - b.priceMicros))
    .filter(({ priceMicros, remainingMicros }) => {
      for (
        let next = rooms[level];
        next !== undefined && sign * (next.priceMicros - priceMicros) <= 0;
        next = rooms[++level]
      )
        room += next.shares;
      if (remainingMicros > room) return false;
      room -= remainingMicros;
      return true;
    });
}

const never = (): boolean => false;
