/** Compares a live session with backtests, and computes the fill models' band around the live fills. */

import type { Analysis } from '../report/analysis/analyse.js';
import type { MarketAnalysis } from '../report/analysis/markets.js';
import { nameModel } from '../report/analysis/session-figures.js';
import { share } from '../report/analysis/total.js';

export type Parity = ReturnType<typeof compare>;
export type MarketParity = Parity['markets'][number];
/** Compared figures of one session, live or under a fill model. Null: unknown. */
export type Side = ReturnType<typeof makeSide>;
export type FillBand = ReturnType<typeof computeFillBand>;

/**
 * The live side first, then the models in given order.
 * @param all analyses of sessions over the same span: the live one, then each fill model's
 */
export function compare(all: readonly Analysis[], remarks: readonly string[]) {
  const names = all.map(nameModel);
  const sides = all.map((analysis, index) => makeSide(names[index] ?? '', analysis));
  return { sides, band: computeFillBand(sides), markets: compareMarkets(all, names), remarks };
}

/** `name`: `live`, or the fill model. Inventory: the largest |YES - NO| held in one market. */
const makeSide = (name: string, { trading, result, inventory, quoting, requests }: Analysis) => ({
  name,
  fills: trading.fills,
  sharesMicros: trading.boughtMicros + trading.soldMicros,
  resultMicros: result.resultMicros,
  spreadMicros: result.spreadMicros,
  driftMicros: result.driftMicros,
  feesMicros: result.feesMicros,
  peakInventoryMicros: inventory.peakMicros,
  twoSidedShare: quoting.twoSidedShare,
  oneSidedShare: quoting.oneSidedShare,
  ordersPlaced: trading.ordersPlaced,
  ordersCanceled: trading.ordersCanceled,
  publicRequests: requests?.public.count ?? null,
  signedRequests: requests?.signed.count ?? null,
});

/** Every market of any side, in the live one's order. */
function compareMarkets(all: readonly Analysis[], names: readonly string[]) {
  const ids = [...new Set(all.flatMap(({ markets }) => markets.map(({ conditionId }) => conditionId)))];
  return ids.map((conditionId) => {
    const found = all.map(({ markets }) => markets.find((market) => market.conditionId === conditionId));
    const sides = found.map((market, index) => marketSide(names[index] ?? '', market));
    const title = found.find((market) => market !== undefined)?.title ?? conditionId;
    return { conditionId, title, sides, band: computeFillBand(sides) };
  });
}

/** In a market unknown to a side it did nothing. */
const marketSide = (name: string, market: MarketAnalysis | undefined) => ({
  name,
  fills: market?.fills ?? 0,
  sharesMicros: (market?.boughtMicros ?? 0) + (market?.soldMicros ?? 0),
  resultMicros: market?.result.resultMicros ?? 0,
  ordersPlaced: market?.ordersPlaced ?? 0,
});

/** Error of the fill models as fractions of the live fills: null without any. `holds`: live is within. */
function computeFillBand([live, ...models]: readonly Pick<Side, 'name' | 'fills' | 'sharesMicros'>[]) {
  const [liveFills, liveSharesMicros] = [live?.fills ?? 0, live?.sharesMicros ?? 0];
  const errors = models.map(({ name, sharesMicros }) => ({
    name,
    sharesShare: share(sharesMicros - liveSharesMicros, liveSharesMicros),
  }));
  const shares = models.map(({ sharesMicros }) => sharesMicros);
  const [low, high] = [Math.min(...shares), Math.max(...shares)];
  const isAny = models.length > 0;
  return {
    liveFills,
    liveSharesMicros,
    errors,
    lowShare: isAny ? share(low - liveSharesMicros, liveSharesMicros) : null,
    highShare: isAny ? share(high - liveSharesMicros, liveSharesMicros) : null,
    holds: isAny && low <= liveSharesMicros && liveSharesMicros <= high,
  };
}
