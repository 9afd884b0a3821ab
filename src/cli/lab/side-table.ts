/** A recorded run beside backtests over its span. */

import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { BRACKET } from '../../lab/backtest/plan.js';
import type { MarketParity, Parity, Side } from '../../lab/parity/comparison.js';
import type { ParityOptions, ParityResult } from '../../lab/parity/parity.js';
import type { ReplayedTrader } from '../../lab/replay/replay.js';
import { RunCode } from '../../lab/replay/run-code.js';
import { count, formatGain, formatMoney, formatPercent, formatShares } from '../../lab/report/figures.js';
import { utcText } from '../../shared/base/utc-text.js';
import { loadConfig, loadTraderConfig } from '../../shell/config/load.js';
import { findRun, RUN_FILE, type RunJournal, readRun } from '../../shell/journal/runs.js';
import { changedCode, text, type Values } from '../command.js';
import { type CliIo, DEFAULT_CONFIG, defaultConfig } from '../output/io.js';
import { type Column, prose, record, table } from '../output/table.js';
import { resolveFillModels } from './backtest.js';
import { ProgressLine } from './progress.js';

export async function backtestRun(
  run: RunJournal,
  options: Omit<ParityOptions, 'fillModels' | 'progress'>,
  fillModel: readonly string[] | undefined,
  isJson: boolean,
  io: CliIo,
): Promise<ParityResult> {
  const { runParity } = await import('../../lab/parity/parity.js');
  const { checkFillModels } = await import('../../lab/backtest/sources.js');
  const fillModels = checkFillModels(resolveFillModels(fillModel, BRACKET, io.cwd));
  const line = new ProgressLine(io, isJson);
  const progress = (share: number, what: string) => line.show(share, what);
  return runParity(run, { ...options, fillModels, progress }).finally(() => line.end());
}

type Facts = readonly (readonly [name: string, value: string])[];

interface SidesWords {
  /** Text after the span's times. */
  readonly span?: string;
  /** Facts before and after the played part. */
  readonly before?: Facts;
  readonly after?: Facts;
  /** Per market, after those of the sides. */
  readonly columns?: readonly Column<MarketParity>[];
  /** A paragraph before the remarks. */
  readonly verdict?: string;
}

export function sidesText(
  { folder, warnings }: RunJournal,
  { parity, liveRun, data, latency }: ParityResult,
  { span = '', before = [], after = [], columns = [], verdict }: SidesWords,
  width?: number,
): string {
  const facts: Facts = [
    ['run', basename(folder)],
    ['span', `${utcText(liveRun.fromMs)} to ${utcText(liveRun.toMs)} UTC${span}`],
    ...before,
    ...data.map((line) => ['data', line] as const),
    ['latency', latency],
    ...after,
  ];
  const remarks = [...warnings, ...parity.remarks].map((remark) => `! ${remark}`).join('\n');
  const said = [...(verdict === undefined ? [] : [verdict]), remarks].map((text) => `${prose(text, width, '  ')}\n`);
  const parts = [record(facts, width), sideTable(parity, width), marketTable(parity, columns, width), ...said];
  return parts.join('\n').replace(/[^\P{C}\n]/gu, '?');
}

type Line = readonly [name: string, figure: (side: Side) => string];

const LINES: readonly Line[] = [
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

/** One column per side; the first ones if a narrow terminal lacks room. */
function sideTable({ sides }: Pick<Parity, 'sides'>, width?: number): string {
  const columns: Column<Line>[] = [
    { title: '', cell: ([name]) => name },
    ...sides.map(
      (side, i): Column<Line> => ({
        title: side.name,
        cell: ([, figure]) => figure(side),
        right: true,
        keep: 50 - i,
      }),
    ),
  ];
  return table(LINES, columns, width);
}

/** Filled shares by market; `more`: columns after those of the sides. */
function marketTable({ markets, sides }: Parity, more: readonly Column<MarketParity>[], width?: number): string {
  const columns: Column<MarketParity>[] = [
    {
      title: 'Shares filled in',
      cell: ({ title }) => (title.length > 50 ? `${title.slice(0, 49)}…` : title),
      gives: 'cut',
    },
    ...sides.map(
      ({ name }, index): Column<MarketParity> => ({
        title: name,
        cell: (market) => formatShares(market.sides[index]?.sharesMicros ?? 0),
        right: true,
        keep: 50 - index,
      }),
    ),
    ...more,
  ];
  return table(markets, columns, width);
}

export const RUN_ARGUMENT =
  'a run in journal.dir of the configuration (`last`, or the beginning of its id), or its folder';

export const RUN_OPTIONS = {
  config: text(
    '-c, --config <file>',
    `the trader's configuration file (default: ${DEFAULT_CONFIG}; of a folder, the file that the run was started with, without code of its user)`,
  ),
  acceptChangedCode: changedCode,
};

type RunFlags = Values<typeof RUN_OPTIONS>;

/** The named run; without a configuration if the run's folder itself is named. */
export function openRun(name: string, config: string | undefined, io: CliIo): RunJournal {
  if (isFolder(name, io)) return readRun(resolve(io.cwd, name));
  const { journal } = loadTraderConfig(config ?? defaultConfig(io.cwd), io);
  return readRun(findRun(name, journal.dir, io.cwd));
}

const isFolder = (name: string, io: CliIo): boolean => existsSync(join(resolve(io.cwd, name), RUN_FILE));

/** User code comes from files that the operator names: a run's folder may be foreign. */
export function makeRunCode(name: string, { config, acceptChangedCode }: RunFlags, io: CliIo): RunCode {
  const file = config ?? (isFolder(name, io) ? null : defaultConfig(io.cwd));
  return new RunCode({
    loadFiles: file === null ? null : () => loadConfig(file, io),
    acceptsChanged: acceptChangedCode === true,
  });
}

export async function traderOfNow(
  run: RunJournal,
  name: string,
  config: string | undefined,
  io: CliIo,
): Promise<ReplayedTrader> {
  const { traderNow } = await import('../../lab/replay/run-settings.js');
  if (config === undefined && isFolder(name, io)) {
    const other = () => 'the run names this file, and only code that you name with -c FILE is run';
    return traderNow(await loadConfig(run.description.configFile, { ...io, code: { other } }), run.description);
  }
  return traderNow(await loadConfig(config ?? defaultConfig(io.cwd), io), run.description);
}
