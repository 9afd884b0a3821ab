/**
 * Converts a wanted level in YES space into orders: by the cheaper outcome and side, and by selling holdings at equal
 * cost.
 */

import { feePerShare } from '../../../shared/base/fees.js';
import { complement, type Micros, micros, minMicros, mul, ONE } from '../../../shared/base/micros.js';
import type { Side } from '../../../shared/protocol/states.js';
import type { BookSide, MarketFacts } from '../../market/view.js';
import { type Economics, pairCost, USUAL_PAIRS_PER_S } from '../../strategy/economics.js';
import type { DesiredQuotes } from './changes.js';

/** One order of the exchange, at the price of its own outcome. */
export interface Leg {
  readonly isYes: boolean;
  readonly side: Side;
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
}

/** Shares that no open order or conversion binds, and currency that no open order reserves. */
export interface Free {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  readonly cashMicros: Micros;
}

/** Facts, besides prices, that decide between legs. */
export interface LegPricing {
  /** True when the order would trade at once and pay the taker fee. */
  readonly isTaking: boolean;
  readonly economics: Economics;
}

/** Requests of a second order for one level: draft and submit, and both again for its cancel. */
const REQUESTS_OF_AN_ORDER = 4;

/**
 * Chooses the orders of a wanted level: a bid can sell NO or buy YES, an ask sell YES or buy NO. At equal fees held
 * shares are sold first, because that frees currency without a merge. If buying is cheaper by more than the cost of a
 * pair until its merge, everything is bought. A remainder below the smallest order is dropped.
 */
export function chooseLegs(wish: DesiredQuotes, free: Free, facts: MarketFacts, pricing: LegPricing): Leg[] {
  const bid = wish.side === 'bid';
  const held = bid ? free.noMicros : free.yesMicros;
  const sellable = minMicros(wish.amountMicros, micros(held - (held % facts.lotMicros)));
  const sold = sellable >= facts.minAmountMicros && !buysAll(wish, sellable, free, facts, pricing) ? sellable : 0;
  const other = complement(wish.priceMicros);
  const legs: Leg[] = [];
  if (sold > 0)
    legs.push({ isYes: !bid, side: 'sell', priceMicros: bid ? other : wish.priceMicros, amountMicros: sellable });
  const rest = micros(wish.amountMicros - sold);
  if (rest >= facts.minAmountMicros) {
    legs.push({ isYes: bid, side: 'buy', priceMicros: bid ? wish.priceMicros : other, amountMicros: rest });
  }
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
  // Equal fees give no reason to choose.
  if (fees.sell === fees.buy) return false;
  const isSplit = amountMicros - sellable >= facts.minAmountMicros;
  const secondOrder = isSplit ? REQUESTS_OF_AN_ORDER * economics.requestPrice : 0;
  const saved = (fees.buy + pairCost(economics, USUAL_PAIRS_PER_S) - fees.sell) * (sellable / ONE);
  if (saved >= secondOrder) return false;
  // Without enough cash for the whole amount, shares are sold; fees never exceed the price.
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
