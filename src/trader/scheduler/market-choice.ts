/**
 * Which markets are worth their looks, requests and currency: those with a net value above 0 at the prices under which there is
 * enough for all of them. Pure.
 */

import { type NetValue, type PricedOffer, requestsPerS, type ScarcityPrices } from './net-value.js';

/** What there is to give out. */
export interface Supply {
  readonly looksPerS: number;
  /** Signed requests, those included that stand by for cancels. */
  readonly requestsPerS: number;
  readonly currency: number;
}

/** A market that may be quoted by a group of them, such as a strategy's. */
export interface Candidate {
  readonly id: string;
  readonly group: string;
  readonly offer: PricedOffer;
  /** Quoted whatever it is worth; what it takes is taken from the others. */
  readonly isFixed: boolean;
  /** Whether it is quoted now. */
  readonly isChosen: boolean;
  /** By how much its net value may well be better than believed, currency per second: one standard deviation. */
  readonly doubt: number;
}

/** Bounds of what a choice may change. */
export interface ChoiceBounds {
  /** Markets of each group that may be quoted at once. */
  readonly most: ReadonlyMap<string, number>;
  /** Markets that may be taken up at once, of all groups. */
  readonly entries: number;
}

/** Each price is sought while the others stand still, so often. */
const ROUNDS = 3;
/** Halvings of the range that a price lies in. */
const HALVINGS = 20;
/** Prices beyond these leave nothing worth quoting. */
const MOST: ScarcityPrices = { look: 10, request: 10, currencyPerS: 1 };
const LEAST = 1e-9;

/** How long a market that was taken up is expected to be quoted, s: its orders are placed and pulled once in that time. */
export const DWELL_S = 600;
/** Two orders placed and pulled. */
const REQUESTS_TO_ENTER = 8;
/** Every so many-th place is for a market that may be worth more than is believed. */
const PLACES_A_TRIAL = 10;

/** The prices, none below `least`, under which what all markets of value take is no more than there is. */
export function pricesFor(candidates: readonly Candidate[], supply: Supply, least: ScarcityPrices): ScarcityPrices {
  let prices: ScarcityPrices = least;
  for (let round = 0; round < ROUNDS; round++) {
    prices = { ...prices, look: soughtPrice('look', (value) => 1 / value.lookEveryS, supply.looksPerS) };
    prices = { ...prices, request: soughtPrice('request', requestsPerS, supply.requestsPerS) };
    prices = { ...prices, currencyPerS: soughtPrice('currencyPerS', (value) => value.currencyBound, supply.currency) };
  }
  return prices;

  /** The lowest at which the sum over all of value fits; sought in its logarithm. */
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
 * Who is quoted. One that is left out is taken up when its value exceeds what coming and going costs, one that is quoted is let go
 * when its value falls below the same under 0, and both only among the best that there is room for. Every tenth place is for the
 * one that would be best if it were better than believed by one standard deviation.
 */
export function choose(candidates: readonly Candidate[], supply: Supply, least: ScarcityPrices, bounds: ChoiceBounds) {
  // What finds no place takes nothing, so the prices are those of the best of each group.
  const best = pickBest(candidates, pricesFor(candidates, supply, least), bounds);
  const prices = pricesFor(best, supply, least);
  const margin = (REQUESTS_TO_ENTER * prices.request) / DWELL_S;
  const valued = rank(candidates, prices);
  const places = new Places(bounds);
  for (const { candidate } of valued) if (candidate.isFixed) places.take(candidate, Number.POSITIVE_INFINITY);
  const offerWanted = (hope: boolean): void => {
    // One that is quoted keeps its place against one that is better by less than coming and going costs.
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
  // The most valuable first.
  const ranked = valued.map(({ candidate, value }) => ({ id: candidate.id, value }));
  return { prices, ranked, chosen: places.taken };
}

interface Ranked {
  readonly candidate: Candidate;
  readonly value: NetValue;
}

/** The most valuable first; of equals as they came. */
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

/** Who has one, by group. */
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
