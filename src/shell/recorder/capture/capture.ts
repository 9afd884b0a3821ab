/**
 * Converts requests and their outcomes into recordings, in memory. Recorded books exclude known own orders, and no
 * trade is recorded twice. A price level deeper than the requested depth does not count as removed. Time without
 * answers is recorded as a gap with its cause, so that it does not look like a quiet market.
 */

import { type RecordedMarket, SIDE } from '../../../recording/contract.js';
import { hasFolder } from '../../../recording/store/layout.js';
import type { FeedRow, MarketSink, Stamp } from '../../../recording/store/segment.js';
import type { RecordingStore } from '../../../recording/store/store.js';
import type { DataOf } from '../../../shared/protocol/endpoints.js';
import { inferOutcome, type MarketOutcome } from '../../../shared/protocol/outcome.js';
import type { MarketDetail, Orderbook, PublicTradeRow, RedeemRow } from '../../../shared/protocol/records.js';
import type { AnyCall, Observation, Outcome, Request } from '../../../shared/protocol/seam.js';
import { CATEGORIES, isSettledMarket, paidFunds } from '../../../shared/protocol/states.js';
import { EMPTY_BOOK, readBook } from '../../../trader/market/book.js';
import { Tape } from '../../../trader/market/tape.js';
import type { Book, BookLevel, TapeTrade } from '../../../trader/market/view.js';
import { OWN_WAIT_MS, OwnCapture, type OwnOrders, remember } from './own-capture.js';

type OwnInBook = ReturnType<OwnOrders['inBook']>;
type PolledAt = Parameters<OwnOrders['inBook']>[1];

type HeardValue = Omit<FeedRow, 'timeMs'>;

const DEFAULT_DEPTH = 20;
/** Assumed interval between two reads of a book until `expect` is called, ms. */
const USUAL_MS = 10_000;
/** Maximum age of an answer's request, ms; over the client's time limit. A longer suspension of the machine exceeds it. */
const MOST_ROUND_TRIP_MS = 15_000;
/** Maximum step back in time, ms, due to calls out of order. A larger step means that our clock was set back. */
const STEP_BACK_MS = 1_000;
/** Maximum number of feed values that wait until their market's first book is read. */
const MOST_WAITING = 10_000;

interface CaptureSettings {
  readonly store: Pick<RecordingStore, 'market'>;
  /** Absolute path of the folder of recordings, which each market's description names. */
  readonly folder: string;
  readonly venue: string;
  /** Ids of the markets to record; null records all markets that are read. */
  readonly only: ReadonlySet<string> | null;
  /** Called once for each market that is left out, as its id cannot name a folder; absent: no market is left out. */
  readonly onLeftOut?: (text: string) => void;
}

export class Capture {
  readonly #settings: CaptureSettings;
  readonly #underWay = new Map<number, AnyCall>();
  readonly #markets = new Map<string, MarketCapture>();
  readonly #details = new Map<string, MarketDetail>();
  readonly #outcomes = new Map<string, MarketOutcome>();
  readonly #own = new OwnCapture((market) => this.#markets.get(market)?.sink);
  /** Newest value of each feed for each market whose book was not read yet. */
  readonly #waiting = new Map<string, HeardValue>();
  /** Venue clock minus our clock, ms, from the newest answer. */
  #offsetMs = 0;
  #usualMs = USUAL_MS;
  /** Our clock at the last call, ms. */
  #nowMs = Number.NEGATIVE_INFINITY;

  constructor(settings: CaptureSettings) {
    this.#settings = settings;
  }

  /** Numbers of recorded items. `refused`: invalid levels and events. `dropped`: trades read too late or in a gap. */
  get counts() {
    const total = { levels: 0, trades: 0, gaps: 0, refused: 0, dropped: 0 };
    for (const { counts } of this.#markets.values())
      for (const name of ['levels', 'trades', 'gaps', 'refused', 'dropped'] as const) total[name] += counts[name];
    return { markets: this.#markets.size, own: this.#own.count, ...total };
  }

  get ownResting(): number {
    return this.#own.orders.resting;
  }

  /** Number of markets whose books are still read. */
  get read(): number {
    return [...this.#markets.values()].filter((market) => market.isReadAt(this.#nowMs)).length;
  }

  /** Sets the usual interval between two reads of a book, ms. A pause of over three usual intervals counts as a gap. */
  expect(usualMs: number): void {
    this.#usualMs = usualMs;
  }

  onAsk({ id, call }: Request, nowMs: number): void {
    this.#note(nowMs);
    this.#underWay.set(id, call);
    this.#own.onAsk(call, nowMs);
  }

  /** Records the outcome of a request. `venueMs`: estimated venue clock midway between request and answer, ms. */
  onOutcome(observation: Extract<Observation, { kind: 'outcome' }>, venueMs: number): void {
    const { requestId, outcome, sentMs, nowMs, venueTimeMs } = observation;
    this.#note(nowMs);
    const call = this.#underWay.get(requestId);
    this.#underWay.delete(requestId);
    const offsetMs = venueMs - (sentMs + nowMs) / 2;
    const isJump = Math.abs(offsetMs - this.#offsetMs) > MOST_ROUND_TRIP_MS;
    this.#offsetMs = offsetMs;
    if (call === undefined) return;
    // A clock was set: ours after the request, or one of both since the previous answer.
    const askedMs = sentMs > nowMs + STEP_BACK_MS || isJump ? Number.NEGATIVE_INFINITY : sentMs;
    this.#takeIn(call, outcome, { sentMs: askedMs, seenMs: nowMs, venueMs: Math.round(venueMs) });
    // A request that was not sent has no times to record; a missing book is recorded as a gap anyway.
    if (outcome.kind !== 'unknown' || outcome.sent) {
      const poll = { endpoint: call.endpoint, sentMs, seenMs: nowMs, venueMs: venueTimeMs, outcome: outcome.kind };
      const market = getPolledMarket(call);
      if (market !== null) this.#markets.get(market)?.sink.poll(poll);
    }
  }

  onFeed({ feed, values, nowMs: seenMs }: Extract<Observation, { kind: 'feed' }>): void {
    for (const value of values) this.#onFeedValue({ feed, seenMs, value });
  }

  tick(nowMs: number): void {
    this.#note(nowMs);
    for (const market of this.#markets.values()) market.release(nowMs);
    this.#own.orders.forget(nowMs);
  }

  /** Writes waiting data. Call this last, before the store is closed. */
  close(nowMs: number): void {
    for (const market of this.#markets.values()) market.flush(nowMs);
  }

  /** If our clock was set back, writes all waiting data, which could otherwise wait for hours. */
  #note(nowMs: number): void {
    if (nowMs < this.#nowMs - STEP_BACK_MS) {
      for (const market of this.#markets.values()) market.onStepBack();
      this.#own.orders.onStepBack(nowMs);
    }
    this.#nowMs = nowMs;
  }

  // The casts are safe: the data has the type of the call's endpoint, but TypeScript cannot relate data and endpoint.
  #takeIn(call: AnyCall, outcome: Outcome, at: PolledAt): void {
    const data: unknown = outcome.kind === 'answered' ? outcome.data : null;
    const isOld = at.seenMs - at.sentMs > MOST_ROUND_TRIP_MS;
    switch (call.endpoint) {
      case 'markets.book': {
        const { condition_id: id } = call.params;
        if (data === null || isOld)
          return this.#markets.get(id)?.onGap(`a poll of the book failed: ${why(outcome)}`, at.seenMs);
        const depth = call.query.depth ?? DEFAULT_DEPTH;
        return this.#market(id, at)?.onBook(data as DataOf<'markets.book'>, depth, at, this.#usualMs);
      }
      case 'markets.trades': {
        if (outcome.kind !== 'answered' || isOld) return;
        const rows = data as DataOf<'markets.trades'>;
        return this.#market(call.params.condition_id, at)?.onTrades(rows, outcome.nextCursor === null, at);
      }
      case 'markets.detail':
        if (data !== null) this.#onDetail(data as DataOf<'markets.detail'>, at);
        return;
      case 'redeems.list':
        for (const row of (data ?? []) as DataOf<'redeems.list'>) this.#onRedeem(row);
        return;
      case 'redeems.submit':
      case 'redeems.detail':
        if (data !== null) this.#onRedeem(data as DataOf<'redeems.detail'>);
        return;
      default:
        return this.#own.onOutcome(call, outcome, at);
    }
  }

  /** Returns a market's capture; undefined while the market's description is unknown, or if it is not recorded. */
  #market(conditionId: string, at: PolledAt): MarketCapture | undefined {
    const known = this.#markets.get(conditionId);
    const detail = this.#details.get(conditionId);
    if (known !== undefined || detail === undefined || detail.state !== 'open') return known;
    const { store, only, onLeftOut } = this.#settings;
    if (only !== null && !only.has(conditionId)) return undefined;
    if (onLeftOut !== undefined && !hasFolder(conditionId)) return undefined;
    const described = this.#describe(detail, this.#outcomes.get(conditionId) ?? null, at);
    if (described === null) return undefined;
    const captured = new MarketCapture(store.market(described), this.#own.orders);
    this.#markets.set(conditionId, captured);
    for (const [key, row] of this.#waiting) {
      if (row.value.conditionId !== conditionId) continue;
      this.#waiting.delete(key);
      this.#onFeedValue(row);
    }
    return captured;
  }

  /** Records a feed's value, or keeps it until the market's first book: the feed may not send the value again. */
  #onFeedValue(row: HeardValue): void {
    const { conditionId } = row.value;
    const sink = this.#markets.get(conditionId)?.sink;
    if (sink === undefined) return remember(this.#waiting, `${row.feed} ${conditionId}`, row, MOST_WAITING);
    sink.feedValue({ ...row, timeMs: Math.round(row.seenMs + this.#offsetMs) });
  }

  #onDetail(detail: MarketDetail, at: PolledAt): void {
    const { condition_id: id } = detail;
    const before = this.#details.get(id);
    if (before === undefined && !hasFolder(id))
      this.#settings.onLeftOut?.(`market ${id.slice(0, 40)}… is not recorded: its id cannot name a folder`);
    this.#details.set(id, detail);
    const captured = this.#markets.get(id);
    if (captured === undefined) return;
    const { market } = captured.sink;
    const described = this.#describe(detail, market.outcome, at);
    if (described !== null && !sameDescription(described, market)) captured.sink.describe(described);
    if (detail.state === 'open' || before?.state === detail.state) return;
    if (isSettledMarket(detail.state)) captured.end(at);
    else captured.onGap(`the market is ${detail.state}`, at.seenMs);
  }

  #onRedeem(row: DataOf<'redeems.detail'>): void {
    const outcome = learnOutcome(row);
    if (outcome === null) return;
    this.#outcomes.set(row.market_condition_id, outcome);
    const sink = this.#markets.get(row.market_condition_id)?.sink;
    if (sink !== undefined && sink.market.outcome !== outcome) sink.describe({ ...sink.market, outcome });
  }

  /** Returns a market's description; null if it has no order book. Time `at` replaces times that the venue omits. */
  #describe(detail: MarketDetail, outcome: MarketOutcome | null, at: PolledAt): RecordedMarket | null {
    const { venue, folder: path } = this.#settings;
    const seenMs = Math.round(at.venueMs);
    const { config, condition_id: conditionId, created, resolution_date: resolution } = detail;
    if (config.kind !== 'orderbook') return null;
    return {
      conditionId,
      eventTitle: detail.event?.title ?? detail.title,
      ...(detail.event === null || detail.event === undefined ? {} : { eventConditionId: detail.event.condition_id }),
      title: detail.title,
      category: CATEGORIES.find((category) => category === detail.category) ?? OTHER_CATEGORY,
      rules: detail.rules ?? [],
      tickPrecision: config.price_precision,
      amountPrecision: config.amount_precision,
      openTimeMs: created === null ? seenMs : created * 1000,
      closeTimeMs: resolution === null ? seenMs : resolution * 1000,
      ...(resolution === null ? { closeIsGuessed: true } : {}),
      outcome,
      fees: { makerRateMicros: config.maker_fee_rate, takerRateMicros: config.taker_fee_rate },
      source: { kind: 'twinbook', path, ticker: conditionId, origin: venue },
    };
  }
}

const getPolledMarket = (call: AnyCall): string | null =>
  call.endpoint === 'markets.book' || call.endpoint === 'markets.trades' || call.endpoint === 'markets.detail'
    ? call.params.condition_id
    : null;

function why(outcome: Outcome): string {
  if (outcome.kind === 'refused') return outcome.slug;
  return outcome.kind === 'unknown' ? outcome.reason : 'the time of the answer is uncertain';
}

/** Category recorded for a market whose category is unknown to us. */
const OTHER_CATEGORY = 'finance';

/** Infers a market's outcome from our own redeem; null before its payment, or if we held equal YES and NO shares. */
function learnOutcome(row: RedeemRow): MarketOutcome | null {
  const { funds, onchain_funds, yes_shares: yes, no_shares: no } = row;
  const paid = paidFunds({ ...row, onchain_funds: onchain_funds ?? funds });
  return paid === null || yes === null || no === null ? null : inferOutcome(yes, no, paid);
}

/** Returns whether two descriptions are equal apart from the opening and closing times, which the venue may omit. */
const sameDescription = (a: RecordedMarket, b: RecordedMarket): boolean =>
  JSON.stringify({ ...a, openTimeMs: 0, closeTimeMs: 0 }) === JSON.stringify({ ...b, openTimeMs: 0, closeTimeMs: 0 });

/** Maximum time that a book waits for a later read of the trades, ms; longer than the reads of many markets take. */
const HOLD_MS = 300_000;
/** A book that arrives later than this multiple of the usual interval causes a gap. */
const LATE_FACTOR = 3;
const DAY_MS = 86_400_000;
/** Possible error of the estimated venue clock, ms. A trade this soon after a book is recorded before the book. */
const CLOCK_SLACK_MS = 500;

interface HeldBook {
  readonly book: Book;
  readonly depth: number;
  readonly at: PolledAt;
  own?: OwnInBook;
}

/** Converts one market's reads into events. A book waits up to `HOLD_MS` for the trades that caused its decreases. */
class MarketCapture {
  readonly sink: MarketSink;
  readonly #own: OwnOrders;
  #levels = new KnownLevels();
  #tape = new Tape();
  /** Time of the newest known trade, venue clock, ms; 0 if the market had no trades; null before the first page. */
  #newestTradeMs: number | null = null;
  #held: HeldBook[] = [];
  #trades: TapeTrade[] = [];
  /** The last written book, including own orders. The book before a trade shows whether the taker bought or sold. */
  #written: Book = EMPTY_BOOK;
  #latestAt: PolledAt | null = null;
  #hasEnded = false;
  /** Time when the newest answered read of the trades was sent, our clock, ms. */
  #tradesSentMs = Number.NEGATIVE_INFINITY;
  /** Time of the last written book or trade, venue clock, ms. */
  #knownMs = Number.NEGATIVE_INFINITY;
  /** The first book includes the effect of trades up to this time, venue clock, ms. */
  #beforeMs = Number.POSITIVE_INFINITY;
  /** True while the book is unknown: before the first book and in a gap. */
  #inGap = true;
  counts = { levels: 0, trades: 0, gaps: 0, refused: 0, dropped: 0 };

  constructor(sink: MarketSink, own: OwnOrders) {
    this.sink = sink;
    this.#own = own;
  }

  /** False after the market's end, and if its book was not read for a day. */
  isReadAt(nowMs: number): boolean {
    return !this.#hasEnded && this.#latestAt !== null && nowMs - this.#latestAt.seenMs < DAY_MS;
  }

  /** Records a book from an answer. `depth`: requested levels per side; `usualMs`: usual interval between reads, ms. */
  onBook(answer: Orderbook, depth: number, at: PolledAt, usualMs: number): void {
    // Answers may overtake each other; the book of a later request is the newer book.
    if (this.#latestAt !== null && at.sentMs < this.#latestAt.sentMs) return;
    const { book, droppedLevels } = readBook(answer);
    this.counts.refused += droppedLevels;
    const sinceMs = this.#latestAt === null ? 0 : at.seenMs - this.#latestAt.seenMs;
    if (sinceMs > LATE_FACTOR * usualMs)
      this.onGap(`the book could not be read for ${Math.round(sinceMs / 1000)} s`, at.seenMs);
    this.#latestAt = at;
    this.#held.push({ book, depth, at });
    this.release(at.seenMs);
  }

  /** Records a page of public trades, newest first. `isLast`: this is the list's last page. */
  onTrades(rows: readonly PublicTradeRow[], isLast: boolean, at: PolledAt): void {
    const bookAt = (ms: number) => this.#held.findLast((held) => held.at.venueMs <= ms + 500)?.book ?? this.#written;
    const trades = this.#tape.add(rows, at.seenMs, bookAt);
    const known = this.#newestTradeMs;
    const times = rows.map((row) => row.timestamp * 1000);
    if (times.length > 0 || isLast) this.#newestTradeMs = Math.max(known ?? 0, ...times);
    // The venue's trades have no id. No trade is missing if the page reaches back to the newest known trade's time.
    const oldestMs = Math.min(...times);
    if (known !== null && !isLast && times.length > 0 && oldestMs > known) {
      // Books before the oldest trade of the page lack trades, so these books belong to the gap.
      const later = this.#held.filter((held) => held.at.venueMs >= oldestMs);
      this.#held = [];
      this.onGap('there were more new trades than one page holds', at.seenMs);
      this.#held = later;
    }
    this.#trades = [...this.#trades, ...trades].sort((a, b) => a.venueTimeMs - b.venueTimeMs);
    this.#tradesSentMs = Math.max(this.#tradesSentMs, at.sentMs);
    this.release(at.seenMs);
  }

  /** Records a gap from the last known book to the next book. */
  onGap(reason: string, nowMs: number): void {
    this.flush(nowMs);
    if (this.#inGap) return;
    this.#inGap = true;
    this.counts.gaps += 1;
    this.sink.gap({ timeMs: this.#knownMs, seenMs: nowMs }, reason);
  }

  flush(nowMs: number): void {
    this.release(nowMs + HOLD_MS);
  }

  end(at: PolledAt): void {
    this.flush(at.seenMs);
    this.#writeTrades(Number.POSITIVE_INFINITY, at.venueMs);
    this.sink.end({ timeMs: Math.max(at.venueMs, this.#knownMs), seenMs: at.seenMs });
    // The memory of an ended market is freed, because many markets end while a recorder runs for months.
    this.#levels = new KnownLevels();
    this.#tape = new Tape();
    this.#hasEnded = true;
    this.#newestTradeMs = null;
    this.#written = EMPTY_BOOK;
  }

  /** Ends all waits. Books and trades from before the step are not compared with later ones. */
  onStepBack(): void {
    this.flush(Number.POSITIVE_INFINITY);
    this.#tradesSentMs = Number.NEGATIVE_INFINITY;
    this.#latestAt = null;
  }

  /** Writes books that have waited long enough, and their trades. */
  release(nowMs: number): void {
    for (const held of this.#held)
      if (nowMs - held.at.seenMs >= OWN_WAIT_MS) held.own ??= this.#own.inBook(this.sink.market.conditionId, held.at);
    for (let next = this.#held[0]; next !== undefined; next = this.#held[0]) {
      const { seenMs } = next.at;
      if (this.#tradesSentMs < seenMs && nowMs - seenMs < HOLD_MS) return;
      this.#held.shift();
      this.#write(next);
    }
  }

  #write({ book, depth, at, own = this.#own.inBook(this.sink.market.conditionId, at) }: HeldBook): void {
    const untilMs = at.venueMs + CLOCK_SLACK_MS;
    this.#beforeMs = Math.min(this.#beforeMs, untilMs);
    this.#writeTrades(untilMs, at.venueMs);
    this.#knownMs = Math.max(at.venueMs, this.#knownMs);
    const stamp: Stamp = { timeMs: this.#knownMs, seenMs: at.seenMs };
    if (this.#inGap) {
      this.sink.clear(stamp);
      this.#levels = new KnownLevels();
    }
    for (const change of this.#levels.changes(book, depth, own)) {
      const taken = this.sink.level(stamp, change.side, change.priceMicros, change.amountMicros);
      this.counts[taken ? 'levels' : 'refused'] += 1;
    }
    this.#inGap = false;
    this.#written = book;
  }

  /** Writes trades in order, timed at the middle of their second if possible. Drops late trades and those in a gap. */
  #writeTrades(untilMs: number, latestMs: number): void {
    const due = this.#trades.filter((trade) => trade.venueTimeMs <= untilMs);
    this.#trades = this.#trades.filter((trade) => trade.venueTimeMs > untilMs);
    for (const { venueTimeMs, seenMs, taker, priceMicros, amountMicros } of due) {
      if (venueTimeMs <= this.#beforeMs) continue;
      if (this.#inGap || venueTimeMs + 1000 + CLOCK_SLACK_MS < this.#knownMs) {
        this.counts.dropped += 1;
        continue;
      }
      this.#knownMs = Math.max(Math.min(venueTimeMs + 500, latestMs), this.#knownMs);
      const side = taker === 'buy' ? SIDE.bid : SIDE.ask;
      const taken = this.sink.trade({ timeMs: this.#knownMs, seenMs }, side, priceMicros, amountMicros);
      this.counts[taken ? 'trades' : 'refused'] += 1;
    }
  }
}

/** New total amount of one price level of the YES book; 0 removes the level. */
type LevelChange = Readonly<Record<'side' | 'priceMicros' | 'amountMicros', number>>;

/** Known price levels of a book. If an answer has the requested number of levels, deeper levels remain unknown. */
class KnownLevels {
  readonly #sides = [new Map<number, number>(), new Map<number, number>()] as const;

  /** Stores a book and returns its changes, removals first, so that the book is never crossed. */
  changes(book: Book, depth: number, own: OwnInBook): LevelChange[] {
    const bids = this.#side(SIDE.bid, book.bids, depth, own[0]);
    const asks = this.#side(SIDE.ask, book.asks, depth, own[1]);
    return [...bids, ...asks].sort((a, b) => Number(a.amountMicros > 0) - Number(b.amountMicros > 0));
  }

  #side(side: number, levels: readonly BookLevel[], depth: number, own: OwnInBook[0]): LevelChange[] {
    const known = side === SIDE.bid ? this.#sides[0] : this.#sides[1];
    const last = levels.at(-1);
    const isSeen = (price: number): boolean => {
      if (levels.length < depth || last === undefined) return true;
      return side === SIDE.bid ? price >= last.priceMicros : price <= last.priceMicros;
    };
    const changes: LevelChange[] = [];
    const note = (priceMicros: number, rawMicros: number) => {
      const { sureMicros, mostMicros } = own.get(priceMicros) ?? { sureMicros: 0, mostMicros: 0 };
      const before = known.get(priceMicros) ?? 0;
      // While our own amount is uncertain, the amount of others changes only as far as the book proves.
      const amountMicros = Math.max(0, Math.min(Math.max(before, rawMicros - mostMicros), rawMicros - sureMicros));
      if (amountMicros === before) return;
      if (amountMicros === 0) known.delete(priceMicros);
      else known.set(priceMicros, amountMicros);
      changes.push({ side, priceMicros, amountMicros });
    };
    const shown = new Set<number>(levels.map(({ priceMicros }) => priceMicros));
    for (const { priceMicros, amountMicros } of levels) note(priceMicros, amountMicros);
    for (const price of [...known.keys()]) if (!shown.has(price) && isSeen(price)) note(price, 0);
    return changes;
  }
}
