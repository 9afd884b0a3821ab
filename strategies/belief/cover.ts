/**
 * What a share in hand is worth beyond its price because it covers a later sale. An uncovered sale binds 1 - price of
 * currency until resolution; where takers will buy more than the currency pays for, each further sale needs a share that
 * was bought before. A share costs no more than it costs to buy it again at once, a tick above the truth.
 */

import { type MarketView, normalCdf, ONE } from '../../src/trader/strategy/strategy.js';
import { expectedFill, SIZE_SIGMA, type Takers } from './takers.js';

/** A price between two ticks lies so far below the upper one on average. */
const HALF = 0.5;
/** Of nothing is enough that more could not be needed. */
const NONE = 1e-6;

export class Cover {
  readonly #horizonS: number;
  /** Shares that could be sold without buying more. */
  #sellable = 0;
  /** Shares that takers will buy until resolution, beyond what others sell us; mean and deviation. */
  #wanted = 0;
  #deviation = 1;
  /** Of one taker: mean of the logarithm of his shares. */
  #logMean = 0;
  /** What a sale brings beyond its cost, and what it costs to buy a share at once. Price. */
  #gain = 0;
  #replacement = 0;

  constructor(horizonS: number) {
    this.#horizonS = horizonS;
  }

  /** Nothing is scarce while resolution is unknown or far: merges and sales bring currency back before. */
  update(view: MarketView, takers: Takers, mean: number, funds: number): void {
    const leftS = Math.max(0, view.timeToResolutionMs ?? Number.POSITIVE_INFINITY) / 1000;
    this.#gain = 0;
    if (leftS > this.#horizonS) return;
    const tick = view.market.tickMicros / ONE;
    const ask = Math.min(1 - tick, Math.max(tick, saleAt(view, mean, tick)));
    this.#gain = Math.max(0, ask - mean);
    const above = Math.max(tick, Math.ceil(mean / tick) * tick);
    this.#replacement = Math.min(this.#gain, Math.max(HALF * tick, above - mean));
    this.#sellable = view.inventory.yesMicros / ONE + Math.max(0, funds) / (1 - ask);
    this.#logMean = takers.logMeanAt('ask', ask);
    const each = Math.exp(this.#logMean + SIZE_SIGMA ** 2 / 2);
    const sold = expectedFill(10 * each, takers.logMeanAt('bid', Math.max(tick, above - tick)), SIZE_SIGMA);
    const count = takers.rate * leftS;
    this.#wanted = count * (each - Math.min(each, sold));
    // What a taker wants is uncertain, and so is how long they go on as they do.
    this.#deviation = Math.max(1, Math.hypot(Math.sqrt(count * Math.exp(SIZE_SIGMA ** 2)) * each, HALF * this.#wanted));
  }

  /** Value of one more share when `more` were bought first. Price. */
  worthAfter(more: number): number {
    if (this.#gain <= NONE) return 0;
    const sellable = this.#sellable + more;
    const needed = normalCdf((this.#wanted - sellable) / this.#deviation);
    const now = sellable <= 0 ? 1 : normalCdf((this.#logMean - Math.log(sellable)) / SIZE_SIGMA);
    return needed * (this.#replacement + (this.#gain - this.#replacement) * now);
  }

  /** Shares of which each is worth at least `cost` more than its price; at most `most`. */
  sharesWorth(cost: number, most: number): number {
    if (this.worthAfter(0) <= cost) return 0;
    let [low, high] = [0, most];
    if (this.worthAfter(high) > cost) return high;
    for (let i = 0; i < 20; i++) {
      const middle = (low + high) / 2;
      if (this.worthAfter(middle) > cost) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Where a sale would stand: a tick inside of others, or two above the truth where there are none. */
function saleAt({ others }: MarketView, mean: number, tick: number): number {
  const best = others.asks[0];
  const own = Math.ceil(mean / tick + 1) * tick;
  return best === undefined ? own : Math.max(own - tick, best.priceMicros / ONE - tick);
}
