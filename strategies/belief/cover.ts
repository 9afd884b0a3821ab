/**
 * Computes the additional value of a held share: the share can cover a later sale. An uncovered sale of YES reserves 1
 * - price of currency until resolution. If takers will buy more than the currency can cover, each further sale needs a
 * share bought before. A share is worth at most its price when bought at once, a tick above the true price.
 */

import { type Book, type BookSide, type MarketView, normalCdf, ONE } from '../../src/trader/strategy/strategy.js';
import { sharesAhead } from './queue.js';
import { expectedFill, SIZE_SIGMA, sizeExceeded, type Takers } from './takers.js';

/** Mean distance from a price to the next higher tick, in ticks. */
const HALF = 0.5;
/** Uncertainty about the number of future takers: relative standard deviation. */
const GO_ON = 0.5;
/** The cost of cover is certain, but its use is not; the taker size is therefore lowered by this many deviations. */
const DOUBTS = 0.5;
/** A gain per share up to this value, in price, counts as 0. */
const NONE = 1e-6;

export interface CoverPurchase {
  /** Amount that is paid for a share above its expected price. */
  readonly cost: number;
  /** Maximum number of shares to buy as cover. */
  readonly most: number;
  /** Expected price of YES at the purchase. */
  readonly mean: number;
  /** Risk aversion: 1 / (`kelly_fraction` x capital). */
  readonly risk: number;
}

/** Values of cover for both outcomes. A bid means more YES shares or fewer NO shares. */
export class Cover {
  readonly #horizonS: number;
  readonly #yes = new OutcomeCover('ask');
  readonly #no = new OutcomeCover('bid');

  constructor(horizonS: number) {
    this.#horizonS = horizonS;
  }

  /** Updates both outcomes. If resolution is unknown or far, merges and sales free currency, and cover has no value. */
  update(view: MarketView, takers: Takers, mean: number, funds: number): void {
    const leftS = Math.max(0, view.timeToResolutionMs ?? Number.POSITIVE_INFINITY) / 1000;
    for (const outcome of [this.#yes, this.#no])
      if (leftS > this.#horizonS) outcome.clear();
      else outcome.update(view, takers, mean, funds, leftS);
  }

  /** Value of the next share of YES (bid) or NO (ask) once `more` are bought, 0 to 1. `mean`: expected YES price. */
  worthAfter(side: BookSide, more: number, mean: number): number {
    const [bought, sold] = side === 'bid' ? [this.#yes, this.#no] : [this.#no, this.#yes];
    return bought.worthAfter(more, mean) - sold.worthAfter(-more, mean);
  }

  /** Currency that uncovered sales on a side must not use, because buying cover needs it. */
  reserve(side: BookSide): number {
    return (side === 'ask' ? this.#yes : this.#no).reserve;
  }

  /**
   * Number of shares, at most `most`, that are each worth `cost` more than their price. Each share makes the next one
   * more expensive by `risk` times the variance of the price, because a taker of many shares may know of a jump.
   */
  sharesWorth(side: BookSide, { cost, most, mean, risk }: CoverPurchase): number {
    const variance = mean * (1 - mean);
    const pays = (more: number): boolean => this.worthAfter(side, more, mean) > cost + risk * variance * more;
    if (!pays(0)) return 0;
    if (pays(most)) return most;
    let [low, high] = [0, most];
    for (let i = 0; i < 20; i++) {
      const middle = (low + high) / 2;
      if (pays(middle)) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Value of cover for one outcome, at the outcome's own prices. */
class OutcomeCover {
  /** Side of the YES book on which this outcome is sold. */
  readonly #sale: BookSide;
  #isScarce = false;
  #tick = 1;
  /** Others' best ask of the outcome, as the outcome's own price; null without an ask. */
  #others: number | null = null;
  /** Shares that can be sold without a purchase: held shares, and shares that free currency covers. */
  #sellable = 0;
  /** Shares that takers will buy until resolution, minus shares that they will sell: mean and standard deviation. */
  #wanted = 0;
  #wantedDeviation = 1;
  /** Logarithm of a taker's shares: mean, standard deviation, and standard deviation including the estimate's error. */
  #logMean = 0;
  #sigma = SIZE_SIGMA;
  #deviation = SIZE_SIGMA;
  /** Currency that uncovered sales must not use, because buying cover needs it. */
  #reserve = 0;

  constructor(sale: BookSide) {
    this.#sale = sale;
  }

  clear(): void {
    this.#isScarce = false;
    this.#reserve = 0;
  }

  update(view: MarketView, takers: Takers, meanOfYes: number, funds: number, leftS: number): void {
    const isYes = this.#sale === 'ask';
    const turnPrice = (price: number): number => (isYes ? price : 1 - price);
    const tick = view.market.tickMicros / ONE;
    const [asks, bids] = isYes ? [view.others.asks, view.others.bids] : [view.others.bids, view.others.asks];
    this.#isScarce = true;
    this.#sigma = takers.sigma;
    this.#tick = tick;
    this.#others = asks[0] === undefined ? null : turnPrice(asks[0].priceMicros / ONE);
    const mean = turnPrice(meanOfYes);
    const price = this.#saleAt(mean);
    const held = isYes ? view.inventory.yesMicros : view.inventory.noMicros;
    const binds = 1 - price;
    this.#sellable = held / ONE + Math.max(0, funds) / binds;
    const yesPrice = turnPrice(price);
    this.#logMean = takers.logMeanAt(this.#sale, yesPrice);
    const unknown = takers.logMeanDeviation(this.#sale, yesPrice);
    this.#deviation = Math.hypot(this.#sigma, unknown);
    const each = Math.exp(this.#logMean - DOUBTS * unknown + this.#sigma ** 2 / 2);
    const above = aboveOf(mean, tick);
    const below = above - tick;
    const sold =
      below < tick / 2 ? 0 : this.#soldBy(takers, turnPrice(below), 10 * each, below < 1.5 * tick ? bids : []);
    const count = takers.rate * leftS;
    this.#wanted = count * (each - Math.min(each, sold));
    const byChance = Math.sqrt(count * Math.exp(this.#sigma ** 2)) * each;
    this.#wantedDeviation = Math.max(1, Math.hypot(byChance, Math.hypot(GO_ON, unknown) * this.#wanted));
    // The reserve pays for a rarely exceeded taker size, if cover serves more takers than uncovered sales do.
    const stock = above * sizeExceeded(takers.rareAt(this.#sale), this.#logMean, this.#sigma);
    this.#reserve = price - mean > NONE && this.#wanted - this.#sellable > stock / binds ? stock : 0;
  }

  get reserve(): number {
    return this.#reserve;
  }

  /** Value of the next share once `more` are bought, 0 to 1, at this expected price of YES. */
  worthAfter(more: number, meanOfYes: number): number {
    if (!this.#isScarce) return 0;
    const tick = this.#tick;
    const mean = this.#sale === 'ask' ? meanOfYes : 1 - meanOfYes;
    // `gain`: sale price less the share's value. `replacement`: extra cost of buying a share at once instead.
    const gain = this.#saleAt(mean) - mean;
    if (gain <= NONE) return 0;
    const replacement = Math.min(gain, Math.max(HALF * tick, aboveOf(mean, tick) - mean));
    const sellable = this.#sellable + more;
    const needed = normalCdf((this.#wanted - sellable) / this.#wantedDeviation);
    if (sellable <= 0) return needed * gain;
    const now = normalCdf((this.#logMean - Math.log(sellable)) / this.#deviation);
    return needed * (replacement + (gain - replacement) * now);
  }

  /** Mean shares that one taker sells to an own quote at this YES price, behind others' orders. */
  #soldBy(takers: Takers, yesPrice: number, most: number, others: Book['bids']): number {
    const side = this.#sale === 'ask' ? 'bid' : 'ask';
    const ahead = sharesAhead(others, yesPrice * ONE, side);
    const logMean = takers.logMeanAt(side, yesPrice);
    const reaching = expectedFill(ahead + most, logMean, this.#sigma) - expectedFill(ahead, logMean, this.#sigma);
    return reaching * (ahead > 0 ? takers.behind : 1);
  }

  /** Price of a sale: a tick better than others, at least the first tick from `mean` up; without others, the second. */
  #saleAt(mean: number): number {
    const tick = this.#tick;
    const own = Math.ceil(mean / tick + 1) * tick;
    const price = this.#others === null ? own : Math.max(own - tick, this.#others - tick);
    return Math.min(1 - tick, Math.max(tick, price));
  }
}

/** Returns the first tick at or above a price. */
const aboveOf = (mean: number, tick: number): number => Math.max(tick, Math.ceil(mean / tick) * tick);
