/** Expected income and cost of quoting a market, from the strategy's quotes and the observed market. */

import { complement, type Micros, micros, ONE } from '../../../shared/base/micros.js';
import type { BookLevel, BookSide, MarketView } from '../../market/view.js';
import type { MarketOffer, NetValue, OfferedSide, ScarcityPrices } from '../../scheduler/net-value.js';
import type { RestingQuote } from '../../scheduler/stale-index.js';
import type { QuoteLevel, Quotes } from '../../strategy/contract.js';
import { legFees } from '../quoting/legs.js';
import type { MarketSelection } from '../settings.js';
import type { Belief } from './measures.js';
import { hasRules } from './rules.js';

/** Volatility and jump rate of the market's price. */
export interface Motion {
  readonly sigmaPerSqrtS: number;
  readonly jumpsPerS: number;
}

/** The offer of a market; null when its strategy quotes nothing. */
export function makeOffer(
  quotes: Pick<Quotes, 'fairMicros' | 'bids' | 'asks' | 'keepWithinTicks' | 'exact' | 'edge'>,
  view: Pick<MarketView, 'market' | 'others' | 'flow'>,
  motion: Motion,
  belief: Belief,
): MarketOffer | null {
  const { fairMicros, bids, asks, keepWithinTicks, exact = false } = quotes;
  if (fairMicros === null || bids.length + asks.length === 0) return null;
  const { market, flow } = view;
  const tick = market.tickMicros / ONE;
  const sides = [
    ...makeSides('bid', quotes, fairMicros, view, belief),
    ...makeSides('ask', quotes, fairMicros, view, belief),
  ];
  return {
    sides,
    market: {
      seenMs: 0,
      price: fairMicros / ONE,
      usualDistance: tick,
      sigmaPerSqrtS: motion.sigmaPerSqrtS,
      jumpsPerS: motion.jumpsPerS,
      takersPerS: flow.tradesPerS,
      quotes: [...resting('bid', quotes, fairMicros), ...resting('ask', quotes, fairMicros)],
    },
    // A level moves when its reference price has moved half a tick more than the tolerance.
    leastTolerance: tick * ((exact ? 0 : keepWithinTicks) + 1 / 2),
    isExact: exact,
    currency: sumCurrency(bids, (price) => price) + sumCurrency(asks, complement),
  };
}

function makeSides(
  side: BookSide,
  quotes: Pick<Quotes, 'bids' | 'asks' | 'edge'>,
  fairMicros: Micros,
  { market, others, flow }: Pick<MarketView, 'market' | 'others' | 'flow'>,
  { fillRatio, adversePart }: Belief,
): OfferedSide[] {
  const levels = side === 'bid' ? quotes.bids : quotes.asks;
  const sign = side === 'bid' ? 1 : -1;
  const worth = worthOf(side, quotes, fairMicros);
  // Taker sizes vary around a mean; without data it is the best level's amount.
  const meanShares = flow.meanTradeShares ?? (levels[0]?.amountMicros ?? ONE) / ONE;
  let before = 0;
  return levels.map(({ priceMicros, amountMicros }) => {
    const rest = side === 'bid' ? others.bids : others.asks;
    const ahead = before + sharesAhead(rest, priceMicros, sign);
    before += amountMicros / ONE;
    const distance = (sign * (worth - priceMicros)) / ONE;
    const fees = legFees(market, side, priceMicros, false);
    return {
      // Half of the takers trade with each side; those larger than the queue ahead reach the level.
      fillsPerS: (fillRatio * flow.tradesPerS * Math.exp(-ahead / meanShares)) / 2,
      sharesPerFill: meanShares * -Math.expm1(-amountMicros / ONE / meanShares),
      distance,
      adverse: adversePart * Math.max(distance, market.tickMicros / ONE),
      feePerShare: Math.min(fees.sell, fees.buy),
    };
  });
}

/** Value of a share to the strategy on this side, millionths: its fair price, or the value implied by its `edge`. */
function worthOf(
  side: BookSide,
  { bids, asks, edge }: Pick<Quotes, 'bids' | 'asks' | 'edge'>,
  fairMicros: Micros,
): number {
  const best = (side === 'bid' ? bids : asks)[0];
  if (edge === undefined || best === undefined) return fairMicros;
  return best.priceMicros + ONE * (side === 'bid' ? edge.bid : -edge.ask);
}

/** Others' shares at this price or better, which are ahead in the queue. */
function sharesAhead(levels: readonly BookLevel[], priceMicros: Micros, sign: 1 | -1): number {
  let ahead = 0;
  for (const level of levels) {
    if (sign * (level.priceMicros - priceMicros) < 0) break;
    ahead += level.amountMicros / ONE;
  }
  return ahead;
}

/**
 * Levels shifted by the distance between share value and fair price, because stale losses depend on the distance from
 * the value.
 */
function resting(side: BookSide, quotes: Pick<Quotes, 'bids' | 'asks' | 'edge'>, fairMicros: Micros): RestingQuote[] {
  const shift = Math.round(fairMicros - worthOf(side, quotes, fairMicros));
  const levels = side === 'bid' ? quotes.bids : quotes.asks;
  return levels.map(({ priceMicros, amountMicros }) => {
    return { side, priceMicros: micros(priceMicros + shift), remainingMicros: amountMicros };
  });
}

const sumCurrency = (levels: readonly QuoteLevel[], perShare: (price: Micros) => Micros): number =>
  levels.reduce((sum, { priceMicros, amountMicros }) => sum + (perShare(priceMicros) / ONE) * (amountMicros / ONE), 0);

/** Last estimated value of a market to its strategy. */
export interface Worth {
  readonly value: NetValue;
  readonly prices: ScarcityPrices;
  /** Rank by value; 1 is the most valuable. */
  readonly place: number;
  readonly belief: Belief;
  /** Fills per second times the income per second of one side: currency per square second. */
  readonly lateFillCost: number;
  /** Expected loss of stale quotes, as a fraction of the fills' distance. */
  readonly stalePart: number;
}

/** True when a strategy does not quote every market that it tracks. */
export const isSelective = ({ choose, candidates, max, rules }: MarketSelection): boolean =>
  choose === 'value' || (candidates ?? max) > max || hasRules(rules);
