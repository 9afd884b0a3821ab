/**
 * Reads what the exchange says is ours, complete or not at all, and compares it with the ledger: orders, fills, merges,
 * splits, redeems, shares. It only reads, and invents nothing to make sums fit: it says what differs.
 *
 * A round is a set of complete lists, all begun after the same moment, then a look at our fills that began after the last
 * of them ended: whatever of ours the lists show is in the ledger by then. What the ledger has booked meanwhile the lists
 * need not show, so trading goes on and rounds are complete all the same. What differs in two rounds, a good while apart,
 * is believed. Currency cannot be compared: no call of the service shows it.
 */

import type { OrderRow } from '../../shared/protocol/records.js';
import type { RoundList } from '../../shared/protocol/request-owner.js';
import type { PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';
import type { Ledger } from '../ledger/contract.js';
import type { PollResult } from '../scheduler/contract.js';
import { type Adoption, Comparison, type RestingOrders, type UnderWay } from './comparison.js';
import { ConfirmedDifferences, inWords } from './confirmed-differences.js';
import { type AcceptedDifference, type Difference, LONGEST_LAG_MS } from './differences.js';
import { Round, type RoundEnd, requestsOfRound } from './round.js';

/** A complete round. Our clock, ms, of its first request and of its comparison. */
export interface ComparedRound {
  readonly begunMs: number;
  readonly comparedMs: number;
  readonly differences: readonly Difference[];
}

/** A notice for the operator; the ledger stores `loud` ones. */
export interface News {
  readonly loud: boolean;
  readonly text: string;
}

/** Wait before a void round is retried, ms. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;
/** Extra wait, ms, per page that the void round read beyond the first: all are read again. */
const RETRY_PER_PAGE_MS = 1_000;
/** Time without a complete round that raises an alarm, ms. */
const OVERDUE_MS = 300_000;

export class Reconciler {
  readonly #ownTrades: boolean;
  readonly #roundRequests: number;
  readonly #suspicions: ConfirmedDifferences;
  readonly #comparison: Comparison;
  readonly #outrun: OutrunOrders;
  #round: Round | null = null;
  /** All lists of the round are complete; it waits for a later read of own fills. */
  #gathered: Extract<RoundEnd, { kind: 'complete' }> | null = null;
  #resting: RestingOrders | null = null;
  /**
   * A sequence number that orders rounds and reads without a clock, which may be set: it grows when a round's lists are
   * requested and when the last is complete.
   */
  #turn = 0;
  #turns = { begun: 0, gathered: 0 };
  /** Turns of the request of the read in flight, and of the newest complete one. */
  readonly #asked = { orders: 0, fills: 0 };
  readonly #looked = { orders: 0, fills: 0 };
  #seenFills: boolean;
  /** Newest time of our clock, ms. */
  #seenMs = Number.NEGATIVE_INFINITY;
  /** Differences of the newest complete round; null before the first. */
  newest: ComparedRound | null = null;
  /** Void rounds in a row, the newest reason, and the time since when all were void. */
  #voids = 0;
  /** Why the newest round was void; null if it was not. */
  voidReason: string | null = null;
  #voidSinceMs: number | null = null;
  /** Our clock, ms, from which another round is wanted before its poll is due; Infinity if none. */
  againMs = Number.POSITIVE_INFINITY;
  #news: News[] = [];
  readonly #absent = new Set<RoundList>();
  /** Pages beyond the first of each list, in the two newest rounds with complete lists. */
  #furtherPages: readonly [number, number] = [0, 0];

  /** @param ownTrades whether the venue lists them */
  constructor(ledger: Ledger, underWay: UnderWay, ownTrades: boolean) {
    this.#ownTrades = ownTrades;
    this.#roundRequests = requestsOfRound(ownTrades);
    this.#seenFills = !ownTrades;
    this.#suspicions = new ConfirmedDifferences(ledger);
    this.#comparison = new Comparison(ledger, underWay, ownTrades);
    this.#outrun = new OutrunOrders(ledger);
  }

  /**
   * Signed requests of a round, with the further pages that both of the newest two rounds needed: the first read of a
   * long history happens only once.
   */
  get requestsARound(): number {
    return this.#roundRequests + Math.min(...this.#furtherPages);
  }

  /**
   * True when all own state was read completely since this process began, and every difference is cleared or confirmed.
   */
  get isComplete(): boolean {
    return this.#seenFills && this.newest !== null && !this.isInDoubt;
  }

  /** A difference was found that the next round confirms or clears. */
  get isInDoubt(): boolean {
    return Number.isFinite(this.#suspicions.doubtsFromMs);
  }

  /** Reads that the round's complete lists wait for; they must begin after it. */
  get awaits(): readonly ('orders' | 'fills')[] {
    if (this.#gathered === null) return [];
    const { begun, gathered } = this.#turns;
    // Without own trades, fills are read from the orders.
    const orders = this.#looked.orders < (this.#ownTrades ? begun : gathered);
    const fills = this.#ownTrades && this.#looked.fills < gathered;
    return [...(orders ? (['orders'] as const) : []), ...(fills ? (['fills'] as const) : [])];
  }

  /** Why only reducing orders are allowed; null while ledger and exchange agree. */
  get verdict(): string | null {
    return this.#suspicions.verdict;
  }

  /** Unresolved accepted differences, oldest first. */
  get accepted(): readonly AcceptedDifference[] {
    return this.#suspicions.accepted;
  }

  takeNews(): readonly News[] {
    return this.#news.splice(0);
  }

  /** A read of these is being requested. */
  onAsk(kind: 'orders' | 'fills'): void {
    this.#asked[kind] = this.#turn;
  }

  /**
   * An operator accepts the differences: the comparison skips them, and nothing is booked. Returns the skipped ones;
   * those that a trade has changed since are compared again.
   */
  accept(nowMs: number, reason: string): readonly Difference[] {
    const { believed } = this.#suspicions;
    const leaveOut = (difference: Difference) => this.#comparison.leaveOut(difference);
    const accepted = this.#suspicions.accept(leaveOut, { reason, nowMs });
    if (believed.length === 0 || this.newest === null) return accepted;
    for (const difference of believed.filter((one) => !accepted.includes(one)))
      this.#news.push({
        loud: true,
        text: `not left out, for it has changed since; compared again: ${inWords(difference)}`,
      });
    const differences = this.newest.differences.filter((difference) => !believed.includes(difference));
    this.newest = { ...this.newest, differences };
    this.againMs = nowMs;
    return accepted;
  }

  /** Bookings of an adoption; a text says why they are unknown now. Reads only. */
  planAdoption(): Adoption | string {
    if (this.newest === null) return 'ledger and exchange are not compared yet';
    if (this.voidReason !== null) return `the newest comparison was void: ${this.voidReason}`;
    if (this.isInDoubt) return 'a difference was seen once, and no second comparison has confirmed it yet';
    return this.#comparison.planAdoption((difference) => this.#suspicions.isConfirmed(difference));
  }

  /** The ledger has booked the result of `planAdoption`. */
  onAdopted(nowMs: number): void {
    this.#suspicions.onAdopted(nowMs);
    this.#comparison.onAdopted();
    if (this.newest !== null) this.newest = { ...this.newest, differences: [] };
    this.againMs = nowMs;
  }

  /** The poll that begins a round is due: returns the requests of all its lists. */
  begin(first: PlannedRequest, nowMs: number): readonly PlannedRequest[] {
    this.advanceClock(nowMs);
    this.#turns.begun = ++this.#turn;
    if (this.#gathered !== null)
      this.#onVoid({ reason: 'no look at orders and fills came after it', furtherPages: 0 }, nowMs);
    this.#gathered = null;
    this.againMs = Number.POSITIVE_INFINITY;
    this.#round = new Round(this.#comparison.lists, nowMs);
    return this.#round.requests(first);
  }

  /**
   * Takes in an answer to a request of the round. The result is for the whole round's lists; null while some are in
   * flight.
   */
  onRound(
    list: RoundList,
    report: RequestResult,
  ): { readonly requests: readonly PlannedRequest[]; readonly result: PollResult | null } {
    this.advanceClock(report.nowMs);
    const { requests, end } = this.#round?.onReport(list, report) ?? { requests: [], end: null };
    if (end === null) return { requests, result: null };
    this.#sayAbsent(this.#round?.absent ?? []);
    this.#round = null;
    if (end.kind === 'complete') {
      this.#furtherPages = [this.#furtherPages[1], end.furtherPages];
      this.#turns.gathered = ++this.#turn;
      this.#gathered = end;
      return { requests: [], result: 'ok' };
    }
    this.#onVoid(end, report.nowMs);
    return { requests: [], result: end.unsent ? 'unsent' : 'failed' };
  }

  /** A complete read of own resting orders has ended, and its fills are booked. */
  onOrdersRead(resting: RestingOrders, nowMs: number): void {
    this.#resting = resting;
    this.#looked.orders = this.#asked.orders;
    this.#compare(nowMs);
    if (this.#outrun.onLook(resting.rows, resting.startedMs)) this.againMs = Math.min(this.againMs, nowMs);
  }

  /** A complete read of own trades has ended, and all its rows are booked. */
  onFillsRead(nowMs: number): void {
    this.#seenFills = true;
    this.#looked.fills = this.#asked.fills;
    this.#compare(nowMs);
  }

  /** Takes in the time: a clock set back must not delay a waiting round. */
  advanceClock(nowMs: number): void {
    if (nowMs < this.#seenMs && Number.isFinite(this.againMs)) this.againMs = nowMs;
    this.#seenMs = nowMs;
  }

  #sayAbsent(lists: readonly RoundList[]): void {
    for (const list of lists) {
      if (this.#absent.has(list)) continue;
      this.#absent.add(list);
      this.#news.push({ loud: true, text: `the exchange has no list of ${list}: they are not compared` });
    }
  }

  #onVoid({ reason, furtherPages }: { reason: string; furtherPages: number }, nowMs: number): void {
    this.voidReason = reason;
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(this.#voids, 10), LONGEST_RETRY_MS);
    this.againMs = nowMs + Math.max(waitMs, RETRY_PER_PAGE_MS * furtherPages);
    this.#voids += 1;
    this.#voidSinceMs ??= nowMs;
    this.#news.push({ loud: false, text: `a round was void: ${reason}` });
    if (nowMs - this.#voidSinceMs < OVERDUE_MS) return;
    this.#voidSinceMs = nowMs;
    this.#news.push({ loud: true, text: `no complete round for ${OVERDUE_MS / 60_000} minutes: ${reason}` });
  }

  /** Compares once a read that began after the round's lists has found no further fills. */
  #compare(nowMs: number): void {
    const round = this.#gathered;
    const resting = this.#resting;
    if (round === null || resting === null || this.awaits.length > 0) return;
    this.#gathered = null;
    this.#voids = 0;
    this.voidReason = null;
    this.#voidSinceMs = null;
    const found = this.#comparison.differences(resting, round.begunMs, this.#suspicions.believesAny('sum'));
    const stood = this.verdict !== null;
    const isUndecided = (difference: Difference) => this.#comparison.isUndecided(difference);
    const believed = this.#suspicions.take(found, round.begunMs, nowMs, isUndecided);
    this.#suspicions.forgetAccepted(({ what, subject }) => what === 'position' && !this.#comparison.leavesOut(subject));
    const differences = found.filter((difference) => !this.#suspicions.isAccepted(difference));
    this.newest = { begunMs: round.begunMs, comparedMs: nowMs, differences };
    this.againMs = this.#suspicions.doubtsFromMs;
    for (const difference of believed) this.#news.push({ loud: true, text: inWords(difference) });
    if (stood && this.verdict === null) this.#news.push({ loud: true, text: 'ledger and exchange agree again' });
  }
}

/**
 * Orders with more booked than their own row shows, in several reads: the exchange lists a fill that its order denies.
 * Rounds judge it like any difference; this class notices it between rounds.
 */
class OutrunOrders {
  readonly #ledger: Pick<Ledger, 'order'>;
  /** By pubkey: our clock, ms, of the first read in a row that showed less than is booked. */
  #sinceMs: ReadonlyMap<string, number> = new Map();
  /** Orders that have triggered a round. */
  readonly #told = new Set<string>();

  constructor(ledger: Pick<Ledger, 'order'>) {
    this.#ledger = ledger;
  }

  /**
   * Takes in a complete read of own resting orders. True once per order that lags longer than lists do.
   *
   * @param startedMs our clock, when the read's first page left
   */
  onLook(rows: readonly OrderRow[], startedMs: number): boolean {
    const behind = new Map<string, number>();
    for (const { pubkey, filled_amount: filled } of rows) {
      if (pubkey === null || filled === null) continue;
      const order = this.#ledger.order(pubkey);
      // After a clock set back, the time begins again.
      if (order !== null && filled < order.bookedMicros)
        behind.set(pubkey, Math.min(this.#sinceMs.get(pubkey) ?? startedMs, startedMs));
    }
    this.#sinceMs = behind;
    for (const pubkey of this.#told) if (!behind.has(pubkey)) this.#told.delete(pubkey);
    const due = [...behind].filter(
      ([pubkey, sinceMs]) => startedMs >= sinceMs + LONGEST_LAG_MS && !this.#told.has(pubkey),
    );
    for (const [pubkey] of due) this.#told.add(pubkey);
    return due.length > 0;
  }
}
