/** Holds the trader's request queue, its poll plan and the price of a signed request. */

import { MINUTE_MS } from '../../shared/base/sliding-minute.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import type { Executor } from '../executor/executor.js';
import type { Ledger } from '../ledger/contract.js';
import { USUAL_REACT_S } from '../market/view.js';
import type { PageWalk } from '../reconcile/list-cursor.js';
import type { Reconciler } from '../reconcile/reconciler.js';
import { BudgetWatch } from '../scheduler/budget.js';
import { PollPlan } from '../scheduler/poll-plan.js';
import { ROWS } from '../scheduler/poll-record.js';
import { bestOwnPaceMs, ReactionPace, RequestPrice } from '../scheduler/request-price.js';
import { RequestQueue } from '../scheduler/request-queue.js';
import type { RestingQuote } from '../scheduler/stale-index.js';
import { newsSigma } from '../strategy/maths/log-odds.js';
import { type MarketEntry, type Markets, wantsCandles } from './markets.js';
import { OwnLists } from './own/own-lists.js';
import type { OwnState } from './own/own-state.js';
import type { TraderSettings } from './settings.js';

type PolledMarket = Parameters<PollPlan['takeDue']>[1]['markets'][number];

/** Number of book levels per side to request. No strategy shipped with Twinbook uses more. */
const BOOK_DEPTH = 20;

/** Wait before a cancel is retried, ms. */
const CANCEL_RETRY_MS = 2_000;

export class Requests {
  readonly queue: RequestQueue;
  readonly poller: PollPlan;
  readonly ownLists: OwnLists;
  /** Collects the facts for the poll plan. */
  readonly polling: Polling;
  readonly budgetWatch: BudgetWatch;
  readonly price = new RequestPrice();
  readonly reactionPace = new ReactionPace(USUAL_REACT_S);
  /** Time of the last attempt to cancel each order, our clock, ms. */
  readonly cancelTries = new Map<string, number>();
  catalog: PageWalk<'markets.list'> | null = null;
  details: PageWalk<'search.list'> | null = null;
  /** Number of requests that were dropped before they were sent. */
  unsent = 0;
  readonly #runId: string;
  #intents = 0;

  constructor(state: Polls, { profile, polling, runId }: TraderSettings, ledger: Ledger, executor: Executor) {
    this.queue = new RequestQueue(profile.rate_limits, polling.cancelAllWithinMs);
    this.budgetWatch = new BudgetWatch(profile.rate_limits);
    this.poller = new PollPlan({ ...polling, ownTrades: profile.own_trades, bookDepth: BOOK_DEPTH });
    this.polling = new Polling(state);
    this.ownLists = new OwnLists(ledger, executor, state.reconciler);
    this.#runId = runId;
  }

  /** Returns true if a cancel of the order was attempted too recently for a retry; else records an attempt. */
  noteCancelTry(orderPubkey: string, nowMs: number): boolean {
    const triedMs = this.cancelTries.get(orderPubkey);
    if (triedMs !== undefined && nowMs - triedMs < CANCEL_RETRY_MS && nowMs >= triedMs) return true;
    this.cancelTries.set(orderPubkey, nowMs);
    return false;
  }

  /** Returns a new intent id, made of the run, the market and a sequence number. */
  nextIntentId(conditionId: string): string {
    this.#intents += 1;
    return `${this.#runId}.${conditionId.slice(0, 6)}.${this.#intents}`;
  }
}

/** Parts of the trader's state from which the poll facts are made. */
interface Polls {
  readonly settings: Pick<TraderSettings, 'polling'>;
  readonly markets: Markets;
  readonly requests: { readonly queue: RequestQueue };
  readonly account: { readonly own: OwnState };
  readonly reconciler: Reconciler;
  /** `valuedMs`: time of the last valuation of markets, our clock, ms. `requestPrice`: price of a signed request. */
  readonly selection: { readonly valuedMs: number; readonly requestPrice: number };
}

const NONE: readonly PolledMarket[] = [];

/** Minimum interval between two reads of the exchange's marks, ms. */
const SHORTEST_MARKS_MS = 5_000;

export class Polling {
  /** Time of the newest call of `readFacts`, our clock, ms. */
  nowMs = Number.NEGATIVE_INFINITY;
  /** Whether orders of strategies may rest; if not, own orders and trades are read as often as allowed. */
  quoting = false;
  readonly #state: Polls;
  #markets: readonly PolledMarket[] = NONE;
  #version = -1;
  /** Cached value of `ownPaceMs`, with its inputs. */
  #paced: { readonly own: OwnState; readonly valuedMs: number; readonly paceMs: number } | null = null;
  /** Cached value of `marksEveryMs`, with its inputs. */
  #marked: { readonly own: OwnState; readonly valuedMs: number; readonly paceMs: number } | null = null;

  constructor(state: Polls) {
    this.#state = state;
  }

  /** @param stopping true while the trader stops; then it reads only its own orders, trades and holdings */
  readFacts(stopping: boolean, nowMs: number): Parameters<PollPlan['takeDue']>[1] {
    const { account, markets, reconciler, requests } = this.#state;
    const { queue } = requests;
    this.nowMs = nowMs;
    return {
      markets: stopping ? NONE : this.markets,
      openOrders: account.own.exposure.workingOrders,
      publicPerMinute: queue.perMinute('public', nowMs),
      signedPerMinute: queue.perMinute('signed', nowMs),
      openMarketPages: Math.max(1, Math.ceil(markets.catalogSize / ROWS)),
      ownPaceMs: this.ownPaceMs,
      marksEveryMs: this.marksEveryMs,
      requestsARound: reconciler.requestsARound,
      publicHeadroom: () => queue.headroom('public', 'quiet', nowMs),
    };
  }

  get markets(): readonly PolledMarket[] {
    const { markets } = this.#state;
    if (this.#version !== markets.version) {
      this.#version = markets.version;
      this.#markets = Array.from(markets.all, (entry) => new Polled(entry, this, this.#state));
    }
    return this.#markets;
  }

  /**
   * Best interval between reads of own trades, ms, computed from the values of markets with own orders. The interval
   * is 0 (no wait) while a market with own orders is not valued yet, nothing is quoted, or requests are plentiful. If
   * the interval is above 0, signs of missing fills also trigger a read.
   */
  get ownPaceMs(): number {
    const { account, selection } = this.#state;
    const { own } = account;
    const { valuedMs, requestPrice } = selection;
    if (!this.quoting) return 0;
    if (this.#paced?.own !== own || this.#paced.valuedMs !== valuedMs) {
      const paceMs = requestPrice === 0 ? 0 : Math.round(bestOwnPaceMs(requestPrice, this.#sumLateFillCost()));
      this.#paced = { own, valuedMs, paceMs };
    }
    return this.#paced.paceMs;
  }

  #sumLateFillCost(): number {
    const { account, markets } = this.#state;
    let sum = 0;
    for (const conditionId of account.own.orders.keys()) {
      const worths = markets.get(conditionId)?.slots.flatMap(({ worth }) => worth ?? []) ?? [];
      if (worths.length === 0) return Number.POSITIVE_INFINITY;
      for (const { lateFillCost } of worths) sum += lateFillCost;
    }
    return sum;
  }

  /** Best interval between reads of the exchange's marks, ms; Infinity: no reads. Marks reduce stale-quote losses. */
  get marksEveryMs(): number {
    const { settings, markets, selection, account, requests } = this.#state;
    const { own } = account;
    const { polling } = settings;
    const { markTrust } = markets;
    const looksMs = (own.orders.size * MINUTE_MS) / requests.queue.perMinute('public', this.nowMs);
    if (polling.marks !== 'auto' || !this.quoting || !markTrust.isBelieved || looksMs < SHORTEST_MARKS_MS)
      return Number.POSITIVE_INFINITY;
    if (this.#marked?.own !== own || this.#marked.valuedMs !== selection.valuedMs) {
      const saved = 2 * markTrust.recall * this.#sumStalePace();
      const paceMs = selection.requestPrice === 0 ? 0 : bestOwnPaceMs(selection.requestPrice, saved);
      this.#marked = { own, valuedMs: selection.valuedMs, paceMs: Math.round(Math.max(SHORTEST_MARKS_MS, paceMs)) };
    }
    return this.#marked.paceMs < polling.assetsIntervalMs ? this.#marked.paceMs : Number.POSITIVE_INFINITY;
  }

  /** Returns how fast the stale-quote loss rate grows while no new book is read; assumes linear growth. */
  #sumStalePace(): number {
    const { account, markets } = this.#state;
    let sum = 0;
    for (const conditionId of account.own.orders.keys())
      for (const { worth } of markets.get(conditionId)?.slots ?? [])
        if (worth !== null) sum += worth.value.stale / worth.value.lookEveryS;
    return sum;
  }
}

/** Facts of one market for the poll plan. Each getter computes on access, because a plan has hundreds of markets. */
class Polled implements PolledMarket {
  readonly marketConditionId: string;
  readonly #tracked: MarketEntry;
  readonly #polling: Polling;
  readonly #state: Polls;
  /** Cached volatility one second before the market's resolution, at the price `#newsPrice`. */
  #news = 0;
  #newsPrice: number | null = null;

  constructor(entry: MarketEntry, polling: Polling, state: Polls) {
    this.marketConditionId = entry.conditionId;
    this.#tracked = entry;
    this.#polling = polling;
    this.#state = state;
  }

  get quotes(): readonly RestingQuote[] {
    return this.#state.account.own.orders.get(this.marketConditionId) ?? NO_QUOTES;
  }

  get seenMs(): number | null {
    return this.#tracked.feed.motion?.seenMs ?? null;
  }

  get price(): number {
    return this.#tracked.feed.motion?.price ?? 0;
  }

  get usualDistance(): number {
    return this.#tracked.feed.motion?.halfSpread ?? 0;
  }

  get jumpsPerS(): number {
    return this.#tracked.feed.motion?.jumpsPerS ?? 0;
  }

  get takersPerS(): number {
    return this.#tracked.feed.motion?.takersPerS ?? 0;
  }

  get markMove(): number {
    return this.#state.markets.markTrust.isBelieved ? (this.#tracked.feed.motion?.markMove ?? 0) : 0;
  }

  /** Price volatility per square root of a second, computed as in `computeSigma`, but cached. */
  get sigmaPerSqrtS(): number {
    const { feed } = this.#tracked;
    const measured = feed.motion?.sigmaPerSqrtS ?? 0;
    const leftMs = feed.timeToResolutionMs(this.#polling.nowMs);
    if (leftMs === null) return measured;
    if (leftMs <= 0) return Number.POSITIVE_INFINITY;
    const { price } = this;
    if (price !== this.#newsPrice) {
      this.#news = newsSigma(price, 1);
      this.#newsPrice = price;
    }
    return Math.max(measured, this.#news / Math.sqrt(leftMs / 1000));
  }

  get wantsCandles(): boolean {
    return wantsCandles(this.#tracked, this.#state.settings, this.#polling.nowMs);
  }

  get isOver(): boolean {
    const { excludedBecause, feed } = this.#tracked;
    const phase = feed.facts?.phase ?? 'open';
    return excludedBecause !== null || phase === 'waiting_to_resolve' || isSettledMarket(phase);
  }
}

const NO_QUOTES: readonly RestingQuote[] = [];

/** Returns the price volatility per square root of a second; near the resolution, at least the value of `newsSigma`. */
export function computeSigma(feed: MarketEntry['feed'], nowMs: number): number {
  const { motion } = feed;
  const leftMs = feed.timeToResolutionMs(nowMs);
  const measured = motion?.sigmaPerSqrtS ?? 0;
  if (leftMs === null || motion === null) return measured;
  return leftMs <= 0 ? Number.POSITIVE_INFINITY : Math.max(measured, newsSigma(motion.price, leftMs / 1000));
}
