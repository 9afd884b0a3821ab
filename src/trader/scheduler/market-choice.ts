/**
 * Selects the markets that are worth their reads, requests and currency: those with a net value above 0 at the prices
 * that balance supply and demand. Pure.
 */

import { type NetValue, type PricedOffer, requestsPerS, type ScarcityPrices } from './net-value.js';

/** Resources that quoted markets may use. */
export interface Supply {
  readonly looksPerS: number;
  /** Signed requests per second, including those reserved for cancels. */
  readonly requestsPerS: number;
  readonly currency: number;
}

/** A market that a group, such as a strategy, may quote. */
export interface Candidate {
  readonly id: string;
  readonly group: string;
  readonly offer: PricedOffer;
  /** True for a market that is always quoted; its use is subtracted from the supply. */
  readonly isFixed: boolean;
  /** True when the market is quoted now. */
  readonly isChosen: boolean;
  /** Uncertainty of the market's net value, currency per second: one standard deviation. */
  readonly doubt: number;
}

/** Bounds for the changes of one selection. */
export interface ChoiceBounds {
  /** Maximum number of markets quoted at once, by group. */
  readonly most: ReadonlyMap<string, number>;
  /** Maximum number of markets added at once, over all groups. */
  readonly entries: number;
}

/** Rounds of the price search: each price is found with the others fixed. */
const ROUNDS = 3;
/** Bisection steps for a price. */
const HALVINGS = 20;
/** Maximum prices, at which nothing is worth quoting. */
const MOST: ScarcityPrices = { look: 10, request: 10, currencyPerS: 1 };
const LEAST = 1e-9;

/** Expected time that an added market is quoted, s. The cost of its first and last orders is spread over it. */
export const DWELL_S = 600;
/** Requests of entering and leaving a market: two orders placed and canceled. */
const REQUESTS_TO_ENTER = 8;
/** One of this many places is for a market that may be worth more than estimated. */
const PLACES_A_TRIAL = 10;

/** Finds the prices, each at least `least`, at which the demand of all valuable markets fits the supply. */
export function pricesFor(candidates: readonly Candidate[], supply: Supply, least: ScarcityPrices): ScarcityPrices {
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
 * Chooses the quoted markets, among the best that there is room for. A market is added when its value exceeds the cost
 * of entering and leaving. A quoted market is dropped when its value falls below minus that cost. Every tenth place is
 * for the market that would be best if its value were one standard deviation higher.
 */
export function choose(candidates: readonly Candidate[], supply: Supply, least: ScarcityPrices, bounds: ChoiceBounds) {
  // Markets without a place use nothing, so prices are computed from the best of each group.
  const best = pickBest(candidates, pricesFor(candidates, supply, least), bounds);
  const prices = pricesFor(best, supply, least);
  const margin = (REQUESTS_TO_ENTER * prices.request) / DWELL_S;
  const valued = rank(candidates, prices);
  const places = new Places(bounds);
  for (const { candidate } of valued) if (candidate.isFixed) places.take(candidate, Number.POSITIVE_INFINITY);
  const offerWanted = (hope: boolean): void => {
    // A quoted market keeps its place against one that is better by less than the cost of a change.
    const score = ({ candidate, value }: Ranked) =>
      value.net + (candidate.isChosen ? margin : -margin) + (hope ? candidate.doubt : 0);
    const worth = valued.filter((each) => score(each) > 0).sort((a, b) => score(b) - score(a));
    for (const { candidate } of worth) {
      const most = bounds.most.get(candidate.group) ?? 0;
      places.take(candidate, hope ? most : most - Math.floor(most / PLACES_A_TRIAL));
    }
  };
  offerWanted(false);
  offerWanted(true);
  // Sorted by value, highest first.
  const ranked = valued.map(({ candidate, value }) => ({ id: candidate.id, value }));
  return { prices, ranked, chosen: places.taken };
}

interface Ranked {
  readonly candidate: Candidate;
  readonly value: NetValue;
}

/** Sorts by net value, highest first; ties stay in input order. */
const rank = (candidates: readonly Candidate[], prices: ScarcityPrices): Ranked[] =>
  candidates
    .map((candidate) => ({ candidate, value: candidate.offer.at(prices) }))
    .sort((a, b) => b.value.net - a.value.net);

function pickBest(candidates: readonly Candidate[], prices: ScarcityPrices, { most }: ChoiceBounds): Candidate[] {
  const taken = new Map<string, number>();
  return rank(candidates, prices).flatMap(({ candidate }) => {
    const place = (taken.get(candidate.group) ?? 0) + 1;
    taken.set(candidate.group, place);
    return candidate.isFixed || place <= (most.get(candidate.group) ?? 0) ? [candidate] : [];
  });
}

/** Assigns places to markets, by group. */
class Places {
  readonly taken = new Set<string>();
  readonly #byGroup = new Map<string, number>();
  #entries: number;

  constructor({ entries }: ChoiceBounds) {
    this.#entries = entries;
  }

  take({ id, group, isChosen, isFixed }: Candidate, most: number): void {
    const here = this.#byGroup.get(group) ?? 0;
    const isEntry = !isChosen && !isFixed;
    if (here >= most || this.taken.has(id) || (isEntry && this.#entries <= 0)) return;
    if (isEntry) this.#entries--;
    this.#byGroup.set(group, here + 1);
    this.taken.add(id);
  }
}
