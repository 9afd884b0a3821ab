/**
 * Computes the net value per second of quoting a market: income less stale losses, reads, moves, fills, the cancel
 * reserve and bound currency. Pure; floats, because nothing here is booked.
 */

import { type StaleMarket, staleLossPerS } from './stale-index.js';

/** Marginal price of each scarce resource, currency. */
export interface ScarcityPrices {
  /** Price of a book read. */
  readonly look: number;
  /** Price of a signed request. */
  readonly request: number;
  /** Price of bound currency per second, as a fraction of it. */
  readonly currencyPerS: number;
}

/** One side of the possible quotes. Prices as floats. */
export interface OfferedSide {
  /** Takers per second that would trade with this side, and shares per trade. */
  readonly fillsPerS: number;
  readonly sharesPerFill: number;
  /** Distance of the quote from the fair value; negative beyond it. */
  readonly distance: number;
  /** Expected adverse price move after a fill, beyond the loss of stale quotes. */
  readonly adverse: number;
  readonly feePerShare: number;
}

/** Income and costs of quoting a market. */
export interface MarketOffer {
  readonly sides: readonly OfferedSide[];
  /** Inputs of the stale loss, including the orders that would rest. */
  readonly market: StaleMarket;
  /** Price distance within which an order stays, whatever requests cost. */
  readonly leastTolerance: number;
  /** True: orders move at that distance even if requests cost more than the gain. Absent: false. */
  readonly isExact?: boolean;
  /** Currency that the market's orders would reserve. */
  readonly currency: number;
}

/** Terms of a market's net value, currency per second; each subtracted term is 0 or more. */
export interface NetValue {
  /** Income of fills, less the following price move and fees. */
  readonly edge: number;
  readonly stale: number;
  readonly looks: number;
  readonly moves: number;
  readonly fills: number;
  /** Cost of requests kept free so that the orders can be canceled at once. */
  readonly reserve: number;
  readonly currency: number;
  readonly net: number;
  /** Best interval between book reads at these prices, s. */
  readonly lookEveryS: number;
  readonly movesPerS: number;
  readonly fillsPerS: number;
  readonly orders: number;
  readonly currencyBound: number;
}

/** Requests per event: a move is a cancel and a place with draft and submit each; a filled order is placed again. */
const REQUESTS = { move: 4, fill: 2, cancel: 2 } as const;

/**
 * Best price distance that a quote may drift before it is moved. A displacement d loses k d^2 per second, and a move
 * costs requests: this minimises k w^2 / 6 + cost sigma^2 / w^2. 0 if moves are free, infinite if nothing is lost.
 *
 * @param cost of a move, currency
 * @param k currency per second and squared price
 */
export const bestTolerance = (cost: number, sigmaPerSqrtS: number, k: number): number =>
  cost === 0 ? 0 : k <= 0 ? Number.POSITIVE_INFINITY : ((6 * cost * sigmaPerSqrtS ** 2) / k) ** (1 / 4);

/** Loss rate k of a displaced side: shares filled per second, divided by its best distance. */
export const displacementLoss = ({ fillsPerS, sharesPerFill, distance }: OfferedSide): number =>
  distance <= 0 ? 0 : (fillsPerS * sharesPerFill) / distance;

/** Computes all terms at these prices, with a read every `lookEveryS` and a stale loss of `stale` per second. */
export function netValue(
  offer: Pick<MarketOffer, 'sides' | 'currency'> & { readonly orders: number; readonly movesPerS: number },
  { lookEveryS, stale }: { readonly lookEveryS: number; readonly stale: number },
  prices: ScarcityPrices,
): NetValue {
  const { sides, orders, movesPerS, currency: currencyBound } = offer;
  let edge = 0;
  let fillsPerS = 0;
  for (const side of sides) {
    edge += side.fillsPerS * side.sharesPerFill * (side.distance - side.adverse - side.feePerShare);
    fillsPerS += side.fillsPerS;
  }
  const looks = prices.look / lookEveryS;
  const moves = prices.request * REQUESTS.move * movesPerS;
  const fills = prices.request * REQUESTS.fill * fillsPerS;
  const reserve = (prices.request * REQUESTS.cancel * orders) / 60;
  const currency = prices.currencyPerS * currencyBound;
  const net = edge - stale - looks - moves - fills - reserve - currency;
  // Fields are named, because a spread copy would be slower.
  return {
    edge,
    stale,
    looks,
    moves,
    fills,
    reserve,
    currency,
    net,
    lookEveryS,
    movesPerS,
    fillsPerS,
    orders,
    currencyBound,
  };
}

/** Signed requests per second of quoting a market, including those reserved for its cancels. */
export const requestsPerS = ({ movesPerS, fillsPerS, orders }: NetValue): number =>
  REQUESTS.move * movesPerS + REQUESTS.fill * fillsPerS + (REQUESTS.cancel * orders) / 60;

/** Read intervals that are compared, s; each is a quarter longer than the one before. */
const INTERVALS = Array.from({ length: 36 }, (_, i) => 1.25 ** i);

/** A market's offer with its stale loss by read interval, computed once for any prices. */
export class PricedOffer {
  readonly #offer: MarketOffer;
  readonly #losses: readonly number[];

  constructor(offer: MarketOffer) {
    this.#offer = offer;
    this.#losses = INTERVALS.map((everyS) => staleLossPerS(offer.market, everyS));
  }

  /** Net value with the best read interval at these prices. */
  at(prices: ScarcityPrices): NetValue {
    const { sides, currency, market, leastTolerance, isExact = false } = this.#offer;
    const orders = market.quotes.length;
    const loss = sides.reduce((sum, side) => sum + displacementLoss(side), 0);
    const tolerance = bestTolerance(REQUESTS.move * prices.request, market.sigmaPerSqrtS, loss);
    const widest = isExact ? leastTolerance : Math.max(leastTolerance, tolerance);
    const movesPerS = orders * Math.min(1, (market.sigmaPerSqrtS / widest) ** 2);
    return netValue({ sides, currency, orders, movesPerS }, this.#look(prices.look), prices);
  }

  #look(price: number): { readonly lookEveryS: number; readonly stale: number } {
    let best = { lookEveryS: 1, stale: Number.POSITIVE_INFINITY };
    for (let i = 0; i < INTERVALS.length; i++) {
      const lookEveryS = INTERVALS[i] ?? 1;
      const stale = this.#losses[i] ?? 0;
      // On a tie the longer interval wins: a read without gain is not made.
      if (stale + price / lookEveryS <= best.stale + price / best.lookEveryS) best = { lookEveryS, stale };
    }
    return best;
  }
}
