/** Selects markets with a net value above 0 at the prices that balance supply and demand of resources. Pure. */

import { type StaleMarket, staleLossPerS } from './stale-index.js';

/** Marginal price of each scarce resource, currency. */
export interface ScarcityPrices {
  readonly look: number;
  readonly request: number;
  /** Price of bound currency per second, as a fraction of it. */
  readonly currencyPerS: number;
}

/** Possible quotes of one side of a market, with prices as floats. */
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
  /** Price distance within which an order stays, at any price of requests. */
  readonly leastTolerance: number;
  /** True if orders move at that distance even when the requests cost more than the gain; absent: false. */
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
 * @param cost cost of a move, currency
 * @param k currency per second and squared price
 */
export const bestTolerance = (cost: number, sigmaPerSqrtS: number, k: number): number =>
  cost === 0 ? 0 : k <= 0 ? Number.POSITIVE_INFINITY : ((6 * cost * sigmaPerSqrtS ** 2) / k) ** (1 / 4);

/** Loss rate k of a displaced side: shares filled per second, divided by its best distance. */
const displacementLoss = ({ fillsPerS, sharesPerFill, distance }: OfferedSide): number =>
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
  // All fields are listed, because a copy by spread syntax would be slower.
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
      // On a tie the longer interval wins, because a read without gain is not worth a request.
      if (stale + price / lookEveryS <= best.stale + price / best.lookEveryS) best = { lookEveryS, stale };
    }
    return best;
  }
}

export interface Supply {
  readonly looksPerS: number;
  /** Signed requests per second, including those reserved for cancels. */
  readonly requestsPerS: number;
  readonly currency: number;
}

/** A market that a group, such as a strategy, may quote. */
export interface MarketCandidate {
  readonly id: string;
  readonly group: string;
  readonly offer: PricedOffer;
  /** True for a market that is always quoted; its use is subtracted from the supply. */
  readonly isFixed: boolean;
  /** True if the market is quoted now. */
  readonly isChosen: boolean;
  /** Uncertainty of the market's net value, currency per second: one standard deviation. */
  readonly doubt: number;
}

/** Maximum numbers that bound one selection of markets. */
export interface ChoiceBounds {
  /** Maximum number of markets quoted at once, by group. */
  readonly most: ReadonlyMap<string, number>;
  /** Maximum number of markets added at once, over all groups. */
  readonly entries: number;
}

/** Number of rounds of the price search. Each round finds one price after the other, with the others fixed. */
const ROUNDS = 3;
/** Number of bisection steps in the search for a price. */
const HALVINGS = 20;
/** Maximum prices, at which nothing is worth quoting. */
const MOST: ScarcityPrices = { look: 10, request: 10, currencyPerS: 1 };
const LEAST = 1e-9;

/** Expected time that an added market is quoted, s. The cost of its first and last orders is spread over it. */
export const DWELL_S = 600;
/** Requests of entering and leaving a market: two orders placed and canceled. */
const REQUESTS_TO_ENTER = 8;
/** One of this many places is reserved for a market that may be worth more than estimated. */
const PLACES_A_TRIAL = 10;

/** Finds the prices, each at least `least`, at which the demand of all valuable markets fits the supply. */
export function pricesFor(
  candidates: readonly MarketCandidate[],
  supply: Supply,
  least: ScarcityPrices,
): ScarcityPrices {
  let prices: ScarcityPrices = least;
  for (let round = 0; round < ROUNDS; round++) {
    prices = { ...prices, look: soughtPrice('look', (value) => 1 / value.lookEveryS, supply.looksPerS) };
    prices = { ...prices, request: soughtPrice('request', requestsPerS, supply.requestsPerS) };
    prices = { ...prices, currencyPerS: soughtPrice('currencyPerS', (value) => value.currencyBound, supply.currency) };
  }
  return prices;

  /** Lowest price at which the demand of all valuable markets fits; found by bisection of its logarithm. */
  function soughtPrice(name: keyof ScarcityPrices, takes: (value: NetValue) => number, there: number): number {
    const fits = (price: number): boolean => {
      let sum = 0;
      for (const { offer, isFixed } of candidates) {
        const value = offer.at({ ...prices, [name]: price });
        if (isFixed || value.net > 0) sum += takes(value);
      }
      return sum <= there;
    };
    if (fits(least[name])) return least[name];
    let low = Math.log(Math.max(LEAST, least[name]));
    let high = Math.log(MOST[name]);
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2;
      if (fits(Math.exp(middle))) high = middle;
      else low = middle;
    }
    return Math.exp(high);
  }
}

/**
 * Chooses the quoted markets, among the best up to the maximum. A market is added when its value exceeds the cost
 * of entering and leaving. A quoted market is dropped when its value falls below minus that cost. Every tenth place is
 * for the market that would be best if its value were one standard deviation higher.
 */
export function choose(
  candidates: readonly MarketCandidate[],
  supply: Supply,
  least: ScarcityPrices,
  bounds: ChoiceBounds,
) {
  // Markets without a place use nothing, so prices are computed from the best of each group.
  const best = pickBest(candidates, pricesFor(candidates, supply, least), bounds);
  const prices = pricesFor(best, supply, least);
  const margin = (REQUESTS_TO_ENTER * prices.request) / DWELL_S;
  const valued = rank(candidates, prices);
  const places = new Places(bounds);
  for (const { candidate } of valued) if (candidate.isFixed) places.take(candidate, Number.POSITIVE_INFINITY);
  const offerWanted = (hope: boolean): void => {
    // A quoted market keeps its place against another that is better by less than the cost of a change.
    const score = ({ candidate, value }: RankedMarket) =>
      value.net + (candidate.isChosen ? margin : -margin) + (hope ? candidate.doubt : 0);
    const worth = valued.filter((each) => score(each) > 0).sort((a, b) => score(b) - score(a));
    for (const { candidate } of worth) {
      const most = bounds.most.get(candidate.group) ?? 0;
      places.take(candidate, hope ? most : most - Math.floor(most / PLACES_A_TRIAL));
    }
  };
  offerWanted(false);
  offerWanted(true);
  const ranked = valued.map(({ candidate, value }) => ({ id: candidate.id, value }));
  return { prices, ranked, chosen: places.taken };
}

interface RankedMarket {
  readonly candidate: MarketCandidate;
  readonly value: NetValue;
}

/** Sorts by net value, highest first; ties stay in input order. */
const rank = (candidates: readonly MarketCandidate[], prices: ScarcityPrices): RankedMarket[] =>
  candidates
    .map((candidate) => ({ candidate, value: candidate.offer.at(prices) }))
    .sort((a, b) => b.value.net - a.value.net);

function pickBest(
  candidates: readonly MarketCandidate[],
  prices: ScarcityPrices,
  { most }: ChoiceBounds,
): MarketCandidate[] {
  const taken = new Map<string, number>();
  return rank(candidates, prices).flatMap(({ candidate }) => {
    const place = (taken.get(candidate.group) ?? 0) + 1;
    taken.set(candidate.group, place);
    return candidate.isFixed || place <= (most.get(candidate.group) ?? 0) ? [candidate] : [];
  });
}

class Places {
  readonly taken = new Set<string>();
  readonly #byGroup = new Map<string, number>();
  #entries: number;

  constructor({ entries }: ChoiceBounds) {
    this.#entries = entries;
  }

  take({ id, group, isChosen, isFixed }: MarketCandidate, most: number): void {
    const here = this.#byGroup.get(group) ?? 0;
    const isEntry = !isChosen && !isFixed;
    if (here >= most || this.taken.has(id) || (isEntry && this.#entries <= 0)) return;
    if (isEntry) this.#entries--;
    this.#byGroup.set(group, here + 1);
    this.taken.add(id);
  }
}
