/** Command `twinbook pnl`: the trader's earnings, from the ledger's postings and its runs' journals. */

import { basename, extname, resolve } from 'node:path';
import { Option } from 'commander';
import type { Journaled } from '../../lab/parity/read-recorded-run.js';
import { BREAKDOWNS, computeBreakdown, sessionFromLedger } from '../../lab/report/session-from-ledger.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { TraderConfig } from '../../shell/config/config.js';
import { VERSION } from '../../shell/config/shipped.js';
import { readRun, runFolders } from '../../shell/journal/runs.js';
import { storedMarks } from '../../trader/engine/own/account.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import { command } from '../command.js';
import { type CliIo, writeWhole } from '../io.js';
import * as option from '../options.js';
import { AT_LAST_PRICES, askThere, readLedger, valueOn } from '../reach.js';
import { amountText, formatOf, json, record, writeAnswer } from '../table.js';

type BreakdownBy = (typeof BREAKDOWNS)[number];

const BY: option.OptionRow<BreakdownBy | undefined> = new Option(
  '--by <what>',
  'show the result per UTC day, market, strategy or event',
).choices(BREAKDOWNS);

export const pnlCommand = command({
  name: 'pnl',
  help: 'prints the result: realised profit, fees, and holdings at the trader’s current or last prices',
  config: 'trader',
  options: {
    by: BY,
    csv: option.csv('with --by: print CSV instead of a table'),
    report: option.text('--report <file>', 'path of a report on the whole ledger to write, a single HTML file'),
    journals: option.unless('--no-journals', 'read no journals for --report and --by; their prices are then unknown'),
  },
  tool: { kind: 'read', options: [] },
  hasJson: true,
  run: async ({ options, config, file, isJson, io }) => {
    const { by, report, journals, csv } = options;
    if (csv === true && by === undefined)
      throw new TwinbookError('usage', '--csv applies only to --by', `Give --by ${BREAKDOWNS.join(', --by ')} too.`);
    const format = formatOf(isJson, csv);
    const running = await runningTrader(config);
    const { marks, pnl } = await readLedger(config, (ledger) => {
      const prices = new Map([...storedMarks(ledger), ...(running?.marks ?? [])]);
      return { marks: prices, pnl: ledger.pnl(prices) };
    });
    const isWhole = report !== undefined || by !== undefined;
    const journaled = isWhole && journals ? await loadJournaled(config, io) : null;
    const live = isWhole ? await readLiveSession(config, file, journaled, running?.nowMs ?? null, marks) : null;
    if (live !== null && report !== undefined) {
      const { reportHtml } = await import('../../lab/report/html/report-html.js');
      writeWhole(resolve(io.cwd, report), reportHtml({ sessions: [live.session] }, [live.analysis]));
    }
    if (live !== null && by !== undefined) {
      const rows = computeBreakdown(live.session, live.analysis, by, live.standing).map((row) => shownRow(by, row));
      const columns = Object.keys(shownRow(by, {}));
      await writeAnswer({ columns, rows: () => [rows.map((row) => Object.values(row))] }, format, io);
      if (format === 'table') io.out(`total ${amountText(live.analysis.equity.resultMicros)}\n`);
    } else if (isJson)
      io.out(json({ ...formatFigures(pnl), unmarked: pnl.unmarked, ...(live && { report: live.analysis }) }));
    else printPnl(pnl, io);
    if (running === null && marks.size > 0 && format === 'table')
      io.out(`The trader is not running: ${AT_LAST_PRICES}\n`);
    if (report !== undefined && format === 'table') io.out(`report: ${report}\n`);
  },
});

/** Returns the decimal texts of several fields, by the field's name without `Micros`. */
const amounts = <Name extends string>(
  row: { readonly [Field in `${Name}Micros`]?: number | null } | null | undefined,
  ...names: readonly Name[]
) => Object.fromEntries(names.map((name) => [name, amountText(row?.[`${name}Micros`])])) as Record<Name, string | null>;

/** Capital, cash and result of the whole ledger, millionths of currency. */
type PnlRow = ReturnType<LedgerReader['pnl']>;

const formatFigures = (pnl: PnlRow) => amounts(pnl, 'capital', 'cash', 'realised', 'fees', 'unrealised', 'total');

function printPnl(pnl: PnlRow, io: CliIo): void {
  io.out(record(Object.entries(formatFigures(pnl)), io.columns));
  if (pnl.unrealisedMicros !== 0)
    io.out('The `result` of `status` may be lower: `status` values a share at most at a slow average of its price.\n');
  if (pnl.unmarked.length > 0)
    io.out(`Holdings in ${pnl.unmarked.length} market(s) have no price now and are valued at their cost.\n`);
}

async function runningTrader(config: TraderConfig) {
  const status = await askThere({ command: 'status' }, config, { timeoutMs: 5000 }).catch(valueOn(null, 'not_running'));
  if (status === null) return null;
  const { readMarks } = await import('../../shell/console/views/money-view.js');
  return { marks: readMarks(status.markets), nowMs: status.nowMs };
}

/** @param nowMs present time, Unix ms; null if no trader runs */
async function readLiveSession(
  config: TraderConfig,
  file: string,
  journals: Journaled | null,
  nowMs: number | null,
  fairMicros: ReadonlyMap<string, number>,
) {
  const { analyse } = await import('../../lab/report/analysis/analyse.js');
  const findPrices = (id: string) => journals?.prices.get(id) ?? null;
  const title = `${basename(file, extname(file))}: live results`;
  const options = { title, version: VERSION, nowMs, fairMicros, findPrices, ...(journals && { journals }) };
  const session = await readLedger(config, (ledger) => sessionFromLedger(ledger, options));
  const standing = (id: string, timeMs: number) => findPrices(id)?.standing(timeMs) ?? null;
  return { session, analysis: analyse(session), standing };
}

/** Reads the journals of the ledger's runs; null if no run has a readable journal. */
async function loadJournaled(config: TraderConfig, io: CliIo): Promise<Journaled | null> {
  const { readJournals } = await import('../../lab/parity/read-recorded-run.js');
  const leaveOut = (id: string, error: TwinbookError) =>
    io.err(`the journal of run ${id} is left out: ${error.message}\n`);
  const folders = new Map(runFolders(config.journal.dir).map((folder) => [basename(folder), folder]));
  const { runs, ours } = await readLedger(config, (ledger) => ({
    runs: ledger.runs(Number.MAX_SAFE_INTEGER),
    ours: ledger.tradedMarkets(),
  }));
  // The oldest run is read first. Journals of another version are skipped.
  const found = runs.reverse().flatMap(({ id }) => {
    const folder = folders.get(id);
    try {
      return folder === undefined ? [] : [readRun(folder)];
    } catch (error) {
      if (!(error instanceof TwinbookError)) throw error;
      leaveOut(id, error);
      return [];
    }
  });
  if (found.length === 0) return null;
  const missing = runs.length - found.length;
  const read = await readJournals(found, ours, ({ folder }, error) => leaveOut(basename(folder), error));
  if (missing === 0) return read;
  const remark = `${missing} of ${runs.length} runs have no journal: the market books of those runs are unknown.`;
  return { ...read, remarks: [...read.remarks, remark] };
}

/** The rows of `--json` and `--csv` are part of the public interface; null means unknown. */
function shownRow(
  by: BreakdownBy,
  { key = '', title = '', fills = 0, split, ...row }: Partial<ReturnType<typeof computeBreakdown>[number]>,
) {
  return {
    [by]: key,
    ...(by === 'market' ? { title } : {}),
    fills,
    ...amounts(row, 'bought', 'sold', 'fees', 'result'),
    ...(by === 'day' ? amounts(row, 'equity') : amounts(split, 'spread', 'drift', 'merges', 'settlement', 'undivided')),
  };
}
