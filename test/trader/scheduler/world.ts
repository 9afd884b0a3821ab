/** A plan's settings and facts, a venue's plain sliding window, and a network between it and the queue. */

import { Random } from '../../../src/shared/base/random.js';
import { declarationOf, type Scope } from '../../../src/shared/protocol/endpoints.js';
import { describeOwner, type PollTarget } from '../../../src/shared/protocol/request-owner.js';
import type {
  AnyCall,
  BudgetReport,
  Lane,
  Outcome,
  PlannedRequest,
  Request,
} from '../../../src/shared/protocol/seam.js';
import type { BookSide } from '../../../src/trader/market/view.js';
import type { PollPlan } from '../../../src/trader/scheduler/poll-plan.js';
import type { PollResult } from '../../../src/trader/scheduler/poll-record.js';
import { RequestQueue } from '../../../src/trader/scheduler/request-queue.js';
import type { RestingQuote, StaleMarket } from '../../../src/trader/scheduler/stale-index.js';
import { m } from '../market/fixtures.js';

type PollSettings = ConstructorParameters<typeof PollPlan>[0];
type PollFacts = Parameters<PollPlan['takeDue']>[1];

export const LIMITS = { public_per_minute: 120, signed_per_minute: 300, bootstrap_per_minute: 10 };

const CALLS: Readonly<Record<Scope, AnyCall>> = {
  signed: { endpoint: 'orders.detail', params: { pubkey: 'p' }, query: {}, body: undefined },
  public: { endpoint: 'markets.book', params: { condition_id: 'm' }, query: {}, body: undefined },
  bootstrap: { endpoint: 'keys.challenge', params: {}, query: {}, body: { wallet_address: 'w' } },
};

/** The usual intervals of a trader, ms. */
export const POLLING = {
  ownIntervalMs: 1000,
  hotIntervalMs: 500,
  quietIntervalMs: 10_000,
  catalogIntervalMs: 60_000,
  assetsIntervalMs: 20_000,
} as const;

export const pollSettings = (changes: Partial<PollSettings> = {}): PollSettings => ({
  ...POLLING,
  catalogIntervalMs: 300_000,
  assetsIntervalMs: 60_000,
  ownTrades: true,
  bookDepth: 20,
  ...changes,
});

/** Facts of a poll plan: two orders rest, no market is known, and the budgets have room. */
export const pollFacts = (changes: Partial<PollFacts> = {}): PollFacts => ({
  markets: [],
  openOrders: 2,
  openMarketPages: 1,
  publicPerMinute: 114,
  signedPerMinute: 285,
  publicHeadroom: () => 9,
  ...changes,
});

/** A market at a half, of which nothing is quoted. */
export const staleMarket = (changes: Partial<StaleMarket> = {}): StaleMarket => ({
  seenMs: 0,
  price: 0.5,
  usualDistance: 0.01,
  sigmaPerSqrtS: 0.001,
  jumpsPerS: 0,
  takersPerS: 1 / 60,
  quotes: [],
  ...changes,
});

/** A resting quote of this many shares. */
export const quote = (side: BookSide, price: number, shares: number): RestingQuote => ({
  side,
  priceMicros: m(price),
  remainingMicros: m(shares),
});

/** The polls that a plan requests at this time; each of them ends at once with this result. */
export function takePolls(plan: PollPlan, nowMs: number, facts: PollFacts, result: PollResult = 'ok') {
  return plan.takeDue(nowMs, facts).map((request) => {
    const target = targetOf(request);
    plan.onReport(target, result, nowMs);
    return { ...request, target };
  });
}

/** The target of a request, which is a poll. */
export const targetOf = ({ owner }: Pick<PlannedRequest, 'owner'>): PollTarget => {
  if (owner.kind !== 'poll') throw new Error(`not a poll: ${describeOwner(owner)}`);
  return owner.target;
};

export const askOf = (scope: Scope, lane: Lane, name = 'name', latestMs = Number.MAX_SAFE_INTEGER): PlannedRequest => ({
  lane,
  call: CALLS[scope],
  latestMs,
  owner: { kind: 'other', name },
});

export const ANSWERED: Outcome = { kind: 'answered', data: [], nextCursor: null };
export const THROTTLED: Outcome = { kind: 'refused', status: 429, slug: 'throttled', message: '', details: [] };

/** Gives a request this outcome, by default an answer without budget headers. */
export const answer = (
  queue: RequestQueue,
  requestId: number,
  nowMs: number,
  outcome: Outcome = ANSWERED,
  budget: BudgetReport | null = null,
): PlannedRequest =>
  queue.onOutcome({ kind: 'outcome', nowMs, requestId, outcome, sentMs: nowMs, venueTimeMs: null, budget });

/** Counts all arrivals in the last minute, and rejects beyond the limit; rejected ones do not count. */
export class PlainWindow {
  limit: number;
  readonly accepted: number[] = [];
  throttled = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  arrive(nowMs: number): boolean {
    if (this.used(nowMs) >= this.limit) {
      this.throttled++;
      return false;
    }
    this.accepted.push(nowMs);
    return true;
  }

  used(nowMs: number): number {
    return this.accepted.filter((ms) => ms > nowMs - 60_000).length;
  }

  report(scope: Scope, nowMs: number): BudgetReport {
    const oldest = this.accepted.find((ms) => ms > nowMs - 60_000) ?? nowMs;
    return {
      scope,
      limit: this.limit,
      remaining: Math.max(0, this.limit - this.used(nowMs)),
      resetMs: oldest + 60_000,
    };
  }
}

export interface Delays {
  /** Mean transit time in each direction, ms. */
  readonly meanMs: number;
  /** Part of the answers that are lost; the request has arrived. */
  readonly lost: number;
}

interface Travelling {
  readonly request: Request;
  readonly scope: Scope;
  readonly arrivesMs: number;
  readonly backMs: number;
  readonly lost: boolean;
  arrived: boolean;
  outcome: Outcome;
  report: BudgetReport | null;
}

/** The queue, the windows of both scopes and the requests between them, in steps of virtual time. */
export class World {
  nowMs = 1_700_000_000_000;
  readonly queue: RequestQueue;
  readonly windows: Readonly<Record<Scope, PlainWindow>>;
  readonly arrivals: { readonly scope: Scope; readonly ms: number }[] = [];
  readonly done: { readonly request: PlannedRequest; readonly outcome: Outcome; readonly ms: number }[] = [];
  readonly unsent: PlannedRequest[] = [];
  readonly #random: Random;
  readonly #delays: Delays;
  #travelling: Travelling[] = [];

  constructor(seed: number, delays: Delays, limits = LIMITS) {
    this.#random = Random.fromSeed(seed);
    this.#delays = delays;
    this.queue = new RequestQueue(limits);
    this.windows = {
      public: new PlainWindow(limits.public_per_minute),
      signed: new PlainWindow(limits.signed_per_minute),
      bootstrap: new PlainWindow(limits.bootstrap_per_minute),
    };
  }

  /** Advances time, delivers requests and answers, and sends allowed requests. */
  step(ms: number): readonly Request[] {
    this.nowMs += ms;
    for (const travelling of [...this.#travelling].sort((a, b) => a.arrivesMs - b.arrivesMs)) this.#arrive(travelling);
    const back = this.#travelling.filter(({ backMs }) => backMs <= this.nowMs);
    this.#travelling = this.#travelling.filter(({ backMs }) => backMs > this.nowMs);
    for (const { request, outcome, report } of back) {
      const planned = answer(this.queue, request.id, this.nowMs, outcome, report);
      this.done.push({ request: planned, outcome, ms: this.nowMs });
    }
    return this.release();
  }

  release(): readonly Request[] {
    const { requests, unsent } = this.queue.release(this.nowMs);
    this.unsent.push(...unsent.map(({ request }) => request));
    for (const request of requests) {
      const arrivesMs = this.nowMs + this.#random.exponential(this.#delays.meanMs);
      this.#travelling.push({
        request,
        scope: declarationOf(request.call.endpoint).scope,
        arrivesMs,
        backMs: arrivesMs + this.#random.exponential(this.#delays.meanMs),
        lost: this.#random.chance(this.#delays.lost),
        arrived: false,
        outcome: ANSWERED,
        report: null,
      });
    }
    return requests;
  }

  #arrive(travelling: Travelling): void {
    const { scope, arrivesMs, lost } = travelling;
    if (travelling.arrived || arrivesMs > this.nowMs) return;
    travelling.arrived = true;
    this.arrivals.push({ scope, ms: arrivesMs });
    const accepted = this.windows[scope].arrive(arrivesMs);
    travelling.outcome = lost ? { kind: 'unknown', reason: 'timeout', sent: true } : accepted ? ANSWERED : THROTTLED;
    travelling.report = lost ? null : this.windows[scope].report(scope, arrivesMs);
  }

  /** Maximum own arrivals within any minute. */
  busiestMinute(scope: Scope): number {
    const times = this.arrivals.filter((arrival) => arrival.scope === scope).map(({ ms }) => ms);
    return Math.max(0, ...times.map((end) => times.filter((ms) => ms > end - 60_000 && ms <= end).length));
  }
}
