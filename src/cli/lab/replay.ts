/** Commands `replay`, which repeats a recorded run's decisions, and `parity`, which compares the run with backtests. */

import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { BRACKET, USUAL_LANDING_MS } from '../../lab/backtest/plan.js';
import type { compare, ParityOptions, runParity } from '../../lab/parity/parity.js';
import type { ReplayDifference } from '../../lab/replay/compare.js';
import type { ReplayResult } from '../../lab/replay/replay.js';
import {
  changesSince,
  openRunCode,
  type ReplayedTrader,
  type RunCode,
  traderNow,
  traderThen,
  traderWith,
} from '../../lab/replay/run-settings.js';
import { count, formatGain, formatMoney, formatPercent, formatShares } from '../../lab/report/figures.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { cutText, utcText } from '../../shared/base/text.js';
import { isStrategyFileAt, loadConfig, loadTraderConfig, readStrategyFile, withCode } from '../../shell/config/load.js';
import { findRun, RUN_FILE, type RunJournal, readRun } from '../../shell/journal/runs.js';
import { all, type CommandOutput, command } from '../command.js';
import { type CliIo, DEFAULT_CONFIG, defaultConfig, EXIT, ProgressLine } from '../io.js';
import * as option from '../options.js';
import { jsonRow, linesText, prose, record, type TableColumn, table } from '../table.js';
import { fillModelOption, seedOption } from './backtest.js';

const RUN_ARGUMENT = 'run in journal.dir of the configuration: `last`, the run’s folder, or the beginning of its id';

const RUN_OPTIONS = {
  config: option.text(
    '-c, --config <file>',
    `the trader's configuration file (default: ${DEFAULT_CONFIG}; if <run> is a folder, the run’s own file, without the user’s modules)`,
  ),
  acceptChangedCode: option.changedCode,
  fillModel: fillModelOption(BRACKET),
};
type RunOptions = option.OptionValues<typeof RUN_OPTIONS>;

/** Opens the run `name` and its strategy code. `file`: path of the configuration; null if only a folder is given. */
function openRun(name: string, { config, acceptChangedCode }: RunOptions, io: CliIo) {
  const isFolder = existsSync(join(resolve(io.cwd, name), RUN_FILE));
  const own = config ?? defaultConfig(io.cwd);
  const folder = isFolder ? resolve(io.cwd, name) : findRun(name, loadTraderConfig(own, io).journal.dir, io.cwd);
  // User code is loaded only from files that the operator names, because a run's folder may come from another person.
  const file = config === undefined && isFolder ? null : own;
  const loadFiles = file === null ? null : () => loadConfig(file, io);
  return { run: readRun(folder), file, code: openRunCode(loadFiles, acceptChangedCode === true) };
}

async function traderOfNow({ description }: RunJournal, file: string | null, io: CliIo): Promise<ReplayedTrader> {
  if (file !== null) return traderNow(await loadConfig(file, io), description);
  const other = () => 'only the recorded run names this code file; to run it, give the configuration with -c FILE';
  return traderNow(await loadConfig(description.configFile, { ...io, code: { other } }), description);
}

const replayCommand = command({
  name: 'replay',
  args: [['<run>', RUN_ARGUMENT]],
  help: 'repeats the decisions of a recorded run from its inputs, and compares every request',
  options: {
    asRecorded: option.flag('--as-recorded', 'use the settings of the recorded run instead of the present files'),
    play: option.text(
      '--play <file>',
      "backtest another configuration over the run's markets: a strategy file, or a trader's file",
      'asRecorded',
      'acceptChangedCode',
    ),
    ...RUN_OPTIONS,
  },
  answer: async ({ options, args: [name = ''], isJson, io }): Promise<CommandOutput> => {
    const { run, file, code } = openRun(name, options, io);
    const { play, fillModel, asRecorded } = options;
    if (play !== undefined) {
      const other = { isOther: true, latency: null, seed: 1, landingMs: USUAL_LANDING_MS, fillModel };
      const asked = { ...other, trader: await loadOther(run, play, io) };
      return sidesAnswer(run, await backtestRun(run, asked, isJson, io), { played: play });
    }
    if (fillModel !== undefined) {
      const hint = 'Add --play FILE, or leave --fill-model out.';
      throw new TwinbookError('usage', '--fill-model applies only to --play', hint);
    }
    const { replayRun } = await import('../../lab/replay/replay.js');
    const { description, end } = run;
    const trader = asRecorded === true ? await traderThen(description, code) : await traderOfNow(run, file, io);
    const changes = changesSince(description, trader);
    // Changes since the run are printed before the replay, because the replay may take long.
    if (!isJson && changes.length > 0)
      io.out(linesText(['decisions may differ, because', ...changes.map((change) => `  ${change}`)]));
    const result = await replayRun(run, { trader, code });
    const isExact = result.difference === null;
    const data = {
      ...makeRunRow(run),
      started_ms: description.startedMs,
      complete: end !== null && end.stoppedEarly === null,
      ended: end,
      changes,
      exact: isExact,
      ...jsonRow(result),
    };
    return { data, text: formatReplay(run, changes, result), code: isExact ? EXIT.ok : EXIT.difference };
  },
});

const makeRunRow = ({ folder, description, warnings }: RunJournal) => ({
  run: description.runId,
  folder,
  version: description.version,
  config_hash: description.configHash,
  warnings,
});

function formatReplay(run: RunJournal, changes: readonly string[], result: ReplayResult): string {
  const { steps, requests, signatures, fromMs, toMs, difference } = result;
  const span = fromMs === null || toMs === null ? 'no step was recorded' : `${utcText(fromMs)} to ${utcText(toMs)} UTC`;
  const facts = record([
    ['run', basename(run.folder)],
    ['journal', `${span}, ${endText(run)}`],
    ...run.warnings.map((warning) => ['warning', warning] as const),
    ['steps', steps],
    ['requests', requests],
    ['signatures', signatures],
    ['repeated', shareText(result)],
  ]);
  return difference === null ? facts : `${facts}\n${differenceText(difference, changes)}`;
}

function endText({ end }: RunJournal): string {
  if (end === null) return 'the journal was cut off, or the run has not ended';
  return end.stoppedEarly === null ? 'complete' : `the journal was ended before the run ended: ${end.stoppedEarly}`;
}

function shareText({ difference, steps, repeatedSteps, requests, repeatedRequests }: ReplayResult): string {
  if (difference === null) return steps === 0 ? 'the run has no step to repeat' : '100 %: every decision is the same';
  // The percentage of equal decisions is rounded down, so that a difference never shows as 100 %.
  const share = (part: number, all: number) => (all === 0 ? 0 : Math.floor((10_000 * part) / all) / 100).toFixed(2);
  return `${share(repeatedSteps, steps)} % of the steps and ${share(repeatedRequests, requests)} % of the requests are equal before the first difference`;
}

function differenceText(difference: ReplayDifference, changes: readonly string[]): string {
  const { step, timeMs, observation, what, recorded, replayed, fields } = difference;
  const time = new Date(timeMs).toISOString().slice(0, 23).replace('T', ' ');
  const list = (lines: readonly string[]) => (lines.length === 0 ? ['  nothing'] : lines.map((line) => `  ${line}`));
  const lines = [
    `The first difference is in step ${step}, ${time} UTC: ${what}.`,
    ...['observation:', `  ${observation}`],
    ...['recorded requests:', ...list(recorded), 'replayed requests:', ...list(replayed)],
    ...(fields.length === 0 ? [] : ['in particular:']),
    ...fields.map((one) => `  ${one.path}: run ${one.recorded ?? 'nothing'}, replay ${one.replayed ?? 'nothing'}`),
    ...(changes.length > 0 ? [] : [UNEXPLAINED]),
  ];
  return `${lines.join('\n').replace(/[^\P{C}\n]/gu, '?')}\n`;
}

/** Text for decisions that differ without a known change: equal code and observations must give equal decisions. */
const UNEXPLAINED =
  'Neither settings nor strategy files have changed since the run. Either the code of twinbook has changed, or a strategy depends on a hidden input such as a clock or a random number.';

/** Loads a configuration to play. A strategy file gets the run's settings and limits; a trader's file has its own. */
async function loadOther(run: RunJournal, file: string, io: CliIo): Promise<ReplayedTrader> {
  const path = resolve(io.cwd, file);
  if (!existsSync(path)) {
    const hint = "Name a strategy file or a trader's file, e.g. config/strategies/crowd-maker.yaml.";
    throw new TwinbookError('config_invalid', `--play ${file}: no such file`, hint);
  }
  const { description } = run;
  if (!isStrategyFileAt(file, io.cwd)) return traderNow(await loadConfig(file, io), description);
  const feeds = description.feeds.map(({ name }) => name);
  const loaded = await readStrategyFile(path, { limits: description.risk, feeds }, io.cwd);
  return traderWith(description, loaded === null ? [] : [withCode(loaded.config)]);
}

const parityCommand = command({
  name: 'parity',
  args: [['<run>', RUN_ARGUMENT]],
  help: 'compares a recorded run with backtests over the same time: fills, result, spread, inventory, requests',
  options: {
    latency: option.text('--latency <model>', 'constant:MS or recorded, optionally scaled by :xK (default: the run’s)'),
    seed: seedOption,
    landingMs: option.integer(
      '--landing-ms <n>',
      'time until a merge takes effect, ms',
      [0, 600_000],
      USUAL_LANDING_MS,
    ),
    ...RUN_OPTIONS,
  },
  answer: async ({ options, args: [name = ''], isJson, io }) => {
    const { run, code } = openRun(name, options, io);
    const trader = await traderThen(run.description, code);
    const { latency = null, seed, landingMs, fillModel } = options;
    const result = await backtestRun(run, { trader, latency, seed, landingMs, fillModel }, isJson, io);
    return sidesAnswer(run, result, { replay: await replayText(run, trader, code) });
  },
});

/** Replays the run: its comparison with backtests is meaningful only if every decision repeats. */
async function replayText(run: RunJournal, trader: ReplayedTrader, code: RunCode): Promise<string> {
  const { replayRun } = await import('../../lab/replay/replay.js');
  const changes = changesSince(run.description, trader).map((change) => `; ${change}`);
  try {
    const { difference } = await replayRun(run, { trader, code });
    if (difference === null) return `every decision repeats exactly${changes.join('')}`;
    return `the decisions differ from step ${difference.step} on, see \`twinbook replay\`${changes.join('')}`;
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    return `not possible: ${error.message}`;
  }
}

const formatSigned = (share: number): string => `${share > 0 ? '+' : ''}${formatPercent(share, 0)}`;

function bandRange({ lowShare, highShare }: Parity['band']): string {
  if (lowShare === null || highShare === null) return '–';
  return lowShare === highShare ? formatSigned(lowShare) : `${formatSigned(lowShare)} to ${formatSigned(highShare)}`;
}

function bandText(band: Parity['band']): string {
  const { liveFills, liveSharesMicros, errors, holds } = band;
  if (liveSharesMicros === 0) return 'Fill error: unknown, because nothing was filled live.';
  const each = errors.map(({ name, sharesShare: share }) => `${share === null ? '–' : formatSigned(share)} (${name})`);
  const verdict = holds
    ? 'The live fills lie within the band of the fill models.'
    : 'The live fills lie outside the band of the fill models.';
  return `Fill error, as a fraction of the ${formatShares(liveSharesMicros)} shares in ${count(liveFills)} live fills: ${each.join(', ')}. ${verdict}`;
}

type Asked = Omit<ParityOptions, 'fillModels' | 'progress'> & Pick<RunOptions, 'fillModel'>;

async function backtestRun(run: RunJournal, { fillModel, ...options }: Asked, isJson: boolean, io: CliIo) {
  const { runParity } = await import('../../lab/parity/parity.js');
  const { checkFillModels } = await import('../../lab/backtest/replay-driver.js');
  const fillModels = checkFillModels(fillModel ?? BRACKET);
  const line = new ProgressLine(io, isJson);
  const progress = (share: number, what: string) => line.show(share, what);
  return runParity(run, { ...options, fillModels, progress }).finally(() => line.end());
}

/** `played`: the configuration file of `--play`. `replay`, only for `parity`: text on whether the decisions repeat. */
type Compared = Readonly<{ played?: string; replay?: string }>;

type Parity = ReturnType<typeof compare>;

type ParitySide = Parity['sides'][number];
type MarketParity = Parity['markets'][number];
type ParityResult = Awaited<ReturnType<typeof runParity>>;

/** Returns the answer that shows the run beside its backtests. `parity` also shows the error of the fill models. */
function sidesAnswer(run: RunJournal, { parity, liveRun, data, latency }: ParityResult, compared: Compared) {
  const isParity = compared.replay !== undefined;
  const { fromMs, toMs } = liveRun;
  const { sides, markets, band, ...rest } = parity;
  const known: readonly Parameters<typeof record>[0][number][] = [
    ['run', basename(run.folder)],
    ['span', `${utcText(fromMs)} to ${utcText(toMs)} UTC`],
    ['journal', isParity ? (run.end === null ? 'cut off' : 'complete') : undefined],
    ['replay', compared.replay],
    ['played', compared.played],
    ...data.map((line) => ['data', line] as const),
    ['latency', latency],
  ];
  const remarks = [...run.warnings, ...parity.remarks].map((remark) => `! ${remark}`).join('\n');
  const offBy: TableColumn<MarketParity> = { title: 'off by', cell: (market) => bandRange(market.band), right: true };
  const figures: readonly TableColumn<SideLine>[] = [
    { title: '', cell: ([name]) => name },
    ...sideColumns<SideLine>(sides, ([, figure], index) => figure(sides[index] as ParitySide)),
  ];
  const shares: readonly TableColumn<MarketParity>[] = [
    { title: 'Shares filled in', cell: ({ title }) => cutText(title, 50), gives: 'cut' },
    ...sideColumns<MarketParity>(sides, (market, index) => formatShares(market.sides[index]?.sharesMicros ?? 0)),
    ...(isParity ? [offBy] : []),
  ];
  return {
    data: {
      ...makeRunRow(run),
      from_ms: fromMs,
      to_ms: toMs,
      data,
      latency,
      ...compared,
      ...(isParity ? parity : { sides, markets: markets.map(({ band: _, ...market }) => market), ...rest }),
    },
    text: (width?: number) => {
      const said = [...(isParity ? [bandText(band)] : []), remarks].map((text) => `${prose(text, width, '  ')}\n`);
      const parts = [record(known, width), table(LINES, figures, width), table(markets, shares, width), ...said];
      return parts.join('\n').replace(/[^\P{C}\n]/gu, '?');
    },
  };
}

type SideLine = readonly [name: string, figure: (side: ParitySide) => string];

const LINES: readonly SideLine[] = [
  ['Fills', ({ fills }) => count(fills)],
  ['Shares filled', ({ sharesMicros }) => formatShares(sharesMicros)],
  ['Result', ({ resultMicros }) => formatGain(resultMicros)],
  ['  spread earned', ({ spreadMicros }) => formatGain(spreadMicros)],
  ['  inventory drift', ({ driftMicros }) => formatGain(driftMicros)],
  ['  fees', ({ feesMicros }) => formatMoney(feesMicros)],
  ['Largest inventory', ({ peakInventoryMicros }) => formatShares(peakInventoryMicros)],
  ['Two-sided quotes', ({ twoSidedShare }) => formatPercent(twoSidedShare)],
  ['One-sided quotes', ({ oneSidedShare }) => formatPercent(oneSidedShare)],
  ['Orders placed', ({ ordersPlaced }) => count(ordersPlaced)],
  ['Orders canceled', ({ ordersCanceled }) => count(ordersCanceled)],
  ['Public requests', ({ publicRequests }) => (publicRequests === null ? '–' : count(publicRequests))],
  ['Signed requests', ({ signedRequests }) => (signedRequests === null ? '–' : count(signedRequests))],
];

/** Returns one table column per compared side. A narrow terminal shows only the first sides. */
const sideColumns = <Row>(
  sides: readonly ParitySide[],
  cell: (row: Row, index: number) => string,
): readonly TableColumn<Row>[] =>
  sides.map(({ name }, index) => ({ title: name, cell: (row) => cell(row, index), right: true, keep: 50 - index }));

export const addReplayCommands = all(replayCommand, parityCommand);
