/** `twinbook backtest`: strategy files over recordings, under a bracket of fill models. */

import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { BacktestOutcome, BacktestPlan } from '../../lab/backtest/contract.js';
import { USUAL_LATENCY } from '../../lab/backtest/latency.js';
import { BRACKET, chooseLatency, type PlanOptions, planOf, USUAL_LANDING_MS } from '../../lab/backtest/plan.js';
import { loadConfig } from '../../shell/config/load.js';
import type { Config } from '../../shell/config/types.js';
import { integerBetween } from '../arguments.js';
import { EXIT } from '../output/exit.js';
import { action, type CliIo, type Session, withConfig, withJson } from '../output/io.js';
import { json } from '../output/table.js';
import { writeWhole } from '../output/whole-file.js';
import { ProgressLine } from './progress.js';

export interface BacktestFlags {
  readonly config: string;
  readonly data: readonly string[];
  readonly fillModel?: readonly string[];
  readonly latency?: string;
  readonly seed: number;
  readonly makerFee: number;
  readonly takerFee: number;
  readonly landingMs?: number;
  readonly allMarkets?: true;
  readonly report?: string;
  readonly json?: true;
}

export function addBacktestCommand(program: Command, session: Session): void {
  const command = program
    .command('backtest')
    .description('runs strategy files over recordings, with the live trader’s own code on a virtual clock');
  withBacktestData(withJson(withConfig(command)))
    .option(
      '--fill-model <names>',
      `fill models, separated by commas, e.g. trade-through,power:2 (default: ${BRACKET.join(',')})`,
      namesOf,
    )
    .option('--report <file>', 'write the report, one HTML file');
  action<BacktestFlags>(command, session, (options) => runBacktests(options, session.io));
}

/** What a backtest and a sweep are both told of their data. */
export const withBacktestData = (command: Command): Command =>
  command
    .requiredOption('--data <path...>', 'recordings: folders or files, of our own format or raw')
    .option(
      '--latency <model>',
      `round trips: constant:MS or recorded, scaled by :xK (default: recorded if measured, else ${USUAL_LATENCY})`,
    )
    .addOption(
      new Option('--seed <n>', 'seed of latencies and ids').default(1).argParser(integerBetween(0, 2 ** 32 - 1)),
    )
    .addOption(new Option('--maker-fee <rate>', FEE_HELP('maker')).default(0, '0').argParser(feeRate))
    .addOption(new Option('--taker-fee <rate>', FEE_HELP('taker')).default(0, '0').argParser(feeRate))
    .addOption(
      new Option(
        '--landing-ms <n>',
        `how long merges take (default: the file’s exchange.landing_ms, else ${USUAL_LANDING_MS})`,
      ).argParser(integerBetween(0, 600_000)),
    )
    .option('--all-markets', 'offer every recorded market to every strategy, whatever their files select');

const FEE_HELP = (who: string) => `${who} fee as a share of the traded value where a recording names none, e.g. 0.01`;

function feeRate(text: string): number {
  const micros = /^0(\.\d{1,6})?$/.test(text) ? Math.round(Number(text) * 1_000_000) : Number.NaN;
  if (!(micros >= 0)) throw new InvalidArgumentError('Wanted a share of the value from 0 to 0.999999, such as 0.01.');
  return micros;
}

const namesOf = (text: string): readonly string[] => text.split(',').map((name) => name.trim());

async function runBacktests(options: BacktestFlags, io: CliIo) {
  const config = await loadConfig(options.config, { ...io, strategyFileToo: true });
  const { checkFillModels, openSources } = await import('../../lab/backtest/open-sources.js');
  const models = checkFillModels(options.fillModel ?? BRACKET);
  const { recordings, sources } = await openSources(options.data.map((path) => resolve(io.cwd, path)));
  const fresh = await chooseLatency(options.latency ?? null, recordings, options.seed);
  const line = new ProgressLine(io, options.json === true);
  const outcomes: BacktestOutcome[] = [];
  for (const [index, fillModel] of models.entries()) {
    const plan = planOf(config, sources, { ...planOptions(options, config), fillModel, latency: fresh() });
    outcomes.push(await run(plan, (share) => line.show((index + share) / models.length, fillModel)));
  }
  line.end();
  return tell(outcomes, options, io);
}

/** Options of a plan that are the same for every run. */
export const planOptions = (
  { seed, landingMs, makerFee, takerFee, allMarkets }: BacktestFlags,
  config: Config,
): Omit<PlanOptions, 'fillModel' | 'latency'> => ({
  seed,
  landingMs: landingMs ?? config.exchange?.landingMs ?? USUAL_LANDING_MS,
  fees: { makerRateMicros: makerFee, takerRateMicros: takerFee },
  allMarkets: allMarkets === true,
});

async function run(plan: BacktestPlan, progress: (share: number) => void): Promise<BacktestOutcome> {
  const { runBacktest } = await import('../../lab/backtest/run.js');
  return runBacktest({ ...plan, progress: (doneMs, allMs) => progress(allMs > 0 ? Math.min(1, doneMs / allMs) : 0) });
}

async function tell(outcomes: readonly BacktestOutcome[], options: BacktestFlags, io: CliIo) {
  const { analyse } = await import('../../lab/report/analysis/analyse.js');
  const { summaryTable } = await import('../../lab/report/summary.js');
  const sessions = outcomes.map(({ session }) => session);
  const analyses = sessions.map(analyse);
  if (options.report !== undefined) {
    const { reportHtml } = await import('../../lab/report/html/report-html.js');
    writeWhole(resolve(io.cwd, options.report), reportHtml({ sessions }, analyses));
  }
  const runs = outcomes.map(({ events, traceHash }, index) => ({ ...analyses[index], events, traceHash }));
  if (options.json === true) io.out(json(runs));
  else {
    io.out(summaryTable(analyses));
    if (options.report !== undefined) io.out(`report: ${options.report}\n`);
  }
  return EXIT.ok;
}
