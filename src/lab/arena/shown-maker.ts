/** Runs a strategy in the challenge, in which a step is one second. Orders that the challenge forbids are omitted. */

import { must } from '../../shared/base/errors.js';
import { type Micros, micros, ONE, ZERO } from '../../shared/base/micros.js';
import type { StrategyConfig } from '../../shell/config/config.js';
import { findChanges, type QuotedOrder } from '../../trader/engine/quoting/changes.js';
import { bestOwn } from '../../trader/engine/quoting/event-turns.js';
import { StrategySandbox } from '../../trader/engine/quoting/strategy-sandbox.js';
import { MarketTracker } from '../../trader/market/market-tracker.js';
import {
  type EventFacts,
  type EventView,
  type MarketFacts,
  makeWholeEventView,
  type SiblingView,
  USUAL_PACE,
} from '../../trader/market/view.js';
import type { ParamValues, Quotes } from '../../trader/strategy/contract.js';
import { feedsNamed } from '../../trader/strategy/read-params.js';
import { makeDetail } from '../strategy-checks/shown-markets.js';
import { type SimulationResult, Tally, USUAL_CONDITIONS } from './contract.js';
import {
  type Configuration,
  drawConfiguration,
  type LadderSide,
  openTruthFeed,
  PythonRandom,
  START_MS,
  STEP_MS,
  seedOfMarket,
  type Truth,
} from './score.js';
import {
  floorToQuantum,
  type Maker,
  type MakerAction,
  type MakerSight,
  QUANTUM,
  SimulatedAccount,
  Simulation,
  STARTING_CASH,
  simulate,
  tickToPrice,
} from './simulation.js';

const NOMINAL_SHARES = micros(100 * ONE);
const MAX_POSITION = micros(3000 * ONE);
const RESOLVES_MS = START_MS + 2001 * STEP_MS;
const TITLE = 'Will the score end above 0?';
const LIMITS = { min_amount: '0.01', max_amount: '1000000', min_funds: '0.01', max_funds: '1000000' };
const NO_REQUESTS = { ...USUAL_PACE, requestPrice: 0 };

type Glance = (nowMs: number) => EventView;
type EventPlace = Readonly<{ conditionId: string; glance: Glance; sandbox: StrategySandbox | null }>;
type Turn = ReturnType<ShownMaker['see']>;

export class ShownMaker implements Maker {
  /** Sandbox of the strategy; null if the strategy quotes whole events and the world has no events. */
  readonly #sandbox: StrategySandbox | null;
  readonly #tracker: MarketTracker;
  readonly #facts: MarketFacts;
  readonly #strategy: string;
  readonly #placed = new Map<string, { readonly atMs: number; readonly isProbe: boolean }>();
  readonly #feeds: readonly string[];
  readonly #readTruth: ReturnType<typeof openTruthFeed>;
  /** Returns the present view of the event; null without an event, or if the strategy does not request this view. */
  readonly #glance: Glance | null;
  #account = new SimulatedAccount(0);
  #lastId = 0;

  constructor({ name, module, params }: ShownStrategy, seed = 0, conditions = USUAL_CONDITIONS, event?: EventPlace) {
    const conditionId = event?.conditionId ?? 'challenge';
    this.#tracker = new MarketTracker(conditionId);
    this.#glance = module.inputs?.event === true ? (event?.glance ?? null) : null;
    this.#feeds = feedsNamed(module.params, params);
    this.#readTruth = openTruthFeed(conditionId, seed, conditions);
    this.#strategy = name;
    const detail = makeDetail(conditionId, { ticks: 100, isFree: true }, RESOLVES_MS, null, TITLE, LIMITS);
    this.#tracker.onDetail(detail, seenAt(0, START_MS));
    this.#facts = must(this.#tracker.facts, 'the facts of an open market');
    if (module.scope === 'event') this.#sandbox = event?.sandbox ?? null;
    else {
      const create = (values: ParamValues) => module.create(values, this.#facts);
      this.#sandbox = new StrategySandbox(module, create, params, callNow);
    }
  }

  get failure(): string | null {
    return this.#sandbox?.failure ?? null;
  }

  readonly act = (sight: MakerSight): Iterable<MakerAction> => this.decide(this.see(sight));

  see(sight: MakerSight) {
    const nowMs = START_MS + (sight.step + 1) * STEP_MS;
    this.#account = sight.account;
    const orders = this.#listOrders();
    this.#readBook(sight, orders, nowMs);
    for (const { side, tick, shares } of sight.fills) {
      const fill = { nowMs, side, priceMicros: toMicros(tickToPrice(tick)), amountMicros: toMicros(shares) };
      this.#tracker.ownFills.onFill(fill);
      this.#sandbox?.observe({ ...fill, kind: 'fill', isMaker: true }, this.#facts.conditionId);
    }
    const feeds = this.#viewFeeds(sight.probability, nowMs);
    const event = this.#glance?.(nowMs) ?? null;
    const { yes, no, freeCash } = this.#account;
    const own = {
      yesMicros: toMicros(yes),
      noMicros: toMicros(no),
      avgYesCostMicros: null,
      avgNoCostMicros: null,
      availableFundsMicros: micros(Math.max(ZERO, Math.floor(freeCash * ONE))),
      maxPositionMicros: MAX_POSITION,
      stance: 'normal' as const,
      orders,
    };
    return { sight, orders, nowMs, view: this.#tracker.view(nowMs, own, feeds, event, NO_REQUESTS) };
  }

  decide(turn: Turn): Iterable<MakerAction> {
    if (turn.view === null || this.#sandbox === null) return [];
    return this.#changeOrders(this.#sandbox.quote(turn.view), turn);
  }

  asSibling(nowMs: number): SiblingView {
    const netMicros = toMicros(this.#account.yes - this.#account.no);
    return { ...this.#tracker.glance(nowMs), ...bestOwn(this.#listOrders()), netMicros };
  }

  #readBook({ step, competitorBid, competitorAsk }: MakerSight, orders: readonly QuotedOrder[], nowMs: number): void {
    // Fills and cancels of the last step changed the maker's orders before this step's poll.
    this.#tracker.mark(nowMs - 1, orders);
    const bid = levels('bid', competitorBid, orders);
    const ask = levels('ask', competitorAsk, orders);
    this.#tracker.onBook({ market: this.#facts.conditionId, is_yes: true, bid, ask }, seenAt(step + 1, nowMs), orders);
  }

  #viewFeeds(probability: number, nowMs: number) {
    const value = this.#feeds.length === 0 ? null : this.#readTruth(nowMs, probability);
    if (value === null) return {};
    const { conditionId: _market, ...said } = value;
    return Object.fromEntries(this.#feeds.map((name) => [name, { ...said, ageMs: nowMs - value.atMs }]));
  }

  #listOrders(): readonly QuotedOrder[] {
    return this.#account.orders.map(({ id, side, tick, remaining }) => {
      const { atMs: placedMs, isProbe } = this.#placed.get(id) ?? { atMs: START_MS, isProbe: false };
      return {
        intentId: id,
        orderPubkey: id,
        isProbe,
        strategy: this.#strategy,
        phase: 'resting',
        side,
        isYes: true,
        priceMicros: toMicros(tickToPrice(tick)),
        remainingMicros: toMicros(remaining),
        submittedMs: placedMs,
        acceptedMs: placedMs,
      };
    });
  }

  /** Yields the order changes. Cancels take effect at once, so a replacement is placed in the same step. */
  *#changeOrders(quotes: Quotes, { orders, sight, nowMs }: Turn): Generator<MakerAction> {
    const { cancels } = findChanges(quotes, orders, this.#facts);
    const left = orders.filter((order) => !cancels.includes(order));
    const { wishes } = findChanges(quotes, left, this.#facts);
    for (const { intentId } of cancels) {
      this.#placed.delete(intentId);
      yield { kind: 'cancel', id: intentId };
    }
    for (const { side, priceMicros, amountMicros, isProbe = false } of wishes) {
      const tick = Math.round((priceMicros / ONE) * 100);
      if (!isPassive(side, tick, sight)) continue;
      const shares = findAffordable(sight.account, side, tick, amountMicros / ONE);
      if (shares < QUANTUM) continue;
      const id = `o${++this.#lastId}`;
      this.#placed.set(id, { atMs: nowMs, isProbe });
      yield { kind: 'place', id, side, tick, shares };
    }
  }
}

const seenAt = (requestId: number, nowMs: number) => ({ requestId, sentMs: nowMs, seenMs: nowMs, venueTimeMs: null });

/** Currency that the maker does not use, so that a rounded order never costs more than the free cash. */
const SPARE = 1e-6;

function findAffordable(account: SimulatedAccount, side: LadderSide, tick: number, wanted: number): number {
  const price = tickToPrice(tick);
  const covered = side === 'ask' ? Math.min(account.freeYes, wanted) : 0;
  const cash = Math.max(0, account.freeCash - SPARE);
  return Math.min(wanted, floorToQuantum(covered + cash / (side === 'bid' ? price : 1 - price)));
}

const isPassive = (side: LadderSide, tick: number, { competitorBid, competitorAsk }: MakerSight): boolean =>
  side === 'bid' ? tick < (competitorAsk ?? Number.POSITIVE_INFINITY) : tick > (competitorBid ?? 0);

const toMicros = (value: number): Micros => micros(Math.round(value * ONE));

function levels(side: LadderSide, competitorTick: number | null, orders: readonly QuotedOrder[]) {
  const rows = orders
    .filter((order) => order.side === side)
    .map(({ priceMicros, remainingMicros }) => ({ price: priceMicros, total_amount: remainingMicros }));
  if (competitorTick !== null)
    rows.push({ price: toMicros(tickToPrice(competitorTick)), total_amount: NOMINAL_SHARES });
  return rows;
}

export function playChallenge(
  seed: number,
  judged: ShownStrategy,
  conditions = USUAL_CONDITIONS,
  change = (config: Configuration, _draws: PythonRandom): Configuration => config,
): SimulationResult {
  const maker = new ShownMaker(judged, seed, conditions);
  // `change` draws from a separate generator, so all other draws of the seed stay the same.
  return simulate(seed, maker, change(drawConfiguration(seed), new PythonRandom(seed + 2 ** 33)));
}

const FEWEST = 2;
const MOST = 10;

/** Plays an event with a market per outcome. The softmax of drifting and jumping log-odds gives the probabilities. */
export function playEvent(seed: number, judged: ShownStrategy, conditions = USUAL_CONDITIONS): SimulationResult {
  const count = new PythonRandom(seed + 2 ** 33).randint(FEWEST, MOST);
  const { steps } = drawConfiguration(seed);
  const ids = Array.from({ length: count }, (_, outcome) => `outcome-${outcome + 1}`);
  const facts: EventFacts = { eventConditionId: 'event', outcomes: 'exhaustive', marketConditionIds: ids };
  const { module, params } = judged;
  // Sandbox for the whole event; null for a strategy that quotes single markets.
  const create = module.scope === 'event' ? (values: ParamValues) => module.create(values, facts) : null;
  const sandbox = create && new StrategySandbox(module, create, params, callNow, facts);
  const markets: Simulation<ShownMaker>[] = [];
  for (const [outcome, truth] of drawEvent(seed, count, steps).entries()) {
    const own = seedOfMarket(seed, outcome);
    const conditionId = must(ids[outcome], 'an outcome');
    // View of the other outcomes. The makers of earlier outcomes in `markets` have already acted in the present step.
    const glance: Glance = (nowMs) => ({
      eventConditionId: facts.eventConditionId,
      outcomes: 'exhaustive',
      markets: count,
      siblings: markets.filter((_, other) => other !== outcome).map(({ maker }) => maker.asSibling(nowMs)),
    });
    const maker = new ShownMaker(judged, own, conditions, { conditionId, glance, sandbox });
    markets.push(new Simulation(own, maker, drawConfiguration(own), truth));
  }
  const tally = new Tally(STARTING_CASH * count);
  for (let step = 0; step < steps; step++) {
    if (sandbox === null) for (const market of markets) market.step(step);
    else stepTogether(markets, sandbox, facts, step);
    tally.mark(markets.reduce((sum, { worth }) => sum + worth, 0));
  }
  const results = markets.map((market) => market.result());
  const sum = (name: (typeof SUMMED)[number]) => results.reduce((total, result) => total + result[name], 0);
  return {
    ...must(results[0], 'an outcome'),
    ...Object.fromEntries(SUMMED.map((name) => [name, sum(name)])),
    drawdown: tally.gains(0).drawdown,
    outcome: null,
    failure: results.find(({ failure }) => failure !== null)?.failure ?? null,
  };
}

type ShownStrategy = Pick<StrategyConfig, 'name' | 'module' | 'params'>;

const callNow = <T>(call: () => T): T => call();

const SUMMED = ['edge', 'uninformedEdge', 'informedEdge', 'fills', 'shares', 'actions', 'wealth', 'result'] as const;

function stepTogether(
  markets: readonly Simulation<ShownMaker>[],
  sandbox: StrategySandbox,
  facts: EventFacts,
  step: number,
): void {
  const shown = markets.flatMap((market) => {
    const sight = market.show(step);
    return sight === null ? [] : [{ market, seen: market.maker.see(sight) }];
  });
  const views = shown.flatMap(({ seen: { view } }) => (view === null ? [] : [{ view, silentBecause: null }]));
  const { nowMs } = shown[0]?.seen ?? { nowMs: 0 };
  sandbox.askEvent(makeWholeEventView(nowMs, facts, views, facts.marketConditionIds));
  for (const { market, seen } of shown) market.play(() => market.maker.decide(seen));
}

/** Standard deviation of log-odds per step, chosen so that two outcomes at 0.5 move as in the challenge. */
const DIFFUSION_SIGMA = 0.025;
/** Mean number of jumps of all log-odds per step, and the standard deviation of a jump. */
const JUMP_INTENSITY = 0.002;
const JUMP_SIGMA = 0.5;
const START_SIGMA = 0.75;

/** Draws the outcomes' true probabilities. The last step reveals the winner. */
export function drawEvent(seed: number, count: number, steps: number): readonly Truth[] {
  const random = new PythonRandom(seed);
  const logOdds = Array.from({ length: count }, () => random.gauss(0, START_SIGMA));
  const path = [softmax(logOdds)];
  let left = random.random();
  const drawn = softmax(logOdds).findIndex((probability) => {
    left -= probability;
    return left < 0;
  });
  const winner = drawn < 0 ? count - 1 : drawn;
  // The winner's log-odds drift upwards by the variance of their moves, so that the softmax is the true probability.
  const move = (sigma: number): void => {
    for (let outcome = 0; outcome < count; outcome++)
      logOdds[outcome] = (logOdds[outcome] ?? 0) + random.gauss(outcome === winner ? sigma ** 2 : 0, sigma);
  };
  for (let step = 1; step < steps; step++) {
    move(DIFFUSION_SIGMA);
    for (let jumps = random.poisson(JUMP_INTENSITY); jumps > 0; jumps--) move(JUMP_SIGMA);
    path.push(softmax(logOdds));
  }
  path.push(logOdds.map((_, outcome) => Number(outcome === winner)));
  return logOdds.map((_, outcome) => {
    let step = 0;
    return {
      step: () => {
        step = Math.min(steps, step + 1);
      },
      get probability() {
        return path[step]?.[outcome] ?? 0;
      },
      isYes: outcome === winner,
    };
  });
}

function softmax(logOdds: readonly number[]): readonly number[] {
  const greatest = Math.max(...logOdds);
  const sum = logOdds.reduce((total, value) => total + Math.exp(value - greatest), 0);
  return logOdds.map((value) => Math.exp(value - greatest) / sum);
}
