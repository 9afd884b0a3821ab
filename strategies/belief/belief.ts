/** What is believed of the hidden price of one market, and how looks at it change that. */

import {
  type BookSide,
  type MarketView,
  newsSigma,
  normalCdf,
  ONE,
  slope,
} from '../../src/trader/strategy/strategy.js';
import { Grid, placeOf, STEP } from './grid.js';
import { OwnFills, type SideFate } from './own-fills.js';
import { Takers } from './takers.js';

/** An empty side of the book is a wall there. */
const LOWEST = 0.001;
const HIGHEST = 0.999;
/** An order that still stands on the wrong side of the truth was overlooked with this probability. */
const OVERLOOKED = 1e-4;
/** Of levels that nobody showed it is as likely as not that something rested there. */
const UNSEEN = 0.5;
/** A jump of the log-odds, and how often one comes before any was seen: once in so many seconds. */
const JUMP_SIGMA = 0.4;
const PRIOR_JUMP_SECONDS = 1000;
/** A look that was less likely than this under the belief was a jump. */
const JUMP_LIKELIHOOD = 0.01;
/** Of the variance until resolution so much comes in small moves; the rest are jumps. */
const DIFFUSIVE_PART = 0.6;

interface Look {
  readonly bookMs: number;
  readonly bid: number | null;
  readonly ask: number | null;
  readonly bidShares: number;
  readonly askShares: number;
}

export class Belief {
  /** As of the newest book. */
  readonly grid = new Grid();
  /** As of the time when changed quotes could be changed again. */
  readonly ahead = new Grid();
  readonly takers: Takers;
  readonly fills = new OwnFills();
  readonly #wall: number;
  #last: Look | null = null;
  #lookEveryS: number;
  #jumps = 1;
  #seconds = PRIOR_JUMP_SECONDS;
  /** In words, of the newest look. */
  evidence = 'nothing yet';

  constructor(wallLogOdds: number, takerShares: number, minQuoteS: number) {
    this.#wall = wallLogOdds;
    this.takers = new Takers(takerShares);
    this.#lookEveryS = minQuoteS;
  }

  /** Seconds for which a quote made now stands, from the time of the newest book. */
  horizonS(view: MarketView, minQuoteS: number): number {
    return view.health.bookAgeMs / 1000 + Math.max(minQuoteS, this.#lookEveryS);
  }

  get jumpRate(): number {
    return this.#jumps / this.#seconds;
  }

  /** Takes in a view; a book that was seen before says nothing new. */
  look(view: MarketView, minQuoteS: number): void {
    const look = lookOf(view);
    // A clock that was set back: how long ago the newest look was is not known any more.
    if (this.#last !== null && look.bookMs < this.#last.bookMs) this.#beginAnew();
    const last = this.#last;
    if (last === null) this.grid.spread(look.bid ?? LOWEST, look.ask ?? HIGHEST);
    else if (look.bookMs > last.bookMs) this.#update(last, look, view);
    if (last === null || look.bookMs > last.bookMs) this.#last = look;
    this.ahead.copyFrom(this.grid);
    this.#move(this.ahead, this.horizonS(view, minQuoteS), view);
    this.ahead.normalise();
  }

  #beginAnew(): void {
    this.#last = null;
    this.fills.forget();
    this.evidence = 'the clock was set back: the belief begins anew';
  }

  #update(last: Look, look: Look, view: MarketView): void {
    const dt = (look.bookMs - last.bookMs) / 1000;
    this.#lookEveryS += 0.2 * (Math.min(dt, 10 * this.#lookEveryS) - this.#lookEveryS);
    this.#seconds += dt;
    this.#move(this.grid, dt, view);
    this.grid.normalise();
    const fates = this.fills.take(view);
    for (const side of ['bid', 'ask'] as const) this.#ownEvidence(side, fates[side], dt);
    for (const side of ['bid', 'ask'] as const) this.#bookEvidence(side, last, look, dt, view);
    const likelihood = this.grid.sum();
    if (likelihood < JUMP_LIKELIHOOD) this.#jumps++;
    if (this.grid.normalise()) return;
    this.grid.spread(look.bid ?? LOWEST, look.ask ?? HIGHEST);
    this.evidence = 'what was seen contradicts the belief: it begins anew';
  }

  #ownEvidence(side: BookSide, fate: SideFate, dt: number): void {
    const { goneAt, goneShares, stoodAt, partShares, partPrice } = fate;
    const grid = this.grid;
    const wrong = (price: number): number => (side === 'bid' ? grid.below(price) : grid.sum() - grid.below(price));
    if (goneAt !== null) {
      this.evidence = `our ${side} at ${goneAt.toFixed(3)} was taken whole`;
      const byChance = Math.min(1, this.takers.rate * dt) * this.takers.probabilityAbove(side, goneShares, goneAt);
      const taken = wrong(goneAt);
      const chance = byChance * (grid.sum() - taken);
      this.takers.came(side, chance / (chance + taken + 1e-12), goneShares, goneAt, true);
      this.#weigh(side, goneAt, byChance, 1);
    }
    if (partShares > 0) {
      this.evidence = `our ${side} at ${partPrice.toFixed(3)} was taken in part: by an uninformed taker`;
      this.takers.came(side, 1, partShares, partPrice, false);
    }
    if (stoodAt !== null) this.#weigh(side, stoodAt, 1, OVERLOOKED);
    if (stoodAt !== null || goneAt !== null) this.takers.exposed(dt);
  }

  /** `right` where the price is on the side of `price` on which a maker's order is safe, `wrong` beyond. */
  #weigh(side: BookSide, price: number, right: number, wrong: number): void {
    if (side === 'bid') this.grid.weigh(price, wrong, right);
    else this.grid.weigh(price, right, wrong);
  }

  #bookEvidence(side: BookSide, last: Look, look: Look, dt: number, { market, health, trades }: MarketView): void {
    const [was, is] = side === 'bid' ? [last.bid, look.bid] : [last.ask, look.ask];
    const shares = side === 'bid' ? last.bidShares : last.askShares;
    const tick = market.tickMicros / ONE;
    const isGone = was !== null && (is === null || (side === 'bid' ? is < was - tick / 2 : is > was + tick / 2));
    const wasTraded =
      health.tradesAgeMs === null ||
      trades.some(
        ({ seenMs, priceMicros }) => seenMs > last.bookMs && Math.abs(priceMicros / ONE - (was ?? 0)) < tick / 2,
      );
    if (was !== null && isGone && wasTraded) {
      const byChance = Math.min(1, this.takers.rate * dt) * this.takers.partTaken(side, shares, was);
      this.#weigh(side, was, byChance, 1);
      const beyond = is === null ? was : side === 'bid' ? is + tick : is - tick;
      if (Math.abs(beyond - was) > tick / 2) this.#weigh(side, beyond, UNSEEN, 1);
      this.evidence = `others' ${side} at ${was.toFixed(3)} was taken`;
    }
    if (is === null) return;
    const wall = placeOf(is);
    const width = this.#wall / STEP;
    const sign = side === 'bid' ? 1 : -1;
    this.grid.weighBy((index) => {
      const z = (sign * (index - wall)) / width;
      return z > 5 ? 1 : z < -7 ? 1e-12 : normalCdf(z);
    });
  }

  #move(grid: Grid, seconds: number, view: MarketView): void {
    const jumps = Math.min(0.5, this.jumpRate * seconds);
    grid.move(this.sigmaAt(view) * Math.sqrt(seconds), jumps, JUMP_SIGMA);
  }

  /** Deviation of the small moves of the log-odds a square root of a second. */
  sigmaAt(view: MarketView): number {
    const { mean } = this.grid.price();
    const price = Math.min(0.999, Math.max(0.001, mean));
    const leftMs = view.timeToResolutionMs;
    const measured = view.estimates.sigmaLogOddsPerSqrtS;
    const news = leftMs === null ? 0 : newsSigma(price, Math.max(1, leftMs / 1000)) / slope(price);
    // Without a time of resolution there is only what the book has shown.
    return leftMs === null ? measured : news * Math.sqrt(DIFFUSIVE_PART);
  }
}

function lookOf({ nowMs, health, others }: MarketView): Look {
  const [bid, ask] = [others.bids[0], others.asks[0]];
  return {
    bookMs: nowMs - health.bookAgeMs,
    bid: bid === undefined ? null : bid.priceMicros / ONE,
    ask: ask === undefined ? null : ask.priceMicros / ONE,
    bidShares: (bid?.amountMicros ?? 0) / ONE,
    askShares: (ask?.amountMicros ?? 0) / ONE,
  };
}
