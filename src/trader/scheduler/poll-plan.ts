/** Stores the state of every poll, and decides which polls to send to the exchange next. */

import type { AccountPoll, MarketPoll, PollTarget } from '../../shared/protocol/request-owner.js';
import type { Lane, PlannedRequest } from '../../shared/protocol/seam.js';
import { PollRecord, type PollResult } from './poll-record.js';
import { fitOwnReads } from './request-price.js';
import { type StaleMarket, staleIndex } from './stale-index.js';

interface PolledMarket extends StaleMarket {
  readonly marketConditionId: string;
  /** True for a permanently closed market, in which only the detail can still change. */
  readonly isOver: boolean;
  /** True if the market's past price bars should be read; absent: false. */
  readonly wantsCandles?: boolean;
}

interface PollFacts {
  /** Markets that are quoted or wait for quotes, in a stable order. An unchanged array means that no market changed. */
  readonly markets: readonly PolledMarket[];
  /** Number of own orders that rest, are in flight or have an unknown state. */
  readonly openOrders: number;
  /** Requests per minute of the public and the signed scope, as in `RequestQueue.perMinute`. */
  readonly publicPerMinute: number;
  readonly signedPerMinute: number;
  /** Number of pages that list the details of all open markets; Infinity while unknown or not needed. */
  readonly openMarketPages: number;
  /** Best interval of own-trade reads while orders rest, ms, not yet limited by the settings; absent: the shortest. */
  readonly ownPaceMs?: number;
  /** Interval of reads of the exchange's marks, ms; absent or Infinity: only reconciliation rounds read marks. */
  readonly marksEveryMs?: number;
  /** Number of signed requests of a reconciliation round, which an assets poll begins; absent: one request. */
  readonly requestsARound?: number;
  /** Returns the number of public requests that could be sent now (`RequestQueue.headroom`). It limits market polls. */
  readonly publicHeadroom: () => number;
}

interface PollSettings {
  /** Shortest interval of own-trade reads while orders rest, ms; intervals of other own-state reads derive from it. */
  readonly ownIntervalMs: number;
  /** Longest interval of own-trade reads while orders rest, at least the shortest; absent: 15 s. */
  readonly ownLongestMs?: number;
  readonly hotIntervalMs: number;
  /** Longest interval between reads of one book, if the budget allows it. */
  readonly quietIntervalMs: number;
  readonly catalogIntervalMs: number;
  readonly assetsIntervalMs: number;
  /** True when the exchange lists own trades (`GET /trades/`); otherwise own orders are read instead. */
  readonly ownTrades: boolean;
  /** Requested book levels per side, 1 to 100. */
  readonly bookDepth: number;
}

const MARKET_POLLS = ['book', 'trades', 'detail', 'candles'] as const satisfies readonly MarketPoll[];

type MarketRecords = Readonly<Record<MarketPoll, PollRecord>>;

/** Default of the longest interval between two reads of own trades, ms. */
const USUAL_LONGEST_MS = 15_000;
/** Own trades are read five times as often as own orders, because reads of orders only confirm known facts. */
const ORDERS_PER_FILLS = 5;
/** Budget share of each kind of market poll if the budget is too small for all polls; other kinds use unused shares. */
const SHARES: Readonly<Record<MarketPoll, number>> = { book: 0.68, trades: 0.22, detail: 0.1, candles: 0.1 };
/** Number of polls that may be sent at once after a quiet time: enough to begin quoting four markets. */
const BURST = 12;
/** Tenths of the public request budget for polls; further pages of lists and other programs use the rest. */
const PUBLIC_TENTHS = 9;
/** Parts of a token. A token pays for a poll; each ms earns `PUBLIC_TENTHS` parts per allowed request per minute. */
const PARTS = 10 * 60_000;
/** Interval between reads of a market's detail, ms. Details change when a market opens, closes or resolves. */
const DETAIL_INTERVAL_MS = 60_000;
/** Interval between page reads of market details, ms; shorter than for single reads, so that no single read is due. */
const DETAILS_INTERVAL_MS = 50_000;
/** Market details are read by pages if a page contains at least this many tracked markets on average. */
const MARKETS_A_PAGE = 3;
/** Factor on the intervals of reads of own state while no order rests, because no fill is possible. */
const IDLE_FACTOR = 5;
/** Every n-th book read goes to a market whose book was never read, if there is one. */
const NEW_TURN = 2;
/** Every second (few markets) to tenth (many markets) book read goes to the most overdue market. */
const OLDEST_TURN = { fewest: 2, most: 10, marketsATurn: 4 } as const;
/** Score bonus that puts an urgent book read before all others; higher than the score of any other read. */
const BEFORE_ALL_OTHERS = 1e12;
/** Weight of polls of public trades in markets with own resting orders; 1 in other markets. */
const RESTING_TRADES_WEIGHT = 4;
/** Longest wait of a poll for the request budget, ms. After this wait the poll is planned again with current facts. */
const PATIENCE_MS = 10_000;

const NO_ASKS: readonly PlannedRequest[] = [];

/** A market and its polls in one object, so that decisions need no lookups. */
interface PolledEntry {
  readonly market: PolledMarket;
  readonly records: MarketRecords;
}

export class PollPlan {
  readonly #settings: PollSettings;
  readonly #detailIntervalMs: number;
  readonly #memory: PollMemory;
  /** Available parts of tokens for market polls (token bucket), an integer to avoid rounding errors. */
  #credit = BURST * PARTS;
  #publicPerMinute = 0;
  /** Used budget divided by share, per kind of poll (stride scheduling): the kind with the lowest value is next. */
  readonly #used: Record<MarketPoll, number> = { book: 0, trades: 0, detail: 0, candles: 0 };
  #bookTurns = 0;
  /** Facts from which `#intervals` was computed. */
  #pace: readonly number[] = [];
  #intervals: readonly (readonly [PollRecord, number])[] = [];
  #markets: readonly PolledMarket[] = [];
  #watched: readonly PolledEntry[] = [];
  /** True while polls of markets that are no longer tracked may remain. */
  #forgetting = false;
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** Time before which `takeDue` finds no poll unless facts change, our clock, ms; -Infinity if unknown. */
  quietUntilMs = Number.NEGATIVE_INFINITY;

  constructor(settings: PollSettings) {
    this.#settings = settings;
    this.#detailIntervalMs = Math.max(DETAIL_INTERVAL_MS, settings.hotIntervalMs);
    this.#memory = new PollMemory(settings.bookDepth);
  }

  get size(): number {
    return this.#memory.size;
  }

  /** Returns the due polls, the most urgent first; each is in flight until `onReport` ends it. */
  takeDue(nowMs: number, facts: PollFacts): readonly PlannedRequest[] {
    const paced = this.#setPace(facts);
    const { markets, publicPerMinute } = facts;
    const earned = Math.max(0, nowMs - this.#lookedMs) * publicPerMinute * PUBLIC_TENTHS;
    this.#credit = Math.min(BURST * PARTS, this.#credit + earned);
    const hasSameBudget = publicPerMinute === this.#publicPerMinute;
    this.#publicPerMinute = publicPerMinute;
    const same = !paced && hasSameBudget && markets === this.#markets && nowMs >= this.#lookedMs;
    this.#lookedMs = nowMs;
    // If no facts changed, no poll can be due before `quietUntilMs`.
    if (same && nowMs < this.quietUntilMs) return NO_ASKS;
    if (markets !== this.#markets) {
      this.#forgetting = true;
      this.#markets = markets;
      this.#watched = markets.map((market) => ({ market, records: this.#memory.market(market.marketConditionId) }));
    }
    if (this.#forgetting)
      this.#forgetting = !this.#memory.keep(new Set(this.#markets.map(({ marketConditionId }) => marketConditionId)));
    const requests: PlannedRequest[] = [];
    let room = facts.publicHeadroom();
    for (const [record, intervalMs] of this.#intervals) {
      const { kind } = record.target;
      if (!record.ready(intervalMs, nowMs)) continue;
      requests.push(planPoll(record, nowMs, false));
      if (kind !== 'catalog' && kind !== 'details') continue;
      this.#credit -= PARTS;
      room--;
    }
    while (room >= 1 && this.#credit >= PARTS) {
      const next = this.#nextMarketPoll(nowMs);
      if (next === null) break;
      requests.push(next);
      this.#credit -= PARTS;
      room--;
    }
    this.quietUntilMs = this.#nextMs(nowMs);
    return requests;
  }

  /** Restarts a poll's interval, because the answer to another request contained the poll's data. */
  onSeen(target: PollTarget, nowMs: number): void {
    this.#memory.find(target)?.onSeen(nowMs);
    this.quietUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Records the result of a poll of the exchange. A result is ignored if the poll is not in flight. */
  onReport(target: PollTarget, result: PollResult, nowMs: number): void {
    this.#memory.find(target)?.onEnd(result, nowMs);
    this.quietUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Polls the target as soon as the budget allows, ignoring its interval, for example after a reconnect. */
  expedite(target: PollTarget, urgency: Parameters<PollRecord['expedite']>[0] = 'first'): void {
    if ('marketConditionId' in target) {
      this.#memory.market(target.marketConditionId)[target.kind].expedite(urgency);
      this.#forgetting = true;
    } else this.#memory.account(target.kind).expedite(urgency);
    this.quietUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Earliest time at which a poll can be due unless facts change, our clock, ms. */
  #nextMs(nowMs: number): number {
    let accountMs = Number.POSITIVE_INFINITY;
    for (const [record, intervalMs] of this.#intervals)
      accountMs = Math.min(accountMs, record.readyFromMs(intervalMs, nowMs));
    const creditMs = nowMs + Math.ceil(Math.max(0, PARTS - this.#credit) / (this.#publicPerMinute * PUBLIC_TENTHS));
    let marketMs = Number.POSITIVE_INFINITY;
    for (const watched of this.#watched) {
      if (marketMs <= creditMs) break;
      marketMs = Math.min(marketMs, this.#marketReadyMs(watched, nowMs));
    }
    return Math.min(accountMs, Math.max(creditMs, marketMs));
  }

  #marketReadyMs({ market, records }: PolledEntry, nowMs: number): number {
    const { hotIntervalMs } = this.#settings;
    const { book, trades, detail, candles } = records;
    if (!detail.answered) return detail.readyFromMs(hotIntervalMs, nowMs);
    const detailMs = detail.readyFromMs(this.#detailIntervalMs, nowMs);
    if (market.isOver) return detailMs;
    // The shortest interval between reads of a book also holds for expedited polls.
    const bookMs = Math.max(book.readyFromMs(hotIntervalMs, nowMs), nowMs + hotIntervalMs - book.sinceAsked(nowMs));
    const barsMs = market.wantsCandles === true ? candles.readyFromMs(hotIntervalMs, nowMs) : Number.POSITIVE_INFINITY;
    return Math.min(detailMs, bookMs, trades.readyFromMs(hotIntervalMs, nowMs), barsMs);
  }

  /** Sets the intervals for reads of own state and for reads of the market list; returns true if an input changed. */
  #setPace(facts: PollFacts): boolean {
    const { openOrders, signedPerMinute, openMarketPages, markets, ownPaceMs = 0, requestsARound = 1 } = facts;
    const marksEveryMs = facts.marksEveryMs ?? Number.POSITIVE_INFINITY;
    const resting = openOrders > 0;
    const { ownIntervalMs, ownLongestMs = USUAL_LONGEST_MS } = this.#settings;
    const bestMs = Math.max(ownIntervalMs, Math.min(ownLongestMs, ownPaceMs));
    const fillsMs = resting ? bestMs : ownIntervalMs * IDLE_FACTOR;
    const byPages = markets.length >= MARKETS_A_PAGE * openMarketPages;
    const pace = [Number(resting), fillsMs, marksEveryMs, signedPerMinute, requestsARound, Number(byPages)];
    let isSame = true;
    for (let at = 0; at < pace.length; at++) isSame &&= pace[at] === this.#pace[at];
    if (isSame) return false;
    this.#pace = pace;
    const { ownTrades, assetsIntervalMs: roundsMs, catalogIntervalMs } = this.#settings;
    const paceMs = ownIntervalMs * (resting ? 1 : IDLE_FACTOR);
    const wanted = ownTrades ? { fillsMs, ordersMs: paceMs * ORDERS_PER_FILLS } : { fillsMs: null, ordersMs: paceMs };
    const fitted = fitOwnReads({ ...wanted, roundsMs }, requestsARound, signedPerMinute);
    const intervals: [AccountPoll, number][] = fitted.fillsMs === null ? [] : [['fills', fitted.fillsMs]];
    intervals.push(['orders', fitted.ordersMs], ['assets', fitted.roundsMs], ['catalog', catalogIntervalMs]);
    if (byPages) intervals.push(['details', DETAILS_INTERVAL_MS]);
    if (Number.isFinite(marksEveryMs)) intervals.push(['marks', marksEveryMs]);
    this.#intervals = intervals.map(([kind, intervalMs]) => [this.#memory.account(kind), intervalMs]);
    return true;
  }

  #nextMarketPoll(nowMs: number): PlannedRequest | null {
    // Kinds of market polls in order of need: first the kind furthest behind its budget share.
    const byNeed = [...MARKET_POLLS].sort((a, b) => this.#used[a] - this.#used[b]);
    for (const kind of byNeed) {
      const watched = kind === 'book' ? this.#nextBook(nowMs) : this.#chooseNext(kind, nowMs);
      if (watched === null) continue;
      const { market, records } = watched;
      // A kind of poll without due polls does not save its unused budget share for later.
      for (const idle of byNeed.slice(0, byNeed.indexOf(kind))) this.#used[idle] = this.#used[kind];
      this.#used[kind] += 1 / SHARES[kind];
      // A book is useless without the market's detail (price grid), so a missing detail is read first.
      const first = kind === 'book' && this.#needsDetail(records.detail, nowMs);
      return planPoll(records[first ? 'detail' : kind], nowMs, market.quotes.length > 0);
    }
    return null;
  }

  /** Chooses the next book to read: expedited books first; then unread, overdue and most valuable books in turn. */
  #nextBook(nowMs: number): PolledEntry | null {
    const turn = this.#bookTurns++;
    const { fewest, most, marketsATurn } = OLDEST_TURN;
    const oldestTurn = Math.min(most, Math.max(fewest, Math.ceil(this.#markets.length / marketsATurn)));
    const wantsOldest = turn % oldestTurn === 0;
    const best = new Best();
    const unseen = new Best();
    const oldest = new Best();
    for (const watched of this.#watched) {
      const { market, records } = watched;
      if (market.isOver || !this.#isBookReady(records, nowMs)) continue;
      const age = records.book.age(nowMs);
      if (market.seenMs === null) unseen.offer(watched, age);
      else if (wantsOldest && age >= this.#settings.quietIntervalMs) oldest.offer(watched, age);
      best.offer(watched, scoreBook(watched, nowMs));
    }
    if (best.score === Number.POSITIVE_INFINITY) return best.watched;
    if (turn % NEW_TURN === 1 && unseen.watched !== null) return unseen.watched;
    return oldest.watched ?? best.watched;
  }

  /** True when the book may be read now; the shortest interval also holds for expedited reads. */
  #isBookReady({ book, detail }: MarketRecords, nowMs: number): boolean {
    const { hotIntervalMs } = this.#settings;
    if (!detail.answered) return this.#needsDetail(detail, nowMs);
    return book.ready(hotIntervalMs, nowMs) && book.sinceAsked(nowMs) >= hotIntervalMs;
  }

  #chooseNext(kind: 'trades' | 'detail' | 'candles', nowMs: number): PolledEntry | null {
    const intervalMs = kind === 'detail' ? this.#detailIntervalMs : this.#settings.hotIntervalMs;
    const best = new Best();
    for (const watched of this.#watched) {
      const { market, records } = watched;
      if (kind === 'trades' && (!records.detail.answered || market.isOver)) continue;
      if (kind === 'candles' && market.wantsCandles !== true) continue;
      if (!records[kind].ready(intervalMs, nowMs)) continue;
      const weight = kind === 'trades' && market.quotes.length > 0 ? RESTING_TRADES_WEIGHT : 1;
      best.offer(watched, records[kind].age(nowMs) * weight);
    }
    return best.watched;
  }

  #needsDetail(detail: PollRecord, nowMs: number): boolean {
    return !detail.answered && detail.ready(this.#settings.hotIntervalMs, nowMs);
  }
}

function planPoll(record: PollRecord, nowMs: number, resting: boolean): PlannedRequest {
  record.onAsk(nowMs);
  const { target, owner } = record;
  return { lane: pollLane(target, resting), call: record.callAt(nowMs), latestMs: nowMs + PATIENCE_MS, owner };
}

function scoreBook({ market, records: { book } }: PolledEntry, nowMs: number): number {
  const isUnread = market.seenMs === null;
  if (book.expedited === 'first' || (isUnread && market.quotes.length > 0)) return Number.POSITIVE_INFINITY;
  return (book.expedited === 'next' ? BEFORE_ALL_OTHERS : 0) + (isUnread ? 0 : staleIndex(market, nowMs));
}

/** Stores the market with the highest score; if scores are equal, the first market. */
class Best {
  watched: PolledEntry | null = null;
  score = Number.NEGATIVE_INFINITY;

  offer(watched: PolledEntry, score: number): void {
    if (this.watched !== null && !(score > this.score)) return;
    this.watched = watched;
    this.score = score;
  }
}

/** Stores the polls of current markets and of the account, and the polls of former markets while they are in flight. */
class PollMemory {
  readonly #bookDepth: number;
  readonly #markets = new Map<string, MarketRecords>();
  readonly #account = new Map<AccountPoll, PollRecord>();

  constructor(bookDepth: number) {
    this.#bookDepth = bookDepth;
  }

  get size(): number {
    return this.#account.size + MARKET_POLLS.length * this.#markets.size;
  }

  account(kind: AccountPoll): PollRecord {
    const record = this.#account.get(kind) ?? new PollRecord({ kind }, this.#bookDepth);
    this.#account.set(kind, record);
    return record;
  }

  market(marketConditionId: string): MarketRecords {
    const known = this.#markets.get(marketConditionId);
    if (known !== undefined) return known;
    const record = (kind: MarketPoll) => new PollRecord({ kind, marketConditionId }, this.#bookDepth);
    const fresh = {
      book: record('book'),
      trades: record('trades'),
      detail: record('detail'),
      candles: record('candles'),
    };
    this.#markets.set(marketConditionId, fresh);
    return fresh;
  }

  find(target: PollTarget): PollRecord | undefined {
    if (!('marketConditionId' in target)) return this.#account.get(target.kind);
    return this.#markets.get(target.marketConditionId)?.[target.kind];
  }

  /** Drops the polls of unlisted markets, except polls in flight. Returns true if no poll in flight was kept. */
  keep(marketConditionIds: ReadonlySet<string>): boolean {
    let done = true;
    for (const [marketConditionId, records] of this.#markets) {
      if (marketConditionIds.has(marketConditionId)) continue;
      for (const kind of MARKET_POLLS) if (!records[kind].underWay) records[kind].forget();
      if (MARKET_POLLS.some((kind) => records[kind].underWay)) done = false;
      else this.#markets.delete(marketConditionId);
    }
    return done;
  }
}

/** Queue lane of a poll: own orders and trades first, then books with own orders, then other market data. */
function pollLane({ kind }: PollTarget, resting: boolean): Lane {
  if (kind === 'orders' || kind === 'fills' || kind === 'assets') return 'own';
  // Marks only help to choose book reads, so their poll has the least urgent lane.
  return kind === 'book' && resting ? 'hot' : 'quiet';
}
