/** From a configuration and recordings to a plan: which markets are played, and what cannot be is said. */

import type { FillModel } from '../../exchange/core/matching/fill-model.js';
import type { Recording } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Config } from '../../shell/config/types.js';
import { VERSION } from '../../shell/config/version.js';
import type { BacktestPlan, EventSource, LatencyModel } from './contract.js';
import { type LatencySpec, latencyModel, readLatency, USUAL_LATENCY } from './latency.js';

/** What a backtest shows by default: from the fewest fills that may be believed to the most. */
export const BRACKET = ['risk-averse', 'power:3', 'optimistic'] as const;

/** So many measured round trips say enough of a network. */
const MAX_ROUND_TRIPS = 20_000;

export interface PlanOptions {
  readonly fillModel: string | FillModel;
  readonly latency: LatencyModel;
  readonly seed: number;
  readonly landingMs: number;
  readonly fees: BacktestPlan['fees'];
  /** Every recorded market is offered to every strategy, whatever the strategy files select. */
  readonly allMarkets: boolean;
}

export const USUAL_LANDING_MS = 400;

/** Throws TwinbookError `config_invalid` when no strategy selects any of the recorded markets. */
export function planOf(config: Config, sources: readonly EventSource[], options: PlanOptions): BacktestPlan {
  const { allMarkets, ...given } = options;
  const strategies = config.strategies.map((strategy) =>
    allMarkets ? { ...strategy, markets: { ...strategy.markets, ids: [], categories: [] } } : strategy,
  );
  if (strategies.length === 0) {
    throw new TwinbookError('config_invalid', `${config.file} names no strategy`, 'List strategy files in it.');
  }
  const selected = sources.filter(({ market }) => strategies.some((strategy) => selects(strategy, market)));
  if (selected.length === 0) throw nothingSelected(sources, strategies);
  const { configHash, venue, capitalMicros, risk, polling, merge } = config;
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
      strategies,
    },
    sources: selected,
    data: dataLines(sources, selected),
    ...given,
  };
}

type Market = EventSource['market'];
type Strategy = Config['strategies'][number];

function selects({ markets: { ids, categories } }: Strategy, { conditionId, category }: Market): boolean {
  if (ids.length > 0) return ids.includes(conditionId);
  return categories.length === 0 || categories.includes(category);
}

function nothingSelected(sources: readonly EventSource[], strategies: readonly Strategy[]): TwinbookError {
  const wanted = strategies.map(({ name, markets: { ids, categories } }) =>
    ids.length > 0
      ? `${name} wants ${ids.length} named markets`
      : `${name} wants the categories ${categories.join(', ')}`,
  );
  const there = [...new Set(sources.map(({ market }) => market.category))].join(', ');
  return new TwinbookError(
    'config_invalid',
    `no strategy selects any of the ${sources.length} recorded markets (${there}): ${wanted.join('; ')}`,
    'Change the strategy file’s markets.select, or play every market with --all-markets.',
  );
}

function dataLines(sources: readonly EventSource[], selected: readonly EventSource[]): string[] {
  const lines = [...countBy(selected.map(({ market }) => originOf(market)))].map(
    ([origin, count]) => `${count} ${count === 1 ? 'market' : 'markets'} from ${origin}`,
  );
  const left = sources.length - selected.length;
  if (left > 0) lines.push(`${left} recorded ${left === 1 ? 'market is' : 'markets are'} not selected by any strategy`);
  return lines;
}

/** Not the path: the same data is the same result wherever it lies. */
const originOf = ({ source }: Market): string =>
  source.kind === 'twinbook' ? `a recording of ${source.origin ?? 'an unnamed venue'}` : `raw ${source.kind} files`;

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** What latencies are drawn from: plain data, so that threads can be handed it. */
export interface LatencyChoice {
  readonly spec: LatencySpec;
  readonly roundTripsMs: readonly number[];
}

/**
 * The latency model that was asked for; without a wish, what the recordings have measured, else the usual one. A model
 * draws from a sequence of its own, so each run takes a new one.
 */
export async function chooseLatency(
  wish: string | null,
  recordings: readonly Recording[],
  seed: number,
): Promise<() => LatencyModel> {
  const { spec, roundTripsMs } = await latencyChoice(wish, recordings);
  return () => latencyModel(spec, roundTripsMs, seed);
}

/** The same as data. A wish that cannot be fulfilled is a TwinbookError here, before anything runs. */
export async function latencyChoice(wish: string | null, recordings: readonly Recording[]): Promise<LatencyChoice> {
  const asked = wish === null ? null : readLatency(wish);
  if (asked?.kind === 'constant') return { spec: asked, roundTripsMs: [] };
  const roundTripsMs = await roundTrips(recordings);
  const spec = asked ?? readLatency(roundTripsMs.length > 0 ? 'recorded' : USUAL_LATENCY);
  latencyModel(spec, roundTripsMs, 0);
  return { spec, roundTripsMs };
}

async function roundTrips(recordings: readonly Recording[]): Promise<number[]> {
  const trips: number[] = [];
  for (const recording of recordings) {
    for await (const { sentMs, seenMs, outcome } of recording.polls?.() ?? []) {
      if (outcome !== 'unknown' && seenMs >= sentMs) trips.push(seenMs - sentMs);
      if (trips.length >= MAX_ROUND_TRIPS) return trips;
    }
  }
  return trips;
}
