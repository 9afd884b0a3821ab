/** Command `twinbook backtest`: runs strategy files over recordings, under several fill models. */

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { AFTER_HALT } from '../../lab/backtest/contract.js';
import { FEE_NAMES } from '../../lab/backtest/fees.js';
import { USUAL_LATENCY } from '../../lab/backtest/latency.js';
import { BRACKET, type readFeedData, USUAL_LANDING_MS } from '../../lab/backtest/plan.js';
import { boundHeapGrowth } from '../../shared/base/processes.js';
import type { Config } from '../../shell/config/config.js';
import { loadConfig } from '../../shell/config/load.js';
import { FEED_NAME } from '../../trader/strategy/read-params.js';
import { command, resolveData } from '../command.js';
import { ProgressLine, writeWhole } from '../io.js';
import * as option from '../options.js';

type FeedChoice = Parameters<typeof readFeedData>[0]['choices'][number];

const feeOption = (who: string): option.OptionRow<number> =>
  option.usual(`--${who}-fee <rate>`, `${who} fee if none is recorded, a fraction of traded value`, 0, feeRate, '0');

export const seedOption = option.integer('--seed <n>', 'seed of simulated latencies and ids', [0, 2 ** 32 - 1], 1);
export const DATA = ['--data <path...>', 'folders or files of recordings, in Twinbook’s format or raw'] as const;

export const PLAY_OPTIONS = {
  latency: option.text(
    '--latency <model>',
    `latency of requests: constant:MS or recorded, optionally scaled by :xK (default: recorded if measured, else ${USUAL_LATENCY})`,
  ),
  seed: seedOption,
  fees: option.text('--fees <name>', `fees if a recording has none: ${FEE_NAMES.join(', ')}`, 'makerFee', 'takerFee'),
  makerFee: feeOption('maker'),
  takerFee: feeOption('taker'),
  landingMs: option.integer(
    '--landing-ms <n>',
    `time until a merge takes effect, ms (default: exchange.landing_ms of the configuration, else ${USUAL_LANDING_MS})`,
    [0, 600_000],
  ),
  feed: option.repeated(
    '--feed <name=file...>',
    'values of a feed: a CSV or JSONL file as in docs/feeds.md; NAME without a file plays recorded values',
    feedChoice,
  ),
  feedDelay: option.integer(
    '--feed-delay <ms>',
    'delay from the time of a row in a feed file until a strategy receives the row, ms (default: the delay of a live trader)',
    [0, 3_600_000],
  ),
  allMarkets: option.flag('--all-markets', 'offer all recorded markets to all strategies, whatever their files select'),
};

type PlayFlags = option.OptionValues<typeof PLAY_OPTIONS>;

export const fillModelOption = (usual: readonly string[]): option.OptionRow<readonly string[] | undefined> =>
  option.read(
    '--fill-model <names>',
    `fill models, separated by commas, from the most to the least pessimistic, e.g. trade-through,power:2 (default: ${usual.join(',')})`,
    (text) => text.split(',').map((name) => name.trim()),
  );

const MAX_REPEATS = 1_000;

export const addBacktestCommand = command({
  name: 'backtest',
  help: 'runs strategy files over recordings, with the live trader’s own code on a virtual clock',
  config: 'file',
  options: {
    data: option.requiredList(...DATA),
    ...PLAY_OPTIONS,
    fillModel: fillModelOption(BRACKET),
    repeat: option.integer(
      '--repeat <n>',
      'number of runs of each backtest, with random phases of polls and latencies; shows mean and spread of the results',
      [1, MAX_REPEATS],
      1,
    ),
    afterHalt: option.choice(
      '--after-halt <what>',
      'action after a limit halts the trader: resume with the next event or day, or end as a live trader does',
      AFTER_HALT,
      'resume',
    ),
    workers: option.integer(
      '--workers <n>',
      'number of threads, at most one for each fill model',
      [1, 256],
      undefined,
      'number of cores if the recordings are long and in Twinbook’s format, else 1',
    ),
    report: option.text('--report <file>', 'path of the report to write, a single HTML file'),
  },
  answer: async ({ options, file, isJson, io }) => {
    boundHeapGrowth();
    const choices = resolveFeedChoices(options, io.cwd);
    const feeds = choices.map(({ name }) => name);
    const config = await loadConfig(file, { ...io, strategyFileToo: true, feeds });
    const line = new ProgressLine(io, isJson);
    const { latency, fees: feeCurve, feedDelay: feedDelayMs, repeat, afterHalt, report } = options;
    const fillModels = options.fillModel ?? BRACKET;
    const data = resolveData(options.data, io);
    const rules = { ...planOptions(options, config), latency, feeCurve, feedDelayMs, repeat, afterHalt };
    const asked = { ...rules, data, feeds: Object.fromEntries(choices.map(({ name, path }) => [name, path])) };
    const progress = (share: number, name: string) => line.show(share, name);
    const workers = options.workers ?? (await usualWorkers(asked.data, repeat));
    const { backtestOf } = await import('../../lab/backtest/backtest.js');
    const { checkFillModels } = await import('../../lab/backtest/replay-driver.js');
    const { backtestOnThreads } = await import('../../lab/backtest/threads/pool.js');
    // The environment is copied, because the process's own environment cannot be passed to a thread.
    const source = { file: resolve(io.cwd, file), env: { ...io.env }, cwd: io.cwd, feeds };
    const onThreads = { source, configHash: config.configHash, options: asked, workers, progress };
    const results =
      Math.min(workers, fillModels.length) < 2
        ? await backtestOf(config, { ...asked, fillModels, progress })
        : await backtestOnThreads({ ...onThreads, fillModels: checkFillModels(fillModels) });
    line.end();
    const { summaryTable } = await import('../../lab/report/summary.js');
    const analyses = results.map(({ analysis }) => analysis);
    if (report !== undefined) {
      const { reportHtml } = await import('../../lab/report/html/report-html.js');
      writeWhole(resolve(io.cwd, report), reportHtml({ sessions: results.map(({ session }) => session) }, analyses));
    }
    return {
      data: results.map(({ analysis, events, traceHash }) => ({ ...analysis, events, traceHash })),
      text: (width) => `${summaryTable(analyses, width)}${report === undefined ? '' : `report: ${report}\n`}`,
    };
  },
});

function feedChoice(text: string, before: readonly FeedChoice[]): FeedChoice {
  const [, name = '', path = ''] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
  if (!FEED_NAME.test(name)) throw new InvalidArgumentError('Wanted NAME=FILE, with NAME in lower case with dashes.');
  if (before.some((other) => other.name === name)) throw new InvalidArgumentError(`The feed ${name} is given twice.`);
  return { name, path: path === '' ? null : path };
}

export const resolveFeedChoices = ({ feed }: Pick<PlayFlags, 'feed'>, cwd: string): readonly FeedChoice[] =>
  feed.map(({ name, path }) => ({ name, path: path && resolve(cwd, path) }));

function feeRate(text: string): number {
  const micros = /^0(\.\d{1,6})?$/.test(text) ? Math.round(Number(text) * 1_000_000) : Number.NaN;
  if (!(micros >= 0)) throw new InvalidArgumentError('Wanted a fraction of the value, 0 to 0.999999, such as 0.01.');
  return micros;
}

/** Returns the default number of threads: one for raw recordings, because each thread would decode them again. */
async function usualWorkers(paths: readonly string[], repeat: number): Promise<number> {
  const { openRecordings } = await import('../../recording/recording.js');
  let events = 0;
  for (const { summary } of await openRecordings(paths)) {
    if (summary === undefined) return 1;
    events += Object.values(summary.events).reduce((sum, count) => sum + count, 0);
  }
  // Threads pay off only for many events: each thread must compile the program and read the recordings.
  return events * repeat < 1_000_000 ? 1 : availableParallelism();
}

export const planOptions = ({ seed, landingMs, makerFee, takerFee, allMarkets }: PlayFlags, config: Config) => ({
  seed,
  landingMs: landingMs ?? config.exchange?.landingMs ?? USUAL_LANDING_MS,
  fees: { makerRateMicros: makerFee, takerRateMicros: takerFee },
  allMarkets: allMarkets === true,
});
