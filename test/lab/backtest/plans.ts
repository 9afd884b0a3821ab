/** Plans for tests: the live trader's usual settings, with a given strategy. */

import type { BacktestPlan, EventSource } from '../../../src/lab/backtest/contract.js';
import { InProcessExchange } from '../../../src/lab/backtest/in-process-exchange.js';
import { LatencyModel, readLatency } from '../../../src/lab/backtest/latency.js';
import { micros } from '../../../src/shared/base/micros.js';
import type { StrategySettings } from '../../../src/trader/engine/settings.js';
import type { MarketView } from '../../../src/trader/market/view.js';
import { riskLimitsSchema } from '../../../src/trader/risk/limits.js';
import {
  defineStrategy,
  NO_QUOTES,
  type Quotes,
  type Strategy,
  type StrategyEvent,
} from '../../../src/trader/strategy/contract.js';
import { USUAL_ECONOMICS } from '../../../src/trader/strategy/economics.js';
import logOddsMaker from '../../../strategies/log-odds-maker.js';
import { PROFILE } from '../../simulation/setting.js';
import { POLLING } from '../../trader/scheduler/world.js';
import { paramsFor } from '../../trader/strategy/fixtures.js';

export const LIMITS = riskLimitsSchema.parse({ max_loss_day: '500', max_drawdown: '500', min_time_to_resolution_s: 0 });

/** An exchange as a backtest has it. */
export function exchangeOf(fillModel: string, nowMs: number): InProcessExchange {
  const lifetimes = { draftLifetimeMs: 30_000, landingMs: 400, challengeLifetimeMs: 600_000 };
  const settings = { serviceName: 'SVC', ...lifetimes, seed: 3, startingFunds: micros(1_000_000_000), fillModel };
  const limits = { public_per_minute: 1e6, signed_per_minute: 1e6, bootstrap_per_minute: 10 };
  return new InProcessExchange(settings, limits, nowMs, () => undefined);
}

interface Bidding {
  readonly price: number;
  readonly fairPrice: number;
  /** Unix ms. */
  readonly fromMs?: number;
}

/** Bids for ten shares at one price until it holds them, and never moves the order. */
export const bidder = ({ price, fairPrice, fromMs = 0 }: Bidding): Strategy =>
  defineStrategy({
    name: 'bidder',
    summary: 'One bid that stays.',
    params: {},
    create: () => ({
      quote: (view) => {
        const left = 10_000_000 - view.inventory.yesMicros;
        if (view.nowMs < fromMs || left < 1_000_000) return NO_QUOTES('waits, or holds ten');
        const bid = { priceMicros: micros(price * 1_000_000), amountMicros: micros(left) };
        return { ...NO_QUOTES('one bid'), bids: [bid], fairMicros: micros(fairPrice * 1_000_000) };
      },
    }),
  });

/** A strategy that records its views and events, and returns the given quotes. */
export function watcher(quotes: (view: MarketView) => Quotes = () => NO_QUOTES('only looks')) {
  const seen: MarketView[] = [];
  const events: StrategyEvent[] = [];
  const quote = (view: MarketView) => {
    seen.push(view);
    return quotes(view);
  };
  const create = () => ({ quote, observe: (event: StrategyEvent) => void events.push(event) });
  return { seen, events, strategy: defineStrategy({ name: 'watcher', summary: 'Looks.', params: {}, create }) };
}

interface PlanChanges {
  readonly strategy?: Strategy;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly fillModel?: string;
  readonly latency?: string;
  readonly seed?: number;
  readonly fees?: BacktestPlan['fees'];
  readonly quoteHours?: string;
}

export function plan(sources: readonly EventSource[], changes: PlanChanges = {}): BacktestPlan {
  const {
    strategy = logOddsMaker,
    params = { half_spread_ticks: 1, improve_ticks: 0, order_shares: '10' },
    seed = 1,
  } = changes;
  const settings: StrategySettings = {
    name: 'tested',
    module: strategy,
    params: paramsFor(strategy, params),
    markets: { ids: [], state: 'open', categories: [], max: 20 },
    quoteHours: changes.quoteHours ?? null,
    risk: LIMITS,
  };
  return {
    title: 'a test',
    trader: {
      configHash: 'test',
      version: '0',
      profile: PROFILE,
      capitalMicros: micros(1_000_000_000),
      risk: LIMITS,
      polling: POLLING,
      merge: { enabled: true, minSharesMicros: micros(20_000_000) },
      economics: USUAL_ECONOMICS,
      events: [],
      strategies: [settings],
    },
    sources,
    fillModel: changes.fillModel ?? 'risk-averse',
    latency: new LatencyModel({ spec: readLatency(changes.latency ?? 'constant:100'), roundTripsMs: [] }, seed),
    seed,
    fees: changes.fees ?? { makerRateMicros: 0, takerRateMicros: 0 },
    landingMs: 400,
    data: ['a market by hand'],
  };
}
