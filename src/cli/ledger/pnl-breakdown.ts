/** `twinbook pnl --by …`: the result in rows, as a table, CSV or JSON. */

import { type BreakdownBy, type BreakdownRow, computeBreakdown } from '../../lab/report/live/breakdown.js';
import { csvLine } from '../../shared/base/csv.js';
import { formatDecimal } from '../../shared/base/decimal.js';
import { micros } from '../../shared/base/micros.js';
import type { AnswerFormat } from '../data/query.js';
import type { CliIo } from '../output/io.js';
import { type Column, json, short, table } from '../output/table.js';
import type { LiveSession } from './pnl-report.js';

export function writeBreakdown(live: LiveSession, by: BreakdownBy, format: AnswerFormat, io: CliIo): void {
  const rows = computeBreakdown(live.session, live.analysis, by, live.standing).map((row) => shownRow(by, row));
  if (format === 'json') return io.out(json(rows));
  if (format === 'csv') {
    const columns = Object.keys(shownRow(by, NOTHING));
    io.out(csvLine(columns));
    return io.out(rows.map((row) => csvLine(Object.values(row))).join(''));
  }
  io.out(table(rows, makeColumns(by), io.columns));
  io.out(`total ${money(live.analysis.equity.resultMicros)}\n`);
}

const money = (value: number | null): string | null => (value === null ? null : formatDecimal(micros(value)));

/** The rows of `--json` and `--csv` are part of the program's surface; null is not known. */
export function shownRow(by: BreakdownBy, row: BreakdownRow): Record<string, string | number | null> {
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
  if (by === 'day') return Object.assign(common, { equity: money(equityMicros) });
  return Object.assign(common, {
    spread: money(split?.spreadMicros ?? null),
    drift: money(split?.driftMicros ?? null),
    merges: money(split?.mergesMicros ?? null),
    settlement: money(split?.settlementMicros ?? null),
    undivided: money(split?.undividedMicros ?? null),
  });
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

type ShownRow = ReturnType<typeof shownRow>;

/** The title stands last, where it may be long. */
function makeColumns(by: BreakdownBy): readonly Column<ShownRow>[] {
  const names = Object.keys(shownRow(by, NOTHING)).filter((name) => name !== 'title');
  const columns = names.map(
    (name): Column<ShownRow> => ({
      title: name.toUpperCase(),
      cell: (row) => (name === 'market' ? short(String(row[name])) : (row[name] ?? null)),
      right: name !== by,
    }),
  );
  return by === 'market'
    ? [...columns, { title: 'TITLE', cell: (row) => row['title'] ?? null, gives: 'cut' }]
    : columns;
}
