/**
 * An hour of a trader with a hundred and fifty markets, on virtual time: its own scheduler, engine, risk, executor and ledger before
 * the paper exchange's core, which counts requests as the venue does. How many it refuses, and how long a book goes unseen.
 */

import { USUAL_CONDITIONS } from '../../src/lab/arena/conditions.js';
import { ChallengeScene } from '../../src/lab/arena/polled/challenge-scene.js';
import { LEAD_MS, START_MS, Stage } from '../../src/lab/arena/polled/stage.js';
import { STEP_MS } from '../../src/lab/arena/polled/stepped-scene.js';
import type { BacktestPlan } from '../../src/lab/backtest/contract.js';
import { latencyModel, readLatency } from '../../src/lab/backtest/latency.js';
import { runBacktest } from '../../src/lab/backtest/run.js';
import { micros, ONE } from '../../src/shared/base/micros.js';
import { riskLimitsSchema } from '../../src/trader/risk/limits.js';
import { USUAL_ECONOMICS } from '../../src/trader/strategy/economics.js';
import type { ParamValues } from '../../src/trader/strategy/params.js';
import { readParams } from '../../src/trader/strategy/read-params.js';
import logOddsMaker from '../../strategies/log-odds-maker.js';
import { type Bench, type BenchRow, percentile, sized } from './bench.js';
import { BENCH_PROFILE } from './bench-trader.js';

const SEED = 1;
const MARKETS = sized(150, 6);
const STEPS = sized(3600, 90);
/** What each market may lose is its own money. */
const CAPITAL_A_MARKET = 1000;

/** As `config/strategies/crowd-maker.yaml` has them. */
const PARAMS = {
  half_spread_ticks: 2,
  improve_ticks: 1,
  order_shares: '25',
  risk_aversion: 0.002,
  reduce_only_before_s: 60,
  halt_before_s: 20,
  reprice_ticks: 1,
};

function readShipped(): ParamValues {
  const { values, problems } = readParams(logOddsMaker, PARAMS);
  if (values === null) throw new Error(JSON.stringify(problems));
  return values;
}

class Looks {
  readonly #lastMs = new Map<string, number>();
  /** Between two looks at one book, from the opening on, ms. */
  readonly gapsMs: number[] = [];

  note(conditionId: string, atMs: number): void {
    this.gapsMs.push(atMs - (this.#lastMs.get(conditionId) ?? START_MS));
    this.#lastMs.set(conditionId, atMs);
  }

  /** What was not looked at until the end counts as well. */
  end(atMs: number): void {
    for (const lastMs of this.#lastMs.values()) this.gapsMs.push(atMs - lastMs);
    for (let unseen = MARKETS - this.#lastMs.size; unseen > 0; unseen--) this.gapsMs.push(atMs - START_MS);
    this.gapsMs.sort((a, b) => a - b);
  }
}

function plan(looks: Looks): BacktestPlan {
  const lastsMs = STEPS * STEP_MS;
  const limits = riskLimitsSchema.parse({
    max_open_orders: 1000,
    max_total_cost: `${CAPITAL_A_MARKET * MARKETS}`,
    max_loss_day: `${CAPITAL_A_MARKET * MARKETS}`,
    max_fills: 10_000,
    min_time_to_resolution_s: 0,
  });
  const made = new Stage({
    scene: (core) => new ChallengeScene(core, { seed: SEED, markets: MARKETS, steps: STEPS }),
    lastsMs,
    seed: SEED,
    conditions: { ...USUAL_CONDITIONS, markets: MARKETS },
  });
  const { publicPerMinute, signedPerMinute, delayMs } = USUAL_CONDITIONS;
  const rateLimits = {
    public_per_minute: publicPerMinute,
    signed_per_minute: signedPerMinute,
    bootstrap_per_minute: 10,
  };
  return {
    title: 'an hour',
    trader: {
      configHash: 'bench',
      version: 'bench',
      profile: { ...BENCH_PROFILE, rate_limits: rateLimits },
      capitalMicros: micros(CAPITAL_A_MARKET * MARKETS * ONE),
      risk: limits,
      polling: {
        ownIntervalMs: 1000,
        hotIntervalMs: 500,
        quietIntervalMs: 10_000,
        catalogIntervalMs: 60_000,
        assetsIntervalMs: 60_000,
      },
      merge: { enabled: true, minSharesMicros: micros(20 * ONE) },
      economics: USUAL_ECONOMICS,
      events: [],
      strategies: [
        {
          name: 'maker',
          module: logOddsMaker,
          params: readShipped(),
          markets: { ids: [], state: 'open', categories: [], max: MARKETS },
          quoteHours: null,
          risk: limits,
        },
      ],
    },
    sources: [],
    made,
    // Nothing here is recorded, so no model is ever asked.
    fillModel: 'risk-averse',
    latency: latencyModel(readLatency(`constant:${delayMs}`), [], SEED),
    seed: SEED,
    fees: { makerRateMicros: 0, takerRateMicros: 0 },
    landingMs: 400,
    data: [],
    onSent: ({ call }, atMs) => {
      if (call.endpoint === 'markets.book' && atMs < START_MS + LEAD_MS + lastsMs)
        looks.note(call.params.condition_id, atMs);
    },
  };
}

async function run(): Promise<readonly BenchRow[]> {
  const looks = new Looks();
  const { session } = await runBacktest(plan(looks));
  looks.end(START_MS + LEAD_MS + STEPS * STEP_MS);
  const { requests, markets } = session;
  if (requests === null) throw new Error('a backtest counts its requests');
  const figures = [requests.public, requests.signed] as const;
  const peaks = figures.map(({ peakPerMinute, limitPerMinute }) => `${peakPerMinute} of ${limitPerMinute}`);
  const quoted = markets.filter(({ quoting }) => quoting.ordersPlaced > 0).length;
  const fills = markets.reduce((sum, { fills: own }) => sum + own.length, 0);
  const seconds = (part: number) => (percentile(looks.gapsMs, part) / 1000).toFixed(0);
  const name = `hour with ${MARKETS} markets`;
  return [
    {
      name: `${name}: refused for their number (429)`,
      figure: figures.reduce((sum, { throttled }) => sum + throttled, 0),
      unit: `of ${figures.reduce((sum, { count }) => sum + count, 0)} requests`,
      spread: `in the fullest minute ${peaks.join(' public, ')} signed`,
    },
    {
      name: `${name}: longest that a book went unseen`,
      figure: (looks.gapsMs.at(-1) ?? 0) / 1000,
      unit: 's',
      spread: `p50 ${seconds(0.5)} / p99 ${seconds(0.99)}, ${looks.gapsMs.length - MARKETS} looks`,
    },
    { name: `${name}: quoted`, figure: quoted, unit: 'markets', spread: `${fills} fills` },
  ];
}

export const bench: Bench = { title: 'hour: a hundred and fifty markets within the request budget', run };
