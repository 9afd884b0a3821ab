/** `twinbook pnl`: the trader's earnings, from the ledger's postings and its runs' journals. */

import { basename, extname, resolve } from 'node:path';
import { Option } from 'commander';
import type { EventSource } from '../../lab/backtest/contract.js';
import type { Journaled } from '../../lab/parity/journaled-prices.js';
import {
  BREAKDOWNS,
  type BreakdownBy,
  type BreakdownRow,
  computeBreakdown,
  type StandingPrice,
} from '../../lab/report/live/breakdown.js';
import { type RecordedBest, type RecordedPrices, toCoverage, UNKNOWN_BEST } from '../../lab/session/market-walk.js';
import { csvLine } from '../../shared/base/csv.js';
import { formatDecimal } from '../../shared/base/decimal.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { type Micros, micros } from '../../shared/base/micros.js';
import type { TraderConfig } from '../../shell/config/config.js';
import { VERSION } from '../../shell/config/shipped.js';
import { askTrader } from '../../shell/control/control-client.js';
import type { RunJournal } from '../../shell/journal/runs.js';
import { storedMarks } from '../../trader/engine/own/valuation.js';
import type { PnlRow } from '../../trader/ledger/contract.js';
import { type Call, command, csvFlag, list, type OptionRow, resolveData, text, unless } from '../command.js';
import type { CliIo } from '../output/io.js';
import { type AnswerFormat, type Column, formatOf, json, record, short, table } from '../output/table.js';
import { writeWhole } from '../output/whole-file.js';
import { readLedger } from './ledger-reading.js';

const OPTIONS = {
  by: {
    option: new Option(
      '--by <what>',
      'the result by UTC day (with the equity at its end), market, strategy or event',
    ).choices(BREAKDOWNS),
  } as OptionRow<BreakdownBy | undefined>,
  csv: csvFlag('with --by: print CSV in place of a table'),
  report: text('--report <file>', 'write a report of everything in the ledger, one HTML file'),
  data: list(
    '--data <path...>',
    'for --report and --by: recordings of its markets, in place of what its own polls saw',
  ),
  journals: unless(
    '--no-journals',
    'for --report and --by: leave the journals of its runs unread; prices are then not known',
  ),
};

export const pnlCommand = command({
  name: 'pnl',
  help: 'result: realised, fees, and holdings at the trader’s current prices, or its last ones',
  config: 'trader',
  options: OPTIONS,
  tool: { kind: 'read', options: [] },
  hasJson: true,
  run: async ({ options, config, file, isJson, io }) => {
    requireWholeQuestion(options);
    const { by, report, journals, data = [] } = options;
    const format = formatOf(isJson, options.csv);
    const running = await runningTrader(config);
    const nowMs = running?.nowMs ?? null;
    const { marks, pnl } = await readLedger(config, (ledger) => {
      const prices = running?.marks ?? storedMarks(ledger);
      return { marks: prices, pnl: ledger.pnl(prices) };
    });
    const shown = { ...formatFigures(pnl), unmarked: pnl.unmarked };
    if (report === undefined && by === undefined) {
      if (isJson) io.out(json(shown));
      else printPnl(shown, nowMs === null && marks.size > 0, io);
      return;
    }
    const question = { config, configFile: file, data, journals, nowMs, fairMicros: marks };
    const live = await readLiveSession(question, io);
    if (report !== undefined) await writePnlReport(live, report, io);
    if (by !== undefined) {
      const rows = computeBreakdown(live.session, live.analysis, by, live.standing).map((row) => shownRow(by, row));
      writeRows(rows, by, format, io);
      if (format === 'table') io.out(`total ${money(live.analysis.equity.resultMicros)}\n`);
    } else if (isJson) io.out(json({ ...shown, report: live.analysis }));
    else printPnl(shown, nowMs === null && marks.size > 0, io);
    if (report !== undefined && format === 'table') io.out(`report: ${report}\n`);
  },
});

function requireWholeQuestion({ by, csv, data, report }: Call<typeof OPTIONS>['options']): void {
  if (data !== undefined && report === undefined && by === undefined)
    throw new TwinbookError('usage', '--data is for the report and for --by', 'Give --report FILE or --by WHAT too.');
  if (csv === true && by === undefined)
    throw new TwinbookError('usage', '--csv is for --by', `Give --by ${BREAKDOWNS.join(', --by ')} too.`);
}

const formatFigures = (pnl: PnlRow) => ({
  capital: formatDecimal(pnl.capitalMicros),
  cash: formatDecimal(pnl.cashMicros),
  realised: formatDecimal(pnl.realisedMicros),
  fees: formatDecimal(pnl.feesMicros),
  unrealised: formatDecimal(pnl.unrealisedMicros),
  total: formatDecimal(pnl.totalMicros),
});

function printPnl(
  { unmarked, ...figures }: ReturnType<typeof formatFigures> & Pick<PnlRow, 'unmarked'>,
  isLastKnown: boolean,
  io: CliIo,
): void {
  io.out(record(Object.entries(figures), io.columns));
  if (isLastKnown) io.out('The trader is not running: what is held counts at the last prices that it has kept.\n');
  if (unmarked.length > 0)
    io.out(`Holdings in ${unmarked.length} market(s) have no price now and count at their cost.\n`);
}

async function runningTrader(config: TraderConfig) {
  const status = await askTrader({ command: 'status' }, { socket: config.control.socket, timeoutMs: 2000 }).catch(
    () => null,
  );
  if (status === null) return null;
  const marks = new Map<string, Micros>();
  for (const { conditionId, fairMicros } of status.markets) if (fairMicros !== null) marks.set(conditionId, fairMicros);
  return { marks, nowMs: status.nowMs };
}

interface LiveQuestion {
  readonly config: TraderConfig;
  readonly configFile: string;
  readonly data: readonly string[];
  readonly journals: boolean;
  /** Unix ms while the trader runs, else null. */
  readonly nowMs: number | null;
  readonly fairMicros: ReadonlyMap<string, number>;
}

type LiveSession = Awaited<ReturnType<typeof readLiveSession>>;

/** Throws TwinbookError for unreadable data; an unreadable journal is reported and left out. */
async function readLiveSession(question: LiveQuestion, io: CliIo) {
  const { analyse } = await import('../../lab/report/analysis/analyse.js');
  const { sessionFromLedger } = await import('../../lab/report/live/session-from-ledger.js');
  const recorded = await recordedPrices(question, io);
  const journals = question.journals ? await loadJournaled(question.config, io) : null;
  const findPrices = (id: string): RecordedPrices | null => recorded.get(id) ?? journals?.prices.get(id) ?? null;
  const session = await readLedger(question.config, (ledger) =>
    sessionFromLedger(ledger, {
      title: `${basename(question.configFile, extname(question.configFile))}: live results`,
      version: VERSION,
      nowMs: question.nowMs,
      fairMicros: question.fairMicros,
      // The trader's default for a profile without one.
      feeSchedule: question.config.venue.profile.fee_schedule ?? 'notional',
      findPrices,
      ...(journals === null ? {} : { journals }),
    }),
  );
  const standing: StandingPrice = (id, timeMs) => findPrices(id)?.standing(timeMs) ?? null;
  return { session, analysis: analyse(session), standing };
}

async function writePnlReport({ session, analysis }: LiveSession, file: string, io: CliIo): Promise<void> {
  const { reportHtml } = await import('../../lab/report/html/report-html.js');
  writeWhole(resolve(io.cwd, file), reportHtml({ sessions: [session] }, [analysis]));
}

const marketsTouched = (config: TraderConfig): Promise<ReadonlySet<string>> =>
  readLedger(config, (ledger) => {
    const page = { limit: Number.MAX_SAFE_INTEGER };
    const rows = [...ledger.orders(page), ...ledger.fills(page), ...ledger.conversions(page), ...ledger.positions()];
    return new Set(rows.map(({ marketConditionId }) => marketConditionId));
  });

/** Null when no run of this ledger has a readable journal. */
async function loadJournaled(config: TraderConfig, io: CliIo): Promise<Journaled | null> {
  const { readJournals } = await import('../../lab/parity/journaled-prices.js');
  const runs = await readRunJournals(config, io);
  const found = runs.filter((run) => run !== null);
  if (found.length === 0) return null;
  const missing = runs.length - found.length;
  const ours = await marketsTouched(config);
  const read = await readJournals(found, ours, (run, error) => {
    io.err(`the journal of run ${basename(run.folder)} is left out: ${error.message}\n`);
  });
  if (missing === 0) return read;
  const remark = `${missing} of ${runs.length} runs have no journal: what the books were while they ran is not known.`;
  return { ...read, remarks: [...read.remarks, remark] };
}

/** Oldest first; without a journal where none exists, or none of this version. */
async function readRunJournals(config: TraderConfig, io: CliIo): Promise<readonly (RunJournal | null)[]> {
  const { runFolders } = await import('../../shell/journal/runs.js');
  const { readRun } = await import('../../shell/journal/runs.js');
  const folders = new Map(runFolders(config.journal.dir).map((folder) => [basename(folder), folder]));
  const ids = await readLedger(config, (ledger) => ledger.runs(Number.MAX_SAFE_INTEGER).map(({ id }) => id));
  return ids.reverse().map((id) => {
    const folder = folders.get(id);
    try {
      return folder === undefined ? null : readRun(folder);
    } catch (error) {
      if (!(error instanceof TwinbookError)) throw error;
      io.err(`the journal of run ${id} is left out: ${error.message}\n`);
      return null;
    }
  });
}

async function recordedPrices({ config, data }: LiveQuestion, io: CliIo): Promise<ReadonlyMap<string, RecordedPrices>> {
  const prices = new Map<string, RecordedPrices>();
  if (data.length === 0) return prices;
  const { openSources } = await import('../../lab/backtest/sources.js');
  const { BestPrices } = await import('../../lab/parity/best-prices.js');
  const { sources } = await openSources(resolveData(data, io));
  const ours = await marketsTouched(config);
  for (const source of sources) {
    if (!ours.has(source.market.conditionId)) continue;
    const best = await BestPrices.of(source);
    prices.set(
      source.market.conditionId,
      makePrices(source, (timeMs) => best.at(timeMs)),
    );
  }
  return prices;
}

/** The book between observations is unknown. */
function makePrices({ market, summary }: EventSource, at: (timeMs: number) => RecordedBest): RecordedPrices {
  const gaps = summary?.gaps ?? [];
  const isInGap = (timeMs: number): boolean =>
    gaps.some(({ fromMs, toMs }) => timeMs > fromMs && (toMs === null || timeMs < toMs));
  return {
    at: (timeMs) => (isInGap(timeMs) ? UNKNOWN_BEST : at(timeMs)),
    standing: (timeMs) => at(timeMs).middleMicros,
    outcome: market.outcome,
    coverage: toCoverage(summary),
    eventTitle: market.eventTitle,
    category: market.category,
  };
}

/** The rows of `--json` and `--csv` are part of the public interface; null is unknown. */
type ShownRow = Readonly<Record<string, string | number | null>>;

function writeRows(rows: readonly ShownRow[], by: BreakdownBy, format: AnswerFormat, io: CliIo): void {
  if (format === 'json') return io.out(json(rows));
  const names = Object.keys(shownRow(by, {}));
  if (format === 'table') return io.out(table(rows, columnsOf(names, by), io.columns));
  io.out(csvLine(names));
  io.out(rows.map((row) => csvLine(names.map((name) => row[name] ?? null))).join(''));
}

const money = (value: number | null | undefined): string | null =>
  value === null || value === undefined ? null : formatDecimal(micros(value));

function shownRow(by: BreakdownBy, row: Partial<BreakdownRow>): ShownRow {
  const { key = '', title = '', fills = 0, boughtMicros, soldMicros, resultMicros, feesMicros, split } = row;
  const common = {
    [by]: key,
    ...(by === 'market' ? { title } : {}),
    fills,
    bought: money(boughtMicros),
    sold: money(soldMicros),
    fees: money(feesMicros),
    result: money(resultMicros),
  };
  if (by === 'day') return { ...common, equity: money(row.equityMicros) };
  return {
    ...common,
    spread: money(split?.spreadMicros),
    drift: money(split?.driftMicros),
    merges: money(split?.mergesMicros),
    settlement: money(split?.settlementMicros),
    undivided: money(split?.undividedMicros),
  };
}

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
