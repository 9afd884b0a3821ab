/** Computes the fewest order changes that turn the resting orders into the wanted quotes. */

import { feePerShare } from '../../../shared/base/fees.js';
import { complement, type Micros, micros, minMicros, mul, ONE } from '../../../shared/base/micros.js';
import type { Side } from '../../../shared/protocol/states.js';
import type { BookSide, MarketFacts, OwnOrder } from '../../market/view.js';
import type { Quotes } from '../../strategy/contract.js';
import { type Economics, pairCost, USUAL_PAIRS_PER_S } from '../../strategy/economics.js';

/** An own order that rests or may rest, with the data needed to cancel it. */
export interface QuotedOrder extends OwnOrder {
  readonly orderPubkey: string;
  readonly strategy: string;
  /** `resting`: the order can be canceled. `pending`: its outcome is unknown. `canceling`: its cancel is in flight. */
  readonly phase: 'resting' | 'pending' | 'canceling';
}

/** Shares of one wanted level that no order offers yet. Side and price are those of YES. */
interface DesiredQuotes {
  readonly side: BookSide;
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
  readonly isProbe?: boolean;
}

interface Changes {
  readonly cancels: readonly QuotedOrder[];
  readonly wishes: readonly DesiredQuotes[];
}

/**
 * Returns the cancels and new orders that turn resting orders into the wanted quotes. Orders near a wanted level stay,
 * the oldest first: each keeps its queue position and saves four requests. Orders near no wanted level are canceled. A
 * side gets new orders only after its canceled orders have ended, so that orders never exceed the wanted amount. Probe
 * orders match only probe levels, and are handled after all other orders.
 *
 * @param movesWait returns true if few requests are left. Then an order that fits no level stays if it offers no more
 * than wanted. Exact quotes ignore `movesWait`
 */
export function findChanges(
  quotes: Quotes,
  orders: readonly QuotedOrder[],
  facts: MarketFacts,
  movesWait: () => boolean = () => false,
): Changes {
  const changes = { cancels: [], wishes: [] };
  const hasProbes = [orders, quotes.bids, quotes.asks].some((list) => list.some(({ isProbe }) => isProbe === true));
  for (const isProbe of hasProbes ? [false, true] : [false])
    for (const side of ['bid', 'ask'] as const) addChanges(changes, side, isProbe, quotes, orders, facts, movesWait);
  return changes;
}

/** Adds the changes of one side: of its probe orders if `isProbe`, else of its other orders. */
function addChanges(
  changes: { readonly cancels: QuotedOrder[]; readonly wishes: DesiredQuotes[] },
  side: BookSide,
  isProbe: boolean,
  quotes: Quotes,
  orders: readonly QuotedOrder[],
  facts: MarketFacts,
  movesWait: () => boolean,
): void {
  const unplaced = orders.filter((order) => order.side === side && (order.isProbe === true) === isProbe);
  if (unplaced.length > 1) unplaced.sort((a, b) => a.submittedMs - b.submittedMs);
  const isExact = quotes.exact === true;
  const tolerance = isExact ? 0 : quotes.keepWithinTicks * facts.tickMicros;
  const sizeFraction = isExact ? 0 : quotes.keepWithinSizeFraction;
  const wishes: DesiredQuotes[] = [];
  const rooms: Room[] = [];
  for (const level of side === 'bid' ? quotes.bids : quotes.asks) {
    if ((level.isProbe === true) !== isProbe) continue;
    const most = level.amountMicros * (1 + sizeFraction);
    let held = 0;
    for (let i = 0; i < unplaced.length; ) {
      const order = unplaced[i];
      const near = order !== undefined && Math.abs(order.priceMicros - level.priceMicros) <= tolerance;
      // An order that is being canceled does not count for a wanted level.
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
      const amountMicros = micros(missing - (missing % facts.lotMicros));
      const wish = { side, priceMicros: level.priceMicros, amountMicros };
      wishes.push(isProbe ? { ...wish, isProbe } : wish);
    }
  }
  const waiting = unplaced.length > 0;
  const harmless = waiting && !isExact && movesWait() ? findHarmless(side, unplaced, rooms) : [];
  for (const order of unplaced) if (order.phase === 'resting' && !harmless.includes(order)) changes.cancels.push(order);
  if (!waiting) changes.wishes.push(...wishes);
}

/** Returns the newest orders of all strategies that could together move the net position across zero. */
export function findExcess(orders: readonly QuotedOrder[], netMicros: number): QuotedOrder[] {
  const room = { bid: -netMicros, ask: netMicros };
  return [...orders]
    .sort((a, b) => a.submittedMs - b.submittedMs)
    .filter(({ side, remainingMicros }) => {
      if (remainingMicros > room[side]) return true;
      room[side] -= remainingMicros;
      return false;
    });
}

/** Returns the orders nearer to the fair price than `distance`, or beyond it; none without a fair price. */
export const findTooNear = (orders: readonly QuotedOrder[], fairMicros: Micros | null, distance: Micros) =>
  orders.filter(
    ({ side, priceMicros }) => fairMicros !== null && (fairMicros - priceMicros) * (side === 'bid' ? 1 : -1) < distance,
  );

/** A wanted level, and the number of shares that further orders may still offer there. */
interface Room {
  readonly priceMicros: Micros;
  readonly shares: number;
}

/** Returns the orders that may stay, best price first: at each price or better they offer no more than wanted. */
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

/** One order for the exchange. The price is that of the traded outcome (YES or NO). */
interface OrderLeg {
  readonly isYes: boolean;
  readonly side: Side;
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
}

interface Free {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  readonly cashMicros: Micros;
}

interface LegPricing {
  readonly isTaking: boolean;
  readonly economics: Economics;
}

/** Number of requests of one more order at a level: draft and submit of the order, draft and submit of its cancel. */
const REQUESTS_OF_AN_ORDER = 4;

/**
 * Chooses orders for a wanted level: a bid can sell NO or buy YES; an ask can sell YES or buy NO. At equal fees, held
 * shares are sold first, because a sale frees currency without a merge. At different fees, the whole amount is bought
 * if that costs less, including the later merge of the new sets. Amounts below the smallest order are dropped.
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
  // If cash does not suffice to buy the whole amount, held shares are sold first.
  const price = side === 'bid' ? priceMicros : complement(priceMicros);
  return mul(price, amountMicros, 'ceil') * (1 + fees.buy / (price / ONE)) <= cashMicros;
}

/** Returns the fees per share, currency, for selling held shares and for buying the other outcome. */
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
  // The variance fee, based on p (1 - p), is equal for YES and NO.
  if (feeSchedule !== 'notional') return { sell: yes, buy: yes };
  return side === 'bid' ? { sell: no, buy: yes } : { sell: yes, buy: no };
}

/** Converts an order's side and price to YES: an order to sell NO is a bid for YES. */
export const inYesSpace = (
  isYes: boolean,
  side: Side,
  priceMicros: Micros,
): { readonly side: BookSide; readonly priceMicros: Micros } => ({
  side: (side === 'buy') === isYes ? 'bid' : 'ask',
  priceMicros: isYes ? priceMicros : complement(priceMicros),
});
