/** One simulation with the whole trader: its scheduler, engine, risk, executor and ledger, on a virtual clock. */

import { type Micros, micros, minMicros, ONE } from '../../../shared/base/micros.js';
import { VERSION } from '../../../shell/config/shipped.js';
import type { Snapshot } from '../../../trader/engine/snapshot.js';
import type { RiskLimits } from '../../../trader/risk/limits.js';
import { feedsNamed } from '../../../trader/strategy/read-params.js';
import type { BacktestPlan } from '../../backtest/contract.js';
import { latencyModel, readLatency } from '../../backtest/latency.js';
import { USUAL_LANDING_MS } from '../../backtest/plan.js';
import { runBacktest } from '../../backtest/run.js';
import type { SessionRecord } from '../../session/contract.js';
import { findBroken } from '../../sweep/task.js';
import type { Entrant, SimulationResult } from '../contract.js';
import { Stage, type StagePlan } from './stage.js';

/** Currency per market for a single strategy file, and its maximum shares there: the challenge's own. */
const CAPITAL_A_MARKET = 1000;
const POSITION_A_MARKET = 3000;

/** Older values are hidden from strategies: the default of a trader's file. */
const FEED_AGE_MS = 60_000;

export interface TraderRun extends Pick<StagePlan, 'seed' | 'conditions' | 'lastsMs' | 'scene'> {
  readonly entrant: Entrant;
  readonly markets: number;
  /** Maximum day limit; a halt then stays. Absent: as in `moneyFor`, and a halt ends with the next event. */
  readonly maxLossDayMicros?: Micros;
}

export async function runTrader(run: TraderRun): Promise<SimulationResult> {
  const { module, params } = run.entrant;
  let snapshot: (() => Snapshot) | null = null;
  let reported: number | null = null;
  const onClosing = () => {
    const result = snapshot?.().resultMicros ?? null;
    reported = result === null ? null : result / ONE;
  };
  const stage = new Stage({ ...run, feeds: feedsNamed(module.params, params), onClosing });
  const onStart: BacktestPlan['onStart'] = (take) => {
    snapshot = take;
  };
  const { session } = await runBacktest({ ...planFor(run, stage), onStart });
  const { requests, markets, halts } = session;
  const sumFigure = (figure: (market: SessionRecord['markets'][number]) => number): number =>
    markets.reduce((sum, market) => sum + figure(market), 0);
  return {
    seed: run.seed,
    ...stage.judge.figures(),
    actions: sumFigure(({ quoting }) => quoting.ordersPlaced + quoting.ordersCanceled),
    requests: requests === null ? null : requests.public.count + requests.signed.count,
    halts: halts.length,
    reported,
    outcome: null,
    failure: findBroken(session),
  };
}

function planFor({ seed, entrant, conditions, markets, maxLossDayMicros }: TraderRun, made: Stage): BacktestPlan {
  const { config, ...own } = entrant;
  const { venue, polling, merge, economics, configHash } = config;
  const { capitalMicros, risk, ownRisk } = moneyFor(entrant, markets);
  const bound = (limits: RiskLimits): RiskLimits =>
    maxLossDayMicros === undefined
      ? limits
      : { ...limits, maxLossDayMicros: minMicros(limits.maxLossDayMicros, maxLossDayMicros) };
  // It is offered all markets, whatever it selects among real ones; ranking them is its own choice.
  const choose = own.markets.choose ?? 'listed';
  const offered = { ids: [], categories: [], state: 'open', kind: 'orderbook', max: markets, choose } as const;
  const rateLimits = {
    ...venue.profile.rate_limits,
    public_per_minute: conditions.publicPerMinute,
    signed_per_minute: conditions.signedPerMinute,
  };
  return {
    title: entrant.name,
    trader: {
      configHash,
      version: VERSION,
      profile: { ...venue.profile, rate_limits: rateLimits },
      capitalMicros,
      risk: bound(risk),
      polling,
      merge,
      economics,
      events: [],
      strategies: [{ ...own, quoteHours: null, markets: offered, risk: bound(ownRisk) }],
      feeds: made.feedNames.map((name) => ({ name, maxAgeMs: FEED_AGE_MS })),
    },
    sources: [],
    made,
    // Nothing here is recorded, so the model is unused.
    fillModel: 'risk-averse',
    latency: latencyModel(readLatency(`constant:${conditions.delayMs}`), [], seed),
    seed,
    ...(maxLossDayMicros === undefined ? {} : { afterHalt: 'end' as const }),
    fees: { makerRateMicros: 0, takerRateMicros: 0 },
    landingMs: USUAL_LANDING_MS,
    data: [],
  };
}

/**
 * A trader's file keeps its capital and limits. A single strategy file gets the challenge's money per market, and no
 * currency limit stops it before that is lost. `ownRisk`: the strategy's own limits.
 */
export function moneyFor({ config, risk: ownRisk }: Pick<Entrant, 'config' | 'risk'>, markets: number) {
  const { capitalMicros, risk } = config;
  const isAlone = config.strategies.some(({ file }) => file === config.file);
  if (!isAlone) return { capitalMicros, risk, ownRisk };
  const all = micros(CAPITAL_A_MARKET * markets * ONE);
  const shares = micros(POSITION_A_MARKET * ONE);
  const raised: RiskLimits = {
    ...risk,
    maxOrderSharesMicros: shares,
    maxOrderNotionalMicros: micros(CAPITAL_A_MARKET * ONE),
    maxPositionSharesMicros: shares,
    // Markets of the crowd share events.
    maxEventPositionSharesMicros: micros(POSITION_A_MARKET * markets * ONE),
    maxEventLossMicros: all,
    maxOpenOrders: risk.maxOpenOrders * markets,
    maxTotalCostMicros: all,
    maxLossDayMicros: all,
    maxDrawdownMicros: all,
    maxFills: risk.maxFills * markets,
  };
  // Limits tightened by its own file stay as tight.
  return { capitalMicros: all, risk: raised, ownRisk: { ...raised, ...pickChanged(ownRisk, risk) } };
}

const pickChanged = (own: RiskLimits, usual: RiskLimits): Partial<RiskLimits> =>
  Object.fromEntries(Object.entries(own).filter(([name, value]) => value !== usual[name as keyof RiskLimits]));
