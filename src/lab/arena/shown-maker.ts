/**
 * Runs a product strategy in the challenge; a step is one second. The strategy sees own orders, own fills, and the best
 * competing prices with a nominal size. The engine's rule turns quotes into orders and drops forbidden orders.
 */

import { must } from '../../shared/base/errors.js';
import { type Micros, micros, ONE, ZERO } from '../../shared/base/micros.js';
import { findChanges, type QuotedOrder } from '../../trader/engine/quoting/changes.js';
import { bestOwn } from '../../trader/engine/quoting/event-turns.js';
import { StrategySandbox } from '../../trader/engine/quoting/strategy-sandbox.js';
import { MarketTracker } from '../../trader/market/market-tracker.js';
import { type EventView, type MarketFacts, type SiblingView, USUAL_PACE } from '../../trader/market/view.js';
import type { Quotes } from '../../trader/strategy/contract.js';
import { feedsNamed } from '../../trader/strategy/read-params.js';
import { makeDetail } from '../strategy-checks/shown-markets.js';
import { type ShownStrategy, USUAL_CONDITIONS } from './contract.js';
import { type LadderSide, openTruthFeed, START_MS, STEP_MS } from './score.js';
import {
  Account,
  floorToQuantum,
  type Maker,
  type MakerAction,
  type MakerSight,
  QUANTUM,
  tickToPrice,
} from './simulation.js';

const NOMINAL_SHARES = micros(100 * ONE);
const MAX_POSITION = micros(3000 * ONE);
const RESOLVES_MS = START_MS + 2001 * STEP_MS;
const TITLE = 'Will the score end above 0?';
const LIMITS = { min_amount: '0.01', max_amount: '1000000', min_funds: '0.01', max_funds: '1000000' };
/** Pace without a price per request: requests are free in the challenge. */
const NO_REQUESTS = { ...USUAL_PACE, requestPrice: 0 };

/** A maker's market in an event. */
interface EventPlace {
  readonly conditionId: string;
  /** Returns the event's view; called at each step. */
  readonly glance: (nowMs: number) => EventView;
  /** Quoter of a strategy of whole events; null without one. */
  readonly sandbox: StrategySandbox | null;
}

type Turn = ReturnType<ShownMaker['see']>;

export class ShownMaker implements Maker {
  /** Sandbox of the strategy; null for a strategy of whole events outside an event. */
  readonly #sandbox: StrategySandbox | null;
  readonly #tracker: MarketTracker;
  readonly #facts: MarketFacts;
  readonly #strategy: string;
  /** Placement of each open order. */
  readonly #placed = new Map<string, { readonly atMs: number; readonly isProbe: boolean }>();
  readonly #feeds: readonly string[];
  readonly #readTruth: ReturnType<typeof openTruthFeed>;
  /** View of the event; null without an event, and for a strategy that does not request the view. */
  readonly #glance: EventPlace['glance'] | null;
  #account = new Account(0);
  #lastId = 0;

  constructor(
    { name, module, params }: ShownStrategy,
    seed = 0,
    conditions = USUAL_CONDITIONS,
    event: EventPlace | null = null,
  ) {
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
    else this.#sandbox = StrategySandbox.ofMarket(module, params, this.#facts, (call) => call());
  }

  /** Error that stopped the strategy; null while the strategy works. */
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
    this.#readBook(sight, orders, nowMs);
    for (const { side, tick, shares } of sight.fills) {
      const fill = { nowMs, side, priceMicros: toMicros(tickToPrice(tick)), amountMicros: toMicros(shares) };
      this.#tracker.ownFills.onFill(fill);
      this.#sandbox?.observe({ ...fill, kind: 'fill', isMaker: true }, this.#facts.conditionId);
    }
    const feeds = this.#viewFeeds(sight.probability, nowMs);
    const event = this.#glance?.(nowMs) ?? null;
    const own = this.#stateWith(orders);
    return { sight, orders, nowMs, view: this.#tracker.view(nowMs, own, feeds, event, NO_REQUESTS) };
  }

  /** Second half: actions that follow from the strategy's answer. */
  decide(turn: Turn): Iterable<MakerAction> {
    if (turn.view === null || this.#sandbox === null) return [];
    return this.#changeOrders(this.#sandbox.quote(turn.view), turn);
  }

  /** View of this outcome for the makers of the others. */
  asSibling(nowMs: number): SiblingView {
    const netMicros = toMicros(this.#account.yes - this.#account.no);
    return { ...this.#tracker.glance(nowMs), ...bestOwn(this.#listOrders()), netMicros };
  }

  #readBook({ step, competitorBid, competitorAsk }: MakerSight, orders: readonly QuotedOrder[], nowMs: number): void {
    // Fills and cancels of the last step left the book before this read of it.
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

  #stateWith(orders: readonly QuotedOrder[]) {
    const { yes, no, freeCash } = this.#account;
    return {
      yesMicros: toMicros(yes),
      noMicros: toMicros(no),
      avgYesCostMicros: null,
      avgNoCostMicros: null,
      availableFundsMicros: micros(Math.max(ZERO, Math.floor(freeCash * ONE))),
      maxPositionMicros: MAX_POSITION,
      stance: 'normal' as const,
      orders,
    };
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

/** Currency kept back, so that rounding never makes an order more expensive than the free cash. */
const SPARE = 1e-6;

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
