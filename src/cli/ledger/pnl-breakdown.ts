/** `twinbook pnl --by …`: the result in rows, as a table, CSV or JSON. */

import type { BreakdownBy, BreakdownRow } from '../../lab/report/live/breakdown.js';
import { csvLine } from '../../shared/base/csv.js';
import { formatDecimal } from '../../shared/base/decimal.js';
import { micros } from '../../shared/base/micros.js';
import type { AnswerFormat } from '../data/query.js';
import type { CliIo } from '../output/io.js';
import { type Column, json, short, table } from '../output/table.js';

/** The rows of `--json` and `--csv` are part of the public interface; null is unknown. */
export type ShownRow = Readonly<Record<string, string | number | null>>;

export function writeRows(rows: readonly ShownRow[], by: BreakdownBy, format: AnswerFormat, io: CliIo): void {
  if (format === 'json') return io.out(json(rows));
  const names = Object.keys(shownRow(by, NOTHING));
  if (format === 'table') return io.out(table(rows, columnsOf(names, by), io.columns));
  io.out(csvLine(names));
  io.out(rows.map((row) => csvLine(names.map((name) => row[name] ?? null))).join(''));
}

export const money = (value: number | null): string | null => (value === null ? null : formatDecimal(micros(value)));

export function shownRow(by: BreakdownBy, row: BreakdownRow): ShownRow {
  const { key, title, fills, boughtMicros, soldMicros, resultMicros, feesMicros, equityMicros, split } = row;
  const common = {
    [by]: key,
    ...(by === 'market' ? { title } : {}),
    fills,
    bought: money(boughtMicros),
    sold: money(soldMicros),
    fees: money(feesMicros),
    result: money(resultMicros),
  };
  if (by === 'day') return { ...common, equity: money(equityMicros) };
  return {
    ...common,
    spread: money(split?.spreadMicros ?? null),
    drift: money(split?.driftMicros ?? null),
    merges: money(split?.mergesMicros ?? null),
    settlement: money(split?.settlementMicros ?? null),
    undivided: money(split?.undividedMicros ?? null),
  };
}

const NOTHING: BreakdownRow = {
  key: '',
  title: '',
  fills: 0,
  boughtMicros: 0,
  soldMicros: 0,
  resultMicros: 0,
  feesMicros: 0,
  equityMicros: null,
  split: null,
};

/** The title is last, because it may be long. */
function columnsOf(names: readonly string[], by: BreakdownBy): readonly Column<ShownRow>[] {
  const columns = names
    .filter((name) => name !== 'title')
    .map(
      (name): Column<ShownRow> => ({
        title: name.toUpperCase(),
        cell: (row) => (name === 'market' ? short(String(row[name])) : (row[name] ?? null)),
        right: name !== by,
      }),
    );
  if (!names.includes('title')) return columns;
  return [...columns, { title: 'TITLE', cell: (row) => row['title'] ?? null, gives: 'cut' }];
}
