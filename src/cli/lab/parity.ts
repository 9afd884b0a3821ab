/** `twinbook parity RUN`: a recorded run beside backtests of the same span. */

import { type Command, Option } from 'commander';
import { BRACKET, USUAL_LANDING_MS } from '../../lab/backtest/plan.js';
import type { FillBand, MarketParity } from '../../lab/parity/contract.js';
import type { ErrorBand, RunsParity } from '../../lab/parity/over-runs.js';
import type { ParityResult } from '../../lab/parity/parity.js';
import type { ReplayedTrader } from '../../lab/replay/contract.js';
import type { RunCode } from '../../lab/replay/run-code.js';
import { count, formatGain, formatPercent, formatQuantity, formatShares } from '../../lab/report/figures.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { RunJournal } from '../../shell/journal/contract.js';
import { integerBetween } from '../arguments.js';
import { resolveData } from '../data/paths.js';
import { EXIT } from '../output/exit.js';
import { addAction, addJsonOption, type CliIo, type Session } from '../output/io.js';
import { type Column, json, prose, table } from '../output/table.js';
import { type FillModelFlag, fillModelOption } from './fill-model-option.js';
import { makeRunCode, openRun, RUN_ARGUMENT, type RunFlags, withRunConfig } from './run-option.js';
import { backtestRun, sidesText } from './side-table.js';

interface ParityFlags extends FillModelFlag, RunFlags {
  readonly data?: readonly string[];
  readonly latency?: string;
  readonly seed: number;
  readonly landingMs: number;
  readonly json?: true;
}

export function addParityCommand(program: Command, session: Session): void {
  const command = program
    .command('parity')
    .argument('<runs...>', `${RUN_ARGUMENT}; of several also the band of the models’ errors`)
    .description('compares a recorded run with backtests of the same span: fills, result, spread, inventory, requests')
    .option('--data <path...>', "recordings of the run's markets (default: what the run's own polls saw)")
    .addOption(fillModelOption(BRACKET))
    .option('--latency <model>', "round trips: constant:MS or recorded, scaled by :xK (default: the run's own)")
    .addOption(
      new Option('--seed <n>', 'seed of latencies and ids').default(1).argParser(integerBetween(0, 2 ** 32 - 1)),
    )
    .addOption(
      new Option('--landing-ms <n>', 'how long merges take')
        .default(USUAL_LANDING_MS)
        .argParser(integerBetween(0, 600_000)),
    );
  addJsonOption(withRunConfig(command));
  addAction<ParityFlags>(command, session, async (flags, names) => {
    const { io } = session;
    const compared: ComparedRun[] = [];
    for (const name of names) compared.push(await comparedRun(name, flags, io));
    await printParities(compared, flags, io);
    return EXIT.ok;
  });
}

interface ComparedRun {
  readonly run: RunJournal;
  readonly replayed: string;
  readonly result: ParityResult;
}

async function comparedRun(name: string, flags: ParityFlags, io: CliIo): Promise<ComparedRun> {
  const run = openRun(name, flags.config, io);
  const { traderThen } = await import('../../lab/replay/run-settings.js');
  const code = makeRunCode(name, flags, io);
  const trader = await traderThen(run.description, code);
  const result = await compareRun(run, trader, flags, io);
  return { run, result, replayed: await replayText(run, trader, code) };
}

/** One run as it always was; of several each, and then all of them together. */
async function printParities(
  compared: readonly ComparedRun[],
  { json: asJson }: ParityFlags,
  io: CliIo,
): Promise<void> {
  const [first] = compared;
  const rows = compared.map(({ run, replayed, result }) => makeParityRow(run, replayed, result));
  if (asJson === true && compared.length === 1) {
    io.out(json(rows[0] ?? null));
    return;
  }
  if (asJson !== true) {
    for (const { run, replayed, result } of compared) io.out(formatParity(run, replayed, result, io.columns));
    if (first === undefined || compared.length === 1) return;
  }
  const { overRuns } = await import('../../lab/parity/over-runs.js');
  const together = overRuns(compared.map(({ result }) => result.parity));
  io.out(asJson === true ? json({ runs: rows, together }) : runsText(together, io.columns));
}

async function compareRun(
  run: RunJournal,
  trader: ReplayedTrader,
  flags: ParityFlags,
  io: CliIo,
): Promise<ParityResult> {
  const { openSources } = await import('../../lab/backtest/sources.js');
  const recorded = flags.data === undefined ? null : (await openSources(resolveData(flags.data, io))).sources;
  const { latency = null, seed, landingMs } = flags;
  return backtestRun(run, { trader, recorded, latency, seed, landingMs }, flags, io);
}

/** What is compared below is the same trader only where the run repeats: so it is said first. */
async function replayText(run: RunJournal, trader: ReplayedTrader, code: RunCode): Promise<string> {
  const { changesSince } = await import('../../lab/replay/run-settings.js');
  const { replayRun } = await import('../../lab/replay/replay-run.js');
  const changes = changesSince(run.description, trader).map((change) => `; ${change}`);
  try {
    const { difference } = await replayRun(run, { trader, code });
    if (difference === null) return `every decision repeats exactly${changes.join('')}`;
    return `differs from step ${difference.step} on, see \`twinbook replay\`${changes.join('')}`;
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    return `not possible: ${error.message}`;
  }
}

function makeParityRow(run: RunJournal, replayed: string, { parity, liveRun, data, latency }: ParityResult): object {
  const { runId, version, configHash } = run.description;
  return {
    run: runId,
    folder: run.folder,
    version,
    config_hash: configHash,
    warnings: run.warnings,
    from_ms: liveRun.fromMs,
    to_ms: liveRun.toMs,
    replay: replayed,
    data,
    latency,
    ...parity,
  };
}

const formatParity = (run: RunJournal, replayed: string, result: ParityResult, width?: number): string =>
  sidesText(
    run,
    result,
    {
      span: run.end === null ? ', cut off' : ', complete',
      after: [['replay', replayed]],
      columns: [OFF_BY],
      verdict: bandText(result.parity.band),
    },
    width,
  );

const OFF_BY: Column<MarketParity> = { title: 'off by', cell: ({ band }) => bandRange(band), right: true };

const formatSigned = (share: number): string => `${share > 0 ? '+' : ''}${formatPercent(share, 0)}`;

function bandRange({ lowShare, highShare }: FillBand): string {
  if (lowShare === null || highShare === null) return '–';
  return lowShare === highShare ? formatSigned(lowShare) : `${formatSigned(lowShare)} to ${formatSigned(highShare)}`;
}

function bandText(band: FillBand): string {
  const { liveFills, liveSharesMicros, errors, holds } = band;
  if (liveSharesMicros === 0) return 'Fill error: nothing was filled live, so there is nothing to be off from.';
  const each = errors.map(
    ({ name, sharesShare }) => `${sharesShare === null ? '–' : formatSigned(sharesShare)} (${name})`,
  );
  const verdict = holds ? 'They lie within the band of the models.' : 'They lie outside the band of the models.';
  return `Fill error, of ${formatShares(liveSharesMicros)} shares in ${count(liveFills)} live fills: ${each.join(', ')}. ${verdict}`;
}

const formatError = (value: number | null): string =>
  `${value !== null && value > 0 ? '+' : ''}${formatPercent(value)}`;

const formatFigure = ({ unit }: ErrorBand, value: number | null): string =>
  unit === 'share' ? formatError(value) : formatGain(value);

const formatUnsigned = (band: ErrorBand, value: number | null): string => formatFigure(band, value).replace('+', '');

/**
 * How far each model is off, over all runs.
 * @param width of the terminal; left out for a file
 */
export function runsText({ runs, filledRuns, heldRuns, bands }: RunsParity, width?: number): string {
  const columns: readonly Column<ErrorBand>[] = [
    { title: 'BACKTEST MINUS LIVE', cell: ({ figure }) => figure, gives: 'cut' },
    { title: 'MODEL', cell: ({ model }) => model },
    { title: 'RUNS', cell: (band) => band.runs, right: true, keep: 40 },
    { title: 'MEAN', cell: (band) => formatFigure(band, band.mean), right: true },
    { title: 'DEVIATION', cell: (band) => formatUnsigned(band, band.deviation), right: true, keep: 70 },
    { title: 'LOWEST', cell: (band) => formatFigure(band, band.lowest), right: true, keep: 60 },
    { title: 'HIGHEST', cell: (band) => formatFigure(band, band.highest), right: true, keep: 60 },
    { title: 'ALL RUNS AS ONE', cell: (band) => formatFigure(band, band.pooled), right: true, keep: 80 },
  ];
  const held =
    filledRuns === 0
      ? 'Nothing was filled live in any of them, so there is nothing to be off from.'
      : `In ${heldRuns} of the ${formatQuantity(filledRuns, 'run')} with fills the live ones lie within the band of the models.`;
  return `\n${formatQuantity(runs, 'run')} together\n${table(bands, columns, width)}${prose(held, width)}\n`;
}
