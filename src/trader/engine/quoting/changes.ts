/** Computes the fewest changes from the resting orders to the book that a strategy wants. */

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

/** Wanted shares per level, in YES space. */
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
 * Orders within the quotes' tolerance of a level stay, oldest first: they keep their place in the queue, and each place
 * kept saves four requests. What fits no level is canceled. A side on which anything is being canceled gets nothing new
 * until it is gone, so that what rests never exceeds what was wanted, whatever order the exchange sees the two in.
 * Probes are matched with probes only: their cancels delay no other order. Other wishes come first.
 *
 * @param movesWait requests are short: what fits no level stays as long as it offers nobody more than is wanted, unless the quotes are exact
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
      // An order that is being canceled covers no level: it will be gone.
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

/** Wanted shares at a level that do not rest there yet. */
interface Room {
  readonly priceMicros: Micros;
  readonly shares: number;
}

/**
 * Orders, the best first, that keep the resting amount at any price or better within the wanted amount there or better.
 */
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
