/** Live and backtests side by side, and the band that the fill models put around the live fills. */

import { nameModel } from '../report/analysis/bracket.js';
import type { Analysis, MarketAnalysis } from '../report/analysis/contract.js';
import type { FillBand, FillError, MarketParity, Parity, Side } from './contract.js';

/** Analyses of sessions over the same span: the live one, then each fill model's. */
export function compare(all: readonly Analysis[], remarks: readonly string[]): Parity {
  const names = all.map(nameModel);
  const sides = all.map((analysis, index) => makeSide(names[index] ?? '', analysis));
  return { sides, band: computeFillBand(sides), markets: compareMarkets(all, names), remarks };
}

function makeSide(name: string, { trading, result, inventory, quoting, requests }: Analysis): Side {
  return {
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
  };
}

/** Every market that any side knows, in the order of the live one. */
function compareMarkets(all: readonly Analysis[], names: readonly string[]): MarketParity[] {
  const ids = [...new Set(all.flatMap(({ markets }) => markets.map(({ conditionId }) => conditionId)))];
  return ids.map((conditionId) => {
    const found = all.map(({ markets }) => markets.find((market) => market.conditionId === conditionId));
    const sides = found.map((market, index) => marketSide(names[index] ?? '', market));
    const title = found.find((market) => market !== undefined)?.title ?? conditionId;
    return { conditionId, title, sides, band: computeFillBand(sides) };
  });
}

/** A market that a side does not know is one in which it did nothing. */
function marketSide(name: string, market: MarketAnalysis | undefined): Side {
  return {
    name,
    fills: market?.fills ?? 0,
    sharesMicros: (market?.boughtMicros ?? 0) + (market?.soldMicros ?? 0),
    resultMicros: market?.result.resultMicros ?? 0,
    spreadMicros: market?.result.spreadMicros ?? null,
    driftMicros: market?.result.driftMicros ?? null,
    feesMicros: market?.result.feesMicros ?? 0,
    peakInventoryMicros: market?.peakInventoryMicros ?? 0,
    twoSidedShare: market?.twoSidedShare ?? null,
    oneSidedShare: null,
    ordersPlaced: market?.ordersPlaced ?? 0,
    ordersCanceled: 0,
    publicRequests: null,
    signedRequests: null,
  };
}

function computeFillBand([live, ...models]: readonly Side[]): FillBand {
  const liveShares = live?.sharesMicros ?? 0;
  const liveFills = live?.fills ?? 0;
  const errors = models.map(
    ({ name, fills, sharesMicros }): FillError => ({
      name,
      fillsShare: computeRelativeError(fills, liveFills),
      sharesShare: computeRelativeError(sharesMicros, liveShares),
    }),
  );
  const shares = models.map(({ sharesMicros }) => sharesMicros);
  const [low, high] = [Math.min(...shares), Math.max(...shares)];
  return {
    liveFills,
    liveSharesMicros: liveShares,
    errors,
    lowShare: models.length === 0 ? null : computeRelativeError(low, liveShares),
    highShare: models.length === 0 ? null : computeRelativeError(high, liveShares),
    holds: models.length > 0 && low <= liveShares && liveShares <= high,
  };
}

const computeRelativeError = (model: number, live: number): number | null =>
  live === 0 ? null : (model - live) / live;
