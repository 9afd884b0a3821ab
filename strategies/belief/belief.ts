/** Keeps and updates the belief about the hidden price of one market. */

import { type BookSide, type MarketView, newsSigma, ONE, slope } from '../../src/trader/strategy/strategy.js';
import { Grid } from './grid.js';
import { Middle } from './middle.js';
import { type FeedRules, weighByOutside } from './outside.js';
import { OwnFills, type SideFate } from './own-fills.js';
import type { Saved } from './saved.js';
import { DIFFUSIVE_PART, readScore } from './score.js';
import { Takers } from './takers.js';
import { Wall } from './wall.js';

/** Assumed bounds of the price if a side of the book is empty. */
const LOWEST = 0.001;
const HIGHEST = 0.999;
/** Probability that informed takers overlook a bid above the true price, or an ask below it (the wrong side). */
const OVERLOOKED = 1e-4;
/** Time until an informed taker comes, s. An order that is unfilled for less time says little about the price. */
const INFORMED_S = 1;
/** Probability that, unseen by polls, an order was open at a level between the old and the new best price. */
const UNSEEN = 0.5;
/** Maximum standard deviation of a jump, log-odds. */
const LARGEST_JUMP = 3;
/** Prior weight of the fraction of polls with informed takers; its unit is one observed order on the wrong side. */
const PRIOR_TAKES = 20;
/** Weight of evidence above which the fraction of polls with informed takers counts as measured. */
const MEASURED_TAKES = 2;
/** Prior mean time between jumps, s. */
const PRIOR_JUMP_SECONDS = 1000;
/** Minimum distance of a price from 0 and 1; nearer prices are set to this distance. */
const OUTERMOST = 0.0001;

interface ImaginedFate {
  readonly side: BookSide;
  readonly price: number;
  readonly right: number;
  readonly wrong: number;
}

type Look = NonNullable<Saved['last']>;

export class Belief {
  /** Belief at the time of the newest book, from this market's data alone. */
  readonly grid = new Grid();
  /** The belief of `grid` plus evidence from outside this market. */
  readonly known = new Grid();
  /** The belief `known`, projected to the time when quotes made now can be changed again. */
  readonly ahead = new Grid();
  readonly takers: Takers;
  readonly fills = new OwnFills();
  readonly middle = new Middle();
  readonly #walls: Readonly<Record<BookSide, Wall>>;
  #last: Look | null = null;
  #lookEveryS: number;
  /** Time from a decision to change an order until the exchange has executed the change, s. */
  #lagS = 0;
  /** Probability-weighted number of own orders on the true price's wrong side, taken between two polls. */
  #takes = PRIOR_TAKES;
  /** Probability-weighted number of own orders on the wrong side of the true price. */
  #expectedTakes = PRIOR_TAKES;
  #jumps = 1;
  #seconds = PRIOR_JUMP_SECONDS;
  #sigma = 0;
  /** Evidence that the newest poll gave, as text for `explain`. */
  evidence = 'nothing yet';
  /** Evidence from outside this market, as text for `explain`; empty if there is none. */
  outside = '';

  constructor(wallLogOdds: number, takerShares: number, minQuoteS: number) {
    this.#walls = { bid: new Wall('bid', wallLogOdds), ask: new Wall('ask', wallLogOdds) };
    this.takers = new Takers(takerShares);
    this.#lookEveryS = minQuoteS;
  }

  /** Time for which a quote made now will stay open, s. */
  standsS(minQuoteS: number): number {
    return Math.max(minQuoteS, this.#lookEveryS);
  }

  /** Time from the newest book until a quote made now can be canceled, s: book age + time open + time to cancel. */
  horizonS(view: MarketView, minQuoteS: number): number {
    return view.health.bookAgeMs / 1000 + this.standsS(minQuoteS) + this.#lagS;
  }

  /** Others' best prices in the newest book; null for an empty side. */
  get walls(): { readonly low: number | null; readonly high: number | null } {
    return { low: this.#last?.bid ?? null, high: this.#last?.ask ?? null };
  }

  /** Expected price, but with only the confirmed part of its difference from others' mid. */
  get fairPrice(): number {
    const { mean } = this.known.price();
    return mean / (mean + (1 - mean) * Math.exp(this.middle.excess));
  }

  get jumpRate(): number {
    return this.#jumps / this.#seconds;
  }

  save(): Omit<Saved, 'absence' | 'probes'> {
    return {
      grid: this.grid.save(),
      last: this.#last,
      lookEveryS: this.#lookEveryS,
      lagS: this.#lagS,
      jumps: this.#jumps,
      seconds: this.#seconds,
      evidence: this.evidence,
      takers: this.takers.save(),
      informed: { takes: this.#takes, expected: this.#expectedTakes },
      ...this.fills.save(),
      middle: this.middle.save(),
    };
  }

  /** Restores the saved state, as if there had been no restart. */
  restore(saved: Omit<Saved, 'absence' | 'probes'>): void {
    this.grid.restore(saved.grid);
    this.#last = saved.last;
    this.#lookEveryS = saved.lookEveryS;
    this.#lagS = saved.lagS;
    [this.#jumps, this.#seconds] = [saved.jumps, saved.seconds];
    this.evidence = saved.evidence;
    this.takers.restore(saved.takers);
    [this.#takes, this.#expectedTakes] = [saved.informed.takes, saved.informed.expected];
    this.fills.restore(saved);
    this.middle.restore(saved.middle);
  }

  /** Processes a view. An unchanged book gives no new evidence. `rules`: the feed and its standard error. */
  look(view: MarketView, minQuoteS: number, rules: FeedRules): void {
    const look = readLook(view);
    // After the clock was set back, the time since the newest poll is unknown.
    if (this.#last !== null && look.bookMs < this.#last.bookMs) this.#beginAnew();
    const last = this.#last;
    if (last === null) this.grid.fillUniform(look.bid ?? LOWEST, look.ask ?? HIGHEST);
    else if (look.bookMs > last.bookMs) this.#update(last, look, view);
    this.known.copyFrom(this.grid);
    this.outside = weighByOutside(this.known, view, rules);
    if (this.outside !== '') this.known.normalise();
    if (last === null || look.bookMs > last.bookMs) {
      this.#last = look;
      this.middle.see(this.known.price().mean, look.bid, look.ask);
    }
    this.ahead.copyFrom(this.known);
    this.#move(this.ahead, this.horizonS(view, minQuoteS), view);
    this.ahead.normalise();
  }

  /** Probability that informed takers come within `seconds`. */
  informedIn(seconds: number): number {
    return Math.min(1, seconds / INFORMED_S) * this.informedPart;
  }

  /** True if enough own orders were on the wrong side of the true price to measure `informedPart`. */
  get isPartMeasured(): boolean {
    return this.#expectedTakes > PRIOR_TAKES + MEASURED_TAKES;
  }

  /** Like `informedPart`, but with a smaller prior weight: the value of probes must rest on measured information. */
  get measuredPart(): number {
    const [takes, expected] = [this.#takes - PRIOR_TAKES, this.#expectedTakes - PRIOR_TAKES];
    return Math.min(1, Math.max(0, (takes + MEASURED_TAKES) / (expected + MEASURED_TAKES)));
  }

  /** Estimated fraction of polls in which an informed taker came. */
  get informedPart(): number {
    return Math.min(1, Math.max(0, this.#takes / this.#expectedTakes));
  }

  /** Fills `grid` with the belief after the next poll. `right` and `wrong`: likelihoods on the two sides of `price`. */
  imagine(grid: Grid, { side, price, right, wrong }: ImaginedFate, view: MarketView, minQuoteS: number): void {
    grid.copyFrom(this.known);
    if (side === 'bid') grid.weigh(price, wrong, right);
    else grid.weigh(price, right, wrong);
    grid.normalise();
    this.#move(grid, this.horizonS(view, minQuoteS), view);
    grid.normalise();
  }

  #beginAnew(): void {
    this.#last = null;
    this.middle.forget();
    this.fills.forget();
    this.evidence = 'the clock was set back, so the belief starts again';
  }

  #update(last: Look, look: Look, view: MarketView): void {
    const dt = (look.bookMs - last.bookMs) / 1000;
    this.#lookEveryS += 0.2 * (Math.min(dt, 10 * this.#lookEveryS) - this.#lookEveryS);
    this.#seconds += dt;
    this.#move(this.grid, dt, view);
    this.grid.normalise();
    const fates = this.fills.take(view);
    this.#learnLag(view);
    const wasFirst = (['bid', 'ask'] as const).map((side) => this.#ownEvidence(side, fates[side], last, dt));
    if (!wasFirst.includes(true)) this.takers.fade(dt);
    for (const side of ['bid', 'ask'] as const) this.#bookEvidence(side, last, look, dt, view);
    this.#jumps += this.grid.jumpProbability();
    if (this.grid.normalise()) return;
    this.grid.fillUniform(look.bid ?? LOWEST, look.ask ?? HIGHEST);
    this.evidence = 'the evidence contradicts the belief, so the belief starts again';
  }

  /** Updates the time of an order change: twice the time of its submit, as the unmeasured draft takes equally long. */
  #learnLag({ orders }: MarketView): void {
    for (const { submittedMs, acceptedMs } of orders)
      if (acceptedMs !== null) this.#lagS += 0.02 * ((2 * Math.max(0, acceptedMs - submittedMs)) / 1000 - this.#lagS);
  }

  /** Applies the evidence of own orders. Returns true if an own order was the first that takers of the side reached. */
  #ownEvidence(side: BookSide, fate: SideFate, last: Look, dt: number): boolean {
    const { goneAt, goneShares, goneOnlyProbes, stoodAt, stoodS, partShares, partPrice, firstAt, realAt } = fate;
    const grid = this.grid;
    const wrong = (price: number): number => (side === 'bid' ? grid.below(price) : grid.sum() - grid.below(price));
    const wrongAtFirst = firstAt === null ? 0 : wrong(firstAt) / grid.sum();
    const wasFirst = firstAt !== null && this.#isFirst(side, firstAt, last);
    const wasBehind = realAt !== null && !this.#isFirst(side, realAt, last);
    let informedTake = 0;
    if (goneAt !== null && partShares === 0) {
      this.evidence = `our ${side} at ${goneAt.toFixed(3)} was filled completely`;
      const byChance = Math.min(1, this.takers.rate * dt) * this.takers.probabilityAbove(side, goneShares, goneAt);
      const taken = wrong(goneAt);
      const chance = byChance * (grid.sum() - taken);
      const probability = chance / (chance + taken + 1e-12);
      informedTake = 1 - probability;
      const visit = { probability, price: goneAt, isLeast: true, wasFirst, wasBehind: wasBehind && !goneOnlyProbes };
      this.takers.observeTaker(side, { ...visit, shares: goneOnlyProbes ? null : goneShares });
      this.#weigh(side, goneAt, byChance, 1);
    }
    if (partShares > 0) {
      this.evidence = `our ${side} at ${partPrice.toFixed(3)} was filled in part, so by an uninformed taker`;
      // The taker who filled the better orders filled this one in part; an informed one would fill all of it.
      const shares = goneShares + partShares;
      this.takers.observeTaker(side, { probability: 1, shares, price: partPrice, isLeast: false, wasFirst, wasBehind });
    }
    if (stoodAt !== null)
      this.#weigh(side, stoodAt, 1, Math.max(OVERLOOKED, 1 - this.informedIn(Math.min(dt, stoodS))));
    if (firstAt !== null && fate.firstRested) {
      this.#expectedTakes += wrongAtFirst ** 2;
      this.#takes += wrongAtFirst * informedTake;
    }
    if (wasFirst) this.takers.addExposure(dt);
    if (wasBehind && realAt !== null)
      this.takers.stoodBehind(dt, side, side === 'bid' ? last.bidShares : last.askShares, realAt);
    return wasFirst;
  }

  /** True if an own order at this price was ahead of all others'. An unfilled order behind others is weak evidence. */
  #isFirst(side: BookSide, price: number, { bid, ask }: Look): boolean {
    if (side === 'bid') return bid === null || price > bid + 1e-9;
    return ask === null || price < ask - 1e-9;
  }

  /** Multiplies the belief by `right` for true prices at which an order at `price` is profitable, else by `wrong`. */
  #weigh(side: BookSide, price: number, right: number, wrong: number): void {
    if (side === 'bid') this.grid.weigh(price, wrong, right);
    else this.grid.weigh(price, right, wrong);
  }

  #bookEvidence(side: BookSide, last: Look, look: Look, dt: number, view: MarketView): void {
    const [was, is] = side === 'bid' ? [last.bid, look.bid] : [last.ask, look.ask];
    const shares = side === 'bid' ? last.bidShares : last.askShares;
    const tick = view.market.tickMicros / ONE;
    const isGone = was !== null && (is === null || (side === 'bid' ? is < was - tick / 2 : is > was + tick / 2));
    if (was !== null && isGone && mayHaveTraded(was, last.bookMs, view)) {
      const byChance = Math.min(1, this.takers.rate * dt) * this.takers.partTaken(side, shares, was);
      this.#weigh(side, was, byChance, 1);
      const beyond = is === null ? was : side === 'bid' ? is + tick : is - tick;
      if (Math.abs(beyond - was) > tick / 2) this.#weigh(side, beyond, UNSEEN, 1);
      this.evidence = `others' ${side} at ${was.toFixed(3)} was filled`;
    }
    if (is === null) return;
    // A new best price is strong evidence: a maker has just chosen it, or a taker has left it. An unchanged best price
    // shows only that no taker has come yet.
    const stands = was !== null && Math.abs(is - was) < tick / 2;
    this.grid.weighBy(this.#walls[side].at(is), stands ? this.informedIn(dt) : 1);
  }

  #move(grid: Grid, seconds: number, view: MarketView): void {
    const { sigmaLogOddsPerSqrtS } = view.estimates;
    const leftMs = view.timeToResolutionMs;
    // If the time of resolution is unknown, only the measured volatility counts.
    const moves =
      leftMs === null
        ? { small: sigmaLogOddsPerSqrtS, jump: this.#jumpSigma(sigmaLogOddsPerSqrtS), hope: 0 }
        : this.#movesUntil(Math.max(1, seconds, leftMs / 1000));
    this.#sigma = moves.small;
    grid.move(moves.small * Math.sqrt(seconds), Math.min(0.5, this.jumpRate * seconds), moves.jump, moves.hope);
  }

  /** Standard deviations of price moves, log-odds, `leftS` s before resolution; `small` per square root of a second. */
  #movesUntil(leftS: number): { readonly small: number; readonly jump: number; readonly hope: number } {
    const price = Math.min(1 - OUTERMOST, Math.max(OUTERMOST, this.grid.price().mean));
    const asIfNoJumps = (newsSigma(price, leftS) / slope(price)) * Math.sqrt(DIFFUSIVE_PART);
    const score = readScore(price, this.jumpRate * leftS);
    // Near 0.5 the score model's moves are larger than measured, and quotes that used them earned less.
    const small = Math.min(asIfNoJumps, score.slope * Math.sqrt(DIFFUSIVE_PART / leftS));
    return { small, jump: this.#jumpSigma(asIfNoJumps), hope: score.hope };
  }

  /** Standard deviation of a jump. Jumps have the variance not explained by small moves, so rarer jumps are larger. */
  #jumpSigma(sigma: number): number {
    return Math.min(LARGEST_JUMP, sigma * Math.sqrt((1 / DIFFUSIVE_PART - 1) / this.jumpRate));
  }

  /** Standard deviation of small moves of the log-odds per square root of a second, at the newest poll. */
  get sigma(): number {
    return this.#sigma;
  }
}

/** True if a trade at this price was seen since a poll, or if trades have not been read. */
const mayHaveTraded = (price: number, sinceMs: number, { market, health, trades }: MarketView): boolean =>
  health.tradesAgeMs === null ||
  trades.some(
    ({ seenMs, priceMicros }) => seenMs > sinceMs && Math.abs(priceMicros / ONE - price) < market.tickMicros / ONE / 2,
  );

function readLook({ nowMs, health, others }: MarketView): Look {
  const [bid, ask] = [others.bids[0], others.asks[0]];
  return {
    bookMs: nowMs - health.bookAgeMs,
    bid: bid === undefined ? null : bid.priceMicros / ONE,
    ask: ask === undefined ? null : ask.priceMicros / ONE,
    bidShares: (bid?.amountMicros ?? 0) / ONE,
    askShares: (ask?.amountMicros ?? 0) / ONE,
  };
}
