/**
 * Compares the ledger with the exchange's complete lists: orders, fills, merges, splits, redeems, shares. The
 * reconciler only reads the exchange and reports differences.
 *
 * A round requests all lists at the same time. Own fills are then read again, so that all fills in the lists are
 * booked. Trading continues during a round, so the lists may lack new bookings. A difference is confirmed if
 * two rounds, some seconds apart, find it. Currency is not compared, because the exchange does not report it.
 */

import { must } from '../../shared/base/errors.js';
import type { RoundList } from '../../shared/protocol/request-owner.js';
import type { AnyCall, PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';
import type { Ledger } from '../ledger/contract.js';
import type { PollResult } from '../scheduler/poll-record.js';
import { type Adoption, Comparison, type RestingOrders } from './comparison.js';
import { ConfirmedDifferences, inWords } from './confirmed-differences.js';
import { type AcceptedDifference, type Difference, LONGEST_LAG_MS } from './differences.js';
import { SECOND_READER_ROWS } from './independent-fill-count.js';
import type { Reading } from './list-cursor.js';

/** Notice of the reconciler for the operator. `loud`: an important notice, which the ledger also stores. */
interface News {
  readonly loud: boolean;
  readonly text: string;
}

/** First and longest wait before the retry of a void reconciliation round, ms. The wait doubles with each retry. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;
/** Minimum wait before the retry of a void round, ms per page beyond each list's first: all pages are read again. */
const RETRY_PER_PAGE_MS = 1_000;
/** Time without a complete reconciliation round after which the operator gets an important notice, ms. */
const OVERDUE_MS = 300_000;

export class Reconciler {
  readonly #ownTrades: boolean;
  readonly #suspicions: ConfirmedDifferences;
  readonly #comparison: Comparison;
  readonly #ledger: Ledger;
  /** By order pubkey: time since which the listed filled amount is below the booked fills, our clock, ms. */
  #behindSinceMs: ReadonlyMap<string, number> = new Map();
  /** Pubkeys of orders whose too low listed filled amount has already triggered a reconciliation round. */
  readonly #outrun = new Set<string>();
  #round: ReconcileRound | null = null;
  /** Round with complete lists that still waits for a later read of orders or own fills; null without such a round. */
  #gathered: Extract<RoundEnd, { kind: 'complete' }> | null = null;
  #resting: RestingOrders | null = null;
  /** Logical clock, a counter that increases when a round begins, and when the round's lists are complete. */
  #turn = 0;
  #turns = { begun: 0, gathered: 0 };
  /** `#asked`: value of `#turn` when the newest read was requested; `#looked`: same for the newest complete read. */
  readonly #asked = { orders: 0, fills: 0 };
  readonly #looked = { orders: 0, fills: 0 };
  #seenFills: boolean;
  #seenMs = Number.NEGATIVE_INFINITY;
  /** The newest complete reconciliation round, with its start and end, our clock, ms; null before the first one. */
  newest: Readonly<{ begunMs: number; comparedMs: number; differences: readonly Difference[] }> | null = null;
  #voids = 0;
  /** Why the newest reconciliation round was void; null if it was complete. */
  voidReason: string | null = null;
  #voidSinceMs: number | null = null;
  /** Time from which an extra reconciliation round is needed, our clock, ms; Infinity if none is needed. */
  againMs = Number.POSITIVE_INFINITY;
  #news: News[] = [];
  readonly #absent = new Set<RoundList>();
  /** Numbers of further pages (beyond each list's first one) in the two newest complete rounds. */
  #furtherPages: readonly [number, number] = [0, 0];

  /** @param ownTrades true if the exchange has a list of the account's own trades */
  constructor(ledger: Ledger, underWay: ConstructorParameters<typeof Comparison>[2], ownTrades: boolean) {
    this.#ownTrades = ownTrades;
    this.#seenFills = !ownTrades;
    this.#suspicions = new ConfirmedDifferences(ledger);
    this.#comparison = new Comparison(ledger, ledger, underWay, ownTrades);
    this.#ledger = ledger;
  }

  /** Expected signed requests of the next round, with the smaller number of further pages of the two newest rounds. */
  get requestsARound(): number {
    return requestsOfRound(this.#ownTrades) + Math.min(...this.#furtherPages);
  }

  /** True if this process has read all own state at the exchange and no difference waits for confirmation. */
  get isComplete(): boolean {
    return this.#seenFills && this.newest !== null && !this.isInDoubt;
  }

  /** True if a difference waits for the next round, which confirms it or shows that it is gone. */
  get isInDoubt(): boolean {
    return Number.isFinite(this.#suspicions.doubtsFromMs);
  }

  /** Reads that a round with complete lists still waits for; empty without such a round. */
  get awaits(): readonly ('orders' | 'fills')[] {
    if (this.#gathered === null) return [];
    const { begun, gathered } = this.#turns;
    // On an exchange without a list of own trades, only a later read of orders shows all fills.
    const orders = this.#looked.orders < (this.#ownTrades ? begun : gathered);
    const fills = this.#ownTrades && this.#looked.fills < gathered;
    return [...(orders ? (['orders'] as const) : []), ...(fills ? (['fills'] as const) : [])];
  }

  /** Text that lists confirmed differences; null without any. While one exists, orders may only reduce positions. */
  get verdict(): string | null {
    return this.#suspicions.verdict;
  }

  /** True if an adoption would book a difference. Other figures of a booked record can only be accepted. */
  get isLacking(): boolean {
    return [...this.#suspicions.believed, ...this.accepted].some((one) => !this.#comparison.outlastsAdoption(one));
  }

  /** True if the order's missing fill is a confirmed or accepted difference: no list shows its settled trade. */
  isUnlisted(orderPubkey: string): boolean {
    return this.#suspicions.isUnlisted(orderPubkey);
  }

  /** True if an adoption ends the wait for the order's missing fill. */
  isLost(orderPubkey: string): boolean {
    return this.isUnlisted(orderPubkey) && !this.#comparison.isFillExpected(orderPubkey);
  }

  get accepted(): readonly AcceptedDifference[] {
    return this.#suspicions.accepted;
  }

  takeNews(): readonly News[] {
    return this.#news.splice(0);
  }

  onAsk(kind: 'orders' | 'fills'): void {
    this.#asked[kind] = this.#turn;
  }

  /** Accepts confirmed differences on an operator's command, without a booking. Returns the accepted differences. */
  accept(nowMs: number, reason: string): readonly Difference[] {
    const { believed } = this.#suspicions;
    const leaveOut = (difference: Difference) => this.#comparison.leaveOut(difference);
    const accepted = this.#suspicions.accept(leaveOut, reason, nowMs);
    if (believed.length === 0 || this.newest === null) return accepted;
    for (const difference of believed.filter((one) => !accepted.includes(one))) {
      const text = `a difference was not accepted, because its figures are not confirmed; the next round compares it again: ${inWords(difference)}`;
      this.#news.push({ loud: true, text });
    }
    const differences = this.newest.differences.filter((difference) => !believed.includes(difference));
    this.newest = { ...this.newest, differences };
    this.againMs = nowMs;
    return accepted;
  }

  /** Returns the bookings that adopt the exchange's figures, or a text that says why they are unknown. */
  planAdoption(): Adoption | string {
    if (this.newest === null) return 'ledger and exchange are not compared yet';
    if (this.voidReason !== null) return `the newest comparison was discarded: ${this.voidReason}`;
    const isInDoubt = this.isInDoubt || this.#suspicions.isGapUncertain;
    if (isInDoubt) return 'a difference is not yet confirmed by a second comparison';
    return this.#comparison.planAdoption((orderPubkey) => this.isLost(orderPubkey));
  }

  /** Plans the adoption of skipped shares that a booked redeem has consumed. Later comparisons include these shares. */
  takeRedeemed(marketConditionId: string): Adoption {
    return this.#comparison.opening.takeRedeemed(marketConditionId);
  }

  /** Restarts the comparison after the ledger has booked the plan of `planAdoption`. */
  onAdopted(nowMs: number): void {
    const isLeft = (one: Pick<Difference, 'what' | 'subject'>) => this.#comparison.outlastsAdoption(one);
    this.#suspicions.onAdopted(nowMs, isLeft);
    this.#comparison.onAdopted();
    if (this.newest !== null) this.newest = { ...this.newest, differences: this.newest.differences.filter(isLeft) };
    this.againMs = nowMs;
  }

  /** Begins a reconciliation round and returns the requests of all its lists. */
  begin(first: PlannedRequest, nowMs: number): readonly PlannedRequest[] {
    this.advanceClock(nowMs);
    this.#turns.begun = ++this.#turn;
    if (this.#gathered !== null)
      this.#onVoid({ reason: 'own orders and trades were not read before the next round', furtherPages: 0 }, nowMs);
    this.#gathered = null;
    this.againMs = Number.POSITIVE_INFINITY;
    this.#round = new ReconcileRound(this.#comparison.lists, nowMs);
    return this.#round.requests(first);
  }

  /** Processes an answer to one of the round's requests. The result is null while some lists are not complete. */
  onRound(
    list: RoundList,
    report: RequestResult,
  ): { readonly requests: readonly PlannedRequest[]; readonly result: PollResult | null } {
    this.advanceClock(report.nowMs);
    const { requests, end } = this.#round?.onReport(list, report) ?? { requests: [], end: null };
    if (end === null) return { requests, result: null };
    for (const absent of this.#round?.absent ?? []) {
      if (this.#absent.has(absent)) continue;
      this.#absent.add(absent);
      this.#news.push({ loud: true, text: `the exchange has no list of ${absent}, so ${absent} are not compared` });
    }
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

  /** Processes a complete read of own resting orders, after the executor has booked the fills that the read shows. */
  onOrdersRead(resting: RestingOrders, nowMs: number): void {
    this.#resting = resting;
    this.#looked.orders = this.#asked.orders;
    this.#compare(nowMs);
    if (this.#findOutrun(resting)) this.againMs = Math.min(this.againMs, nowMs);
  }

  /** Returns true, once per order, if a listed filled amount stays below the booked fills; a round is then needed. */
  #findOutrun({ rows, startedMs }: RestingOrders): boolean {
    const behind = new Map<string, number>();
    for (const { pubkey, filled_amount: filled } of rows) {
      if (pubkey === null || filled === null) continue;
      const order = this.#ledger.order(pubkey);
      // If our clock was set back, the time since the lag began is measured from this read.
      if (order !== null && filled < order.bookedMicros)
        behind.set(pubkey, Math.min(this.#behindSinceMs.get(pubkey) ?? startedMs, startedMs));
    }
    this.#behindSinceMs = behind;
    for (const pubkey of this.#outrun) if (!behind.has(pubkey)) this.#outrun.delete(pubkey);
    const isLong = (sinceMs: number) => startedMs >= sinceMs + LONGEST_LAG_MS;
    const due = [...behind].filter(([pubkey, sinceMs]) => isLong(sinceMs) && !this.#outrun.has(pubkey));
    for (const [pubkey] of due) this.#outrun.add(pubkey);
    return due.length > 0;
  }

  /** Processes the end of a complete read of own trades, after the executor has booked the rows. */
  onFillsRead(nowMs: number): void {
    this.#seenFills = true;
    this.#looked.fills = this.#asked.fills;
    this.#compare(nowMs);
  }

  /** Stores the current time. If our clock was set back, a planned extra round is due at once. */
  advanceClock(nowMs: number): void {
    if (nowMs < this.#seenMs && Number.isFinite(this.againMs)) this.againMs = nowMs;
    this.#seenMs = nowMs;
  }

  #onVoid({ reason, furtherPages }: { reason: string; furtherPages: number }, nowMs: number): void {
    this.voidReason = reason;
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(this.#voids, 10), LONGEST_RETRY_MS);
    this.againMs = nowMs + Math.max(waitMs, RETRY_PER_PAGE_MS * furtherPages);
    this.#voids += 1;
    this.#voidSinceMs ??= nowMs;
    this.#news.push({ loud: false, text: `a reconciliation round was discarded: ${reason}` });
    if (nowMs - this.#voidSinceMs < OVERDUE_MS) return;
    this.#voidSinceMs = nowMs;
    const text = `no reconciliation round was complete for ${OVERDUE_MS / 60_000} minutes: ${reason}`;
    this.#news.push({ loud: true, text });
  }

  /** Compares the round's lists if the later reads of orders and fills are complete. */
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
    const { opening } = this.#comparison;
    this.#suspicions.forgetAccepted(({ what, subject }) => what === 'position' && !opening.leavesOut(subject));
    // A confirmed difference that this round could not check still exists.
    const unchecked = this.#suspicions.believed.filter((difference) => !found.includes(difference));
    const differences = [...found.filter((difference) => !this.#suspicions.isAccepted(difference)), ...unchecked];
    this.newest = { begunMs: round.begunMs, comparedMs: nowMs, differences };
    this.againMs = this.#suspicions.doubtsFromMs;
    for (const difference of believed) this.#news.push({ loud: true, text: inWords(difference) });
    if (stood && this.verdict === null) this.#news.push({ loud: true, text: 'ledger and exchange agree again' });
  }
}

/** Rows per page. Lists of conversions are read in smaller pages, because conversions are few. */
const ROWS = 100;
const FEW_ROWS = 50;

const CALLS: Readonly<Record<Exclude<RoundList, 'assets'>, AnyCall>> = {
  orders: { endpoint: 'orders.list', params: {}, query: { limit: ROWS }, body: undefined },
  trades: { endpoint: 'trades.list', params: {}, query: { limit: ROWS }, body: undefined },
  merges: { endpoint: 'merges.list', params: {}, query: { limit: FEW_ROWS }, body: undefined },
  splits: { endpoint: 'splits.list', params: {}, query: { limit: FEW_ROWS }, body: undefined },
  redeems: { endpoint: 'redeems.list', params: {}, query: { limit: FEW_ROWS }, body: undefined },
  sums: { endpoint: 'trades.list', params: {}, query: { limit: SECOND_READER_ROWS }, body: undefined },
};

/** Names of lists that exist only on exchanges that list own trades. */
const OF_OWN_TRADES: readonly RoundList[] = ['trades', 'sums'];

/** Returns the number of signed requests of a round with one page per list, later reads included. */
function requestsOfRound(ownTrades: boolean): number {
  const lists = Object.keys(CALLS).length + 1;
  return ownTrades ? lists + 2 : lists - OF_OWN_TRADES.length + 1;
}

/** Lists that an exchange may lack, because the API documentation has no schema for them. */
const OPTIONAL: readonly RoundList[] = ['merges', 'splits', 'redeems'];

/** Reads all lists of one round at once, each to its end or to a known row. If one list could not be read completely, the round has no result. */
export class ReconcileRound {
  readonly #lists: ReadonlyMap<RoundList, Reading>;
  /** Time of the round's first request, our clock, ms. */
  readonly #begunMs: number;
  readonly #underWay: Set<RoundList>;
  /** Lists that the exchange does not have, so that the round does not compare them. */
  readonly absent: RoundList[] = [];
  /** Why the round is void; null for a valid round. `unsent`: the cause is a request that the trader did not send. */
  #void: { readonly reason: string; readonly unsent: boolean } | null = null;
  #furtherPages = 0;

  constructor(lists: ReadonlyMap<RoundList, Reading>, nowMs: number) {
    this.#lists = lists;
    this.#begunMs = nowMs;
    this.#underWay = new Set(lists.keys());
    for (const reading of lists.values()) reading.begin();
  }

  /** Returns the requests of all lists of the round. `first` is the regular poll of the account's assets. */
  requests(first: PlannedRequest): readonly PlannedRequest[] {
    const further = [...this.#lists.keys()].flatMap((list) =>
      list === 'assets' ? [] : [{ ...first, call: CALLS[list], owner: { kind: 'round' as const, list } }],
    );
    return [first, ...further];
  }

  /** Processes an answer. `end` is null while another request is in flight. A void round ignores later rows. */
  onReport(list: RoundList, report: RequestResult) {
    const reading = must(this.#lists.get(list), `list ${list} of the round`);
    const { outcome } = report;
    const isNoList = outcome.kind === 'refused' && (outcome.status === 404 || outcome.status === 405);
    const isAbsent = OPTIONAL.includes(list) && isNoList;
    if (isAbsent) this.absent.push(list);
    const step = this.#void === null && !isAbsent ? reading.onReport(report) : ({ kind: 'page', next: null } as const);
    if (step.kind === 'page' && step.next !== null) {
      this.#furtherPages += 1;
      return { requests: [step.next], end: null };
    }
    if (step.kind === 'void') {
      this.#void = { reason: `${list}: ${step.reason}`, unsent: outcome.kind === 'unknown' && !outcome.sent };
    }
    this.#underWay.delete(list);
    if (this.#underWay.size > 0) return { requests: [], end: null };
    const furtherPages = this.#furtherPages;
    if (this.#void !== null) return { requests: [], end: { kind: 'void', ...this.#void, furtherPages } as const };
    return { requests: [], end: { kind: 'complete', begunMs: this.#begunMs, furtherPages } as const };
  }
}

type RoundEnd = NonNullable<ReturnType<ReconcileRound['onReport']>['end']>;
