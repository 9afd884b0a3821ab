/**
 * Reads what the exchange says is ours, complete or not at all, and compares it with the ledger: resting orders, fills,
 * shares. It books nothing itself and invents nothing to make sums fit: it says what differs.
 */

import { formatDecimal } from '../base/decimal.js';
import { type Micros, micros, sub, ZERO } from '../base/micros.js';
import type { OrderExecutor, Reaction } from '../executor/contract.js';
import type { Ledger } from '../ledger/contract.js';
import type { AssetRow, OrderRow } from '../protocol/records.js';
import type { Ask, Report } from '../protocol/seam.js';
import type { AccountPoll, PollResult } from '../scheduler/contract.js';
import { PageWalk } from './page-walk.js';

/** One disagreement, in words for a person and with both figures. */
export interface Difference {
  readonly what: 'order' | 'fill' | 'position';
  /** A pubkey, or market and outcome. */
  readonly subject: string;
  readonly ledger: string;
  readonly exchange: string;
}

export interface ListStep {
  readonly asks: readonly Ask[];
  readonly reaction: Reaction;
  /** How the whole walk ended; null while further pages are on their way. */
  readonly result: PollResult | null;
  /** Rows of a complete list of resting orders that ended with this report. */
  readonly restingOrders: { readonly rows: readonly OrderRow[]; readonly startedMs: number } | null;
}

/**
 * A subject that differs in so many comparisons in a row is believed, whatever the figures: they move with every fill,
 * while one list that lags behind another has caught up by the next look.
 */
const ROUNDS_TO_BELIEVE = 2;

/** Fills are searched this much further back than the order that misses them, ms: clocks differ and answers are late. */
const SEARCH_SLACK_MS = 60_000;
/** Between two searches through the past for fills that stay missing, ms: each may cost many requests. */
const SEARCH_AGAIN_MS = 30_000;
/** Pages of one search: two thousand trades. What is not found there is for the comparison to report. */
const MAX_SEARCH_PAGES = 20;

const BASELINE_NOTE = 'trades_baseline';
const OPENING_NOTE = 'opening_shares';
const NO_TRADES = '-';

interface SeenAssets {
  readonly rows: readonly AssetRow[];
  readonly startedMs: number;
  readonly endedMs: number;
}

export class Reconciler {
  readonly #ledger: Ledger;
  readonly #executor: OrderExecutor;
  readonly #ownTrades: boolean;
  #orders: PageWalk<'orders.list'> | null = null;
  #fills: PageWalk<'trades.list'> | null = null;
  #assets: PageWalk<'account.assets'> | null = null;
  #seenAssets: SeenAssets | null = null;
  #restingRows: readonly OrderRow[] = [];
  #seenOrders = false;
  #seenFills: boolean;
  /** Our clock, ms, of the last change of holdings that we know of. */
  #movedMs = Number.NEGATIVE_INFINITY;
  /** By subject: in how many comparisons in a row it has differed, and how it did in the newest. */
  readonly #suspicions = new Map<string, { readonly rounds: number; readonly text: string }>();
  #searchedMs = Number.NEGATIVE_INFINITY;
  #fillPages = 0;
  #differences: readonly Difference[] = [];
  #comparedMs: number | null = null;

  constructor(ledger: Ledger, executor: OrderExecutor, ownTrades: boolean) {
    this.#ledger = ledger;
    this.#executor = executor;
    this.#ownTrades = ownTrades;
    this.#seenFills = !ownTrades;
  }

  /**
   * Orders, fills and assets have each been seen complete since this process began, and compared until every difference
   * is either gone or believed.
   */
  get isComplete(): boolean {
    return this.#seenOrders && this.#seenFills && this.#comparedMs !== null && !this.wantsAnotherLook;
  }

  /** Assets wait for a look at our fills that began after them; one of the same millisecond says nothing. */
  get awaitsFills(): boolean {
    return this.#seenAssets !== null;
  }

  /** A difference was seen that only another comparison can confirm or clear. */
  get wantsAnotherLook(): boolean {
    if (this.#suspicions.size === 0) return false;
    return [...this.#suspicions.values()].some(({ rounds }) => rounds < ROUNDS_TO_BELIEVE);
  }

  /** What differed in the newest comparison, and when that was (our clock, ms); null before the first. */
  get newest(): { readonly comparedMs: number; readonly differences: readonly Difference[] } | null {
    return this.#comparedMs === null ? null : { comparedMs: this.#comparedMs, differences: this.#differences };
  }

  /** Why only orders that reduce a position may leave; null while ledger and exchange agree. */
  get verdict(): string | null {
    if (this.#suspicions.size === 0) return null;
    const believed = [...this.#suspicions.values()].filter(({ rounds }) => rounds >= ROUNDS_TO_BELIEVE);
    if (believed.length === 0) return null;
    return `the ledger and the exchange disagree: ${believed.map(({ text }) => text).join('; ')}`;
  }

  /** Shares moved by our own doing; a list that began before says nothing about them. */
  moved(nowMs: number): void {
    this.#movedMs = nowMs;
  }

  onReport(kind: Exclude<AccountPoll, 'catalog'>, report: Report): ListStep {
    switch (kind) {
      case 'orders':
        return this.#onOrders(report);
      case 'fills':
        return this.#onFills(report);
      case 'assets':
        return this.#onAssets(report);
    }
  }

  #onOrders(report: Report): ListStep {
    this.#orders ??= new PageWalk((row) => row.pubkey ?? JSON.stringify(row));
    const walk = this.#orders;
    const step = walk.onReport(report);
    if (step.kind === 'page' && step.next !== null) return more(step.next);
    this.#orders = null;
    if (step.kind === 'void') return ended(report);
    this.#seenOrders = true;
    this.#restingRows = walk.rows;
    const reaction = this.#executor.onOwnOrders(walk.rows, walk.startedMs, report.nowMs);
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
    if (news > 0) this.moved(report.nowMs);
    this.#fillPages += 1;
    // A page of nothing new ends the walk, unless an order says that fills of it are still missing.
    const deeper = cut < 0 && (news > 0 || this.#searches(report, step.rows.at(-1)?.timestamp ?? 0));
    if (step.next !== null && deeper) return more(step.next, reaction);
    this.#fills = null;
    this.#fillPages = 0;
    this.#seenFills = true;
    this.#compare(walk.startedMs, report.nowMs);
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

  #onAssets(report: Report): ListStep {
    this.#assets ??= new PageWalk((row) => row.token.symbol);
    const walk = this.#assets;
    const step = walk.onReport(report);
    if (step.kind === 'page' && step.next !== null) return more(step.next);
    this.#assets = null;
    if (step.kind === 'void') return ended(report);
    this.#seenAssets = { rows: walk.rows, startedMs: walk.startedMs, endedMs: report.nowMs };
    if (!this.#ownTrades) this.#compare(report.nowMs + 1, report.nowMs);
    return ended(report, 'ok');
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

  /**
   * Compares the newest assets with the ledger, once a look at our fills that began after them has found nothing more:
   * only then do the two speak of the same moment.
   */
  #compare(fillsStartedMs: number, nowMs: number): void {
    const seen = this.#seenAssets;
    if (seen === null) return;
    // Shares have moved since: these assets can never be compared, the next ones will.
    if (this.#movedMs >= seen.startedMs) this.#seenAssets = null;
    if (fillsStartedMs <= seen.endedMs || this.#movedMs >= seen.startedMs) return;
    this.#seenAssets = null;
    const shares = this.#shareDifferences(seen.rows);
    this.#differences = [...shares, ...this.#orderDifferences(), ...this.#fillDifferences()];
    this.#comparedMs = nowMs;
    this.#suspect();
  }

  /** Counts, for each subject that differs, the comparisons in a row; one that agrees again is cleared. */
  #suspect(): void {
    const subjects = new Set(this.#differences.map(({ subject }) => subject));
    for (const subject of this.#suspicions.keys()) if (!subjects.has(subject)) this.#suspicions.delete(subject);
    for (const { subject, ledger, exchange } of this.#differences) {
      const rounds = (this.#suspicions.get(subject)?.rounds ?? 0) + 1;
      this.#suspicions.set(subject, { rounds, text: `${subject}: ledger ${ledger}, exchange ${exchange}` });
    }
  }

  #shareDifferences(rows: readonly AssetRow[]): Difference[] {
    const theirs = new Map<string, Micros>();
    for (const row of rows) {
      if (row.asset_kind !== 'share') continue;
      theirs.set(outcomeKey(row.position.market.condition_id, row.position.is_yes), row.amounts.total);
    }
    const ours = new Map<string, Micros>();
    for (const row of this.#ledger.positions())
      ours.set(outcomeKey(row.marketConditionId, row.isYes), row.sharesMicros);
    const opening = this.#opening(theirs, ours);
    const keys = new Set([...theirs.keys(), ...ours.keys()]);
    const found: Difference[] = [];
    for (const subject of keys) {
      // A merge or redeem under way has moved shares on one side and not yet on the other: nothing can be said.
      if (this.#isConverting(subject)) continue;
      const booked = ours.get(subject) ?? ZERO;
      const there = sub(theirs.get(subject) ?? ZERO, opening.get(subject) ?? ZERO);
      if (booked === there) continue;
      found.push({ what: 'position', subject, ledger: formatDecimal(booked), exchange: formatDecimal(there) });
    }
    return found;
  }

  #isConverting(subject: string): boolean {
    const market = subject.slice(0, subject.lastIndexOf(' '));
    return this.#executor.pendingMerge(market) !== null || this.#executor.pendingRedeem(market) !== null;
  }

  /** Shares that the wallet held before this ledger's first start: left alone, and left out of every comparison. */
  #opening(theirs: ReadonlyMap<string, Micros>, ours: ReadonlyMap<string, Micros>): ReadonlyMap<string, Micros> {
    const stored = this.#ledger.note(OPENING_NOTE);
    if (stored !== null) return readOpening(stored);
    const opening = new Map<string, Micros>();
    if (ours.size === 0 && this.#ledger.fills({ limit: 1 }).length === 0) {
      for (const [subject, amount] of theirs) if (amount !== 0) opening.set(subject, amount);
    }
    this.#ledger.setNote(OPENING_NOTE, JSON.stringify([...opening]));
    return opening;
  }

  #orderDifferences(): Difference[] {
    const ours = new Set(this.#executor.liveOrders().map((order) => order.orderPubkey));
    const known = (pubkey: string) => ours.has(pubkey) || this.#ledger.order(pubkey) !== null;
    return this.#restingRows
      .filter((row) => row.pubkey !== null && !known(row.pubkey))
      .map((row) => ({
        what: 'order',
        subject: row.pubkey ?? '',
        ledger: 'unknown',
        exchange: row.status ?? 'resting',
      }));
  }

  #fillDifferences(): Difference[] {
    return this.#executor.missingFills().map((missing) => ({
      what: 'fill',
      subject: missing.orderPubkey,
      ledger: `${formatDecimal(missing.missingMicros)} shares not booked`,
      exchange: 'filled',
    }));
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

const outcomeKey = (market: string, isYes: boolean): string => `${market} ${isYes ? 'YES' : 'NO'}`;

/** What `#opening` wrote; the ledger is ours, so a note that does not read is a bug and throws. */
function readOpening(note: string): ReadonlyMap<string, Micros> {
  const rows = JSON.parse(note) as readonly (readonly [string, number])[];
  return new Map(rows.map(([subject, amount]) => [subject, micros(amount)]));
}
