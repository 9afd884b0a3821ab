/**
 * A strategy of the product in the challenge: a step is one second; it is shown the competitor's best prices with a nominal
 * size beside its own orders, its own fills, and the resolution after the last step. What it wants becomes orders by the
 * engine's own rule for changes; what the rules would forbid is left out, as risk does it for a live trader.
 */

import { must } from '../../../shared/base/errors.js';
import { type Micros, micros, ONE, ZERO } from '../../../shared/base/micros.js';
import { findChanges, type QuotedOrder } from '../../../trader/engine/quoting/changes.js';
import { bestOwn } from '../../../trader/engine/quoting/event-turns.js';
import { StrategySandbox } from '../../../trader/engine/quoting/strategy-sandbox.js';
import { MarketTracker } from '../../../trader/market/market-tracker.js';
import {
  type EventView,
  type FeedViews,
  type MarketFacts,
  type OwnMarketState,
  type SiblingView,
  type TraderPace,
  USUAL_PACE,
} from '../../../trader/market/view.js';
import type { Quotes } from '../../../trader/strategy/contract.js';
import { feedsNamed } from '../../../trader/strategy/read-params.js';
import { makeDetail } from '../../strategy-checks/generated-market.js';
import { USUAL_CONDITIONS } from '../conditions.js';
import type { ShownStrategy } from '../contract.js';
import { TruthFeed } from '../truth-feed.js';
import { Account, type MakerAction } from './account.js';
import { floorToQuantum, type LadderSide, QUANTUM, tickToPrice } from './ladder-book.js';
import { START_MS, STEP_MS } from './score.js';
import type { Maker, MakerFill, MakerSight } from './simulation.js';

const NOMINAL_SHARES = micros(100 * ONE);
const MAX_POSITION = micros(3000 * ONE);
const RESOLVES_MS = START_MS + 2001 * STEP_MS;
const TITLE = 'Will the score end above 0?';
const LIMITS = { min_amount: '0.01', max_amount: '1000000', min_funds: '0.01', max_funds: '1000000' };
/** Requests are free here. */
const NO_REQUESTS: TraderPace = { ...USUAL_PACE, requestPrice: 0 };

/** Place of a maker's market. */
interface MakerPlace {
  readonly conditionId: string;
  /** Called at each step for its event's view; null without an event. */
  readonly glanceEvent: ((nowMs: number) => EventView) | null;
  /** Quoter of a strategy of whole events; null without one. */
  readonly sandbox: StrategySandbox | null;
}

const ALONE: MakerPlace = { conditionId: 'challenge', glanceEvent: null, sandbox: null };

export class ShownMaker implements Maker {
  /** Null for a strategy of whole events outside an event. */
  readonly #sandbox: StrategySandbox | null;
  readonly #tracker: MarketTracker;
  readonly #facts: MarketFacts;
  readonly #strategy: string;
  /** Each open order's placement. */
  readonly #placed = new Map<string, { readonly atMs: number; readonly isProbe: boolean }>();
  readonly #feeds: readonly string[];
  readonly #told: TruthFeed;
  readonly #glanceEvent: MakerPlace['glanceEvent'];
  #account = new Account(0);
  #lastId = 0;

  constructor(
    { name, module, params }: ShownStrategy,
    seed = 0,
    conditions = USUAL_CONDITIONS,
    { conditionId, glanceEvent, sandbox }: MakerPlace = ALONE,
  ) {
    this.#tracker = new MarketTracker(conditionId);
    this.#glanceEvent = module.inputs?.event === true ? glanceEvent : null;
    this.#feeds = feedsNamed(module.params, params);
    this.#told = new TruthFeed(conditionId, seed, conditions);
    this.#strategy = name;
    const detail = makeDetail(conditionId, { ticks: 100, isFree: true }, RESOLVES_MS, null, TITLE, LIMITS);
    this.#tracker.onDetail(detail, seenAt(0, START_MS));
    this.#facts = must(this.#tracker.facts, 'the facts of an open market');
    if (module.scope === 'event') this.#sandbox = sandbox;
    else this.#sandbox = StrategySandbox.ofMarket(module, params, this.#facts, (call) => call());
  }

  /** What stopped the strategy; null while it works. */
  get failure(): string | null {
    return this.#sandbox?.failure ?? null;
  }

  act(sight: MakerSight): Iterable<MakerAction> {
    return this.decide(this.see(sight));
  }

  /** First half of a turn: the strategy's view, null without one. */
  see(sight: MakerSight) {
    const nowMs = START_MS + (sight.step + 1) * STEP_MS;
    this.#account = sight.account;
    const orders = this.#listOrders();
    this.#look(sight, orders, nowMs);
    for (const fill of sight.fills) this.#tell(fill, nowMs);
    const feeds = this.#hear(sight.probability, nowMs);
    const event = this.#glanceEvent?.(nowMs) ?? null;
    const view = this.#tracker.view(nowMs, ownState(sight.account, orders), feeds, event, NO_REQUESTS);
    return { sight, orders, view, nowMs };
  }

  /** Second half: actions that follow from the strategy's answer. */
  decide({ sight, orders, view, nowMs }: ReturnType<ShownMaker['see']>): Iterable<MakerAction> {
    if (view === null || this.#sandbox === null) return [];
    return this.#changeOrders(this.#sandbox.quote(view), orders, sight, nowMs);
  }

  /** View of this outcome for the makers of the others. */
  asSibling(nowMs: number): SiblingView {
    const netMicros = toMicros(this.#account.yes - this.#account.no);
    return { ...this.#tracker.glance(nowMs), ...bestOwn(this.#listOrders()), netMicros };
  }

  #look({ step, competitorBid, competitorAsk }: MakerSight, orders: readonly QuotedOrder[], nowMs: number): void {
    // Fills and cancels of the last step left the book before this read of it.
    this.#tracker.mark(nowMs - 1, orders);
    const bid = levels('bid', competitorBid, orders);
    const ask = levels('ask', competitorAsk, orders);
    this.#tracker.onBook({ market: this.#facts.conditionId, is_yes: true, bid, ask }, seenAt(step + 1, nowMs), orders);
  }

  #hear(probability: number, nowMs: number): FeedViews {
    const value = this.#feeds.length === 0 ? null : this.#told.tell(nowMs, probability);
    if (value === null) return {};
    const { conditionId: _market, ...said } = value;
    const view = { ...said, ageMs: nowMs - value.atMs };
    return Object.fromEntries(this.#feeds.map((name) => [name, view]));
  }

  #tell({ side, tick, shares }: MakerFill, nowMs: number): void {
    const priceMicros = toMicros(tickToPrice(tick));
    const fill = { nowMs, side, priceMicros, amountMicros: toMicros(shares) };
    this.#tracker.ownFills.onFill(fill);
    this.#sandbox?.observe({ ...fill, kind: 'fill', isMaker: true }, this.#facts.conditionId);
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

  /** Cancels act at once here, so a replacement is placed in the same step. */
  *#changeOrders(
    quotes: Quotes,
    orders: readonly QuotedOrder[],
    sight: MakerSight,
    nowMs: number,
  ): Generator<MakerAction> {
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

/** Currency kept back, so that rounding never makes an order more expensive than the free cash. */
const SPARE = 1e-6;

/** Affordable shares of this order. */
function findAffordable(account: Account, side: LadderSide, tick: number, wanted: number): number {
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

const ownState = (account: Account, orders: readonly QuotedOrder[]): OwnMarketState => ({
  yesMicros: toMicros(account.yes),
  noMicros: toMicros(account.no),
  avgYesCostMicros: null,
  avgNoCostMicros: null,
  availableFundsMicros: micros(Math.max(ZERO, Math.floor(account.freeCash * ONE))),
  maxPositionMicros: MAX_POSITION,
  stance: 'normal',
  orders,
});
