/** Runs one simulation with the whole trader on a virtual clock. */

import type { AccountSlot, MarketIndex, ObservedFill } from '../../exchange/core/contract.js';
import type { ExchangeCore } from '../../exchange/core/core.js';
import type { Driver } from '../../exchange/http/ticker.js';
import type { RecordedMarket } from '../../recording/contract.js';
import { must } from '../../shared/base/errors.js';
import { type Micros, micros, minMicros, ONE } from '../../shared/base/micros.js';
import { VERSION } from '../../shell/config/shipped.js';
import type { TraderSnapshot } from '../../trader/engine/snapshot.js';
import type { RiskLimits } from '../../trader/risk/limits.js';
import { feedsNamed } from '../../trader/strategy/read-params.js';
import type { BacktestPlan, FeedSource, MadeMarkets, MarketDriver, MarketListener } from '../backtest/contract.js';
import { LatencyModel, readLatency } from '../backtest/latency.js';
import { USUAL_LANDING_MS, USUAL_MAX_AGE_MS } from '../backtest/plan.js';
import { playFromMemory } from '../backtest/replay-driver.js';
import { runBacktest } from '../backtest/run.js';
import { sum } from '../report/analysis/split.js';
import { findBroken } from '../sweep/threads/threads.js';
import { type Conditions, type Entrant, type SimulationResult, Tally } from './contract.js';
import { openTruthFeed, START_MS, STEP_MS, seedOfMarket } from './score.js';

/** Time for the trader to find the markets before the first event, ms. */
export const LEAD_MS = 60_000;

export interface SceneMarket {
  readonly recorded: RecordedMarket;
  readonly index: MarketIndex;
  readonly probability: number;
  /** Returns true if YES pays. Called once, at the end of the simulation. */
  decide(): boolean;
}

/** Markets, and the accounts that trade there beside the trader. `tick` runs the due actions of these accounts. */
export interface Scene extends Driver {
  open(nowMs: number): readonly SceneMarket[];
  /** True while an account that knows the true probability acts. The trader never knows the true probability. */
  readonly isInformed: boolean;
}

export interface TraderRun {
  readonly seed: number;
  readonly conditions: Conditions;
  readonly entrant: Entrant;
  readonly markets: number;
  readonly scene: (core: ExchangeCore, seed: number, markets: number) => Scene;
  readonly lastsMs: number;
  /** Upper bound of the daily loss limit. If present, halts are final; if absent, the trader resumes after a halt. */
  readonly maxLossDayMicros?: Micros;
}

class RunStage implements MadeMarkets, MarketDriver, FeedSource {
  readonly untilMs: number;
  readonly feeds: FeedSource = this;
  readonly readUntilMs = Number.POSITIVE_INFINITY;
  nextOpenMs = START_MS;
  lastClosedMs = Number.NEGATIVE_INFINITY;
  events = 0;
  /** Gain in the trader's own ledger just before the markets close, currency; null before the close. */
  reported: number | null = null;
  readonly feedNames: readonly string[];
  readonly #plan: TraderRun;
  #run: Readonly<{ core: ExchangeCore; account: AccountSlot; listener: MarketListener; scene: Scene }> | null = null;
  readonly onStart = (snapshot: () => TraderSnapshot): void => {
    this.#snapshot = snapshot;
  };
  #snapshot: (() => TraderSnapshot) | null = null;
  #tally = new Tally(0);
  #markets: readonly ReturnType<typeof openMarket>[] = [];
  #open = this.#markets;
  #nextWordMs = START_MS + LEAD_MS;

  constructor(plan: TraderRun) {
    this.#plan = plan;
    this.untilMs = START_MS + LEAD_MS + plan.lastsMs;
    this.feedNames = feedsNamed(plan.entrant.module.params, plan.entrant.params);
  }

  drive(core: ExchangeCore, account: AccountSlot, listener: MarketListener): MarketDriver {
    const { scene, seed, markets } = this.#plan;
    this.#run = { core, account, listener, scene: scene(core, seed, markets) };
    return this;
  }

  onFill({ market, isYes, isBuy, priceMicros, amountMicros, feeMicros }: ObservedFill): void {
    const traded = this.#markets.find(({ played }) => played.index === market);
    if (traded === undefined) return;
    const shares = amountMicros / ONE;
    const gain = traded.market.probability - priceMicros / ONE;
    const edge = shares * (isYes === isBuy ? gain : -gain) - feeMicros / ONE;
    this.#tally.countFill(shares, edge, must(this.#run, 'a run').scene.isInformed);
  }

  #worth(): number {
    const { core, account } = must(this.#run, 'a run');
    let worth = core.funds.read(account).total / ONE;
    for (const { market } of this.#markets) {
      const { shares, outcome } = core.catalog.market(market.index);
      const { yes, no } = shares.read(account);
      const paid = outcome === null ? market.probability : Number(outcome);
      worth += (yes / ONE) * paid + (no / ONE) * (1 - paid);
    }
    return worth;
  }

  figures() {
    return { ...this.#tally.edges(), ...this.#tally.gains(this.#worth()) };
  }

  get nextMs(): number {
    const isOver = this.#nextWordMs >= this.untilMs;
    return isOver || this.feedNames.length === 0 ? Number.POSITIVE_INFINITY : this.#nextWordMs;
  }

  take(nowMs: number): ReturnType<FeedSource['take']> {
    if (nowMs < this.nextMs) return [];
    while (this.#nextWordMs <= nowMs) this.#nextWordMs += STEP_MS;
    this.syncAll(nowMs);
    const values = this.#open.flatMap((one) => one.readTruth(nowMs, one.market.probability) ?? []);
    return this.feedNames.map((feed) => ({ feed, values }));
  }

  get openCount(): number {
    return this.#open.length;
  }

  readonly read = (): Promise<void> => Promise.resolve();

  async openDue(nowMs: number): Promise<void> {
    if (nowMs < this.nextOpenMs) return;
    this.nextOpenMs = Number.POSITIVE_INFINITY;
    const { listener, scene } = must(this.#run, 'a run');
    this.#markets = scene.open(nowMs).map((market, place) => openMarket(this.#plan, market, place, nowMs));
    this.#open = this.#markets;
    this.#tally = new Tally(this.#worth());
    for (const { played } of this.#open) listener.onOpen(played);
  }

  /** Advances all markets if one market is read, because all share the core's clock, which never goes back. */
  readonly sync = (_index: MarketIndex, nowMs: number): void => this.syncAll(nowMs);

  syncAll(nowMs: number): void {
    if (this.#open.length === 0) return;
    const { core, scene } = must(this.#run, 'a run');
    const untilMs = Math.min(nowMs, this.untilMs);
    for (let dueMs = scene.nextDueMs(); dueMs <= untilMs; dueMs = scene.nextDueMs()) {
      core.advance(dueMs);
      scene.tick(dueMs);
      this.#tally.mark(this.#worth());
      this.events++;
    }
    if (nowMs >= this.untilMs) this.#end();
  }

  #end(): void {
    const result = this.#snapshot?.().resultMicros ?? null;
    this.reported = result === null ? null : result / ONE;
    const { core, listener } = must(this.#run, 'a run');
    this.#open = [];
    this.lastClosedMs = this.untilMs;
    for (const { market, played } of this.#markets) {
      listener.ending(played);
      const outcome = market.decide();
      const { markets } = core.at(this.untilMs);
      markets.setState(market.recorded.conditionId, 'waiting_to_resolve');
      markets.resolve(market.recorded.conditionId, outcome);
      played.closedMs = this.untilMs;
      listener.onClose(played, this.untilMs);
    }
  }

  close(): void {
    this.#open = [];
  }
}

function openMarket({ seed, conditions }: TraderRun, market: SceneMarket, place: number, nowMs: number) {
  const { recorded, index } = market;
  const times = { openedMs: nowMs, firstMs: nowMs + LEAD_MS, closedMs: null as number | null };
  return {
    market,
    readTruth: openTruthFeed(recorded.conditionId, seedOfMarket(seed, place), conditions),
    played: { source: playFromMemory(recorded, []), index, ...times, events: 0, refused: 0, failure: null },
  };
}

const CAPITAL_A_MARKET = 1000;
const POSITION_A_MARKET = 3000;

export async function runTrader(run: TraderRun): Promise<SimulationResult> {
  const stage = new RunStage(run);
  const { session } = await runBacktest(planFor(run, stage));
  const { requests, markets, halts } = session;
  return {
    seed: run.seed,
    ...stage.figures(),
    actions: sum(markets.map(({ quoting }) => quoting.ordersPlaced + quoting.ordersCanceled)),
    requests: requests === null ? null : requests.public.count + requests.signed.count,
    halts: halts.filter(({ rung }) => rung === 'halted').length,
    reported: stage.reported,
    outcome: null,
    failure: findBroken(session),
  };
}

function planFor({ seed, entrant, conditions, markets, maxLossDayMicros }: TraderRun, made: RunStage): BacktestPlan {
  const { config, ...own } = entrant;
  const { venue } = config;
  const { capitalMicros, risk, ownRisk } = moneyFor(entrant, markets);
  const bound = (limits: RiskLimits): RiskLimits => ({
    ...limits,
    maxLossDayMicros: minMicros(limits.maxLossDayMicros, maxLossDayMicros ?? limits.maxLossDayMicros),
  });
  // The trader may use all markets, even those that its file does not select. The file's `choose` ranks the markets.
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
      ...config,
      version: VERSION,
      profile: { ...venue.profile, rate_limits: rateLimits },
      capitalMicros,
      risk: bound(risk),
      events: [],
      strategies: [{ ...own, quoteHours: null, markets: offered, risk: bound(ownRisk) }],
      feeds: made.feedNames.map((name) => ({ name, maxAgeMs: USUAL_MAX_AGE_MS })),
    },
    sources: [],
    made,
    onStart: made.onStart,
    // A simulated market has no recorded data, so the fill model is not used.
    fillModel: 'risk-averse',
    latency: new LatencyModel({ spec: readLatency(`constant:${conditions.delayMs}`), roundTripsMs: [] }, seed),
    seed,
    afterHalt: maxLossDayMicros === undefined ? 'resume' : 'end',
    fees: { makerRateMicros: 0, takerRateMicros: 0 },
    landingMs: USUAL_LANDING_MS,
    data: [],
  };
}

/** Returns the capital and limits of a trader's file; for a lone strategy file, returns those of the challenge. */
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
    // Markets of the crowd share events, so the limit for an event is the limit for all markets together.
    maxEventPositionSharesMicros: micros(POSITION_A_MARKET * markets * ONE),
    maxEventLossMicros: all,
    maxOpenOrders: risk.maxOpenOrders * markets,
    maxTotalCostMicros: all,
    maxLossDayMicros: all,
    maxDrawdownMicros: all,
    maxFills: risk.maxFills * markets,
  };
  // Limits that the strategy's file tightens stay unchanged.
  const tightened = Object.entries(ownRisk).filter(([name, value]) => value !== risk[name as keyof RiskLimits]);
  return { capitalMicros: all, risk: raised, ownRisk: { ...raised, ...Object.fromEntries(tightened) } };
}
