/** Requests to the exchange: those that wait, the reads that are due, and the price of one. */

import type { Executor } from '../executor/executor.js';
import type { Ledger } from '../ledger/contract.js';
import { USUAL_REACT_S } from '../market/view.js';
import type { PageWalk } from '../reconcile/page-walk.js';
import type { Reconciler } from '../reconcile/reconciler.js';
import { BudgetWatch } from '../scheduler/budget-watch.js';
import { PollPlan } from '../scheduler/poll-plan.js';
import { ReactionPace, RequestPrice } from '../scheduler/request-price.js';
import { RequestQueue } from '../scheduler/request-queue.js';
import { OwnLists } from './own/own-lists.js';
import type { TraderSettings } from './settings.js';

/** Requested levels per side: more than any strategy here uses, and a fifth of the size of a full book. */
const BOOK_DEPTH = 20;

/** Wait, ms, before a cancel is retried. */
const CANCEL_RETRY_MS = 2_000;

export class Requests {
  readonly queue: RequestQueue;
  readonly poller: PollPlan;
  readonly ownLists: OwnLists;
  readonly budgetWatch: BudgetWatch;
  readonly price = new RequestPrice();
  readonly reactionPace = new ReactionPace(USUAL_REACT_S);
  /** Our clock, ms, of the last cancel attempt per order. */
  readonly cancelTries = new Map<string, number>();
  catalog: PageWalk<'markets.list'> | null = null;
  details: PageWalk<'search.list'> | null = null;
  /** Requests that were dropped before they left. */
  unsent = 0;
  readonly #runId: string;
  #intents = 0;

  constructor({ profile, polling, runId }: TraderSettings, ledger: Ledger, executor: Executor, reconciler: Reconciler) {
    this.queue = new RequestQueue(profile.rate_limits, 1, polling.cancelAllWithinMs);
    this.budgetWatch = new BudgetWatch(profile.rate_limits);
    this.poller = new PollPlan({ ...polling, ownTrades: profile.own_trades, bookDepth: BOOK_DEPTH });
    this.ownLists = new OwnLists(ledger, executor, reconciler);
    this.#runId = runId;
  }

  /** True when a cancel of this order was sent so recently that its answer should be awaited. */
  noteCancelTry(orderPubkey: string, nowMs: number): boolean {
    const triedMs = this.cancelTries.get(orderPubkey);
    if (triedMs !== undefined && nowMs - triedMs < CANCEL_RETRY_MS && nowMs >= triedMs) return true;
    this.cancelTries.set(orderPubkey, nowMs);
    return false;
  }

  /** Derived from run, market and sequence, so that no two intents share an id. */
  nextIntentId(conditionId: string): string {
    this.#intents += 1;
    return `${this.#runId}.${conditionId.slice(0, 6)}.${this.#intents}`;
  }
}
