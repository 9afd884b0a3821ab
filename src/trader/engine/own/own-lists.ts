/** Reads own open orders and own trades. Passes the rows to the executor, and complete reads to the reconciler. */

import type { PlannedRequest, RequestResult } from '../../../shared/protocol/seam.js';
import { isFinalOrder } from '../../../shared/protocol/states.js';
import type { Reaction } from '../../executor/contract.js';
import type { Executor } from '../../executor/executor.js';
import type { Ledger } from '../../ledger/contract.js';
import type { RestingOrders } from '../../reconcile/comparison.js';
import { PageWalk } from '../../reconcile/list-cursor.js';
import type { Reconciler } from '../../reconcile/reconciler.js';
import type { PollResult } from '../../scheduler/poll-record.js';

interface ListStep {
  readonly requests: readonly PlannedRequest[];
  readonly reaction: Reaction;
  /** Result of the whole list read; null while further pages are in flight. */
  readonly result: PollResult | null;
  readonly restingOrders: RestingOrders | null;
}

/** A search for missing fills begins at the order's creation minus this time, ms, because clocks differ. */
const SEARCH_SLACK_MS = 60_000;
/** Minimum time between two searches for missing fills, ms; each may cost many requests. */
const SEARCH_AGAIN_MS = 30_000;
/** Maximum pages of one search for missing fills: 2000 trades. Reconciliation reports fills that were not found. */
const MAX_SEARCH_PAGES = 20;
const BASELINE_NOTE = 'trades_baseline';
const NO_TRADES = '-';

export class OwnLists {
  readonly #ledger: Pick<Ledger, 'note' | 'setNote' | 'orders'>;
  readonly #executor: Pick<Executor, 'onOwnOrders' | 'onOwnTrades' | 'missingFills'>;
  readonly #reconciler: Pick<Reconciler, 'advanceClock' | 'onOrdersRead' | 'onFillsRead'>;
  #orders: PageWalk<'orders.list'> | null = null;
  #fills: PageWalk<'trades.list'> | null = null;
  #searchedMs = Number.NEGATIVE_INFINITY;
  #fillPages = 0;

  constructor(ledger: Ledger, executor: Executor, reconciler: Reconciler) {
    this.#ledger = ledger;
    this.#executor = executor;
    this.#reconciler = reconciler;
  }

  onReport(kind: 'orders' | 'fills', report: RequestResult): ListStep {
    this.#reconciler.advanceClock(report.nowMs);
    return kind === 'orders' ? this.#onOrders(report) : this.#onFills(report);
  }

  #onOrders(report: RequestResult): ListStep {
    this.#orders ??= new PageWalk((row) => row.pubkey ?? JSON.stringify(row));
    const walk = this.#orders;
    const step = walk.onReport(report);
    if (step.kind === 'page' && step.next !== null) return more(step.next);
    this.#orders = null;
    if (step.kind === 'void') return endStep(report);
    const reaction = this.#executor.onOwnOrders(walk.rows, walk.startedMs, report.nowMs);
    const resting = { rows: walk.rows.filter(({ status }) => !isFinalOrder(status)), startedMs: walk.startedMs };
    this.#reconciler.onOrdersRead(resting, report.nowMs);
    return endStep(report, 'ok', reaction, resting);
  }

  #onFills(report: RequestResult): ListStep {
    this.#fills ??= new PageWalk((row) => row.pubkey);
    const walk = this.#fills;
    const step = walk.onReport(report);
    if (step.kind === 'void') {
      this.#fills = null;
      return endStep(report);
    }
    const baseline = this.#baseline(step.rows[0]?.pubkey ?? NO_TRADES);
    const cut = step.rows.findIndex((row) => row.pubkey === baseline);
    const rows = cut < 0 ? step.rows : step.rows.slice(0, cut);
    const reaction = this.#executor.onOwnTrades(rows, report.nowMs, report.venueTimeMs);
    const news = reaction.events.filter((event) => event.kind === 'fillBooked').length;
    this.#fillPages += 1;
    // A page without new fills ends the read, unless fills of an order are still missing.
    const deeper = cut < 0 && (news > 0 || this.#searches(report, step.rows.at(-1)?.timestamp ?? 0));
    if (step.next !== null && deeper) return more(step.next, reaction);
    this.#fills = null;
    this.#fillPages = 0;
    this.#reconciler.onFillsRead(report.nowMs);
    return endStep(report, 'ok', reaction);
  }

  /** Returns true if an older page of trades may contain a missing fill, and a search is due. */
  #searches({ nowMs, venueTimeMs }: RequestResult, oldestS: number): boolean {
    const missing = this.#executor.missingFills();
    if (missing.length === 0 || this.#fillPages >= MAX_SEARCH_PAGES) return false;
    const again = this.#fillPages === 1 && nowMs >= this.#searchedMs;
    if (again && nowMs - this.#searchedMs < SEARCH_AGAIN_MS) return false;
    this.#searchedMs = nowMs;
    const venueAheadMs = venueTimeMs === null ? 0 : venueTimeMs - nowMs;
    const since = Math.min(...missing.map(({ createdMs }) => createdMs)) + venueAheadMs - SEARCH_SLACK_MS;
    return oldestS * 1000 >= since;
  }

  /** Returns the pubkey of the newest trade at the ledger's first start. That trade and older ones are never booked. */
  #baseline(newest: string): string {
    const stored = this.#ledger.note(BASELINE_NOTE);
    if (stored !== null) return stored;
    const fresh = this.#ledger.orders({ limit: 1 }).length === 0 ? newest : NO_TRADES;
    this.#ledger.setNote(BASELINE_NOTE, fresh);
    return fresh;
  }
}

const NO_REACTION: Reaction = { requests: [], events: [] };

function more(next: PlannedRequest, reaction = NO_REACTION): ListStep {
  return { requests: [next], reaction, result: null, restingOrders: null };
}

function endStep(
  { outcome }: RequestResult,
  result: PollResult = 'failed',
  reaction = NO_REACTION,
  restingOrders: ListStep['restingOrders'] = null,
): ListStep {
  const unsent = outcome.kind === 'unknown' && !outcome.sent;
  return { requests: [], reaction, result: unsent ? 'unsent' : result, restingOrders };
}
