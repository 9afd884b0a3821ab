/** Result of a live session by day, market, strategy or event; rows add up to the whole, to the micro. */

import { micros } from '../../../shared/base/micros.js';
import type { MarketSession, SessionRecord } from '../../session/contract.js';
import { MarketWalk } from '../../session/market-walk.js';
import type { Analysis } from '../analysis/analyse.js';
import { eventOf } from '../analysis/events.js';
import type { MarketAnalysis } from '../analysis/markets.js';
import { type ResultSplit, sum, sumSplits } from '../analysis/total.js';
import { computeVolume } from '../analysis/trading.js';
import { groupBy } from './session-from-ledger.js';

export const BREAKDOWNS = ['day', 'market', 'strategy', 'event'] as const;
export type BreakdownBy = (typeof BREAKDOWNS)[number];

export interface BreakdownRow {
  /** A UTC day, a market's condition id, names of strategies, or an event. */
  readonly key: string;
  /** Of a market; empty otherwise. */
  readonly title: string;
  readonly fills: number;
  readonly boughtMicros: number;
  readonly soldMicros: number;
  readonly resultMicros: number;
  readonly feesMicros: number;
  /** Of a day: the account's value at its end. Null for other groups. */
  readonly equityMicros: number | null;
  /** Sources of the result. Null for a day, whose fills and marks span several. */
  readonly split: ResultSplit | null;
}

/** The last known mid of a market at a time; null without one. */
export type StandingPrice = (conditionId: string, timeMs: number) => number | null;

export function computeBreakdown(
  record: SessionRecord,
  analysis: Analysis,
  by: BreakdownBy,
  standing: StandingPrice,
): readonly BreakdownRow[] {
  if (by === 'day') return makeDayRows(record, analysis, standing);
  const sessions = new Map(record.markets.map((market) => [market.conditionId, market]));
  const groups = groupBy(analysis.markets, (market) => makeGroupKey(market, sessions.get(market.conditionId), by));
  const rows = [...groups].map(([key, markets]): BreakdownRow => {
    const split = sumSplits(markets.map(({ result }) => result));
    return {
      key,
      title: by === 'market' ? (markets[0]?.title ?? '') : '',
      fills: sum(markets.map(({ fills }) => fills)),
      boughtMicros: sum(markets.map(({ boughtMicros }) => boughtMicros)),
      soldMicros: sum(markets.map(({ soldMicros }) => soldMicros)),
      resultMicros: split.resultMicros,
      feesMicros: split.feesMicros,
      equityMicros: null,
      split,
    };
  });
  return rows.sort((a, b) => b.resultMicros - a.resultMicros);
}

/** Shares of a market are shared: where several strategies traded, the result is theirs together. */
function makeGroupKey(
  market: MarketAnalysis,
  session: MarketSession | undefined,
  by: Exclude<BreakdownBy, 'day'>,
): string {
  if (by === 'market') return market.conditionId;
  if (by === 'event') return eventOf(market);
  const names = [...new Set((session?.fills ?? []).map(({ strategy }) => strategy || 'the engine'))].sort();
  return names.length === 0 ? 'none' : names.join(' and ');
}

const DAY_MS = 86_400_000;

/**
 * UTC days with trades or changes of the account's value. Holdings at the end of a day count at the last known mid, at
 * cost without one; the last day ends with the value of the analysis.
 */
function makeDayRows(record: SessionRecord, analysis: Analysis, standing: StandingPrice): readonly BreakdownRow[] {
  const walks = record.markets.map((market) => ({
    id: market.conditionId,
    walk: new MarketWalk({ ...market, orders: [], prices: null }),
  }));
  const fills = groupBy(
    record.markets.flatMap((market) => market.fills),
    ({ timeMs }) => toDay(timeMs),
  );
  const times = record.markets
    .flatMap((market) => [...market.fills, ...market.conversions])
    .map(({ timeMs }) => timeMs);
  const first = toDay(times.reduce((a, b) => Math.min(a, b), record.fromMs));
  const last = toDay(times.reduce((a, b) => Math.max(a, b), record.toMs));
  const rows: BreakdownRow[] = [];
  let before = record.capitalMicros;
  for (let day = first; day <= last; day++) {
    const endMs = (day + 1) * DAY_MS - 1;
    for (const { walk } of walks) walk.advance(endMs);
    const worth = sum(
      walks.map(
        ({ id, walk: { held } }) => held.cashMicros + (held.worthMicros(standing(id, endMs)) ?? held.costMicros),
      ),
    );
    const equityMicros = day === last ? analysis.equity.endEquityMicros : micros(record.capitalMicros + worth);
    const traded = fills.get(day) ?? [];
    if (traded.length > 0 || equityMicros !== before) {
      const { boughtMicros, soldMicros } = computeVolume(traded);
      rows.push({
        key: new Date(day * DAY_MS).toISOString().slice(0, 10),
        title: '',
        fills: traded.length,
        boughtMicros,
        soldMicros,
        resultMicros: micros(equityMicros - before),
        feesMicros: sum(traded.map(({ feeMicros }) => feeMicros)),
        equityMicros,
        split: null,
      });
    }
    before = equityMicros;
  }
  return rows;
}

const toDay = (timeMs: number): number => Math.floor(timeMs / DAY_MS);
