/** Limits own prices in all outcomes, so that no taker can trade all outcomes for a sure gain. Prices are floats. */

import type { EventOutcomes } from '../../src/trader/strategy/strategy.js';

/** Own prices of one side of one market. */
export interface OwnPrice {
  /** Best price of own orders, open or in flight; null without one. An order counts until its cancel is confirmed. */
  readonly resting: number | null;
  /** Price that the strategy wants to quote; null if none. */
  readonly wanted: number | null;
}

type Prices = readonly (number | null)[];

/**
 * Lowers wanted bids so that they sum to at most `most`, together with resting orders. Resting orders lower
 * only bids that are above the resting order of their own market.
 */
export function holdSum(prices: readonly OwnPrice[], most: number): Prices {
  const wanted = lowerTogether(prices, most);
  const resting = prices.map((price) => price.resting ?? 0);
  const rises = wanted.map((price, index) => Math.max(0, (price ?? 0) - (resting[index] ?? 0)));
  const room = most - resting.reduce((sum, price) => sum + price, 0);
  const risen = rises.reduce((sum, rise) => sum + rise, 0);
  // While an order still rests, its price counts even if the wanted bid is lower.
  const part = risen <= 0 ? 0 : Math.min(1, Math.max(0, room) / risen);
  return wanted.map((price, index) => {
    const rise = rises[index] ?? 0;
    return price === null || rise === 0 ? price : (resting[index] ?? 0) + rise * part;
  });
}

/** Lowers all wanted prices by the same amount, but none below 0. */
function lowerTogether(prices: readonly OwnPrice[], most: number): Prices {
  let wanted = prices.map((price) => price.wanted);
  // If a price reaches 0, the next round lowers the other prices by the remaining amount.
  for (let round = 0; round < prices.length; round++) {
    const there = wanted.filter((price) => price !== null && price > 0).length;
    const over = wanted.reduce<number>((sum, price) => sum + (price ?? 0), 0) - most;
    if (over <= 0 || there === 0) return wanted;
    wanted = wanted.map((price) => (price === null ? null : Math.max(0, price - over / there)));
  }
  return wanted;
}

/** Raises wanted asks so that they sum to at least `least`. A market without an own ask counts as an ask of 1. */
export function holdAskSum(prices: readonly OwnPrice[], least: number): Prices {
  const turn = (price: number | null): number | null => (price === null ? null : 1 - price);
  const turned = prices.map(({ resting, wanted }) => ({ resting: turn(resting), wanted: turn(wanted) }));
  return holdSum(turned, prices.length - least).map(turn);
}

/** Own bids and asks, in the order of the markets. */
export interface OwnPrices {
  readonly bids: readonly OwnPrice[];
  readonly asks: readonly OwnPrice[];
}

/**
 * Keeps each bid of a nested threshold at least `edge` below the asks of wider thresholds. Thresholds come widest
 * first. Wanted prices are moved away from prices of resting orders. Two conflicting wanted prices are each moved by
 * half.
 */
export function holdNested({ bids, asks }: OwnPrices, edge: number): { readonly bids: Prices; readonly asks: Prices } {
  const newBids = bids.map(({ wanted }) => wanted);
  const newAsks = asks.map(({ wanted }) => wanted);
  for (const [wide, { resting: askThere }] of asks.entries()) {
    for (let narrow = wide + 1; narrow < bids.length; narrow++) {
      const bidThere = bids[narrow]?.resting ?? null;
      const [bid, ask] = [newBids[narrow] ?? null, newAsks[wide] ?? null];
      if (bid !== null && askThere !== null) newBids[narrow] = Math.min(bid, askThere - edge);
      if (ask !== null && bidThere !== null) newAsks[wide] = Math.max(ask, bidThere + edge);
    }
  }
  for (const wide of asks.keys()) {
    for (let narrow = wide + 1; narrow < bids.length; narrow++) {
      const [bid, ask] = [newBids[narrow] ?? null, newAsks[wide] ?? null];
      if (bid === null || ask === null || bid <= ask - edge) continue;
      const middle = (bid + ask) / 2;
      newBids[narrow] = middle - edge / 2;
      newAsks[wide] = middle + edge / 2;
    }
  }
  return { bids: newBids, asks: newAsks };
}

/**
 * Applies the limits for this kind of event. Buying all outcomes is a sure gain only if one outcome must resolve YES.
 * Asks are limited only in this case.
 */
export function holdOwnPrices(
  kind: EventOutcomes,
  own: OwnPrices,
  { edge, isWhole }: { readonly edge: number; readonly isWhole: boolean },
): { readonly bids: Prices; readonly asks: Prices } {
  if (kind === 'nested') return holdNested(own, edge);
  const asks = isWhole ? holdAskSum(own.asks, 1 + edge) : own.asks.map(({ wanted }) => wanted);
  return { bids: holdSum(own.bids, 1 - edge), asks };
}
