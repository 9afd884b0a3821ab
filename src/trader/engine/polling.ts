/** What the plan of polls is told, looked up only where the plan asks for it, and what is asked by it. */

import { MINUTE_MS } from '../../shared/base/sliding-minute.js';
import type { PlannedRequest } from '../../shared/protocol/seam.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import type { Reconciler } from '../reconcile/reconciler.js';
import type { PolledMarket, PollFacts } from '../scheduler/contract.js';
import { bestOwnPaceMs } from '../scheduler/own-pace.js';
import { ROWS } from '../scheduler/poll-memory.js';
import type { PollPlan } from '../scheduler/poll-plan.js';
import type { RequestQueue } from '../scheduler/request-queue.js';
import type { RestingQuote } from '../scheduler/stale-index.js';
import { newsSigma } from '../strategy/maths/log-odds.js';
import type { Modes } from './control/modes.js';
import type { MarketEntry, Markets } from './markets.js';
import type { OwnState } from './own/own-state.js';
import { wantsCandles } from './prior.js';
import type { TraderSettings } from './settings.js';

/** What of the trader's state polling depends on. */
interface Polls {
  readonly settings: Pick<TraderSettings, 'polling'>;
  readonly markets: Markets;
  readonly queue: RequestQueue;
  readonly own: OwnState;
  readonly reconciler: Pick<Reconciler, 'requestsARound'>;
  /** When markets were last valued, our clock, ms, and what a signed request was worth then; 0 while there were enough. */
  readonly selection: { readonly valuedMs: number; readonly requestPrice: number };
}

const NONE: readonly PolledMarket[] = [];

/** Between two reads of the venue's marks at the shortest, ms. */
const SHORTEST_MARKS_MS = 5_000;

/** One for each trader; `nowMs` and `stopping` are those of the step that polls. */
export class Polling implements PollFacts {
  nowMs = Number.NEGATIVE_INFINITY;
  /** Only what is ours is looked at. */
  stopping = false;
  /** Whether orders may rest because strategies want them: otherwise what is ours is read as often as it may be. */
  quoting = false;
  readonly #state: Polls;
  #markets: readonly PolledMarket[] = NONE;
  #version = -1;
  /** What `ownPaceMs` was reckoned from, and what it was. */
  #paced: { readonly own: OwnState; readonly valuedMs: number; readonly paceMs: number } | null = null;

  /** The same of `marksEveryMs`. */
  #marked: { readonly own: OwnState; readonly valuedMs: number; readonly paceMs: number } | null = null;

  constructor(state: Polls) {
    this.#state = state;
  }

  get markets(): readonly PolledMarket[] {
    if (this.stopping) return NONE;
    const { markets } = this.#state;
    if (this.#version !== markets.version) {
      this.#version = markets.version;
      this.#markets = Array.from(markets.all, (entry) => new Polled(entry, this, this.#state));
    }
    return this.#markets;
  }

  get openOrders(): number {
    return this.#state.own.exposure.workingOrders;
  }

  get publicPerMinute(): number {
    return this.#state.queue.perMinute('public', this.nowMs);
  }

  get signedPerMinute(): number {
    return this.#state.queue.perMinute('signed', this.nowMs);
  }

  get requestsARound(): number {
    return this.#state.reconciler.requestsARound;
  }

  get openMarketPages(): number {
    return Math.max(1, Math.ceil(this.#state.markets.catalogSize / ROWS));
  }

  /**
   * By what the markets in which orders of ours rest were last found to be worth; 0 where one of them was not valued, while
   * nothing is quoted, and while there are signed requests enough: then a look takes nothing from anybody.
   */
  get ownPaceMs(): number {
    const { own, selection } = this.#state;
    const { valuedMs, requestPrice } = selection;
    if (!this.quoting) return 0;
    if (this.#paced?.own !== own || this.#paced.valuedMs !== valuedMs) {
      const paceMs = requestPrice === 0 ? 0 : Math.round(bestOwnPaceMs(requestPrice, this.#sumLateFillCost()));
      this.#paced = { own, valuedMs, paceMs };
    }
    return this.#paced.paceMs;
  }

  /** Own trades may be read seldom: then they are read at once where something else shows that some are missing. */
  get isOwnSlow(): boolean {
    return this.ownPaceMs > 0;
  }

  #sumLateFillCost(): number {
    const { own, markets } = this.#state;
    let sum = 0;
    for (const conditionId of own.orders.keys()) {
      const worths = markets.get(conditionId)?.slots.flatMap(({ worth }) => worth ?? []) ?? [];
      if (worths.length === 0) return Number.POSITIVE_INFINITY;
      for (const { lateFillCost } of worths) sum += lateFillCost;
    }
    return sum;
  }

  /**
   * By what stale quotes were last found to lose where orders of ours rest: what marks tell of it is saved. Infinity while they are not
   * believed, and where each of these books is looked at about as often anyway; then the marks of each round are all there are.
   */
  get marksEveryMs(): number {
    const { settings, markets, selection, own } = this.#state;
    const { polling } = settings;
    const { markTrust } = markets;
    const looksMs = (own.orders.size * MINUTE_MS) / this.publicPerMinute;
    if (polling.marks !== 'auto' || !this.quoting || !markTrust.isBelieved || looksMs < SHORTEST_MARKS_MS)
      return Number.POSITIVE_INFINITY;
    if (this.#marked?.own !== own || this.#marked.valuedMs !== selection.valuedMs) {
      const saved = 2 * markTrust.recall * this.#sumStalePace();
      const paceMs = selection.requestPrice === 0 ? 0 : bestOwnPaceMs(selection.requestPrice, saved);
      this.#marked = { own, valuedMs: selection.valuedMs, paceMs: Math.round(Math.max(SHORTEST_MARKS_MS, paceMs)) };
    }
    return this.#marked.paceMs < polling.assetsIntervalMs ? this.#marked.paceMs : Number.POSITIVE_INFINITY;
  }

  /** By how much the loss of stale quotes grows with each second between two looks: as if it grew evenly from one to the next. */
  #sumStalePace(): number {
    const { own, markets } = this.#state;
    let sum = 0;
    for (const conditionId of own.orders.keys())
      for (const { worth } of markets.get(conditionId)?.slots ?? [])
        if (worth !== null) sum += worth.value.stale / worth.value.lookEveryS;
    return sum;
  }

  get publicHeadroom(): number {
    return this.#state.queue.headroom('public', 'quiet', this.nowMs);
  }
}

/** Reads what is known at the moment it is asked: hundreds of markets are asked at every decision. */
class Polled implements PolledMarket {
  readonly marketConditionId: string;
  readonly #tracked: MarketEntry;
  readonly #polling: Polling;
  readonly #state: Polls;
  /** `newsSigma` a second before resolution, and the price that it is of. */
  #news = 0;
  #newsPrice: number | null = null;

  constructor(entry: MarketEntry, polling: Polling, state: Polls) {
    this.marketConditionId = entry.conditionId;
    this.#tracked = entry;
    this.#polling = polling;
    this.#state = state;
  }

  get quotes(): readonly RestingQuote[] {
    return this.#state.own.orders.get(this.marketConditionId) ?? NO_QUOTES;
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

  /** As `sigmaOf`. */
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
    const phase = this.#tracked.feed.facts?.phase;
    return phase !== undefined && (phase === 'waiting_to_resolve' || isSettledMarket(phase));
  }
}

const NO_QUOTES: readonly RestingQuote[] = [];

/** Volatility of the price: near its resolution it moves faster than its past has shown. */
export function computeSigma(feed: MarketEntry['feed'], nowMs: number): number {
  const { motion } = feed;
  const leftMs = feed.timeToResolutionMs(nowMs);
  const measured = motion?.sigmaPerSqrtS ?? 0;
  if (leftMs === null || motion === null) return measured;
  if (leftMs <= 0) return Number.POSITIVE_INFINITY;
  return Math.max(measured, newsSigma(motion.price, leftMs / 1000));
}

/** What of the trader's state it takes to ask. */
interface Asking {
  readonly queue: Pick<RequestQueue, 'push' | 'setOpenOrders'>;
  readonly poller: Pick<PollPlan, 'takeDue' | 'expedite'>;
  readonly polling: Polling;
  readonly reconciler: Pick<Reconciler, 'againMs' | 'begin' | 'onAsk'>;
  readonly own: OwnState;
  readonly modes: Pick<Modes, 'wantsProof'>;
}

/**
 * Asks what is due to be looked at: polls of the plan, of which one begins a round of reconciliation.
 *
 * @param stopping only what is ours is looked at
 */
export function askDue(
  { queue, poller, polling, reconciler, own, modes }: Asking,
  stopping: boolean,
  nowMs: number,
): void {
  queue.setOpenOrders(own.exposure.workingOrders, modes.wantsProof);
  polling.nowMs = nowMs;
  polling.stopping = stopping;
  if (nowMs >= reconciler.againMs) poller.expedite({ kind: 'assets' });
  const requests = poller.takeDue(nowMs, polling);
  if (requests.length === 0) return;
  // The round first: looks that leave together with its lists begin after it.
  const round = requests.filter(beginsRound).flatMap((request) => reconciler.begin(request, nowMs));
  for (const request of requests) {
    if (request.call.endpoint === 'orders.list') reconciler.onAsk('orders');
    if (request.call.endpoint === 'trades.list') reconciler.onAsk('fills');
    for (const each of beginsRound(request) ? round : [request]) queue.push(each);
  }
}

/** The poll of assets is the first request of a round. That of the venue's marks makes the same call, for looks alone. */
const beginsRound = ({ owner }: PlannedRequest): boolean => owner.kind === 'poll' && owner.target.kind === 'assets';
