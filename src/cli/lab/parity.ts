/** `twinbook parity RUN`: compares a recorded run with backtests of the same span. */

import { BRACKET, USUAL_LANDING_MS } from '../../lab/backtest/plan.js';
import type { FillBand, MarketParity } from '../../lab/parity/comparison.js';
import type { ParityResult } from '../../lab/parity/parity.js';
import type { ReplayedTrader } from '../../lab/replay/replay.js';
import type { RunCode } from '../../lab/replay/run-code.js';
import { count, formatPercent, formatShares } from '../../lab/report/figures.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { RunJournal } from '../../shell/journal/runs.js';
import { command, integerBetween, text, usual } from '../command.js';
import type { Column } from '../output/table.js';
import { fillModelOption, seedOption } from './backtest.js';
import { backtestRun, makeRunCode, openRun, RUN_ARGUMENT, RUN_OPTIONS, sidesText } from './side-table.js';

const OPTIONS = {
  fillModel: fillModelOption(BRACKET),
  latency: text('--latency <model>', "round trips: constant:MS or recorded, scaled by :xK (default: the run's own)"),
  seed: seedOption,
  landingMs: usual('--landing-ms <n>', 'how long merges take', USUAL_LANDING_MS, integerBetween(0, 600_000)),
  ...RUN_OPTIONS,
};

export const addParityCommand = command({
  name: 'parity',
  args: [['<run>', RUN_ARGUMENT]],
  help: 'compares a recorded run with backtests of the same span: fills, result, spread, inventory, requests',
  options: OPTIONS,
  answer: async ({ options, args: [name = ''], isJson, io }) => {
    const run = openRun(name, options.config, io);
    const { traderThen } = await import('../../lab/replay/run-settings.js');
    const code = makeRunCode(name, options, io);
    const trader = await traderThen(run.description, code);
    const { latency = null, seed, landingMs, fillModel } = options;
    const result = await backtestRun(run, { trader, latency, seed, landingMs }, fillModel, isJson, io);
    const replayed = await replayText(run, trader, code);
    const words = {
      span: run.end === null ? ', cut off' : ', complete',
      after: [['replay', replayed]] as const,
      columns: [OFF_BY],
      verdict: bandText(result.parity.band),
    };
    return { data: makeParityRow(run, replayed, result), text: (width) => sidesText(run, result, words, width) };
  },
});

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
