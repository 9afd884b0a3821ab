/** Rows and tables of `twinbook data list` and `data stats`. */

import type { Recording } from '../../recording/contract.js';
import { disagreementIn } from '../../recording/importers/capture-report.js';
import type { RecordingStats } from '../../recording/inspect/stats.js';
import { formatDecimal } from '../../shared/base/decimal.js';
import { micros } from '../../shared/base/micros.js';
import { utcText } from '../../shared/base/utc-text.js';
import { outcomeText } from '../../shared/protocol/outcome.js';
import { type Cell, type Column, short, table } from '../output/table.js';

/** The rows of `--json` are part of the public interface. Times are Unix ms, amounts and prices decimal strings. */
export const listing = ({ market, summary, warnings }: Recording) => ({
  condition_id: market.conditionId,
  ticker: market.source.ticker,
  title: market.title,
  format: market.source.kind,
  origin: market.source.origin ?? market.source.kind,
  path: market.source.path,
  outcome: market.outcome,
  open_time: market.openTimeMs,
  close_time: market.closeTimeMs,
  first_event: summary?.firstMs ?? null,
  last_event: summary?.lastMs ?? null,
  events: summary === undefined ? null : Object.values(summary.events).reduce((sum, count) => sum + count, 0),
  trades: summary?.events.trade ?? null,
  gaps: summary?.gaps.length ?? null,
  bytes: summary?.bytes ?? null,
  warnings: warnings.map(({ message }) => message),
});

type ListRow = ReturnType<typeof listing>;

const title = (text: string): string => (text.length > 44 ? `${text.slice(0, 43)}…` : text);
const duration = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 2 * 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
};

const LIST_COLUMNS: readonly Column<ListRow>[] = [
  { title: 'MARKET', cell: (row) => short(row.condition_id) },
  { title: 'ORIGIN', cell: (row) => row.origin, keep: 2 },
  { title: 'FROM (UTC)', cell: (row) => utcText(row.first_event ?? row.open_time), keep: 3 },
  { title: 'SPAN', cell: (row) => formatSpan(row), right: true },
  { title: 'EVENTS', cell: (row) => row.events, right: true },
  { title: 'TRADES', cell: (row) => row.trades, right: true, keep: 4 },
  { title: 'GAPS', cell: (row) => row.gaps, right: true, keep: 1 },
  { title: 'OUTCOME', cell: (row) => outcomeText(row.outcome) },
  { title: 'TITLE', cell: (row) => title(row.title), gives: 'cut' },
];

const formatSpan = (row: ListRow): string =>
  duration((row.last_event ?? row.close_time) - (row.first_event ?? row.open_time));

export function listTable(rows: readonly ListRow[], width?: number): string {
  const known = rows.every((row) => row.events !== null);
  const hint = known ? '' : 'raw recordings are counted when they are read: `twinbook data stats`\n';
  return `${table(rows, LIST_COLUMNS, width)}${hint}`;
}

const text = (value: number): string => formatDecimal(micros(Math.round(value)));
const textOrNull = (value: number | null): string | null => (value === null ? null : text(value));
const sides = (pair: readonly [number, number] | null) =>
  pair === null ? null : { bid: text(pair[0]), ask: text(pair[1]) };

export const statsRow = (recording: Recording, stats: RecordingStats) => ({
  ...listing(recording),
  first_event: stats.firstMs,
  last_event: stats.lastMs,
  events: stats.levels + stats.trades,
  levels: stats.levels,
  trades: stats.trades,
  volume: text(stats.volumeMicros),
  gaps: stats.gaps.length,
  gap_ms: stats.gapMs,
  known: stats.known,
  coverage: stats.coverage,
  two_sided: stats.twoSided,
  mean_spread: textOrNull(stats.spreadMicros),
  mean_levels: stats.levelsBySide === null ? null : { bid: stats.levelsBySide[0], ask: stats.levelsBySide[1] },
  mean_touch: sides(stats.touchMicros),
  mean_depth: sides(stats.depthMicros),
  longest_crossed_ms: stats.longestCrossedMs,
  disagreement: disagreementRow(recording.warnings),
});

/** Rows with a best price, the contradicting ones, and their fraction; null when no row has one. */
export function disagreementRow(sentences: Parameters<typeof disagreementIn>[0]) {
  const told = disagreementIn(sentences);
  return told === null ? null : { ...told, share: told.disagreeing / told.rows };
}

type StatsRow = ReturnType<typeof statsRow>;

const percent = (share: number | null): Cell => (share === null ? null : `${(share * 100).toFixed(1)} %`);
const whole = (amount: string | undefined): Cell => (amount === undefined ? null : Math.round(Number(amount)));

const STATS_COLUMNS: readonly Column<StatsRow>[] = [
  { title: 'MARKET', cell: (row) => short(row.condition_id) },
  { title: 'FROM (UTC)', cell: (row) => utcText(row.first_event), keep: 9 },
  { title: 'SPAN', cell: (row) => formatSpan(row), right: true },
  { title: 'KNOWN', cell: (row) => percent(row.known), right: true },
  { title: 'OF ITS LIFE', cell: (row) => percent(row.coverage), right: true, keep: 3 },
  { title: 'GAPS', cell: (row) => row.gaps, right: true, keep: 1 },
  { title: 'LEVELS', cell: (row) => row.levels, right: true, keep: 7 },
  { title: 'TRADES', cell: (row) => row.trades, right: true, keep: 4 },
  { title: 'VOLUME', cell: (row) => whole(row.volume), right: true, keep: 6 },
  { title: 'TWO-SIDED', cell: (row) => percent(row.two_sided), right: true, keep: 8 },
  {
    title: 'SPREAD',
    cell: (row) => (row.mean_spread === null ? null : Number(row.mean_spread).toFixed(4)),
    right: true,
  },
  {
    title: 'BIDS',
    cell: (row) => (row.mean_levels === null ? null : row.mean_levels.bid.toFixed(1)),
    right: true,
    keep: 5,
  },
  {
    title: 'ASKS',
    cell: (row) => (row.mean_levels === null ? null : row.mean_levels.ask.toFixed(1)),
    right: true,
    keep: 5,
  },
  { title: 'BID DEPTH', cell: (row) => whole(row.mean_depth?.bid), right: true, keep: 4 },
  { title: 'ASK DEPTH', cell: (row) => whole(row.mean_depth?.ask), right: true, keep: 4 },
  { title: 'OUTCOME', cell: (row) => outcomeText(row.outcome) },
];

export function statsTable(rows: readonly StatsRow[], width?: number): string {
  const notes = rows.flatMap((row) => row.warnings.map((message) => `note  ${short(row.condition_id)}: ${message}\n`));
  return `${table(rows, STATS_COLUMNS, width)}${notes.join('')}`;
}
