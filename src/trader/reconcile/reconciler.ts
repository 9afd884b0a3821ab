/**
 * Reads what the exchange says is ours, complete or not at all, and compares it with the ledger: orders, fills, merges,
 * splits, redeems, shares. It books nothing itself and invents nothing to make sums fit: it says what differs.
 *
 * A round is a set of complete lists, all begun after the same moment, then a look at our fills that began after the last
 * of them ended: whatever of ours the lists show is in the ledger by then. What the ledger has booked meanwhile the lists
 * need not show, so trading goes on and rounds are complete all the same. What differs in two rounds, a good while apart,
 * is believed. Currency cannot be compared: no call of the service shows it.
 */

import type { RoundList } from '../../shared/protocol/ask-owner.js';
import type { Ask, Report } from '../../shared/protocol/seam.js';
import type { OrderExecutor, Reaction } from '../executor/contract.js';
import type { Ledger } from '../ledger/contract.js';
import type { PollResult } from '../scheduler/contract.js';
import { Comparison, type RestingOrders } from './comparison.js';
import { ConfirmedDifferences, inWords } from './confirmed-differences.js';
import type { Difference } from './differences.js';
import { PageWalk } from './page-walk.js';
import { Round, type RoundEnd } from './round.js';

/** What follows from a poll of orders or fills. */
export interface ListStep {
  readonly asks: readonly Ask[];
  readonly reaction: Reaction;
  /** How the whole walk ended; null while further pages are on their way. */
  readonly result: PollResult | null;
  /** Rows of a complete list of resting orders that ended with this report. */
  readonly restingOrders: RestingOrders | null;
}

/** A complete round. Our clock, ms: when its first request was asked for, and when it was compared. */
export interface ComparedRound {
  readonly begunMs: number;
  readonly comparedMs: number;
  readonly differences: readonly Difference[];
}

/** Worth telling a person; `loud` ones are kept in the ledger. */
export interface News {
  readonly loud: boolean;
  readonly text: string;
}

/** Fills are searched this much further back than the order that misses them, ms: clocks differ and answers are late. */
const SEARCH_SLACK_MS = 60_000;
/** Between two searches through the past for fills that stay missing, ms: each may cost many requests. */
const SEARCH_AGAIN_MS = 30_000;
/** Pages of one search: two thousand trades. What is not found there is for the comparison to report. */
const MAX_SEARCH_PAGES = 20;
/** A void round is tried again, ms. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;
/** And not before so long, ms, for each page that it has read beyond the first ones: the next one reads them all again. */
const RETRY_PER_PAGE_MS = 1_000;
/** So long without a complete round is worth waking somebody, ms. */
const OVERDUE_MS = 300_000;

const BASELINE_NOTE = 'trades_baseline';
const NO_TRADES = '-';

export class Reconciler {
  readonly #ledger: Ledger;
  readonly #executor: OrderExecutor;
  readonly #ownTrades: boolean;
  readonly #suspicions: ConfirmedDifferences;
  readonly #comparison: Comparison;
  #orders: PageWalk<'orders.list'> | null = null;
  #fills: PageWalk<'trades.list'> | null = null;
  #round: Round | null = null;
  /** All lists of the round are complete; it waits for a look at our fills that begins after them. */
  #gathered: Extract<RoundEnd, { kind: 'complete' }> | null = null;
  #resting: RestingOrders | null = null;
  /**
   * What came after what, counted and not by a clock, which may step and may not have moved: up by one with the beginning
   * and the end of each round's lists.
   */
  #turn = 0;
  #turns = { begun: 0, gathered: 0 };
  /** The turn in which the look under way was asked for, and in which the newest complete one was. */
  readonly #asked = { orders: 0, fills: 0 };
  readonly #looked = { orders: 0, fills: 0 };
  #seenFills: boolean;
  /** Our clock, ms, as last seen. */
  #seenMs = Number.NEGATIVE_INFINITY;
  #searchedMs = Number.NEGATIVE_INFINITY;
  #fillPages = 0;
  #newest: ComparedRound | null = null;
  /** Void rounds in a row, why the newest was, and since when there was no other. */
  #voids = 0;
  #voidReason: string | null = null;
  #voidSinceMs: number | null = null;
  #againMs = Number.POSITIVE_INFINITY;
  #news: News[] = [];
  readonly #absent = new Set<RoundList>();

  constructor(ledger: Ledger, executor: OrderExecutor, ownTrades: boolean) {
    this.#ledger = ledger;
    this.#executor = executor;
    this.#ownTrades = ownTrades;
    this.#seenFills = !ownTrades;
    this.#suspicions = new ConfirmedDifferences(ledger);
    this.#comparison = new Comparison(ledger, executor, ownTrades);
  }

  /**
   * Everything has been seen complete since this process began, and compared until every difference is either gone or
   * believed.
   */
  get isComplete(): boolean {
    return this.#seenFills && this.#newest !== null && !this.isInDoubt;
  }

  /** A difference was seen that only another round can confirm or clear. */
  get isInDoubt(): boolean {
    return Number.isFinite(this.#suspicions.doubtsFromMs);
  }

  /** The lists of the round are there and wait for looks at these that begin after it. */
  get awaits(): readonly ('orders' | 'fills')[] {
    if (this.#gathered === null) return [];
    const { begun, gathered } = this.#turns;
    // Without own trades fills are read off the orders.
    const orders = this.#looked.orders < (this.#ownTrades ? begun : gathered);
    const fills = this.#ownTrades && this.#looked.fills < gathered;
    return [...(orders ? (['orders'] as const) : []), ...(fills ? (['fills'] as const) : [])];
  }

  /** Our clock, ms: from then on another round is wanted, before its poll would be due; Infinity when none is. */
  get againMs(): number {
    return this.#againMs;
  }

  /** What differed in the newest complete round; null before the first. */
  get newest(): ComparedRound | null {
    return this.#newest;
  }

  /** Why the newest round was void; null when it was not. */
  get voidReason(): string | null {
    return this.#voidReason;
  }

  /** Why only orders that reduce a position may leave; null while ledger and exchange agree. */
  get verdict(): string | null {
    return this.#suspicions.verdict;
  }

  takeNews(): readonly News[] {
    return this.#news.splice(0);
  }

  /** A look at these is being asked for. */
  asked(kind: 'orders' | 'fills'): void {
    this.#asked[kind] = this.#turn;
  }

  /** A person has taken note of what differs: it is left out of what is compared from now on, and nothing is booked. */
  accept(nowMs: number): readonly Difference[] {
    const accepted = this.#suspicions.accept((difference) => this.#comparison.leaveOut(difference));
    if (accepted.length === 0 || this.#newest === null) return accepted;
    const differences = this.#newest.differences.filter((difference) => !accepted.includes(difference));
    this.#newest = { ...this.#newest, differences };
    this.#againMs = nowMs;
    return accepted;
  }

  /** The poll that begins a round is due: the asks of all its lists. */
  begin(first: Ask, nowMs: number): readonly Ask[] {
    this.#see(nowMs);
    this.#turns.begun = ++this.#turn;
    if (this.#gathered !== null)
      this.#voided({ reason: 'no look at orders and fills came after it', furtherPages: 0 }, nowMs);
    this.#gathered = null;
    this.#againMs = Number.POSITIVE_INFINITY;
    this.#round = new Round(this.#comparison.lists, nowMs);
    return this.#round.asks(first);
  }

  /** The outcome of an ask of the round. The result is that of the whole round's lists; null while some are under way. */
  onRound(list: RoundList, report: Report): { readonly asks: readonly Ask[]; readonly result: PollResult | null } {
    this.#see(report.nowMs);
    const { asks, end } = this.#round?.onReport(list, report) ?? { asks: [], end: null };
    if (end === null) return { asks, result: null };
    this.#sayAbsent(this.#round?.absent ?? []);
    this.#round = null;
    if (end.kind === 'complete') {
      this.#turns.gathered = ++this.#turn;
      this.#gathered = end;
      return { asks: [], result: 'ok' };
    }
    this.#voided(end, report.nowMs);
    return { asks: [], result: end.unsent ? 'unsent' : 'failed' };
  }

  onReport(kind: 'orders' | 'fills', report: Report): ListStep {
    this.#see(report.nowMs);
    return kind === 'orders' ? this.#onOrders(report) : this.#onFills(report);
  }

  #onOrders(report: Report): ListStep {
    this.#orders ??= new PageWalk((row) => row.pubkey ?? JSON.stringify(row));
    const walk = this.#orders;
    const step = walk.onReport(report);
    if (step.kind === 'page' && step.next !== null) return more(step.next);
    this.#orders = null;
    if (step.kind === 'void') return ended(report);
    this.#resting = { rows: walk.rows, startedMs: walk.startedMs };
    this.#looked.orders = this.#asked.orders;
    const reaction = this.#executor.onOwnOrders(walk.rows, walk.startedMs, report.nowMs);
    this.#compare(report.nowMs);
    return ended(report, 'ok', reaction, { rows: walk.rows, startedMs: walk.startedMs });
  }

  #onFills(report: Report): ListStep {
    this.#fills ??= new PageWalk((row) => row.pubkey);
    const walk = this.#fills;
    const step = walk.onReport(report);
    if (step.kind === 'void') {
      this.#fills = null;
      return ended(report);
    }
    const baseline = this.#baseline(step.rows[0]?.pubkey ?? NO_TRADES);
    const cut = step.rows.findIndex((row) => row.pubkey === baseline);
    const rows = cut < 0 ? step.rows : step.rows.slice(0, cut);
    const reaction = this.#executor.onOwnTrades(rows, report.nowMs);
    const news = reaction.events.filter((event) => event.kind === 'fillBooked').length;
    this.#fillPages += 1;
    // A page of nothing new ends the walk, unless an order says that fills of it are still missing.
    const deeper = cut < 0 && (news > 0 || this.#searches(report, step.rows.at(-1)?.timestamp ?? 0));
    if (step.next !== null && deeper) return more(step.next, reaction);
    this.#fills = null;
    this.#fillPages = 0;
    this.#seenFills = true;
    this.#looked.fills = this.#asked.fills;
    this.#compare(report.nowMs);
    return ended(report, 'ok', reaction);
  }

  /** Whether an older page may hold a fill that is missing here, and it is time to look. */
  #searches({ nowMs, venueTimeMs }: Report, oldestS: number): boolean {
    const missing = this.#executor.missingFills();
    if (missing.length === 0 || this.#fillPages >= MAX_SEARCH_PAGES) return false;
    const again = this.#fillPages === 1 && nowMs >= this.#searchedMs;
    if (again && nowMs - this.#searchedMs < SEARCH_AGAIN_MS) return false;
    this.#searchedMs = nowMs;
    const venueAheadMs = venueTimeMs === null ? 0 : venueTimeMs - nowMs;
    const since = Math.min(...missing.map(({ createdMs }) => createdMs)) + venueAheadMs - SEARCH_SLACK_MS;
    return oldestS * 1000 >= since;
  }

  /**
   * Trades before this ledger's first start are not ours to book: the newest one seen then is where our history ends.
   */
  #baseline(newest: string): string {
    const stored = this.#ledger.note(BASELINE_NOTE);
    if (stored !== null) return stored;
    const fresh = this.#ledger.orders({ limit: 1 }).length === 0 ? newest : NO_TRADES;
    this.#ledger.setNote(BASELINE_NOTE, fresh);
    return fresh;
  }

  /** A round that waits must not wait for as long as our clock stepped back. */
  #see(nowMs: number): void {
    if (nowMs < this.#seenMs && Number.isFinite(this.#againMs)) this.#againMs = nowMs;
    this.#seenMs = nowMs;
  }

  #sayAbsent(lists: readonly RoundList[]): void {
    for (const list of lists) {
      if (this.#absent.has(list)) continue;
      this.#absent.add(list);
      this.#news.push({ loud: true, text: `the exchange has no list of ${list}: they are not compared` });
    }
  }

  #voided({ reason, furtherPages }: { reason: string; furtherPages: number }, nowMs: number): void {
    this.#voidReason = reason;
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(this.#voids, 10), LONGEST_RETRY_MS);
    this.#againMs = nowMs + Math.max(waitMs, RETRY_PER_PAGE_MS * furtherPages);
    this.#voids += 1;
    this.#voidSinceMs ??= nowMs;
    this.#news.push({ loud: false, text: `a round was void: ${reason}` });
    if (nowMs - this.#voidSinceMs < OVERDUE_MS) return;
    this.#voidSinceMs = nowMs;
    this.#news.push({ loud: true, text: `no complete round for ${OVERDUE_MS / 60_000} minutes: ${reason}` });
  }

  /** Compares, once a look that began after the round's lists has found nothing more of ours. */
  #compare(nowMs: number): void {
    const round = this.#gathered;
    const resting = this.#resting;
    if (round === null || resting === null || this.awaits.length > 0) return;
    this.#gathered = null;
    this.#voids = 0;
    this.#voidReason = null;
    this.#voidSinceMs = null;
    const found = this.#comparison.differences(resting, round.begunMs);
    const stood = this.verdict !== null;
    const isUndecided = (difference: Difference) => this.#comparison.isUndecided(difference);
    const believed = this.#suspicions.take(found, round.begunMs, nowMs, isUndecided);
    const differences = found.filter((difference) => !this.#suspicions.isAccepted(difference));
    this.#newest = { begunMs: round.begunMs, comparedMs: nowMs, differences };
    this.#againMs = this.#suspicions.doubtsFromMs;
    for (const difference of believed) this.#news.push({ loud: true, text: inWords(difference) });
    if (stood && this.verdict === null) this.#news.push({ loud: true, text: 'ledger and exchange agree again' });
  }
}

const NO_REACTION: Reaction = { asks: [], events: [] };

const more = (next: Ask, reaction = NO_REACTION): ListStep => ({
  asks: [next],
  reaction,
  result: null,
  restingOrders: null,
});

function ended(
  { outcome }: Report,
  result: PollResult = 'failed',
  reaction = NO_REACTION,
  restingOrders: ListStep['restingOrders'] = null,
): ListStep {
  const unsent = outcome.kind === 'unknown' && !outcome.sent;
  return { asks: [], reaction, result: unsent ? 'unsent' : result, restingOrders };
}
