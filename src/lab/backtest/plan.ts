/** Builds a plan from a configuration and recordings: the played markets, and reasons for the others. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { Config } from '../../shell/config/config.js';
import { VERSION } from '../../shell/config/shipped.js';
import { isWanted } from '../../trader/engine/selection/rules.js';
import type { StrategySettings } from '../../trader/engine/settings.js';
import type { BacktestPlan, EventSource } from './contract.js';
import { type FeedData, silentFeeds } from './feeds/feed-values.js';

/**
 * Default models: the rule for crossings varied (first against third), then the queue, from the fewest credible fills
 * to the most.
 */
export const BRACKET = ['posts-only', 'trade-through', 'risk-averse', 'power:3', 'optimistic'] as const;

export interface PlanOptions
  extends Pick<
    BacktestPlan,
    'fillModel' | 'latency' | 'seed' | 'landingMs' | 'fees' | 'feeCurve' | 'afterHalt' | 'phaseMs'
  > {
  /** Offers every recorded market to every strategy, whatever its file selects. */
  readonly allMarkets: boolean;
  /** Feed values; absent: the configuration's feeds have none. */
  readonly feedData?: FeedData | undefined;
}

export const USUAL_LANDING_MS = 400;

/** Throws TwinbookError `config_invalid` when no strategy selects any recorded market. */
export function makePlan(config: Config, sources: readonly EventSource[], options: PlanOptions): BacktestPlan {
  const { allMarkets, feedData, ...given } = options;
  const strategies = config.strategies.map((strategy) =>
    allMarkets
      ? {
          ...strategy,
          markets: { ...strategy.markets, ids: [], categories: [], words: [], withoutWords: [], except: [] },
        }
      : strategy,
  );
  if (strategies.length === 0) {
    throw new TwinbookError('config_invalid', `${config.file} names no strategy`, 'List strategy files in it.');
  }
  const selected = sources.filter(({ market }) => strategies.some((strategy) => isSelected(strategy, market)));
  if (selected.length === 0) throw nothingSelected(sources, strategies);
  const { configHash, venue, capitalMicros, risk, polling, merge, economics, events } = config;
  const { feeds, feedValues, warnings, lines } = pickFeeds(config, selected, feedData);
  return {
    title: strategies.map(({ name }) => name).join(', '),
    trader: {
      configHash,
      version: VERSION,
      profile: venue.profile,
      capitalMicros,
      risk,
      polling,
      merge,
      economics,
      events,
      feeds,
      strategies,
    },
    sources: selected,
    data: [...dataLines(sources, selected), ...lines],
    feedValues,
    warnings,
    ...given,
  };
}

/** Values of markets that are not played are dropped. */
function pickFeeds(config: Config, selected: readonly EventSource[], data: FeedData | undefined) {
  const feeds = data?.settings ?? config.feeds;
  const played = new Set(selected.map(({ market }) => market.conditionId));
  const feedValues = (data?.values ?? []).filter(({ value }) => played.has(value.conditionId));
  const warnings = [...(data?.warnings ?? []), ...silentFeeds(feeds, feedValues)];
  return { feeds, feedValues, warnings, lines: data?.lines ?? [] };
}

type Market = EventSource['market'];
type Strategy = Config['strategies'][number];

export function isSelected({ markets }: Pick<StrategySettings, 'markets'>, market: Market): boolean {
  return markets.ids.length > 0 ? markets.ids.includes(market.conditionId) : isWanted(markets, market);
}

function filterText({ categories, words = [], withoutWords = [] }: Strategy['markets']): string {
  const parts = [
    categories.length === 0 ? 'any category' : `the categories ${categories.join(', ')}`,
    ...(words.length === 0 ? [] : [`titles with ${words.join(' or ')}`]),
    ...(withoutWords.length === 0 ? [] : [`none with ${withoutWords.join(' or ')}`]),
  ];
  return parts.join(', ');
}

function nothingSelected(sources: readonly EventSource[], strategies: readonly Strategy[]): TwinbookError {
  const wanted = strategies.map(({ name, markets }) =>
    markets.ids.length > 0
      ? `${name} wants ${markets.ids.length} named markets`
      : `${name} wants ${filterText(markets)}`,
  );
  const there = [...new Set(sources.map(({ market }) => market.category))].join(', ');
  return new TwinbookError(
    'config_invalid',
    `no strategy selects any of the ${sources.length} recorded markets (${there}): ${wanted.join('; ')}`,
    'Change the strategy file’s markets.select, or play every market with --all-markets.',
  );
}

function dataLines(sources: readonly EventSource[], selected: readonly EventSource[]): string[] {
  const origins = selected.map(({ market }) => describeOrigin(market));
  const lines = [...new Set(origins)].map((origin) => {
    const count = origins.filter((other) => other === origin).length;
    return `${count} ${count === 1 ? 'market' : 'markets'} from ${origin}`;
  });
  const left = sources.length - selected.length;
  if (left > 0) lines.push(`${left} recorded ${left === 1 ? 'market is' : 'markets are'} not selected by any strategy`);
  return lines;
}

/** Without the path: equal data gives equal results in any folder. */
const describeOrigin = ({ source }: Market): string =>
  source.kind === 'twinbook' ? `a recording of ${source.origin ?? 'an unnamed venue'}` : `raw ${source.kind} files`;
