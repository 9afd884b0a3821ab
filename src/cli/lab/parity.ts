/** `twinbook parity RUN`: compares a recorded run with backtests of the same span. */

import { type Command, Option } from 'commander';
import { BRACKET, USUAL_LANDING_MS } from '../../lab/backtest/plan.js';
import type { FillBand, MarketParity } from '../../lab/parity/comparison.js';
import type { ParityResult } from '../../lab/parity/parity.js';
import type { ReplayedTrader } from '../../lab/replay/replay.js';
import type { RunCode } from '../../lab/replay/run-code.js';
import { count, formatPercent, formatShares } from '../../lab/report/figures.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { RunJournal } from '../../shell/journal/contract.js';
import { integerBetween } from '../arguments.js';
import { EXIT } from '../output/exit.js';
import { addAction, addJsonOption, type CliIo, type Session } from '../output/io.js';
import { type Column, json } from '../output/table.js';
import { type FillModelFlag, fillModelOption } from './fill-model-option.js';
import { makeRunCode, openRun, RUN_ARGUMENT, type RunFlags, withRunConfig } from './run-option.js';
import { backtestRun, sidesText } from './side-table.js';

interface ParityFlags extends FillModelFlag, RunFlags {
  readonly latency?: string;
  readonly seed: number;
  readonly landingMs: number;
  readonly json?: true;
}

export function addParityCommand(program: Command, session: Session): void {
  const command = program
    .command('parity')
    .argument('<run>', RUN_ARGUMENT)
    .description('compares a recorded run with backtests of the same span: fills, result, spread, inventory, requests')
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
  addAction<ParityFlags>(command, session, async (flags, [name = '']) => {
    const { io } = session;
    io.out(await compareRun(name, flags, io));
    return EXIT.ok;
  });
}

/** Returns the text to print. */
async function compareRun(name: string, flags: ParityFlags, io: CliIo): Promise<string> {
  const run = openRun(name, flags.config, io);
  const { traderThen } = await import('../../lab/replay/run-settings.js');
  const code = makeRunCode(name, flags, io);
  const trader = await traderThen(run.description, code);
  const { latency = null, seed, landingMs } = flags;
  const result = await backtestRun(run, { trader, latency, seed, landingMs }, flags, io);
  const replayed = await replayText(run, trader, code);
  if (flags.json === true) return json(makeParityRow(run, replayed, result));
  const words = {
    span: run.end === null ? ', cut off' : ', complete',
    after: [['replay', replayed]] as const,
    columns: [OFF_BY],
    verdict: bandText(result.parity.band),
  };
  return sidesText(run, result, words, io.columns);
}

/** The comparison below is about the same trader only where the run repeats: that comes first. */
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
