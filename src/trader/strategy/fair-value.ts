/** Computes a fair price from others' orders, without very small orders (dust), and shifts it towards recent trades. */

import { type Micros, ONE } from '../../shared/base/micros.js';
import { touchOf } from '../market/book.js';
import type { MarketView } from '../market/view.js';
import type { StrategyEvent } from './contract.js';

/** Settings for the computation of a fair price from others' book and public trades. */
export interface FairSetting {
  /** Minimum shares at a price or better for this price to be a side's best price; fewer shares are dust. */
  readonly dustMicros: Micros;
  /** Weight of the microprice in its average with the mid, 0 to 1. */
  readonly imbalanceWeight: number;
  /** Maximum weight of traded prices in their average with the book's price, 0 to 1. */
  readonly tradeWeight: number;
  /** Maximum spread of others' book, in price, at which a fair price is computed. */
  readonly maxSpread: number;
}

/** A fair price and its inputs, as YES prices from 0 to 1. */
export interface FairValue {
  readonly fair: number;
  /** Best bid and ask of others, without dust. The fair price lies between bid and ask. */
  readonly bid: number;
  readonly ask: number;
  readonly mid: number;
  readonly microprice: number;
  /** Spread of others' book without dust, in price. */
  readonly spread: number;
}

/** Returns the fair price, or one sentence that says why no fair price exists. */
export function fairValue(view: MarketView, setting: FairSetting): FairValue | string {
  const best = touchOf(view.others, setting.dustMicros);
  if (best === null) return "no fair price: a side of others' book has too few shares, or the book is crossed";
  const bid = best.bid.priceMicros / ONE;
  const ask = best.ask.priceMicros / ONE;
  const spread = (best.ask.priceMicros - best.bid.priceMicros) / ONE;
  if (spread > setting.maxSpread)
    return `no fair price: others' spread is ${spread.toFixed(4)}, and the maximum is ${setting.maxSpread}`;
  const [bidSize, askSize] = [best.bid.amountMicros / ONE, best.ask.amountMicros / ONE];
  const mid = (bid + ask) / 2;
  const microprice = (ask * bidSize + bid * askSize) / (bidSize + askSize);
  const leaning = mid + (microprice - mid) * setting.imbalanceWeight;
  const { tradePrice, tradeWeightShares } = view.estimates;
  if (tradePrice === null) return { fair: leaning, bid, ask, mid, microprice, spread };
  const weight = (setting.tradeWeight * tradeWeightShares) / (tradeWeightShares + bidSize + askSize);
  // Past trades may lie outside the present spread, but the fair price stays inside the spread.
  const fair = Math.min(ask, Math.max(bid, leaning + (tradePrice - leaning) * weight));
  return { fair, bid, ask, mid, microprice, spread };
}

/** Maximum number of fills that wait for their markout; if more fills wait, the oldest are dropped. */
const MAX_WAITING = 200;

/** Settings of the markouts (price moves after fills): their time and their decay. */
export interface MarkoutSetting {
  /** Time from a fill to its markout, ms. */
  readonly horizonMs: number;
  /** Half-life of a markout's weight, ms. */
  readonly halfLifeMs: number;
  /** Weight of the prior, in shares: the tracker starts with this number of assumed shares without an adverse move. */
  readonly priorShares: number;
}

interface WaitingTrade {
  readonly dueMs: number;
  /** Direction of a fill: +1 for a purchase of YES, -1 for a sale. */
  readonly sign: 1 | -1;
  readonly fairBefore: number;
  readonly shares: number;
}

/** Computes the mean adverse price move after own fills in one market. Old fills decay. */
export class MarkoutTracker {
  readonly #setting: MarkoutSetting;
  #waiting: WaitingTrade[] = [];
  #weight = 0;
  #adverse = 0;
  #atMs: number | null = null;
  #fair: number | null = null;

  constructor(setting: MarkoutSetting) {
    this.#setting = setting;
  }

  /** Adds a fill. A fill's price move is measured from the last fair price before the fill. */
  fill(event: Extract<StrategyEvent, { kind: 'fill' }>): void {
    if (this.#fair === null) return;
    const sign = event.side === 'bid' ? 1 : -1;
    const dueMs = event.nowMs + this.#setting.horizonMs;
    this.#waiting.push({ dueMs, sign, fairBefore: this.#fair, shares: event.amountMicros / ONE });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  /** Stores the present fair price, and computes the markouts of all fills whose horizon has passed. */
  fair(nowMs: number, fair: number): void {
    const elapsed = this.#atMs === null ? 0 : Math.max(0, nowMs - this.#atMs);
    const kept = 2 ** (-elapsed / this.#setting.halfLifeMs);
    this.#weight *= kept;
    this.#adverse *= kept;
    this.#waiting = this.#waiting.filter(({ dueMs, shares, sign, fairBefore }) => {
      if (dueMs > nowMs) return true;
      this.#weight += shares;
      this.#adverse += shares * sign * (fairBefore - fair);
      return false;
    });
    this.#atMs = nowMs;
    this.#fair = fair;
  }

  /** Mean adverse price move after a fill, in price; 0 or more. */
  get adverseMove(): number {
    return Math.max(0, this.#adverse / (this.#weight + this.#setting.priorShares));
  }
}
