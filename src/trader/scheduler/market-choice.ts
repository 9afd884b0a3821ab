/** Selects the markets to quote by net value. Shadow prices fit book reads, requests and currency to their supply. */

import { type StaleMarket, staleLossPerS } from './stale-index.js';

/** Shadow prices of the scarce resources, currency. `look`: a book read; `request`: a signed request. */
export interface ScarcityPrices {
  readonly look: number;
  readonly request: number;
  /** Price of reserving currency for one second, as a fraction of the reserved currency. */
  readonly currencyPerS: number;
}

/** Quotes that could be placed on one side (bid or ask) of a market; prices are floats. */
export interface OfferedSide {
  /** Number of takers per second that would trade with this side, and shares per trade. */
  readonly fillsPerS: number;
  readonly sharesPerFill: number;
  /** Price distance of the quote from the fair value; negative for a quote beyond the fair value. */
  readonly distance: number;
  /** Expected adverse price move after a fill, in addition to the loss by stale quotes. */
  readonly adverse: number;
  readonly feePerShare: number;
}

/** Income and costs of quoting a market. */
interface MarketOffer {
  readonly sides: readonly OfferedSide[];
  /** Inputs for the loss by stale quotes, including the orders that would be open. */
  readonly market: StaleMarket;
  /** Price distance within which an order is not moved, even if requests cost nothing. */
  readonly leastTolerance: number;
  /** True if orders move at `leastTolerance` even when the requests cost more than the gain; absent: false. */
  readonly isExact?: boolean;
  /** Currency that the market's orders would reserve. */
  readonly currency: number;
}

/** Terms of a market's net value (income less costs), currency per second; each cost term is 0 or more. */
type NetValue = Readonly<ReturnType<typeof netValue>>;

/** Requests per action. A move is a cancel and a new order, each with draft and submit; a fill needs a new order. */
const REQUESTS = { move: 4, fill: 2, cancel: 2 } as const;

/**
 * Distance from the best price at which a quote should be moved. A distance d loses k d^2 per second, and a move
 * costs requests. The result w minimises k w^2 / 6 + cost sigma^2 / w^2: 0 if moves cost nothing, infinite if k is 0.
 *
 * @param cost cost of a move, currency
 * @param k loss rate of the distance, currency per second and squared price
 */
export const bestTolerance = (cost: number, sigmaPerSqrtS: number, k: number): number =>
  cost === 0 ? 0 : k <= 0 ? Number.POSITIVE_INFINITY : ((6 * cost * sigmaPerSqrtS ** 2) / k) ** (1 / 4);

/** Computes a market's net value at these shadow prices. `stale`: loss per second with a read every `lookEveryS`. */
export function netValue(
  offer: Pick<MarketOffer, 'sides' | 'currency'> & { readonly orders: number; readonly movesPerS: number },
  { lookEveryS, stale }: { readonly lookEveryS: number; readonly stale: number },
  prices: ScarcityPrices,
) {
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
  // All fields are listed, because spread syntax would be slower.
  return {
    /** Income of fills, less fees and the adverse price move after fills. */
    edge,
    stale,
    looks,
    moves,
    fills,
    /** Cost of requests kept free so that the orders can be canceled at once. */
    reserve,
    currency,
    net: edge - stale - looks - moves - fills - reserve - currency,
    /** Best interval between book reads at the given shadow prices, s. */
    lookEveryS,
    movesPerS,
    fillsPerS,
    orders,
    currencyBound,
  };
}

/** Signed requests per second for quoting a market, including requests reserved for cancels. */
export const requestsPerS = ({ movesPerS, fillsPerS, orders }: NetValue): number =>
  REQUESTS.move * movesPerS + REQUESTS.fill * fillsPerS + (REQUESTS.cancel * orders) / 60;

/** Intervals between book reads to choose from, s; each is 25 % longer than the previous one. */
const INTERVALS = Array.from({ length: 36 }, (_, i) => 1.25 ** i);

/** A market's income and costs. The stale-quote loss of each read interval is computed only once. */
export class PricedOffer {
  readonly #offer: MarketOffer;
  readonly #losses: readonly number[];

  constructor(offer: MarketOffer) {
    this.#offer = offer;
    this.#losses = INTERVALS.map((everyS) => staleLossPerS(offer.market, everyS));
  }

  /** Net value of the market at these prices, with the best interval between book reads. */
  at(prices: ScarcityPrices): NetValue {
    const { sides, currency, market, leastTolerance, isExact = false } = this.#offer;
    const orders = market.quotes.length;
    // Loss rate k of quotes away from their best distances: shares filled per second / best distance.
    let loss = 0;
    for (const { fillsPerS, sharesPerFill, distance } of sides)
      loss += distance <= 0 ? 0 : (fillsPerS * sharesPerFill) / distance;
    const tolerance = bestTolerance(REQUESTS.move * prices.request, market.sigmaPerSqrtS, loss);
    const widest = isExact ? leastTolerance : Math.max(leastTolerance, tolerance);
    // Both terms may be infinite, and their ratio is then not a number.
    const movesPerS = orders * (market.sigmaPerSqrtS < widest ? (market.sigmaPerSqrtS / widest) ** 2 : 1);
    let best = { lookEveryS: 1, stale: Number.POSITIVE_INFINITY };
    for (let i = 0; i < INTERVALS.length; i++) {
      const lookEveryS = INTERVALS[i] ?? 1;
      const stale = this.#losses[i] ?? 0;
      // If two intervals give the same value, the longer one is chosen, because it needs fewer requests.
      if (stale + prices.look / lookEveryS <= best.stale + prices.look / best.lookEveryS) best = { lookEveryS, stale };
    }
    return netValue({ sides, currency, orders, movesPerS }, best, prices);
  }
}

interface Supply {
  readonly looksPerS: number;
  /** Signed requests per second for all markets together, including requests reserved for cancels. */
  readonly requestsPerS: number;
  readonly currency: number;
}

/** A candidate market that a group (a strategy) may quote. */
interface MarketCandidate {
  readonly id: string;
  readonly group: string;
  readonly offer: PricedOffer;
  /** True for a market that is always quoted; its use of resources is subtracted from the supply. */
  readonly isFixed: boolean;
  /** True if the market is quoted now. */
  readonly isChosen: boolean;
  /** Uncertainty of the market's net value, currency per second: one standard deviation. */
  readonly doubt: number;
}

interface ChoiceBounds {
  /** Maximum number of markets quoted at once, by group. */
  readonly most: ReadonlyMap<string, number>;
  /** Maximum number of markets added at once, over all groups that are not in `free`. */
  readonly entries: number;
  /** Groups to which any number of markets is added at once. */
  readonly free: ReadonlySet<string>;
}

/** Number of rounds of the search for shadow prices. Each round searches each price with the other prices fixed. */
const ROUNDS = 3;
/** Number of bisection steps in the search for one shadow price. */
const HALVINGS = 20;
/** Upper bounds of the shadow prices; at these prices, no market is worth quoting. */
const MOST: ScarcityPrices = { look: 10, request: 10, currencyPerS: 1 };
const LEAST = 1e-9;

/** Expected time for which an added market is quoted, s. Costs of adding and dropping it are spread over this time. */
export const DWELL_S = 600;
/** Requests for entering and leaving a market: two orders are placed and canceled. */
const REQUESTS_TO_ENTER = 8;
/** One of every ten quoted markets is chosen on trial, because it may be worth more than estimated. */
const PLACES_A_TRIAL = 10;

/** Finds shadow prices (lower bounds: `least`) at which all markets with net value above 0 fit the supply. */
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

  /** Lowest shadow price at which all markets with net value above 0 fit the supply, by bisection in logarithms. */
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
 * Chooses the markets to quote, the most valuable ones up to the maximum. A market is added when its value exceeds the
 * cost of starting and ending its quotes. A quoted market is dropped when its value falls below minus that cost. One of
 * every ten markets is chosen by the sum of value and one standard deviation instead.
 */
export function choose(
  candidates: readonly MarketCandidate[],
  supply: Supply,
  least: ScarcityPrices,
  bounds: ChoiceBounds,
) {
  // Markets that are not quoted use no resources, so prices are computed from each group's best markets.
  const best = pickBest(candidates, pricesFor(candidates, supply, least), bounds);
  const prices = pricesFor(best, supply, least);
  const margin = (REQUESTS_TO_ENTER * prices.request) / DWELL_S;
  const valued = rank(candidates, prices);
  const chosen = new Set<string>();
  const counts = new Map<string, number>();
  let { entries } = bounds;
  const take = ({ id, group, isChosen, isFixed }: MarketCandidate, most: number): void => {
    const here = counts.get(group) ?? 0;
    const isEntry = !isChosen && !isFixed && !bounds.free.has(group);
    if (here >= most || chosen.has(id) || (isEntry && entries <= 0)) return;
    if (isEntry) entries -= 1;
    counts.set(group, here + 1);
    chosen.add(id);
  };
  for (const { candidate } of valued) if (candidate.isFixed) take(candidate, Number.POSITIVE_INFINITY);
  const offerWanted = (hope: boolean): void => {
    // A quoted market stays unless another market's value is higher by more than the cost of a change.
    const score = ({ candidate, value }: RankedMarket) =>
      value.net + (candidate.isChosen ? margin : -margin) + (hope ? candidate.doubt : 0);
    const worth = valued.filter((each) => score(each) > 0).sort((a, b) => score(b) - score(a));
    for (const { candidate } of worth) {
      const most = bounds.most.get(candidate.group) ?? 0;
      take(candidate, hope ? most : most - Math.floor(most / PLACES_A_TRIAL));
    }
  };
  offerWanted(false);
  offerWanted(true);
  return { prices, ranked: valued.map(({ candidate, value }) => ({ id: candidate.id, value })), chosen };
}

type RankedMarket = ReturnType<typeof rank>[number];

/** Sorts markets by net value, highest first; equal values stay in input order. */
const rank = (candidates: readonly MarketCandidate[], prices: ScarcityPrices) =>
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
