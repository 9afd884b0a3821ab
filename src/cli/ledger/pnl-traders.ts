/** `twinbook pnl --also`: several traders, each from its own ledger, and sums by venue. */

import { realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BreakdownBy, computeBreakdown } from '../../lab/report/live/breakdown.js';
import { formatDecimal } from '../../shared/base/decimal.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { micros } from '../../shared/base/micros.js';
import { loadTraderConfig, type TraderConfig } from '../../shell/config/load.js';
import { groupOf, nameTraders } from '../../shell/console/traders.js';
import type { PnlRow } from '../../trader/ledger/contract.js';
import type { AnswerFormat } from '../data/query.js';
import type { CliIo } from '../output/io.js';
import { type Column, json, table } from '../output/table.js';
import { FIGURES, formatFigures, type ShownRow, shownRow, type TraderFigures, writeRows } from './pnl-breakdown.js';
import { type LiveSession, readLiveSession } from './pnl-report.js';

/** Data that `pnl` reads of one trader. */
export interface ReadTrader {
  readonly config: TraderConfig;
  readonly pnl: PnlRow;
  /** Unix ms by its own clock; null when it does not run. */
  readonly nowMs: number | null;
  /** YES prices of its holdings. */
  readonly marks: ReadonlyMap<string, number>;
}

export interface TradersQuestion {
  /** Trader files, or folders with a `trader.yaml`. */
  readonly files: readonly string[];
  readonly by: BreakdownBy | undefined;
  readonly format: AnswerFormat;
  readonly data: readonly string[];
  readonly journals: boolean;
}

interface NamedTrader extends ReadTrader {
  readonly file: string;
  readonly name: string;
  readonly venue: string;
}

/** Throws TwinbookError for a trader with an unreadable ledger: a partial sum would be wrong. */
export async function tellTraders(
  question: TradersQuestion,
  read: (config: TraderConfig) => Promise<ReadTrader>,
  io: CliIo,
): Promise<void> {
  const files = question.files.map((file) => traderFile(resolve(io.cwd, file)));
  const names = nameTraders(files);
  const traders: NamedTrader[] = [];
  for (const [at, file] of files.entries()) {
    const config = loadTraderConfig(file, io);
    traders.push({ ...(await read(config)), file, name: names[at] ?? file, venue: groupOf(config) });
  }
  requireDifferent(traders);
  const sums = sumByVenue(traders);
  if (question.by !== undefined) await tellRows(traders, question.by, question, io);
  else if (question.format === 'json') io.out(json({ traders: traders.map(toRow), sums: sums.map(toSumRow) }));
  else
    io.out(
      `${table(traders.map(toRow), COLUMNS, io.columns)}\n${table(sums.map(toSumRow), SUM_COLUMNS, io.columns)}${remarks(traders)}`,
    );
}

const traderFile = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? join(path, 'trader.yaml') : path;

/** A ledger read twice would count twice. */
function requireDifferent(traders: readonly NamedTrader[]): void {
  const seen = new Map<string, string>();
  for (const { config, file } of traders) {
    const path = realpathSync(config.ledger.path);
    const before = seen.get(path);
    if (before !== undefined) {
      const hint = 'Name each trader once: its file with -c, the others with --also.';
      throw new TwinbookError('usage', `${before} and ${file} have the same ledger ${path}`, hint);
    }
    seen.set(path, file);
  }
}

interface VenueSum {
  readonly venue: string;
  readonly traders: number;
  readonly figures: TraderFigures;
}

/** In the order of the traders; never over two venues with different currencies. */
function sumByVenue(traders: readonly NamedTrader[]): readonly VenueSum[] {
  return [...new Set(traders.map(({ venue }) => venue))].map((venue) => {
    const within = traders.filter((trader) => trader.venue === venue);
    const sum = (name: (typeof FIGURES)[number]): number => within.reduce((total, { pnl }) => total + pnl[name], 0);
    const figures = Object.fromEntries(FIGURES.map((name) => [name, sum(name)])) as unknown as TraderFigures;
    return { venue, traders: within.length, figures };
  });
}

/** The rows of `--json` are part of the public interface. */
const toRow = ({ name, venue, pnl, nowMs, config }: NamedTrader) => ({
  trader: name,
  venue,
  ...formatFigures(pnl),
  unmarked: pnl.unmarked,
  running: nowMs !== null,
  ledger: config.ledger.path,
});
const toSumRow = ({ venue, traders, figures }: VenueSum) => ({ venue, traders, ...formatFigures(figures) });

type MoneyRow = ReturnType<typeof formatFigures>;
const MONEY = (['capital', 'cash', 'realised', 'fees', 'unrealised', 'total'] as const).map(
  (name): Column<MoneyRow> => ({ title: name.toUpperCase(), cell: (row) => row[name], right: true }),
);
const COLUMNS: readonly Column<ReturnType<typeof toRow>>[] = [
  { title: 'TRADER', cell: ({ trader }) => trader },
  { title: 'VENUE', cell: ({ venue }) => venue },
  ...MONEY,
];
const SUM_COLUMNS: readonly Column<ReturnType<typeof toSumRow>>[] = [
  { title: 'SUM OF', cell: ({ venue }) => venue },
  { title: 'TRADERS', cell: ({ traders }) => traders, right: true },
  ...MONEY,
];

const remarks = (traders: readonly NamedTrader[]): string =>
  traders.flatMap((trader) => remarksOf(trader).map((text) => `${trader.name}: ${text}\n`)).join('');

function remarksOf({ nowMs, marks, pnl }: ReadTrader): string[] {
  return [
    ...(nowMs === null && marks.size > 0
      ? ['it is not running: what is held counts at the last prices that it has kept.']
      : []),
    ...(pnl.unmarked.length > 0
      ? [`holdings in ${pnl.unmarked.length} market(s) have no price now and count at what they cost.`]
      : []),
  ];
}

const liveOf = (trader: NamedTrader, { data, journals }: TradersQuestion, io: CliIo): Promise<LiveSession> => {
  const { config, file: configFile, nowMs, marks: fairMicros } = trader;
  return readLiveSession({ config, configFile, data, journals, nowMs, fairMicros }, io);
};

/** Rows of all traders with their names; sums by venue only. */
async function tellRows(
  traders: readonly NamedTrader[],
  by: BreakdownBy,
  question: TradersQuestion,
  io: CliIo,
): Promise<void> {
  const rows: ShownRow[] = [];
  const totals = new Map<string, number>();
  for (const trader of traders) {
    const { session, analysis, standing } = await liveOf(trader, question, io);
    for (const row of computeBreakdown(session, analysis, by, standing))
      rows.push({ trader: trader.name, venue: trader.venue, ...shownRow(by, row) });
    totals.set(trader.venue, (totals.get(trader.venue) ?? 0) + analysis.equity.resultMicros);
  }
  writeRows(rows, by, ['trader', 'venue'], question.format, io);
  if (question.format !== 'table') return;
  for (const [venue, total] of totals) io.out(`total of ${venue} ${formatDecimal(micros(total))}\n`);
}
