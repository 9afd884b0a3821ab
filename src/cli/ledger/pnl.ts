/** `twinbook pnl`: what the trader earned, from the ledger's own postings. */

import type { Command } from 'commander';
import { formatDecimal, parseDecimal } from '../../shared/base/decimal.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import { loadTraderConfig, type TraderConfig } from '../../shell/config/load.js';
import { askTrader } from '../../shell/control/control-client.js';
import type { PnlRow } from '../../trader/ledger/contract.js';
import { EXIT } from '../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type CliIo, type Session } from '../output/io.js';
import { json, record } from '../output/table.js';
import { type ReadOptions, readLedger } from './ledger-reading.js';

interface PnlOptions extends ReadOptions {
  readonly report?: string;
  readonly data?: readonly string[];
}

export function addPnlCommand(program: Command, session: Session): void {
  const command = program
    .command('pnl')
    .description('result so far: realised, fees, and holdings at the running trader’s fair prices (else at cost)');
  addJsonOption(addConfigOption(command))
    .option('--report <file>', 'write a report of everything in the ledger, one HTML file')
    .option('--data <path...>', 'for the report: recordings of its markets, for prices that a ledger does not hold');
  addAction<PnlOptions>(command, session, (options) => tellPnl(options, session.io));
}

async function tellPnl(options: PnlOptions, io: CliIo) {
  if (options.data !== undefined && options.report === undefined)
    throw new TwinbookError('usage', '--data is for the report', 'Give --report FILE too.');
  const config = loadTraderConfig(options.config, io);
  const running = await runningTrader(config);
  const pnl = await readLedger(config, io, (ledger) => ledger.pnl(running.marks));
  const analysis = options.report === undefined ? null : await report(options.report, options, config, running, io);
  const row = rowOf(pnl);
  if (options.json === true) {
    io.out(json(analysis === null ? row : { ...row, report: analysis }));
    return EXIT.ok;
  }
  const { unmarked, ...figures } = row;
  io.out(record(Object.entries(figures)));
  if (unmarked.length > 0)
    io.out(`Holdings in ${unmarked.length} market(s) have no price now and count at what they cost.\n`);
  if (options.report !== undefined) io.out(`report: ${options.report}\n`);
  return EXIT.ok;
}

const rowOf = (pnl: PnlRow) => ({
  capital: formatDecimal(pnl.capitalMicros),
  cash: formatDecimal(pnl.cashMicros),
  realised: formatDecimal(pnl.realisedMicros),
  fees: formatDecimal(pnl.feesMicros),
  unrealised: formatDecimal(pnl.unrealisedMicros),
  total: formatDecimal(pnl.totalMicros),
  unmarked: pnl.unmarked,
});

async function report(file: string, options: PnlOptions, config: TraderConfig, running: RunningTrader, io: CliIo) {
  const { writePnlReport } = await import('./pnl-report.js');
  const { nowMs, marks: fairMicros } = running;
  return writePnlReport({ config, configFile: options.config, file, data: options.data ?? [], nowMs, fairMicros }, io);
}

interface RunningTrader {
  /** YES prices; none when it does not run: then nobody watches the market. */
  readonly marks: ReadonlyMap<string, Micros>;
  /** Its own clock; null when it does not run. */
  readonly nowMs: number | null;
}

async function runningTrader(config: TraderConfig): Promise<RunningTrader> {
  const marks = new Map<string, Micros>();
  const status = await askTrader({ command: 'status' }, { socket: config.control.socket, timeoutMs: 2000 }).catch(
    () => null,
  );
  for (const { market_condition_id: market, fair } of status?.markets ?? []) {
    const price = fair === null ? null : parseDecimal(fair);
    if (price !== null) marks.set(market, price);
  }
  return { marks, nowMs: status?.now ?? null };
}
