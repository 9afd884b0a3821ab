/** `twinbook pnl`: the trader's earnings, from the ledger's postings and its runs' journals. */

import { Option } from 'commander';
import { BREAKDOWNS, type BreakdownBy, computeBreakdown } from '../../lab/report/live/breakdown.js';
import { formatDecimal } from '../../shared/base/decimal.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import type { TraderConfig } from '../../shell/config/load.js';
import { askTrader } from '../../shell/control/control-client.js';
import { storedMarks } from '../../trader/engine/own/valuation.js';
import type { PnlRow } from '../../trader/ledger/contract.js';
import { type Call, command, csvFlag, type OptionRow, text, unless } from '../command.js';
import { formatOf } from '../data/query.js';
import type { CliIo } from '../output/io.js';
import { json, record } from '../output/table.js';
import { readLedger } from './ledger-reading.js';
import { money, shownRow, writeRows } from './pnl-breakdown.js';

const OPTIONS = {
  by: {
    option: new Option(
      '--by <what>',
      'the result by UTC day (with the equity at its end), market, strategy or event',
    ).choices(BREAKDOWNS),
  } as OptionRow<BreakdownBy | undefined>,
  csv: csvFlag('with --by: print CSV in place of a table'),
  report: text('--report <file>', 'write a report of everything in the ledger, one HTML file'),
  data: {
    option: new Option(
      '--data <path...>',
      'for --report and --by: recordings of its markets, in place of what its own polls saw',
    ),
  } as OptionRow<readonly string[] | undefined>,
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
    const { marks, pnl } = await readLedger(config, io, (ledger) => {
      const prices = running?.marks ?? storedMarks(ledger);
      return { marks: prices, pnl: ledger.pnl(prices) };
    });
    const shown = { ...formatFigures(pnl), unmarked: pnl.unmarked };
    if (report === undefined && by === undefined) {
      if (isJson) io.out(json(shown));
      else printPnl(shown, nowMs === null && marks.size > 0, io);
      return;
    }
    const { readLiveSession, writePnlReport } = await import('./pnl-report.js');
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

/** Keys of `--json`. */
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

interface RunningTrader {
  /** YES prices. */
  readonly marks: ReadonlyMap<string, Micros>;
  /** Its own clock. */
  readonly nowMs: number;
}

/** Null when none answers. */
async function runningTrader(config: TraderConfig): Promise<RunningTrader | null> {
  const status = await askTrader({ command: 'status' }, { socket: config.control.socket, timeoutMs: 2000 }).catch(
    () => null,
  );
  if (status === null) return null;
  const marks = new Map<string, Micros>();
  for (const { conditionId, fairMicros } of status.markets) if (fairMicros !== null) marks.set(conditionId, fairMicros);
  return { marks, nowMs: status.nowMs };
}
