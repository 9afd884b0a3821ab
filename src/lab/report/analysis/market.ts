/** One market's line of the report. */

import { halfLife } from '../../../shared/statistics/half-life.js';
import type { MarketSession } from '../../session/contract.js';
import { listMoves, sharesMoved } from '../../session/moves.js';
import type { MarketAnalysis } from './contract.js';
import { isPlayed } from './coverage.js';
import { markoutAt } from './markouts.js';
import type { MarketResult } from './split.js';
import { share } from './total.js';
import { computeFillRatio, computeVolume } from './trading.js';

export function marketAnalysis(market: MarketSession, result: MarketResult): MarketAnalysis {
  const { conditionId, title, eventTitle, category, outcome, fills, quoting, coverage } = market;
  return {
    conditionId,
    title,
    eventTitle,
    category,
    outcome,
    isPlayed: isPlayed(market),
    result: result.split,
    fills: fills.length,
    ...computeVolume(fills),
    fillRatioShare: computeFillRatio([market]).fillRatioShare,
    ordersPlaced: quoting.ordersPlaced,
    twoSidedShare: share(quoting.twoSidedMs, quoting.openForMs),
    markout60sMicros: markoutAt([{ marked: market.fills, outcome: market.outcome }], 60_000, 'all').markoutMicros,
    peakInventoryMicros: peakInventory(market),
    halfLifeMs: inventoryHalfLife(market),
    endYesMicros: result.yesMicros,
    endNoMicros: result.noMicros,
    endValueMicros: result.endValueMicros,
    valuedAt: result.valuedAt,
    coverage,
  };
}

/** Largest |YES - NO| right after any move. */
function peakInventory(market: MarketSession): number {
  let [net, peak] = [0, 0];
  for (const move of listMoves(market)) {
    const { yes, no } = sharesMoved(move);
    net += yes - no;
    peak = Math.max(peak, Math.abs(net));
  }
  return peak;
}

function inventoryHalfLife({ series }: MarketSession): number | null {
  const steps = halfLife(series.inventoryMicros);
  return steps === null ? null : steps * series.stepMs;
}

/** Shares (|YES - NO|) that a market's settlement found us with: redeemed, or still to be redeemed. */
export function carriedIntoSettlement(market: MarketSession, { yesMicros, noMicros }: MarketResult): number {
  let carried = market.outcome === null ? 0 : Math.abs(yesMicros - noMicros);
  for (const { kind, yesMicros: yes, noMicros: no } of market.conversions)
    if (kind === 'redeem') carried += Math.abs(yes - no);
  return carried;
}
