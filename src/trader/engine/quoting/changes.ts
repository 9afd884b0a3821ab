/** Computes the fewest changes from resting orders to the wanted quotes. */

import { feePerShare } from '../../../shared/base/fees.js';
import { complement, type Micros, micros, minMicros, mul, ONE } from '../../../shared/base/micros.js';
import type { Side } from '../../../shared/protocol/states.js';
import type { BookSide, MarketFacts, OwnOrder } from '../../market/view.js';
import type { QuoteLevel, Quotes } from '../../strategy/contract.js';
import { type Economics, pairCost, USUAL_PAIRS_PER_S } from '../../strategy/economics.js';

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
 * Finds the changes from orders to quotes. An order within the tolerance of a level stays, oldest first, to keep its
 * queue position and save four requests. Other orders are canceled. A side with orders being canceled receives no new
 * orders until they are gone, so that resting orders never exceed the wanted amount. A probe order is matched only with
 * probe levels; other levels are matched first.
 *
 * @param movesWait returns true if requests are short. An order that fits no level then stays if it offers no more than
 * wanted, unless the quotes are exact
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

/** Returns orders, best price first, whose amount at each price or better stays within the wanted amount. */
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

/** One order of the exchange, at the price of its own outcome. */
export interface OrderLeg {
  readonly isYes: boolean;
  readonly side: Side;
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
}

/** Shares that no open order or conversion binds, and currency that no open order reserves. */
interface Free {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  readonly cashMicros: Micros;
}

/** Facts besides prices that decide between a sale of held shares and a purchase of the other outcome. */
interface LegPricing {
  /** True when the order would trade at once and pay the taker fee. */
  readonly isTaking: boolean;
  readonly economics: Economics;
}

/** Requests that a second order for one level costs: a draft and a submit, and both again for its cancel. */
const REQUESTS_OF_AN_ORDER = 4;

/**
 * Chooses the orders of a wanted level: a bid can sell NO or buy YES, an ask sell YES or buy NO. At equal fees held
 * shares are sold first, because that frees currency without a merge. If buying is cheaper by more than the cost of a
 * pair until its merge, everything is bought. A remainder below the smallest order is dropped.
 */
export function chooseLegs(wish: DesiredQuotes, free: Free, facts: MarketFacts, pricing: LegPricing): OrderLeg[] {
  const bid = wish.side === 'bid';
  const held = bid ? free.noMicros : free.yesMicros;
  const sellable = minMicros(wish.amountMicros, micros(held - (held % facts.lotMicros)));
  const sold = sellable >= facts.minAmountMicros && !buysAll(wish, sellable, free, facts, pricing) ? sellable : 0;
  const other = complement(wish.priceMicros);
  const legs: OrderLeg[] = [];
  if (sold > 0)
    legs.push({ isYes: !bid, side: 'sell', priceMicros: bid ? other : wish.priceMicros, amountMicros: sellable });
  const rest = micros(wish.amountMicros - sold);
  if (rest >= facts.minAmountMicros)
    legs.push({ isYes: bid, side: 'buy', priceMicros: bid ? wish.priceMicros : other, amountMicros: rest });
  return legs;
}

/** True when it is cheaper to keep the sellable shares and buy the whole amount. */
function buysAll(
  { side, priceMicros, amountMicros }: DesiredQuotes,
  sellable: Micros,
  { cashMicros }: Free,
  facts: MarketFacts,
  { isTaking, economics }: LegPricing,
): boolean {
  const fees = legFees(facts, side, priceMicros, isTaking);
  // At equal fees, held shares are sold first.
  if (fees.sell === fees.buy) return false;
  const isSplit = amountMicros - sellable >= facts.minAmountMicros;
  const secondOrder = isSplit ? REQUESTS_OF_AN_ORDER * economics.requestPrice : 0;
  const saved = (fees.buy + pairCost(economics, USUAL_PAIRS_PER_S) - fees.sell) * (sellable / ONE);
  if (saved >= secondOrder) return false;
  // A side without enough cash for the whole amount sells shares; fees never exceed the price.
  const price = side === 'bid' ? priceMicros : complement(priceMicros);
  return mul(price, amountMicros, 'ceil') * (1 + fees.buy / (price / ONE)) <= cashMicros;
}

/** Fee per share for the sell and the buy leg of a level, currency. */
export function legFees(
  facts: Pick<MarketFacts, 'feeSchedule' | 'makerFeeRateMicros' | 'takerFeeRateMicros'>,
  side: BookSide,
  priceMicros: Micros,
  isTaking: boolean,
): { readonly sell: number; readonly buy: number } {
  const { feeSchedule } = facts;
  const rate = (isTaking ? facts.takerFeeRateMicros : facts.makerFeeRateMicros) / ONE;
  const yes = feePerShare(feeSchedule, rate, priceMicros / ONE);
  const no = feePerShare(feeSchedule, rate, complement(priceMicros) / ONE);
  // The variance fee is symmetric in YES and NO.
  if (feeSchedule !== 'notional') return { sell: yes, buy: yes };
  return side === 'bid' ? { sell: no, buy: yes } : { sell: yes, buy: no };
}

/** Converts an order's side and price to YES space. */
export const inYesSpace = (
  isYes: boolean,
  side: Side,
  priceMicros: Micros,
): { readonly side: BookSide; readonly priceMicros: Micros } => ({
  side: (side === 'buy') === isYes ? 'bid' : 'ask',
  priceMicros: isYes ? priceMicros : complement(priceMicros),
});
