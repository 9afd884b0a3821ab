/** The result of a live session by day, market, strategy or event; the rows of each add up to the whole, to the micro. */

import { micros } from '../../../shared/base/micros.js';
import type { FillRecord, MarketSession, SessionRecord } from '../../session/contract.js';
import { MarketWalk } from '../../session/market-walk.js';
import type { Analysis, MarketAnalysis, ResultSplit } from '../analysis/contract.js';
import { sum, sumSplits } from '../analysis/total.js';

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
  /** Of a day: what the account was worth at its end. Null for what is no day. */
  readonly equityMicros: number | null;
  /** Where the result came from. Null for a day, whose fills and marks lie in several. */
  readonly split: ResultSplit | null;
}

/** The last middle of a market that was known by a moment; null when none was. */
export type StandingPrice = (conditionId: string, timeMs: number) => number | null;

export function computeBreakdown(
  record: SessionRecord,
  analysis: Analysis,
  by: BreakdownBy,
  standing: StandingPrice,
): readonly BreakdownRow[] {
  if (by === 'day') return makeDayRows(record, analysis, standing);
  const groups = new Map<string, MarketAnalysis[]>();
  const sessions = new Map(record.markets.map((market) => [market.conditionId, market]));
  for (const market of analysis.markets) {
    const key = makeGroupKey(market, sessions.get(market.conditionId), by);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [market]);
    else group.push(market);
  }
  const rows = [...groups].map(([key, markets]) =>
    makeRow(key, by === 'market' ? (markets[0]?.title ?? '') : '', markets),
  );
  return rows.sort((a, b) => b.resultMicros - a.resultMicros);
}

/** Shares of a market belong to nobody: where several strategies traded, its result is theirs together. */
function makeGroupKey(
  market: MarketAnalysis,
  session: MarketSession | undefined,
  by: Exclude<BreakdownBy, 'day'>,
): string {
  if (by === 'market') return market.conditionId;
  if (by === 'event') return market.eventTitle === '' ? market.conditionId : market.eventTitle;
  const names = [...new Set((session?.fills ?? []).map(({ strategy }) => strategy || 'the engine'))].sort();
  return names.length === 0 ? 'none' : names.join(' and ');
}

function makeRow(key: string, title: string, markets: readonly MarketAnalysis[]): BreakdownRow {
  const split = sumSplits(markets.map(({ result }) => result));
  return {
    key,
    title,
    fills: sum(markets.map(({ fills }) => fills)),
    boughtMicros: sum(markets.map(({ boughtMicros }) => boughtMicros)),
    soldMicros: sum(markets.map(({ soldMicros }) => soldMicros)),
    resultMicros: split.resultMicros,
    feesMicros: split.feesMicros,
    equityMicros: null,
    split,
  };
}

const DAY_MS = 86_400_000;

/**
 * UTC days in which something was traded or the account's worth changed. What is held at the end of a day counts at the last
 * middle that was known by then, at what it cost where none was; the last day ends with the worth of the analysis itself.
 */
function makeDayRows(record: SessionRecord, analysis: Analysis, standing: StandingPrice): readonly BreakdownRow[] {
  const walks = record.markets.map((market) => ({
    id: market.conditionId,
    walk: new MarketWalk({ ...market, orders: [], prices: null }),
  }));
  const fills = fillsByDay(record);
  const last = toDay(lastMs(record));
  const rows: BreakdownRow[] = [];
  let before = record.capitalMicros;
  for (let day = toDay(firstMs(record)); day <= last; day++) {
    const endMs = (day + 1) * DAY_MS - 1;
    for (const { walk } of walks) walk.advance(endMs);
    const worth = sum(walks.map(({ id, walk: { held } }) => held.cashMicros + computeWorth(held, standing(id, endMs))));
    const equityMicros = day === last ? analysis.equity.endEquityMicros : micros(record.capitalMicros + worth);
    const traded = fills.get(day) ?? [];
    if (traded.length > 0 || equityMicros !== before) rows.push(dayRow(day, traded, before, equityMicros));
    before = equityMicros;
  }
  return rows;
}

const computeWorth = (held: MarketWalk['held'], markMicros: number | null): number =>
  held.worthMicros(markMicros) ?? held.costMicros;

const toDay = (timeMs: number): number => Math.floor(timeMs / DAY_MS);
const movesMs = ({ markets }: SessionRecord): number[] =>
  markets.flatMap(({ fills, conversions }) => [...fills, ...conversions].map(({ timeMs }) => timeMs));
const firstMs = (record: SessionRecord): number => movesMs(record).reduce((a, b) => Math.min(a, b), record.fromMs);
const lastMs = (record: SessionRecord): number => movesMs(record).reduce((a, b) => Math.max(a, b), record.toMs);

function fillsByDay({ markets }: SessionRecord): ReadonlyMap<number, FillRecord[]> {
  const days = new Map<number, FillRecord[]>();
  for (const fill of markets.flatMap(({ fills }) => fills)) {
    const day = days.get(toDay(fill.timeMs));
    if (day === undefined) days.set(toDay(fill.timeMs), [fill]);
    else day.push(fill);
  }
  return days;
}

function dayRow(day: number, fills: readonly FillRecord[], before: number, equityMicros: number): BreakdownRow {
  const amounts = (side: FillRecord['side']) =>
    sum(fills.flatMap((fill) => (fill.side === side ? [fill.amountMicros] : [])));
  return {
    key: new Date(day * DAY_MS).toISOString().slice(0, 10),
    title: '',
    fills: fills.length,
    boughtMicros: amounts('bid'),
    soldMicros: amounts('ask'),
    resultMicros: micros(equityMicros - before),
    feesMicros: sum(fills.map(({ feeMicros }) => feeMicros)),
    equityMicros,
    split: null,
  };
}
