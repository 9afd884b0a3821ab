/** Collects the exchange's answers about one market, and makes views of the market for strategies. */

import type { FeeSchedule } from '../../shared/base/fees.js';
import { type Micros, minMicros, ONE, stepOfPrecision, sub } from '../../shared/base/micros.js';
import type { MarketDetail, Orderbook, PublicTradeRow } from '../../shared/protocol/records.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import { EMPTY_BOOK, micropriceOf, midOf, readBook, sameBook, touch } from './book.js';
import { Arrivals, computeLogOdds, Flow, TakerFlow, Volatility } from './estimators.js';
import { isShortOfOwn, OwnFills, OwnOrderMemory, QueuePlaces } from './own-activity.js';
import { Tape } from './tape.js';
import { VenueMark } from './venue-marks.js';
import {
  type Book,
  type BookLevel,
  type EventView,
  type FeedViews,
  type Glance,
  type Health,
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
  /** Mid, microprice and spread of the book without own orders, defined as in `Estimates`. */
  readonly mid: number | null;
  readonly microprice: number | null;
  readonly spread: number | null;
  readonly droppedLevels: number;
  readonly at: SeenAt;
}

/** State of one market: newest book, trades, estimates, own orders. The times of successive calls must not decrease. */
export class MarketTracker {
  readonly conditionId: string;
  readonly #feeSchedule: FeeSchedule;
  /** Facts from the newest `MarketDetail`; null before the first `MarketDetail`, or if the market cannot be quoted. */
  facts: MarketFacts | null = null;
  /** Sentence that says why the market cannot be quoted; null if it can, or before the first `MarketDetail`. */
  unsuitable: string | null = null;
  #newestDetailId = Number.NEGATIVE_INFINITY;
  #book: SeenBook | null = null;
  #tradesAt: SeenAt | null = null;
  /** Id of the last request before our clock was set back. The age of answers to requests up to this id is unknown. */
  #forgottenUpTo = Number.NEGATIVE_INFINITY;
  /** Exchange clock minus our clock, ms, estimated from the newest answer that contains a time. */
  #venueAheadMs = 0;
  #own: readonly OwnOrder[] = [];
  #tick = USUAL_TICK_MICROS / ONE;
  #motion: PriceMotion | null = null;
  /** True if the first page of trades was full or had trades older than `YOUNG_MS`; null before the first page. */
  hasHistory: boolean | null = null;
  readonly #tape = new Tape();
  readonly #volatility = new Volatility();
  readonly #flow = new Flow();
  readonly #takers = new Arrivals(USUAL_TAKERS_PER_S);
  readonly shape = new TakerFlow();
  readonly liveness = new Liveness();
  readonly #memory = new OwnOrderMemory();
  #lookEveryMs: number | null = null;
  readonly #queue = new QueuePlaces();
  readonly venueMark = new VenueMark();
  /** Statistics of own fills in this market. The caller adds each fill by `ownFills.onFill`. */
  readonly ownFills = new OwnFills();

  /** The exchange does not report the fee schedule, so the caller passes the schedule of the venue profile. */
  constructor(conditionId: string, feeSchedule: FeeSchedule = 'notional') {
    this.conditionId = conditionId;
    this.#feeSchedule = feeSchedule;
  }

  /** Assumed step between closing prices of price bars: half of other accounts' spread, at least half a tick. */
  get closeGridStep(): number {
    return Math.max(this.#tick, this.#book?.spread ?? 0) / 2;
  }

  /** Sets the prior volatility, which has the weight of one sample. */
  setVolatilityPrior(sigmaPerSqrtS: number): void {
    this.#volatility.setPrior(sigmaPerSqrtS);
    this.#motion = null;
  }

  get bookSeenMs(): number | null {
    return this.#book?.at.seenMs ?? null;
  }

  /** Updates the market from a detail. Returns false for a detail that is older than the newest one. */
  onDetail(detail: MarketDetail, at: SeenAt): boolean {
    if (at.requestId < this.#newestDetailId) return false;
    this.#newestDetailId = at.requestId;
    const facts = readFacts(detail, this.#feeSchedule);
    this.facts = typeof facts === 'string' ? null : facts;
    this.unsuitable = typeof facts === 'string' ? facts : null;
    this.#tick = (this.facts?.tickMicros ?? USUAL_TICK_MICROS) / ONE;
    this.#noteClock(at);
    return true;
  }

  /** Updates the market from a book. `own` must contain all own orders that are or may be open. */
  onBook(snapshot: Orderbook, at: SeenAt, own: readonly OwnOrder[]): void {
    this.#noteOwn(at.seenMs, own);
    const before = this.#book;
    // Book answers may arrive out of order. The answer to the later request has the newer book.
    if (before !== null && at.requestId < before.at.requestId) return;
    // A book is dropped if its age is unknown because our clock was set back after the request.
    if (!this.#isTimed(at)) return;
    this.#noteClock(at);
    const { book: raw, droppedLevels } = readBook(snapshot);
    const others = this.#memory.removeOwn(raw, at);
    const changed = before === null || !sameBook(before.raw, raw);
    if (before !== null) {
      const everyMs = at.sentMs - before.at.sentMs;
      this.#lookEveryMs =
        this.#lookEveryMs === null ? everyMs : this.#lookEveryMs + (everyMs - this.#lookEveryMs) / LOOKS;
    }
    const best = touch(others);
    const spread = best === null ? null : sub(best.ask.priceMicros, best.bid.priceMicros) / ONE;
    const mid = midOf(others);
    const microprice = micropriceOf(others);
    this.liveness.onBook(mid, at, changed, this.#volatility.sigmaPerSqrtS);
    // A book's mid changes in steps of half a tick.
    if (mid !== null) this.#volatility.observe(mid, at.seenMs, this.#tick / 2);
    this.#queue.onBook(others, at, own);
    if (this.facts !== null) this.shape.onBook(raw, others, at, this.facts.tickMicros);
    this.#book = { raw, others, mid, microprice, spread, droppedLevels, at };
    if (before !== null)
      this.venueMark.judge(at, this.#estimateMotion(before), midOf(before.raw), this.#price(this.#book));
    this.#motion = null;
    this.ownFills.look(microprice ?? this.#flow.tradePrice, at.sentMs);
  }

  /** Stores the exchange's mark (valuation) of a YES share, in (0, 1). Marks cause book reads, but set no prices. */
  onVenueMark(price: number, at: SeenAt): void {
    if (this.#book === null || at.requestId < this.#book.at.requestId || !this.#isTimed(at)) return;
    this.venueMark.take(price, at);
    this.#motion = null;
  }

  /** Returns true if the newest book shows fewer shares at a price than these own orders have at that price. */
  isShortOfOwn(orders: readonly OwnOrder[]): boolean {
    return this.#book !== null && isShortOfOwn(this.#book.raw, orders, this.#book.at.sentMs);
  }

  /** Adds one page of public trades, newest first, as the exchange returns them. */
  onTrades(rows: readonly PublicTradeRow[], at: SeenAt): void {
    if (this.#isTimed(at) && at.requestId >= (this.#tradesAt?.requestId ?? at.requestId)) this.#tradesAt = at;
    this.#noteClock(at);
    const youngMs = (at.venueTimeMs ?? at.seenMs) - YOUNG_MS;
    this.hasHistory ??= rows.length >= FULL_PAGE || rows.some(({ timestamp }) => timestamp * 1000 < youngMs);
    const book = this.#book?.raw ?? EMPTY_BOOK;
    const latestMs = (at.venueTimeMs ?? at.seenMs + this.#venueAheadMs) + EARLY_MS;
    const past = rows.filter(({ timestamp }) => timestamp * 1000 <= latestMs);
    for (const trade of this.#tape.add(past, at.seenMs, () => book)) this.#takeIn(trade, at, book);
  }

  #takeIn(trade: TapeTrade, at: SeenAt, book: Book): void {
    // The exchange reports whole seconds, so the middle of the second is used, or the answer's arrival if earlier.
    const atMs = Math.min(at.seenMs, trade.venueTimeMs + 500 - this.#venueAheadMs);
    const shares = trade.amountMicros / ONE;
    this.#flow.observe({ price: trade.priceMicros / ONE, shares, bought: trade.taker === 'buy' }, atMs);
    this.#takers.observe(atMs);
    if (this.facts !== null) this.shape.onTrade(trade, atMs, this.facts.tickMicros);
    this.#motion = null;
    this.liveness.onTrade(trade, atMs, book);
    if (this.#book !== null && atMs > this.#book.at.seenMs) this.#queue.onTrade(trade, this.#own);
  }

  /**
   * Corrects stored times after our clock was set back by `byMs`, so that elapsed times stay correct. Drops the newest
   * book, because its age is unknown. The age of answers to requests up to `lastRequestId` is unknown too.
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
    this.shape.clockSetBack();
    this.#motion = null;
    this.liveness.clockSetBack(byMs);
    this.#memory.clockSetBack();
    this.ownFills.clockSetBack();
  }

  /** Returns a strategy's view of the stored data and the arguments; null while `facts` or the book is missing. */
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
    const { mid, microprice, spread } = this.#book;
    const price = this.#price(this.#book);
    const sigma = this.#volatility.sigmaPerSqrtS;
    return Object.freeze({
      nowMs,
      timeToResolutionMs: sight.timeToResolutionMs,
      market: sight.market,
      book,
      // If the trader has no orders, the full book equals other accounts' book.
      others: sight.others === sight.book ? book : copyToShow(sight.others),
      trades: this.#tape.trades,
      estimates: Object.freeze({
        mid,
        microprice,
        spread,
        sigmaLogOddsPerSqrtS: sigma,
        sigmaPricePerSqrtS: sigma * price * (1 - price),
        ...this.#flow.at(nowMs),
      }),
      health: Object.freeze(sight.health),
      inventory: Object.freeze({
        yesMicros: own.yesMicros,
        noMicros: own.noMicros,
        netMicros: sub(own.yesMicros, own.noMicros),
        pairsMicros: minMicros(own.yesMicros, own.noMicros),
        avgYesCostMicros: own.avgYesCostMicros,
        avgNoCostMicros: own.avgNoCostMicros,
        availableFundsMicros: own.availableFundsMicros,
        maxPositionMicros: own.maxPositionMicros,
      }),
      stance: own.stance,
      orders: Object.freeze(own.orders.map((order) => viewOrder(order, this.#queue.findAhead(order), nowMs))),
      feeds,
      flow: Object.freeze({
        tradesPerS: this.#takers.perSAt(nowMs),
        meanTradeShares: this.#tape.meanShares,
        kappa: this.shape.kappaAt(nowMs, sight.market.tickMicros),
        sweepMovePrice: this.shape.sweepMoveAt(nowMs, sight.market.tickMicros),
      }),
      pace: Object.freeze({ lookEveryS: this.#lookEveryMs === null ? null : this.#lookEveryMs / 1000, ...pace }),
      own: this.ownFills.view,
      event,
    });
  }

  /** Returns a summary of this market for strategies that quote another market of the same event. */
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
      isSound: this.facts?.phase === 'open' && health !== null && !health.crossed && !health.locked && !health.frozen,
    });
  }

  /** Returns the part of the view that risk checks need; null while `facts` or the book is missing. */
  sight(nowMs: number): Sight | null {
    if (this.facts === null || this.#book === null) return null;
    const trade = this.#tape.trades[0];
    return {
      newestTrade: trade !== undefined && trade.seenMs >= this.#book.at.seenMs ? trade : null,
      market: this.facts,
      book: this.#book.raw,
      others: this.#book.others,
      health: this.#health(nowMs, this.#book),
      timeToResolutionMs: this.timeToResolutionMs(nowMs),
    };
  }

  /** Returns the time to the market's resolution by the estimated exchange clock, ms; null if unknown. */
  timeToResolutionMs(nowMs: number): number | null {
    const resolutionMs = this.facts?.resolutionTimeMs ?? null;
    return resolutionMs === null ? null : resolutionMs - (nowMs + this.#venueAheadMs);
  }

  get others(): Book | null {
    return this.#book?.others ?? null;
  }

  /** Returns the YES price for valuations: microprice of others' book, else mean trade price; null if unknown. */
  mark(nowMs: number, own: readonly OwnOrder[]): number | null {
    this.#noteOwn(nowMs, own);
    if (this.facts === null || this.#book === null) return null;
    return this.#book.microprice ?? this.#flow.tradePrice;
  }

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

  #noteOwn(nowMs: number, own: readonly OwnOrder[]): void {
    this.#memory.update(nowMs, own);
    this.#own = own;
  }

  /** Returns true if our clock was not set back between request and answer. */
  #isTimed({ requestId, sentMs, seenMs }: SeenAt): boolean {
    return requestId > this.#forgottenUpTo && sentMs <= seenMs;
  }

  #noteClock(at: SeenAt): void {
    if (at.venueTimeMs !== null && this.#isTimed(at))
      this.#venueAheadMs = at.venueTimeMs + 500 - (at.sentMs + at.seenMs) / 2;
  }

  /** Returns the best estimate of the YES price: the microprice, else the mean of recent trades, else 0.5. */
  #price({ microprice }: SeenBook): number {
    return microprice ?? this.#flow.tradePrice ?? 0.5;
  }

  #health(nowMs: number, { raw, at, droppedLevels }: SeenBook): Health {
    const bid = raw.bids[0]?.priceMicros ?? 0;
    const ask = raw.asks[0]?.priceMicros ?? ONE;
    const { jump, jumpLogOdds, through, unchangedSinceMs } = this.liveness;
    return {
      bookAgeMs: nowMs - at.sentMs,
      tradesAgeMs: this.#tradesAt === null ? null : nowMs - this.#tradesAt.sentMs,
      unchangedMs: unchangedSinceMs === null ? 0 : nowMs - unchangedSinceMs,
      crossed: bid > ask,
      locked: bid === ask,
      // The last poll's time is used instead of `nowMs`, so that a book without further polls does not become frozen.
      frozen: through.count >= FROZEN_TRADES && at.sentMs - through.sinceMs >= FROZEN_MS,
      jumpLogOdds,
      sinceJumpMs: jump === null ? null : nowMs - jump.jumpedMs,
      droppedLevels,
    };
  }
}

/** Weight of the newest interval in the average interval between book reads: 1 / `LOOKS`. */
const LOOKS = 8;

const NO_FEEDS: FeedViews = Object.freeze({});

/** Prior rate of taker trades: one per minute. */
const USUAL_TAKERS_PER_S = 1 / 60;
/** Tick size assumed before the first market detail, micros. */
const USUAL_TICK_MICROS = 10_000;

/** Maximum age of a young market, ms: two price bars. For a young market, trades contain more data than price bars. */
const YOUNG_MS = 600_000;
/** Number of rows of a full page of trades. If a page is full, the market probably has more trades. */
const FULL_PAGE = 100;

/** A trade dated later than its answer by more than this, ms, is dropped: else `Tape` would ignore others as old. */
const EARLY_MS = 60_000;

/** Returns the market's facts, or one sentence that says why the market cannot be quoted. */
function readFacts(detail: MarketDetail, feeSchedule: FeeSchedule): MarketFacts | string {
  const { config } = detail;
  if (config.kind !== 'orderbook') return `the market's kind is ${config.kind}, but only orderbook markets are quoted`;
  // Settled markets need no orders: their shares are redeemed, without a fee.
  const isSettled = isSettledMarket(detail.state);
  if (detail.margin_enabled === true && !isSettled)
    return 'margin is enabled, and the exchange rejects orders in margin markets';
  // Risk checks assume fees of 0 or more.
  if (minMicros(config.maker_fee_rate, config.taker_fee_rate) < 0 && !isSettled)
    return 'a fee rate is negative, and markets with rebates are not quoted';
  // The facts object is frozen, because strategies and risk checks share it.
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

/** Returns an order with only the fields that strategies may see. The engine's order objects have more fields. */
const viewOrder = (order: OwnOrder, queueAheadMicros: Micros | null, nowMs: number): OwnOrderView => ({
  intentId: order.intentId,
  isProbe: order.isProbe === true,
  side: order.side,
  priceMicros: order.priceMicros,
  remainingMicros: order.remainingMicros,
  isYes: order.isYes,
  submittedMs: order.submittedMs,
  acceptedMs: order.acceptedMs,
  queueAheadMicros,
  ageMs: nowMs - order.submittedMs,
});

/** A change of the mid is a jump if it exceeds both `JUMP_SIGMAS` standard deviations and `JUMP_MIN_LOG_ODDS`. */
const JUMP_SIGMAS = 6;
const JUMP_MIN_LOG_ODDS = 0.25;

/** A book is frozen after this number of trades beyond its best prices, if `FROZEN_MS` passed since the first one. */
const FROZEN_TRADES = 2;
const FROZEN_MS = 10_000;

/** A price jump: a change of the mid that is too large for the elapsed time. */
interface Jump {
  /** Time when the book that shows the jump arrived, our clock, ms. */
  readonly jumpedMs: number;
  readonly changeLogOdds: number;
}

/** Detects jumps of one market's mid, and a frozen book: the book stays equal while trades pass its best prices. */
class Liveness {
  /** Time when the last changed book arrived, our clock, ms; null before the first book. */
  unchangedSinceMs: number | null = null;
  /** Number of trades beyond the best prices since the book last changed, and time of the first one, our clock, ms. */
  through: { readonly count: number; readonly sinceMs: number } = { count: 0, sinceMs: 0 };
  #lastMid: { readonly logOdds: number; readonly seenMs: number } | null = null;
  jumpLogOdds = 0;
  /** The newest jump of the mid; null before the first jump. Each jump is a new object. */
  jump: Jump | null = null;

  /** Checks the mid of a book without own orders for a jump. `changed`: true if the book with own orders changed. */
  onBook(mid: number | null, at: SeenAt, changed: boolean, sigmaPerSqrtS: number): void {
    if (changed) {
      this.unchangedSinceMs = at.seenMs;
      this.through = { count: 0, sinceMs: 0 };
    }
    if (mid === null) return;
    const logOdds = computeLogOdds(mid);
    const last = this.#lastMid;
    this.#lastMid = { logOdds, seenMs: at.seenMs };
    if (last === null) return;
    const changeLogOdds = logOdds - last.logOdds;
    this.jumpLogOdds = Math.abs(changeLogOdds);
    const usual = sigmaPerSqrtS * Math.sqrt(Math.max(1, (at.seenMs - last.seenMs) / 1000));
    if (this.jumpLogOdds > Math.max(JUMP_MIN_LOG_ODDS, JUMP_SIGMAS * usual))
      this.jump = { jumpedMs: at.seenMs, changeLogOdds };
  }

  /** Counts a trade at about `atMs` (our clock) that is beyond the best prices of `book` and after its last change. */
  onTrade(trade: TapeTrade, atMs: number, book: Book): void {
    if (this.unchangedSinceMs === null || atMs <= this.unchangedSinceMs) return;
    const { bids, asks } = book;
    const above = asks[0] !== undefined && trade.priceMicros > asks[0].priceMicros;
    const below = bids[0] !== undefined && trade.priceMicros < bids[0].priceMicros;
    if (!above && !below) return;
    const { count, sinceMs } = this.through;
    this.through = { count: count + 1, sinceMs: count === 0 ? atMs : sinceMs };
  }

  /** Shifts stored times after our clock was set back by `byMs`, so that elapsed times stay correct. */
  clockSetBack(byMs: number): void {
    if (this.unchangedSinceMs !== null) this.unchangedSinceMs -= byMs;
    if (this.jump !== null) this.jump = { ...this.jump, jumpedMs: this.jump.jumpedMs - byMs };
    if (this.#lastMid !== null) this.#lastMid = { ...this.#lastMid, seenMs: this.#lastMid.seenMs - byMs };
    this.through = { ...this.through, sinceMs: this.through.sinceMs - byMs };
  }
}

/** Returns a copy of a book for a strategy. Only the arrays are frozen, because freezing levels would cost time. */
const copyToShow = ({ bids, asks }: Book): Book =>
  Object.freeze({ bids: Object.freeze(bids.map(copyLevel)), asks: Object.freeze(asks.map(copyLevel)) });

const copyLevel = ({ priceMicros, amountMicros }: BookLevel): BookLevel => ({ priceMicros, amountMicros });
