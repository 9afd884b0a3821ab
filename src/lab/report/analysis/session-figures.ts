/**
 * Every figure of a report, as plain data: what `--json` prints, what the page shows and what the tables of the terminal
 * are made of. Key names are part of the program's surface; `docs/backtesting.md` lists them.
 *
 * `…Micros` are millionths of the currency, of a share or of a price. Whole numbers are exact sums of what was booked;
 * means, errors and intervals are not whole. `…Share` is a part of 1. `null` is "not known" or "not defined" (a mean
 * without values), never zero.
 */

import type { SessionRecord } from '../../session/contract.js';
import { computeCapital, computeDrawdown, computeEquity, computeRequestUse } from './account.js';
import { computeEventFigures } from './events.js';
import {
  carriedIntoSettlement,
  computeQuotingShare,
  type MarketAnalysis,
  marketAnalysis,
  sumCoverage,
} from './markets.js';
import { computeCrossings, computeMarkouts } from './markouts.js';
import type { MarketResult } from './split.js';
import { share, sum, sumSplits } from './total.js';
import { computeTrading } from './trading.js';

export type Figures = ReturnType<typeof computeFigures>;

/** @param results results of the record's markets, in order */
export function computeFigures(record: SessionRecord, results: readonly MarketResult[]) {
  const { kind, title, fromMs, toMs, markets: sessions, halts, refusals, assumptions } = record;
  const pairs = sessions.flatMap((session, index) => {
    const result = results[index];
    return result === undefined ? [] : [{ session, result }];
  });
  const markets = pairs.map(({ session, result }) => marketAnalysis(session, result));
  const result = sumSplits(results.map(({ split }) => split));
  const trading = computeTrading(sessions, assumptions.feeSchedule);
  const carriedMicros = sum(pairs.map((pair) => carriedIntoSettlement(pair.session, pair.result)));
  return {
    /** Incremented when the meaning of a key changes. */
    format: 1 as const,
    kind,
    title,
    fromMs,
    toMs,
    equity: computeEquity(record, results),
    result,
    trading,
    quoting: computeQuotingShare(sessions),
    markouts: computeMarkouts(sessions),
    crossing: computeCrossings(sessions),
    inventory: computeInventory(markets, carriedMicros, trading.boughtMicros + trading.soldMicros),
    capital: computeCapital(record, result.resultMicros),
    drawdown: computeDrawdown(record),
    byEvent: computeEventFigures(markets, assumptions.seed ?? 0),
    requests: computeRequestUse(record, trading.fills, result.resultMicros),
    halts,
    refusals,
    coverage: sumCoverage(sessions),
    markets,
    assumptions,
  };
}

export const nameModel = ({ assumptions, kind }: Pick<Figures, 'assumptions' | 'kind'>): string =>
  assumptions.fillModel ?? (kind === 'live' ? 'live' : 'no model');

/** Largest |YES - NO| in one market and its name, and shares held when markets settled. */
function computeInventory(markets: readonly MarketAnalysis[], carriedMicros: number, tradedMicros: number) {
  const peak = markets.reduce<MarketAnalysis | null>(
    (most, market) => (market.peakInventoryMicros > (most?.peakInventoryMicros ?? 0) ? market : most),
    null,
  );
  return {
    peakMicros: peak?.peakInventoryMicros ?? 0,
    peakMarket: peak?.conditionId ?? null,
    carriedMicros,
    carriedShare: share(carriedMicros, tradedMicros),
  };
}
