/**
 * What quoting a market brings in a second, after everything that it takes: what stale quotes lose, looks, moves, fills, the
 * reserve that can cancel its orders, and the currency that it binds. Pure; floats, because nothing here is booked.
 */

import { type StaleMarket, staleLossPerS } from './stale-index.js';

/** What one more of each is worth while there is not enough of all. Currency. */
export interface ScarcityPrices {
  /** Of a look at a book. */
  readonly look: number;
  /** Of a signed request. */
  readonly request: number;
  /** Of a unit of currency that is bound for a second, as a part of it. */
  readonly currencyPerS: number;
}

/** One side of what would be quoted. Prices as floats. */
export interface OfferedSide {
  /** Takers who would trade with it, and shares that each would take. */
  readonly fillsPerS: number;
  readonly sharesPerFill: number;
  /** From the fair value; below 0 where it is quoted beyond it. */
  readonly distance: number;
  /** By which the price is expected to go against a share after its fill, beyond what stale quotes lose. */
  readonly adverse: number;
  readonly feePerShare: number;
}

/** What quoting a market would bring and take. */
export interface MarketOffer {
  readonly sides: readonly OfferedSide[];
  /** With the orders that would rest. */
  readonly market: StaleMarket;
  /** An order no further off its level than this stays, whatever requests cost: price. */
  readonly leastTolerance: number;
  /** Whether its orders are moved at that distance even where requests cost more than it is worth; absent: no. */
  readonly isExact?: boolean;
  /** Currency that its orders would reserve. */
  readonly currency: number;
}

/** Every term of the net value of a market, currency per second; each of those that are taken off is 0 or more. */
export interface NetValue {
  /** Of fills, after what the price does next and after fees. */
  readonly edge: number;
  readonly stale: number;
  readonly looks: number;
  readonly moves: number;
  readonly fills: number;
  /** What stands idle so that its orders can be canceled at once. */
  readonly reserve: number;
  readonly currency: number;
  readonly net: number;
  /** Seconds between two looks that these prices make best. */
  readonly lookEveryS: number;
  readonly movesPerS: number;
  readonly fillsPerS: number;
  readonly orders: number;
  readonly currencyBound: number;
}

/** A move is a cancel and a place, each a draft and a submit; a fill is placed anew. */
const REQUESTS = { move: 4, fill: 2, cancel: 2 } as const;

/**
 * How far a quote is best let drift before it is moved, in price: what a displacement d loses, k d^2 a second, against what
 * moving costs. The least of k w^2 / 6 + cost sigma^2 / w^2. 0 where moving costs nothing, infinite where nothing is lost.
 *
 * @param cost of a move, currency
 * @param k currency per second and squared price
 */
export const bestTolerance = (cost: number, sigmaPerSqrtS: number, k: number): number =>
  cost === 0 ? 0 : k <= 0 ? Number.POSITIVE_INFINITY : ((6 * cost * sigmaPerSqrtS ** 2) / k) ** (1 / 4);

/** What displacement loses where a side at the best distance is filled at this rate: shares per second over distance. */
export const displacementLoss = ({ fillsPerS, sharesPerFill, distance }: OfferedSide): number =>
  distance <= 0 ? 0 : (fillsPerS * sharesPerFill) / distance;

/** The terms at these prices where a look comes every `lookEveryS` and a stale quote loses `stale` a second. */
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
  // Each by its name: copied from an object that holds some of them, every field would be looked for again.
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

/** Signed requests a second that quoting it takes, those that stand by for its cancels among them. */
export const requestsPerS = ({ movesPerS, fillsPerS, orders }: NetValue): number =>
  REQUESTS.move * movesPerS + REQUESTS.fill * fillsPerS + (REQUESTS.cancel * orders) / 60;

/** Seconds between two looks that are considered: each is a quarter longer than the one before. */
const INTERVALS = Array.from({ length: 36 }, (_, i) => 1.25 ** i);

/** What stale quotes lose by how often they are looked at, reckoned once for any number of prices. */
export class PricedOffer {
  readonly #offer: MarketOffer;
  readonly #losses: readonly number[];

  constructor(offer: MarketOffer) {
    this.#offer = offer;
    this.#losses = INTERVALS.map((everyS) => staleLossPerS(offer.market, everyS));
  }

  /** Its terms with the looks that are best at these prices. */
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
      // Of equals the longer: what brings nothing is not looked at for it.
      if (stale + price / lookEveryS <= best.stale + price / best.lookEveryS) best = { lookEveryS, stale };
    }
    return best;
  }
}
