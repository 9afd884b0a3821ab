/** From the record of a session to every figure of its report. */

import type { SessionRecord } from '../../session/contract.js';
import { capitalOf, drawdownOf, equityOf, requestsOf } from './account.js';
import { type Analysis, type InventoryFigures, type MarketAnalysis, RANKED_MARKETS } from './contract.js';
import { coverageOf, quotingOf } from './coverage.js';
import { crossingsOf } from './crossings.js';
import { eventsOf } from './events.js';
import { carriedIntoSettlement, marketAnalysis } from './market.js';
import { markoutsOf } from './markouts.js';
import { type MarketResult, splitMarket } from './split.js';
import { share, sum, totalOf } from './total.js';
import { spreadOf, tradingOf } from './trading.js';
import { type Figures, warningsOf } from './warnings.js';

/** Pure: the same record gives the same figures, to the bit. */
export function analyse(record: SessionRecord): Analysis {
  const results = record.markets.map(splitMarket);
  const figures = figuresOf(record, results);
  const { format, kind, title, fromMs, toMs, ...rest } = figures;
  return { format, kind, title, fromMs, toMs, warnings: warningsOf(figures, record, results), ...rest };
}

function figuresOf(record: SessionRecord, results: readonly MarketResult[]): Figures {
  const { kind, title, fromMs, toMs, markets: sessions, halts, refusals, assumptions } = record;
  const markets = sessions.flatMap((session, index) => {
    const result = results[index];
    return result === undefined ? [] : [marketAnalysis(session, result)];
  });
  const result = totalOf(results.map(({ split }) => split));
  const trading = tradingOf(sessions, assumptions.feeSchedule);
  return {
    format: 1,
    kind,
    title,
    fromMs,
    toMs,
    equity: equityOf(record, results),
    result,
    trading,
    quoting: quotingOf(sessions),
    markouts: markoutsOf(sessions),
    crossing: crossingsOf(sessions),
    inventory: inventoryOf(record, results, markets, trading.boughtMicros + trading.soldMicros),
    capital: capitalOf(record, result.resultMicros),
    drawdown: drawdownOf(record),
    byEvent: eventsOf(markets, assumptions.seed ?? 0),
    requests: requestsOf(record, trading.fills, result.resultMicros),
    halts,
    refusals,
    coverage: coverageOf(sessions),
    markets,
    ...ranked(markets),
    assumptions,
  };
}

function inventoryOf(
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
    halfLifeMs: spreadOf(markets.map(({ halfLifeMs }) => halfLifeMs)).median,
    carriedMicros,
    carriedShare: share(carriedMicros, tradedMicros),
  };
}

function ranked(markets: readonly MarketAnalysis[]): Pick<Analysis, 'bestMarkets' | 'worstMarkets'> {
  const ascending = [...markets].sort((a, b) => a.result.resultMicros - b.result.resultMicros);
  const ids = (ordered: readonly MarketAnalysis[]): string[] =>
    ordered.slice(0, RANKED_MARKETS).map(({ conditionId }) => conditionId);
  return {
    bestMarkets: ids(ascending.filter(({ result }) => result.resultMicros > 0).reverse()),
    worstMarkets: ids(ascending.filter(({ result }) => result.resultMicros < 0)),
  };
}
