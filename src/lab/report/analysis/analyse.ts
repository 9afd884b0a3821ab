/** From the record of a session to every figure of its report. */

import type { SessionRecord } from '../../session/contract.js';
import { computeCapital, computeDrawdown, computeEquity, computeRequestUse } from './account.js';
import { type Analysis, type InventoryFigures, type MarketAnalysis, RANKED_MARKETS } from './contract.js';
import { computeQuotingShare, sumCoverage } from './coverage.js';
import { computeCrossings } from './crossings.js';
import { computeEventFigures } from './events.js';
import { carriedIntoSettlement, marketAnalysis } from './market.js';
import { computeMarkouts } from './markouts.js';
import { type MarketResult, splitMarket } from './split.js';
import { share, sum, sumSplits } from './total.js';
import { computeSpread, computeTrading } from './trading.js';
import { type Figures, listWarnings } from './warnings.js';

/** Pure: the same record gives the same figures, to the bit. */
export function analyse(record: SessionRecord): Analysis {
  const results = record.markets.map(splitMarket);
  const figures = computeFigures(record, results);
  const { format, kind, title, fromMs, toMs, ...rest } = figures;
  return { format, kind, title, fromMs, toMs, warnings: listWarnings(figures, record, results), ...rest };
}

function computeFigures(record: SessionRecord, results: readonly MarketResult[]): Figures {
  const { kind, title, fromMs, toMs, markets: sessions, halts, refusals, assumptions } = record;
  const markets = sessions.flatMap((session, index) => {
    const result = results[index];
    return result === undefined ? [] : [marketAnalysis(session, result)];
  });
  const result = sumSplits(results.map(({ split }) => split));
  const trading = computeTrading(sessions, assumptions.feeSchedule);
  return {
    format: 1,
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
    inventory: computeInventory(record, results, markets, trading.boughtMicros + trading.soldMicros),
    capital: computeCapital(record, result.resultMicros),
    drawdown: computeDrawdown(record),
    byEvent: computeEventFigures(markets, assumptions.seed ?? 0),
    requests: computeRequestUse(record, trading.fills, result.resultMicros),
    halts,
    refusals,
    coverage: sumCoverage(sessions),
    markets,
    ...rankMarkets(markets),
    assumptions,
  };
}

function computeInventory(
  { markets: sessions }: SessionRecord,
  results: readonly MarketResult[],
  markets: readonly MarketAnalysis[],
  tradedMicros: number,
): InventoryFigures {
  const carriedMicros = sum(
    sessions.map((session, index) => {
      const result = results[index];
      return result === undefined ? 0 : carriedIntoSettlement(session, result);
    }),
  );
  const peak = markets.reduce<MarketAnalysis | null>(
    (most, market) => (market.peakInventoryMicros > (most?.peakInventoryMicros ?? 0) ? market : most),
    null,
  );
  return {
    peakMicros: peak?.peakInventoryMicros ?? 0,
    peakMarket: peak?.conditionId ?? null,
    halfLifeMs: computeSpread(markets.map(({ halfLifeMs }) => halfLifeMs)).median,
    carriedMicros,
    carriedShare: share(carriedMicros, tradedMicros),
  };
}

function rankMarkets(markets: readonly MarketAnalysis[]): Pick<Analysis, 'bestMarkets' | 'worstMarkets'> {
  const ascending = [...markets].sort((a, b) => a.result.resultMicros - b.result.resultMicros);
  const ids = (ordered: readonly MarketAnalysis[]): string[] =>
    ordered.slice(0, RANKED_MARKETS).map(({ conditionId }) => conditionId);
  return {
    bestMarkets: ids(ascending.filter(({ result }) => result.resultMicros > 0).reverse()),
    worstMarkets: ids(ascending.filter(({ result }) => result.resultMicros < 0)),
  };
}
