/** The fair price by others' orders: their book without own orders and dust, shifted towards recent trades. */

import { type Micros, ONE } from '../../shared/base/micros.js';
import { touchOf } from '../market/book.js';
import type { MarketView } from '../market/view.js';

/** Trust in others' book and in public trades when a fair price is made. */
export interface FairSetting {
  /** Cumulative shares of a side from which its price counts. */
  readonly dustMicros: Micros;
  /** Part of the microprice's distance from the mid that is used, 0 to 1. */
  readonly imbalanceWeight: number;
  /** Maximum weight of traded prices against the book, 0 to 1. */
  readonly tradeWeight: number;
  /** Widest spread of others, in price, that still gives a price. */
  readonly maxSpread: number;
}

/** A fair price with its inputs; all are probabilities, 0 to 1, of YES. */
export interface FairValue {
  /** In (0, 1). */
  readonly fair: number;
  /** Others' best prices beyond dust; `fair` lies between them. */
  readonly bid: number;
  readonly ask: number;
  readonly mid: number;
  readonly microprice: number;
  /** Others' spread beyond dust, in price. */
  readonly spread: number;
}

/** The fair price, or one sentence that says why there is none. There is no default. */
export function fairValue(view: MarketView, setting: FairSetting): FairValue | string {
  const best = touchOf(view.others, setting.dustMicros);
  if (best === null) return "no fair price: others' book has not two sides with enough shares";
  const bid = best.bid.priceMicros / ONE;
  const ask = best.ask.priceMicros / ONE;
  const spread = ask - bid;
  if (spread > setting.maxSpread) {
    return `no fair price: others' spread is ${spread.toFixed(4)}, at most ${setting.maxSpread} tells one`;
  }
  const [bidSize, askSize] = [best.bid.amountMicros / ONE, best.ask.amountMicros / ONE];
  const mid = (bid + ask) / 2;
  const microprice = (ask * bidSize + bid * askSize) / (bidSize + askSize);
  const leaning = mid + (microprice - mid) * setting.imbalanceWeight;
  const { tradePrice, tradeWeightShares } = view.estimates;
  if (tradePrice === null) return { fair: leaning, bid, ask, mid, microprice, spread };
  const weight = (setting.tradeWeight * tradeWeightShares) / (tradeWeightShares + bidSize + askSize);
  // Past trades may lie outside the present spread: they shift the price within it.
  const fair = Math.min(ask, Math.max(bid, leaning + (tradePrice - leaning) * weight));
  return { fair, bid, ask, mid, microprice, spread };
}
