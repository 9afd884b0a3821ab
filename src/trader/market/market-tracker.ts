/** The memory of one market: fed with polls, asked for views. */

import type { FeeSchedule } from '../../shared/base/fees.js';
import { type Micros, minMicros, ONE, stepOfPrecision, sub } from '../../shared/base/micros.js';
import type { MarketDetail, Orderbook, PublicTradeRow } from '../../shared/protocol/records.js';
import { copyToShow, EMPTY_BOOK, micropriceOf, midOf, readBook, sameBook, touch, without } from './book.js';
import { Arrivals, Flow, Volatility } from './estimators.js';
import { type Jump, Liveness } from './liveness.js';
import { OwnFills } from './own-fills.js';
import { isShortOfOwn, OwnOrderMemory, QueuePlaces } from './own-orders.js';
import { type CategoryFlow, TakerFlow } from './taker-flow.js';
import { Tape } from './tape.js';
import { VenueMark } from './venue-marks.js';
import {
  type Book,
  type Estimates,
  type EventView,
  type FeedViews,
  type Glance,
  type Health,
  type Inventory,
  type MarketFacts,
  type MarketView,
  type OwnMarketState,
  type OwnOrder,
  type OwnOrderView,
  type PriceMotion,
  type SeenAt,
  type Sight,
  type TapeTrade,
  type TraderPace,
  USUAL_PACE,
} from './view.js';

interface SeenBook {
  readonly raw: Book;
  readonly others: Book;
  /** What the others' book says at any time, told once: `Estimates` of the same names. */
  readonly mid: number | null;
  readonly microprice: number | null;
  readonly spread: number | null;
  readonly droppedLevels: number;
  readonly at: SeenAt;
}

/**
 * All that is remembered of one market: its newest book, trades, estimates and our orders in them. Calls must come in the order
 * of our clock.
 */
export class MarketTracker {
  readonly conditionId: string;
  readonly #feeSchedule: FeeSchedule;
  #facts: MarketFacts | null = null;
  #unsuitable: string | null = null;
  #detailSeenMs: number | null = null;
  #book: SeenBook | null = null;
  #tradesAt: SeenAt | null = null;
  /** Answers to requests up to this one were asked for before our clock was set back. */
  #forgottenUpTo = Number.NEGATIVE_INFINITY;
  /** The exchange's clock minus ours, ms, as the newest answer that named it said. */
  #venueAheadMs = 0;
  #own: readonly OwnOrder[] = [];
  #motion: PriceMotion | null = null;
  #hasHistory: boolean | null = null;
  readonly #tape = new Tape();
  readonly #volatility = new Volatility();
  readonly #flow = new Flow();
  readonly #takers = new Arrivals(USUAL_TAKERS_PER_S);
  readonly #shape = new TakerFlow();
  readonly #liveness = new Liveness();
  readonly #memory = new OwnOrderMemory();
  #lookEveryMs: number | null = null;
  readonly #queue = new QueuePlaces();
  readonly venueMark = new VenueMark();
  /** Told of each by whoever learns of it. */
  readonly ownFills = new OwnFills();

  /** The service does not name what its fees are a part of: the venue profile does. */
  constructor(conditionId: string, feeSchedule: FeeSchedule = 'notional') {
    this.conditionId = conditionId;
    this.#feeSchedule = feeSchedule;
  }

  /** Null until a detail of an order-book market was seen. */
  get facts(): MarketFacts | null {
    return this.#facts;
  }

  /** Why the newest detail gave no facts; null when it did, or before the first. */
  get unsuitable(): string | null {
    return this.#unsuitable;
  }

  /** What its takers are believed to be like follows from those of other markets. */
  joinCategory(category: CategoryFlow): void {
    this.#shape.joinCategory(category);
  }

  /** The newest jump of its price; null before the first. */
  get jump(): Jump | null {
    return this.#liveness.jump;
  }

  /** Whether its trades go further back than `YOUNG_MS`; null before they were seen. What was there at the first look counts. */
  get hasHistory(): boolean | null {
    return this.#hasHistory;
  }

  /** Between two closes of its price bars that say different things: half of others' spread, at least half a tick. */
  get closeGridStep(): number {
    return Math.max(this.#tick, this.#book?.spread ?? 0) / 2;
  }

  /** What is believed of its volatility before enough was seen; counts as one sample. */
  setVolatilityPrior(sigmaPerSqrtS: number): void {
    this.#volatility.setPrior(sigmaPerSqrtS);
    this.#motion = null;
  }

  /** Our clock, ms, when the newest detail, book and trades were seen; null before. */
  get detailSeenMs(): number | null {
    return this.#detailSeenMs;
  }

  get bookSeenMs(): number | null {
    return this.#book?.at.seenMs ?? null;
  }

  get tradesSeenMs(): number | null {
    return this.#tradesAt?.seenMs ?? null;
  }

  onDetail(detail: MarketDetail, at: SeenAt): void {
    const facts = readFacts(detail, this.#feeSchedule);
    this.#facts = typeof facts === 'string' ? null : facts;
    this.#unsuitable = typeof facts === 'string' ? facts : null;
    this.#detailSeenMs = at.seenMs;
    this.#noteClock(at);
  }

  /** A YES book, with every own order that rests or may rest by then (what left since is remembered from before). */
  onBook(snapshot: Orderbook, at: SeenAt, own: readonly OwnOrder[]): void {
    this.#noteOwn(at.seenMs, own);
    const before = this.#book;
    // Two polls may overtake each other; the one that left later saw the later book.
    if (before !== null && at.requestId < before.at.requestId) return;
    // Of one during which our clock was set back nobody can say how old what it shows is.
    if (!this.#isTimed(at)) return;
    this.#noteClock(at);
    const { book: raw, droppedLevels } = readBook(snapshot);
    const others = without(raw, this.#memory.inBook(at));
    const changed = before === null || !sameBook(before.raw, raw);
    if (before !== null) this.#lookEveryMs = meanWith(this.#lookEveryMs, at.sentMs - before.at.sentMs);
    this.#liveness.onBook(others, at, changed, this.#volatility.sigmaPerSqrtS);
    const { mid, microprice, spread } = computeShape(others);
    // A mid moves by half ticks.
    if (mid !== null) this.#volatility.observe(mid, at.seenMs, this.#tick / 2);
    this.#queue.onBook(others, at, own);
    if (this.#facts !== null) this.#shape.onBook(raw, others, at, this.#facts.tickMicros);
    this.#book = { raw, others, mid, microprice, spread, droppedLevels, at };
    if (before !== null)
      this.venueMark.judge(at, this.#estimateMotion(before), midOf(before.raw), this.#price(this.#book));
    this.#motion = null;
    this.ownFills.look(microprice ?? this.#flow.tradePrice, at.sentMs);
  }

  /** The venue says what a YES share is worth: a float in (0, 1). It may be worth a look; nothing is priced by it. */
  onVenueMark(price: number, at: SeenAt): void {
    if (this.#book === null || at.requestId < this.#book.at.requestId || !this.#isTimed(at)) return;
    this.venueMark.take(price, at);
    this.#motion = null;
  }

  /** Whether the newest book shows less than these orders of ours, which rest as far as we know. */
  isShortOfOwn(orders: readonly OwnOrder[]): boolean {
    return this.#book !== null && isShortOfOwn(this.#book.raw, orders, this.#book.at.sentMs);
  }

  /** One page of public trades, newest first, as the service gives them. */
  onTrades(rows: readonly PublicTradeRow[], at: SeenAt): void {
    if (this.#isTimed(at) && at.requestId >= (this.#tradesAt?.requestId ?? at.requestId)) this.#tradesAt = at;
    this.#noteClock(at);
    this.#hasHistory ??= rows.length >= FULL_PAGE || rows.some(isBefore((at.venueTimeMs ?? at.seenMs) - YOUNG_MS));
    const book = this.#book?.raw ?? EMPTY_BOOK;
    for (const trade of this.#tape.add(rows.filter(isPast(at)), at.seenMs, book)) this.#takeIn(trade, at, book);
  }

  #takeIn(trade: TapeTrade, at: SeenAt, book: Book): void {
    // The venue's times are whole seconds: the middle of that second by our clock, but not after we saw it.
    const atMs = Math.min(at.seenMs, trade.venueTimeMs + 500 - this.#venueAheadMs);
    const shares = trade.amountMicros / ONE;
    this.#flow.observe({ price: trade.priceMicros / ONE, shares, bought: trade.taker === 'buy' }, atMs);
    this.#takers.observe(atMs);
    if (this.#facts !== null) this.#shape.onTrade(trade, atMs, this.#facts.tickMicros);
    this.#motion = null;
    this.#liveness.onTrade(trade, atMs, book);
    if (this.#book !== null && atMs > this.#book.at.seenMs) this.#queue.onTrade(trade, this.#own);
  }

  /**
   * Our clock was set back by so much, ms. How old the newest book is can no longer be told, so it is forgotten, and so
   * are the answers still to come to requests up to `lastRequestId`. What is remembered of the past keeps its distance.
   */
  clockSetBack(byMs: number, lastRequestId: number): void {
    this.#book = null;
    this.venueMark.forget();
    this.#tradesAt = null;
    this.#forgottenUpTo = lastRequestId;
    this.#venueAheadMs += byMs;
    this.#volatility.clockSetBack(byMs);
    this.#flow.clockSetBack(byMs);
    this.#takers.clockSetBack(byMs);
    this.#shape.clockSetBack();
    this.#motion = null;
    this.#liveness.clockSetBack(byMs);
    this.#memory.clockSetBack();
    this.ownFills.clockSetBack();
  }

  /** Null until both a detail and a book were seen. `feeds`, `event` and `pace` are shown as they are; absent: none, and the usual pace. */
  view(
    nowMs: number,
    own: OwnMarketState,
    feeds: FeedViews = NO_FEEDS,
    event: EventView | null = null,
    pace: TraderPace = USUAL_PACE,
  ): MarketView | null {
    this.#noteOwn(nowMs, own.orders);
    const sight = this.sight(nowMs);
    if (sight === null || this.#book === null) return null;
    const book = copyToShow(sight.book);
    return Object.freeze({
      nowMs,
      timeToResolutionMs: sight.timeToResolutionMs,
      market: sight.market,
      book,
      // Without orders of ours both are the same book.
      others: sight.others === sight.book ? book : copyToShow(sight.others),
      trades: this.#tape.trades,
      estimates: Object.freeze(this.#estimates(nowMs, this.#book)),
      health: Object.freeze(sight.health),
      inventory: Object.freeze(makeInventory(own)),
      stance: own.stance,
      orders: Object.freeze(own.orders.map((order) => viewOrder(order, this.#queue.findAhead(order), nowMs))),
      feeds,
      flow: Object.freeze({
        tradesPerS: this.#takers.perSAt(nowMs),
        meanTradeShares: this.#tape.meanShares,
        kappa: this.#shape.kappaAt(nowMs, sight.market.tickMicros),
        sweepMovePrice: this.#shape.sweepMoveAt(nowMs, sight.market.tickMicros),
      }),
      pace: Object.freeze({ lookEveryS: this.#lookEveryMs === null ? null : this.#lookEveryMs / 1000, ...pace }),
      own: this.ownFills.view,
      event,
    });
  }

  /** What those who quote another market of its event are shown of it. */
  glance(nowMs: number): Glance {
    const best = this.#book === null ? null : touch(this.#book.others);
    const health = this.#book === null ? null : this.#health(nowMs, this.#book);
    return Object.freeze({
      conditionId: this.conditionId,
      mid: this.#book?.mid ?? null,
      bid: best === null ? null : best.bid.priceMicros / ONE,
      ask: best === null ? null : best.ask.priceMicros / ONE,
      bookAgeMs: health?.bookAgeMs ?? null,
      sigmaLogOddsPerSqrtS: this.#volatility.sigmaPerSqrtS,
      sinceJumpMs: health?.sinceJumpMs ?? null,
      isSound: this.#facts?.phase === 'open' && health !== null && !health.crossed && !health.locked && !health.frozen,
    });
  }

  /**
   * The part of `view` that an order is judged by, never shown to a strategy: nothing that one does to its view is in it.
   * Null like `view`.
   */
  sight(nowMs: number): Sight | null {
    if (this.#facts === null || this.#book === null) return null;
    const trade = this.#tape.trades[0];
    return {
      newestTrade: trade !== undefined && trade.seenMs >= this.#book.at.seenMs ? trade : null,
      market: this.#facts,
      book: this.#book.raw,
      others: this.#book.others,
      health: this.#health(nowMs, this.#book),
      timeToResolutionMs: this.timeToResolutionMs(nowMs),
    };
  }

  /** Milliseconds to resolution by the exchange's clock as far as we know it; null when unknown. */
  timeToResolutionMs(nowMs: number): number | null {
    const resolutionMs = this.#facts?.resolutionTimeMs ?? null;
    return resolutionMs === null ? null : resolutionMs - (nowMs + this.#venueAheadMs);
  }

  /** The newest book without own orders; null before the first. */
  get others(): Book | null {
    return this.#book?.others ?? null;
  }

  /**
   * The YES price to value shares at: `Estimates.microprice`, else `tradePrice`, of the view with these own orders; null
   * without either, and before the first view.
   */
  mark(nowMs: number, own: readonly OwnOrder[]): number | null {
    this.#noteOwn(nowMs, own);
    if (this.#facts === null || this.#book === null) return null;
    return this.#book.microprice ?? this.#flow.tradePrice;
  }

  /** How the price moves, as far as the newest book and all before it have told; null before the first book. */
  get motion(): PriceMotion | null {
    if (this.#book !== null) this.#motion ??= this.#estimateMotion(this.#book);
    return this.#motion;
  }

  #estimateMotion(book: SeenBook): PriceMotion {
    const price = this.#price(book);
    return {
      seenMs: book.at.sentMs,
      price,
      halfSpread: Math.max(this.#tick, (book.spread ?? 0) / 2),
      sigmaPerSqrtS: this.#volatility.sigmaPerSqrtS * price * (1 - price),
      jumpsPerS: this.#volatility.jumpsPerS,
      takersPerS: this.#takers.perSAt(book.at.seenMs),
      markMove: Math.max(0, this.venueMark.distance(price, midOf(book.raw)) - this.#tick / 2),
    };
  }

  get #tick(): number {
    return (this.#facts?.tickMicros ?? USUAL_TICK_MICROS) / ONE;
  }

  #noteOwn(nowMs: number, own: readonly OwnOrder[]): void {
    this.#memory.update(nowMs, own);
    this.#own = own;
  }

  /** Whether our clock can say how long it took. */
  #isTimed({ requestId, sentMs, seenMs }: SeenAt): boolean {
    return requestId > this.#forgottenUpTo && sentMs <= seenMs;
  }

  #noteClock(at: SeenAt): void {
    if (at.venueTimeMs !== null && this.#isTimed(at))
      this.#venueAheadMs = at.venueTimeMs + 500 - (at.sentMs + at.seenMs) / 2;
  }

  /** The best guess of the price: microprice, else what traded, else the middle of what can be. */
  #price({ microprice }: SeenBook): number {
    return microprice ?? this.#flow.tradePrice ?? 0.5;
  }

  #estimates(nowMs: number, book: SeenBook): Estimates {
    const price = this.#price(book);
    const sigma = this.#volatility.sigmaPerSqrtS;
    const { tradePrice, tradeWeightShares, flowImbalance, flowSharesPerS } = this.#flow.at(nowMs);
    return {
      mid: book.mid,
      microprice: book.microprice,
      spread: book.spread,
      sigmaLogOddsPerSqrtS: sigma,
      sigmaPricePerSqrtS: sigma * price * (1 - price),
      tradePrice,
      tradeWeightShares,
      flowImbalance,
      flowSharesPerS,
    };
  }

  #health(nowMs: number, { raw, at, droppedLevels }: SeenBook): Health {
    const bid = raw.bids[0]?.priceMicros ?? 0;
    const ask = raw.asks[0]?.priceMicros ?? ONE;
    return {
      bookAgeMs: nowMs - at.sentMs,
      tradesAgeMs: this.#tradesAt === null ? null : nowMs - this.#tradesAt.sentMs,
      unchangedMs: this.#liveness.unchangedMs(nowMs),
      crossed: bid > ask,
      locked: bid === ask,
      frozen: this.#liveness.isFrozen(at.sentMs),
      jumpLogOdds: this.#liveness.jumpLogOdds,
      sinceJumpMs: this.#liveness.sinceJumpMs(nowMs),
      droppedLevels,
    };
  }
}

/** The newest of so many looks counts as one of them. */
const LOOKS = 8;

const meanWith = (mean: number | null, newest: number): number =>
  mean === null ? newest : mean + (newest - mean) / LOOKS;

const NO_FEEDS: FeedViews = Object.freeze({});

/** One a minute. */
const USUAL_TAKERS_PER_S = 1 / 60;
/** Before a detail has named the grid. */
const USUAL_TICK_MICROS = 10_000;

/** Of a market that began to trade within two price bars its trades say more than those. */
const YOUNG_MS = 600_000;
/** There are probably more behind it. */
const FULL_PAGE = 100;

const isBefore =
  (atMs: number) =>
  ({ timestamp }: PublicTradeRow): boolean =>
    timestamp * 1000 < atMs;

/** A trade whose time lies further ahead of its own answer's did not happen: taken in, it would make all others late. */
const EARLY_MS = 60_000;

const isPast =
  ({ venueTimeMs }: SeenAt) =>
  ({ timestamp }: PublicTradeRow): boolean =>
    venueTimeMs === null || timestamp * 1000 <= venueTimeMs + EARLY_MS;

function computeShape(others: Book): Pick<SeenBook, 'mid' | 'microprice' | 'spread'> {
  const best = touch(others);
  const spread = best === null ? null : sub(best.ask.priceMicros, best.bid.priceMicros) / ONE;
  return { mid: midOf(others), microprice: micropriceOf(others), spread };
}

/** The facts, or one sentence that says why this market cannot be quoted at all. */
function readFacts(detail: MarketDetail, feeSchedule: FeeSchedule): MarketFacts | string {
  const { config } = detail;
  if (config.kind !== 'orderbook') return `its kind is ${config.kind}, only orderbook markets are quoted`;
  if (detail.margin_enabled === true) return 'margin is enabled on it, and orders are refused on margin markets';
  // Strategies are shown these very facts, and risk compares with them.
  return Object.freeze({
    conditionId: detail.condition_id,
    eventConditionId: detail.event?.condition_id ?? null,
    title: detail.title,
    category: detail.category,
    phase: detail.state,
    tickMicros: stepOfPrecision(config.price_precision),
    lotMicros: stepOfPrecision(config.amount_precision),
    minPriceMicros: config.min_price,
    maxPriceMicros: config.max_price,
    minAmountMicros: config.min_amount,
    maxAmountMicros: config.max_amount,
    makerFeeRateMicros: config.maker_fee_rate,
    takerFeeRateMicros: config.taker_fee_rate,
    feeSchedule,
    resolutionTimeMs: detail.resolution_date === null ? null : detail.resolution_date * 1000,
  });
}

/** Names what a strategy may see: the engine's own orders carry more. */
const viewOrder = (order: OwnOrder, queueAheadMicros: Micros | null, nowMs: number): OwnOrderView => ({
  intentId: order.intentId,
  side: order.side,
  priceMicros: order.priceMicros,
  remainingMicros: order.remainingMicros,
  isYes: order.isYes,
  submittedMs: order.submittedMs,
  acceptedMs: order.acceptedMs,
  queueAheadMicros,
  ageMs: nowMs - order.submittedMs,
});

/** Holdings, what they cost, and what may still be spent and held. */
function makeInventory(own: OwnMarketState): Inventory {
  return {
    yesMicros: own.yesMicros,
    noMicros: own.noMicros,
    netMicros: sub(own.yesMicros, own.noMicros),
    pairsMicros: minMicros(own.yesMicros, own.noMicros),
    avgYesCostMicros: own.avgYesCostMicros,
    avgNoCostMicros: own.avgNoCostMicros,
    availableFundsMicros: own.availableFundsMicros,
    maxPositionMicros: own.maxPositionMicros,
  };
}
