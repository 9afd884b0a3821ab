/** `twinbook pnl`: what the trader earned, from the ledger's own postings and the journals of its runs. */

import { type Command, Option } from 'commander';
import { BREAKDOWNS, type BreakdownBy } from '../../lab/report/live/breakdown.js';
import { formatDecimal, parseDecimal } from '../../shared/base/decimal.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import { loadTraderConfig, type TraderConfig } from '../../shell/config/load.js';
import { askTrader } from '../../shell/control/control-client.js';
import { storedMarks } from '../../trader/engine/own/marks.js';
import type { PnlRow } from '../../trader/ledger/contract.js';
import type { ReadOptions } from '../answer.js';
import { EXIT } from '../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type CliIo, type Session } from '../output/io.js';
import { json, record } from '../output/table.js';
import { readLedger } from './ledger-reading.js';
import type { ReadTrader } from './pnl-traders.js';

interface PnlOptions extends ReadOptions {
  readonly report?: string;
  readonly by?: BreakdownBy;
  readonly csv?: true;
  readonly data?: readonly string[];
  readonly journals: boolean;
  readonly also: readonly string[];
}

export function addPnlCommand(program: Command, session: Session): void {
  const command = program
    .command('pnl')
    .description('result so far: realised, fees, and holdings at the trader’s prices of now, or its last ones');
  addJsonOption(addConfigOption(command))
    .option(
      '--also <file>',
      "another trader's file, or its folder: all together, with sums by venue; may be given again",
      (file: string, before: readonly string[]) => [...before, file],
      [],
    )
    .addOption(
      new Option(
        '--by <what>',
        'the result by UTC day (with the equity at its end), market, strategy or event',
      ).choices(BREAKDOWNS),
    )
    .addOption(new Option('--csv', 'with --by: print CSV in place of a table').conflicts('json'))
    .option('--report <file>', 'write a report of everything in the ledger, one HTML file')
    .option('--data <path...>', 'for --report and --by: recordings of its markets, in place of what its own polls saw')
    .option('--no-journals', 'for --report and --by: leave the journals of its runs unread; prices are then not known');
  addAction<PnlOptions>(command, session, (options) => tellPnl(options, session.io));
}

async function tellPnl(options: PnlOptions, io: CliIo) {
  requireWholeQuestion(options);
  if (options.also.length > 0) return tellSeveral(options, io);
  const config = loadTraderConfig(options.config, io);
  const { marks, pnl, nowMs } = await readTrader(config, io);
  const live = options.report === undefined && options.by === undefined ? null : await liveSession();
  if (options.by !== undefined && live !== null) {
    const { writeBreakdown } = await import('./pnl-breakdown.js');
    writeBreakdown(live, options.by, options.json === true ? 'json' : options.csv === true ? 'csv' : 'table', io);
  } else if (options.json === true)
    io.out(json(live === null ? formatPnlRow(pnl) : { ...formatPnlRow(pnl), report: live.analysis }));
  else printPnl(formatPnlRow(pnl), nowMs === null && marks.size > 0, io);
  const isForPerson = options.json !== true && options.csv !== true;
  if (options.report !== undefined && isForPerson) io.out(`report: ${options.report}\n`);
  return EXIT.ok;

  async function liveSession() {
    const { readLiveSession, writePnlReport } = await import('./pnl-report.js');
    const { config: configFile, data = [], journals } = options;
    const question = { config, configFile, data, journals, nowMs, fairMicros: marks };
    const session = await readLiveSession(question, io);
    if (options.report !== undefined) await writePnlReport(session, options.report, io);
    return session;
  }
}

async function readTrader(config: TraderConfig, io: CliIo): Promise<ReadTrader> {
  const running = await runningTrader(config);
  return readLedger(config, io, (ledger) => {
    const marks = running?.marks ?? storedMarks(ledger);
    return { config, marks, pnl: ledger.pnl(marks), nowMs: running?.nowMs ?? null };
  });
}

async function tellSeveral(options: PnlOptions, io: CliIo) {
  const { tellTraders } = await import('./pnl-traders.js');
  const { config, also, by, data = [], journals } = options;
  const question = {
    files: [config, ...also],
    format: options.json === true ? ('json' as const) : options.csv === true ? ('csv' as const) : ('table' as const),
    data,
    journals,
    ...(by === undefined ? {} : { by }),
  };
  await tellTraders(question, (trader) => readTrader(trader, io), io);
  return EXIT.ok;
}

function requireWholeQuestion({ also, by, csv, data, report }: PnlOptions): void {
  if (report !== undefined && also.length > 0)
    throw new TwinbookError(
      'usage',
      '--report is of one trader',
      'Leave --also out, or give --by WHAT in place of --report.',
    );
  if (data !== undefined && report === undefined && by === undefined)
    throw new TwinbookError('usage', '--data is for the report and for --by', 'Give --report FILE or --by WHAT too.');
  if (csv === true && by === undefined)
    throw new TwinbookError('usage', '--csv is for --by', `Give --by ${BREAKDOWNS.join(', --by ')} too.`);
}

function printPnl({ unmarked, ...figures }: ReturnType<typeof formatPnlRow>, isLastKnown: boolean, io: CliIo): void {
  io.out(record(Object.entries(figures), io.columns));
  if (isLastKnown) io.out('The trader is not running: what is held counts at the last prices that it has kept.\n');
  if (unmarked.length > 0)
    io.out(`Holdings in ${unmarked.length} market(s) have no price now and count at what they cost.\n`);
}

const formatPnlRow = (pnl: PnlRow) => ({
  capital: formatDecimal(pnl.capitalMicros),
  cash: formatDecimal(pnl.cashMicros),
  realised: formatDecimal(pnl.realisedMicros),
  fees: formatDecimal(pnl.feesMicros),
  unrealised: formatDecimal(pnl.unrealisedMicros),
  total: formatDecimal(pnl.totalMicros),
  unmarked: pnl.unmarked,
});

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
  for (const { market_condition_id: market, fair } of status.markets) {
    const price = fair === null ? null : parseDecimal(fair);
    if (price !== null) marks.set(market, price);
  }
  return { marks, nowMs: status.now };
}
