import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { RecordedFeedValue, RecordedMarket, Recording } from '../../recording/contract.js';
import { TwinbookError, unreadable } from '../../shared/base/errors.js';
import type { FeedValue } from '../../shared/protocol/seam.js';
import type { Config, FeedConfig, StrategyConfig } from '../../shell/config/config.js';
import { VERSION } from '../../shell/config/shipped.js';
import { FileRows, readRow, TOGETHER_MS } from '../../shell/feeds/inbox.js';
import { isWanted } from '../../trader/engine/market-worth.js';
import type { FeedSettings, StrategySettings } from '../../trader/engine/settings.js';
import { groupBy } from '../report/analysis/split.js';
import { count, formatQuantity } from '../report/figures.js';
import type { BacktestPlan, EventSource } from './contract.js';

const USUAL_EVERY_MS = 1_000;
/** Default maximum age of a feed value that strategies see, ms. */
export const USUAL_MAX_AGE_MS = 60_000;
/** Maximum number of feed values, about 1 GB in memory. */
const MOST_VALUES = 5_000_000;

type FeedChoice = Readonly<{ name: string; path: string | null }>;

interface FeedQuestion {
  readonly config: Pick<Config, 'feeds'>;
  readonly recordings: readonly Recording[];
  readonly choices: readonly FeedChoice[];
  /** Delay from the time in a feed file's row until the trader gets the value, ms; null: the delay of a live trader. */
  readonly delayMs: number | null;
}

type FeedData = Awaited<ReturnType<typeof readFeedData>>;

export async function readFeedData(question: FeedQuestion) {
  const { config, choices, recordings } = question;
  const added = choices.filter(({ name }) => !config.feeds.some((feed) => feed.name === name));
  const settings = [
    ...config.feeds.map(({ name, maxAgeMs }) => ({ name, maxAgeMs })),
    ...added.map(({ name }) => ({ name, maxAgeMs: USUAL_MAX_AGE_MS })),
  ];
  const files = choices.flatMap(({ name, path }) => (path === null ? [] : [fileValues(name, path, question)]));
  const wanted = new Set(settings.map(({ name }) => name));
  for (const { name } of files) wanted.delete(name);
  const recorded = wanted.size === 0 ? [] : await recordedValues(recordings, wanted);
  const values = [...files.flatMap((file) => file.values), ...recorded];
  requireRoom(values);
  const recordedLines = [...wanted].flatMap((name) => {
    const own = recorded.filter(({ feed }) => feed === name);
    return own.length === 0 ? [] : [`feed ${name}: ${valuesText(own)}, from the recordings`];
  });
  return {
    settings,
    values: values.sort((a, b) => a.timeMs - b.timeMs),
    lines: [...files.map(({ line }) => line), ...recordedLines],
    warnings: files.flatMap(({ warnings }) => warnings),
  };
}

export function silentFeeds(settings: readonly FeedSettings[], values: readonly RecordedFeedValue[]) {
  const heard = new Set(values.map(({ feed }) => feed));
  return settings
    .filter(({ name }) => !heard.has(name))
    .map(({ name }) => `feed ${name} has no value for these markets: strategies that need it do not quote`);
}

async function recordedValues(recordings: readonly Recording[], wanted: ReadonlySet<string>) {
  const values: RecordedFeedValue[] = [];
  for (const recording of recordings) {
    if (recording.feedValues === undefined) continue;
    for await (const value of recording.feedValues()) if (wanted.has(value.feed)) values.push(value);
    requireRoom(values);
  }
  return values;
}

function requireRoom({ length }: readonly RecordedFeedValue[]): void {
  if (length <= MOST_VALUES) return;
  const hint = 'Play fewer markets or days at a time, or give a file with fewer rows.';
  throw new TwinbookError('usage', `feeds have more than ${count(MOST_VALUES)} values`, hint);
}

const valuesText = (values: readonly RecordedFeedValue[]): string => {
  const markets = new Set(values.map(({ value }) => value.conditionId)).size;
  return `${formatQuantity(values.length, 'value')} of ${formatQuantity(markets, 'market')}`;
};

function fileValues(name: string, path: string, { config, delayMs }: FeedQuestion) {
  const waitMs = delayMs ?? usualDelayMs(config.feeds.find((feed) => feed.name === name));
  const { rows, problems } = readRows(path);
  // The trader gets feed values in whole batches, as a live trader does.
  const knownMs = (atMs: number) => Math.ceil((atMs + waitMs) / TOGETHER_MS) * TOGETHER_MS;
  const values = rows.map((value) => ({ feed: name, timeMs: knownMs(value.atMs), value }));
  if (values.length === 0) {
    const [problem = 'the file is empty'] = [...problems.values()].map(({ text }) => text);
    const hint = 'docs/feeds.md describes the format of a row.';
    throw new TwinbookError('usage', `${path} contains no valid feed row: ${problem}`, hint);
  }
  const left = [...problems.values()].map(
    ({ text, count: times }) => `feed ${name}: ${formatQuantity(times, 'row')} left out: ${text}`,
  );
  const line = `feed ${name}: ${valuesText(values)} from ${basename(path)}, each visible to strategies ${waitMs / 1000} s after its time`;
  return { name, values, line, warnings: left };
}

const usualDelayMs = (feed: FeedConfig | undefined): number =>
  TOGETHER_MS + (feed === undefined ? USUAL_EVERY_MS : feed.kind === 'child' ? 0 : feed.everyMs);

function readRows(path: string) {
  const problems = new Map<string, { readonly text: string; readonly count: number }>();
  const lines = new FileRows(path);
  const rows: FeedValue[] = [];
  for (const line of readText(path).split('\n')) {
    const read = lines.read(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (read === null) continue;
    // The live limit on future times of feed values does not apply here, because a backtest plays the past.
    const row = 'problem' in read ? read.problem : readRow(read.row, Number.POSITIVE_INFINITY);
    if ('kind' in row) {
      const known = problems.get(row.kind) ?? { text: row.text, count: 0 };
      problems.set(row.kind, { ...known, count: known.count + 1 });
    } else rows.push(row);
  }
  return { rows, problems };
}

function readText(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    const hint = 'Check the path and the permissions of the file that `--feed` names.';
    throw unreadable(`cannot read the feed ${path}`, cause, hint);
  }
}

/** Default fill models, fewest fills first. `posts-only` and `risk-averse` differ only for crossing orders. */
export const BRACKET = ['posts-only', 'trade-through', 'risk-averse', 'power:3', 'optimistic'] as const;

export interface PlanOptions
  extends Pick<
    BacktestPlan,
    'fillModel' | 'latency' | 'seed' | 'landingMs' | 'fees' | 'feeCurve' | 'afterHalt' | 'phaseMs'
  > {
  readonly allMarkets: boolean;
  readonly feedData?: FeedData | undefined;
}

export const USUAL_LANDING_MS = 400;

/** Plans one backtest. Throws TwinbookError `config_invalid` if no strategy selects any recorded market. */
export function makePlan(config: Config, sources: readonly EventSource[], options: PlanOptions): BacktestPlan {
  const { allMarkets, feedData, ...given } = options;
  const unfiltered = { ids: [], categories: [], words: [], withoutWords: [], except: [] };
  const strategies = config.strategies.map((strategy) =>
    allMarkets ? { ...strategy, markets: { ...strategy.markets, ...unfiltered } } : strategy,
  );
  if (strategies.length === 0)
    throw new TwinbookError('config_invalid', `${config.file} lists no strategy`, 'List strategy files in that file.');
  const selected = sources.filter(({ market }) => strategies.some((strategy) => isSelected(strategy, market)));
  if (selected.length === 0) throw nothingSelected(sources, strategies);
  const feeds = feedData?.settings ?? config.feeds;
  const played = new Set(selected.map(({ market }) => market.conditionId));
  const feedValues = (feedData?.values ?? []).filter(({ value }) => played.has(value.conditionId));
  return {
    title: strategies.map(({ name }) => name).join(', '),
    trader: { ...config, version: VERSION, profile: config.venue.profile, feeds, strategies },
    sources: selected,
    data: [...dataLines(sources, selected), ...(feedData?.lines ?? [])],
    feedValues,
    warnings: [...(feedData?.warnings ?? []), ...silentFeeds(feeds, feedValues)],
    ...given,
  };
}

export const isSelected = ({ markets }: Pick<StrategySettings, 'markets'>, market: RecordedMarket): boolean =>
  markets.ids.length > 0 ? markets.ids.includes(market.conditionId) : isWanted(markets, market);

function filterText({ categories, words = [], withoutWords = [] }: StrategyConfig['markets']): string {
  return [
    categories.length === 0 ? 'any category' : `the categories ${categories.join(', ')}`,
    ...(words.length === 0 ? [] : [`titles with ${words.join(' or ')}`]),
    ...(withoutWords.length === 0 ? [] : [`titles without ${withoutWords.join(' or ')}`]),
  ].join(', ');
}

function nothingSelected(sources: readonly EventSource[], strategies: readonly StrategyConfig[]): TwinbookError {
  const wanted = strategies.map(({ name, markets }) =>
    markets.ids.length > 0
      ? `${name} selects ${markets.ids.length} markets by id`
      : `${name} selects ${filterText(markets)}`,
  );
  const there = [...new Set(sources.map(({ market }) => market.category))].join(', ');
  const hint = 'Change the strategy file’s markets.select, or play every market with --all-markets.';
  const text = `no strategy selects any of the ${sources.length} recorded markets (${there}): ${wanted.join('; ')}`;
  return new TwinbookError('config_invalid', text, hint);
}

function dataLines(sources: readonly EventSource[], selected: readonly EventSource[]): string[] {
  const origins = groupBy(selected, ({ market }) => describeOrigin(market));
  const lines = [...origins].map(([origin, own]) => `${formatQuantity(own.length, 'market')} from ${origin}`);
  const left = sources.length - selected.length;
  if (left > 0) lines.push(`${left} recorded ${left === 1 ? 'market is' : 'markets are'} not selected by any strategy`);
  return lines;
}

/** Describes the source of a market without its path, so that equal data gives equal reports in any folder. */
const describeOrigin = ({ source }: RecordedMarket): string =>
  source.kind === 'twinbook' ? `a recording of ${source.origin ?? 'an unnamed venue'}` : `raw ${source.kind} files`;
