/**
 * A strategy of the product in the challenge: a step is one second; it is shown the competitor's best prices with a nominal
 * size beside its own orders, its own fills, and the resolution after the last step. What it wants becomes orders by the
 * engine's own rule for changes; what the rules would forbid is left out, as risk does it for a live trader.
 */

import { type Micros, micros, ONE, ZERO } from '../../../shared/base/micros.js';
import { marketDetail } from '../../../shared/protocol/records.js';
import { findChanges, type QuotedOrder } from '../../../trader/engine/quoting/changes.js';
import { EventSlotHost, NO_EVENT, type QuotedEvent } from '../../../trader/engine/quoting/event-host.js';
import { bestOwn } from '../../../trader/engine/quoting/event-view.js';
import { QuoteHost, type SlotHost } from '../../../trader/engine/quoting/quote-host.js';
import { MarketTracker } from '../../../trader/market/market-tracker.js';
import { type TraderPace, USUAL_PACE } from '../../../trader/market/pace.js';
import type {
  EventView,
  FeedViews,
  MarketFacts,
  MarketView,
  OwnMarketState,
  SiblingView,
} from '../../../trader/market/view.js';
import type { Quotes } from '../../../trader/strategy/contract.js';
import { feedsNamed } from '../../../trader/strategy/read-params.js';
import { type ShownStrategy, USUAL_CONDITIONS } from '../contract.js';
import { TruthFeed } from '../truth-feed.js';
import type { Account, MakerAction } from './account.js';
import { type LadderSide, tickToPrice } from './ladder-book.js';
import { floorToQuantum, QUANTUM } from './round.js';
import type { Maker, MakerFill, MakerSight } from './simulation.js';

const STEP_MS = 1000;
const START_MS = 1_800_000_000_000;
const NOMINAL_SHARES = micros(100 * ONE);
const MAX_POSITION = micros(3000 * ONE);
const CONDITION = 'challenge';
/** Nothing is asked for here, so nothing is short. */
const NO_REQUESTS: TraderPace = { ...USUAL_PACE, requestPrice: 0 };

/** Of an order of ours, beside what the account knows of it. */
type Placed = Pick<QuotedOrder, 'submittedMs' | 'acceptedMs'>;

/** What the event of a market looks like at this moment of our clock. */
export type EventGlance = (nowMs: number) => EventView;

/** Where the market of a maker stands. */
export interface MakerPlace {
  readonly conditionId: string;
  /** Asked at each step what its event looks like; null: it has none. */
  readonly glanceEvent: EventGlance | null;
  /** Where a strategy of whole events is asked; null: nowhere. */
  readonly quoted: QuotedEvent | null;
}

const ALONE: MakerPlace = { conditionId: CONDITION, glanceEvent: null, quoted: null };

/** A market as its strategy sees it before it acts. */
interface Seen {
  readonly sight: MakerSight;
  readonly orders: readonly QuotedOrder[];
  readonly view: MarketView | null;
  readonly nowMs: number;
}

export class ShownMaker implements Maker {
  readonly #host: SlotHost;
  readonly #conditionId: string;
  readonly #tracker: MarketTracker;
  readonly #facts: MarketFacts;
  readonly #strategy: string;
  readonly #placed = new Map<string, Placed>();
  readonly #feeds: readonly string[];
  readonly #told: TruthFeed;
  readonly #glanceEvent: EventGlance | null;
  #account: Account | null = null;
  #lastId = 0;

  constructor(
    { name, module, params }: ShownStrategy,
    seed = 0,
    conditions = USUAL_CONDITIONS,
    { conditionId, glanceEvent, quoted }: MakerPlace = ALONE,
  ) {
    this.#conditionId = conditionId;
    this.#tracker = new MarketTracker(conditionId);
    this.#glanceEvent = module.inputs?.event === true ? glanceEvent : null;
    this.#feeds = feedsNamed(module.params, params);
    this.#told = new TruthFeed(conditionId, seed, conditions);
    this.#strategy = name;
    this.#tracker.onDetail(makeDetail(conditionId), {
      requestId: 0,
      sentMs: START_MS,
      seenMs: START_MS,
      venueTimeMs: null,
    });
    const { facts } = this.#tracker;
    if (facts === null) throw new TypeError('the market of the challenge has no facts');
    this.#facts = facts;
    if (module.scope !== 'event') this.#host = new QuoteHost(module, params, facts, (call) => call());
    else this.#host = quoted === null ? NO_EVENT : new EventSlotHost(quoted, conditionId);
  }

  /** What stopped the strategy; null while it works. */
  get failure(): string | null {
    return this.#host.failure;
  }

  act(sight: MakerSight): readonly MakerAction[] {
    return this.decide(this.see(sight));
  }

  /** The first half of a turn: what its strategy is shown. */
  see(sight: MakerSight): Seen {
    const nowMs = START_MS + (sight.step + 1) * STEP_MS;
    this.#account = sight.account;
    const orders = this.#orders(sight.account);
    this.#look(sight, orders, nowMs);
    for (const fill of sight.fills) this.#tell(fill, nowMs);
    const feeds = this.#hear(sight.probability, nowMs);
    const view = this.#tracker.view(
      nowMs,
      ownState(sight.account, orders),
      feeds,
      this.#glanceEvent?.(nowMs) ?? null,
      NO_REQUESTS,
    );
    return { sight, orders, view, nowMs };
  }

  /** The second: what comes of what its strategy says. */
  decide({ sight, orders, view, nowMs }: Seen): readonly MakerAction[] {
    return view === null ? [] : this.#actions(this.#host.quote(view), orders, sight, nowMs);
  }

  /** What the makers of the other outcomes are shown of this one. */
  asSibling(nowMs: number): SiblingView {
    const account = this.#account;
    const orders = account === null ? [] : this.#orders(account);
    const netMicros = account === null ? ZERO : toMicros(account.yes - account.no);
    return { ...this.#tracker.glance(nowMs), ...bestOwn(orders), netMicros };
  }

  #look({ step, competitorBid, competitorAsk }: MakerSight, orders: readonly QuotedOrder[], nowMs: number): void {
    // What was filled or canceled in the last step left the book before this look at it.
    this.#tracker.mark(nowMs - 1, orders);
    const bid = levels('bid', competitorBid, orders);
    const ask = levels('ask', competitorAsk, orders);
    const at = { requestId: step + 1, sentMs: nowMs, seenMs: nowMs, venueTimeMs: null };
    this.#tracker.onBook({ market: this.#conditionId, is_yes: true, bid, ask }, at, orders);
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
    this.#host.observe({ ...fill, kind: 'fill', isMaker: true });
  }

  #orders(account: Account): readonly QuotedOrder[] {
    const orders: QuotedOrder[] = [];
    for (const { id, side, tick, remaining } of account.orders) {
      orders.push({
        intentId: id,
        orderPubkey: id,
        strategy: this.#strategy,
        phase: 'resting',
        side,
        isYes: true,
        priceMicros: toMicros(tickToPrice(tick)),
        remainingMicros: toMicros(remaining),
        submittedMs: this.#placed.get(id)?.submittedMs ?? START_MS,
        acceptedMs: this.#placed.get(id)?.acceptedMs ?? START_MS,
      });
    }
    return orders;
  }

  /** A cancel acts at once here, so what replaces it is placed in the same step. */
  #actions(quotes: Quotes, orders: readonly QuotedOrder[], sight: MakerSight, nowMs: number): MakerAction[] {
    const { cancels } = findChanges(quotes, orders, this.#facts);
    const left = orders.filter((order) => !cancels.includes(order));
    const { wishes } = findChanges(quotes, left, this.#facts);
    const actions: MakerAction[] = cancels.map(({ intentId }) => ({ kind: 'cancel', id: intentId }));
    const funds = new Funds(sight.account, new Set(cancels.map(({ intentId }) => intentId)));
    for (const { side, priceMicros, amountMicros } of wishes) {
      const tick = Math.round((priceMicros / ONE) * 100);
      const shares = isPassive(side, tick, sight) ? funds.bind(side, tick, amountMicros / ONE) : 0;
      if (shares < QUANTUM) continue;
      const id = `o${++this.#lastId}`;
      this.#placed.set(id, { submittedMs: nowMs, acceptedMs: nowMs });
      actions.push({ kind: 'place', id, side, tick, shares });
    }
    for (const { intentId } of cancels) this.#placed.delete(intentId);
    return actions;
  }
}

/** Free cash and YES shares while orders are being added. */
class Funds {
  #cash: number;
  #yes: number;

  constructor(account: Account, canceled: ReadonlySet<string>) {
    const { cash, yes } = account.freeWithout(canceled);
    this.#cash = cash;
    this.#yes = yes;
  }

  /** The shares of this order that can be paid for, now bound; 0 when none can. */
  bind(side: LadderSide, tick: number, wanted: number): number {
    const price = tickToPrice(tick);
    const cost = side === 'bid' ? price : 1 - price;
    const covered = side === 'ask' ? Math.min(this.#yes, wanted) : 0;
    const shares = Math.min(wanted, floorToQuantum(covered + Math.max(0, this.#cash - SPARE) / cost));
    const held = Math.min(covered, shares);
    this.#yes -= held;
    this.#cash -= (shares - held) * cost;
    return shares;
  }
}

/** Currency that is left over, so that rounding never makes an order dearer than what is free. */
const SPARE = 1e-6;

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

const makeDetail = (conditionId: string) =>
  marketDetail.parse({
    title: 'Will the score end above 0?',
    condition_id: conditionId,
    state: 'open',
    category: null,
    event: null,
    margin_enabled: false,
    resolution_date: (START_MS + 2001 * STEP_MS) / 1000,
    config: {
      kind: 'orderbook',
      min_price: '0.01',
      max_price: '0.99',
      min_amount: '0.01',
      max_amount: '1000000',
      min_funds: '0.01',
      max_funds: '1000000',
      price_precision: 2,
      amount_precision: 2,
      funds_precision: 2,
      maker_fee_rate: '0',
      taker_fee_rate: '0',
    },
  });
