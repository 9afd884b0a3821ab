/** Queue of all requests to the exchange, with priority lanes, budgets and a reserve of requests for cancels. */

import { assert, must } from '../../shared/base/errors.js';
import { SlidingMinute } from '../../shared/base/sliding-minute.js';
import { declarationOf, type Scope } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { RequestOwner } from '../../shared/protocol/request-owner.js';
import { LANES, type Lane, type Observation, type PlannedRequest, type Request } from '../../shared/protocol/seam.js';
import type { BudgetStatus } from '../../shared/protocol/trader-status.js';
import { LAST_LANES, ScopeLine } from './budget.js';

type Next = NonNullable<ReturnType<ScopeLine['next']>>;

/** A request that was never sent; the engine reports its outcome as unknown, with `sent: false`. */
interface Unsent {
  readonly request: PlannedRequest;
  /** Reason why the request was not sent: it expired, the queue was full, or it was recalled. */
  readonly reason: string;
}

/** Requests to send, and dropped requests. Every request pushed into the queue appears in exactly one release. */
interface Release {
  readonly requests: readonly Request[];
  readonly unsent: readonly Unsent[];
}

/** Maximum number of waiting requests: above the sum of both budgets per minute (120 + 300); more would expire. */
const MAX_WAITING = 512;
/** Maximum number of requests in flight: enough to use the whole budget at a latency of one second. */
const MAX_IN_FLIGHT = 8;
/** Maximum requests in flight per scope, so that public reads and own orders cannot block each other. */
const MAX_IN_FLIGHT_PER_SCOPE = 6;
/** Maximum requests in flight when a cancel is sent. The two constants above do not limit cancels. */
export const MAX_IN_FLIGHT_WITH_CANCELS = 16;

const SCOPES: readonly Scope[] = ['signed', 'public', 'bootstrap'];
const NOTHING: Release = { requests: [], unsent: [] };

interface ReleasedRequest {
  readonly request: PlannedRequest;
  readonly scope: Scope;
  /** Time when the request was released from the queue, by `SteadyClock`, ms. */
  readonly releasedMs: number;
  readonly isProbe: boolean;
}

export class RequestQueue {
  readonly #lines: Readonly<Record<Scope, ScopeLine>>;
  /** Number of requests that wait in all scopes. */
  waiting = 0;
  readonly #underWay = new Map<number, ReleasedRequest>();
  /** Clock of the request budgets. Times in requests and observations are by this machine's clock (our clock). */
  readonly #clock = new SteadyClock();
  /** Dropped or recalled requests, which the next release reports as unsent. */
  readonly #givenUp: Unsent[] = [];
  /** Times of sent reads of own state (orders, own trades, assets, reconciliation rounds), by `SteadyClock`, ms. */
  readonly #ownReads = new SlidingMinute();
  #intentsUnderWay = 0;
  #openOrders = 0;
  #places = 0;
  #nextId = 1;

  /** @param cancelAllWithinMs maximum time until every open order can be canceled, ms; 0: at once */
  constructor(limits: VenueProfile['rate_limits'], cancelAllWithinMs = 0) {
    this.#lines = {
      public: new ScopeLine('public', limits.public_per_minute, 0),
      signed: new ScopeLine('signed', limits.signed_per_minute, cancelAllWithinMs),
      bootstrap: new ScopeLine('bootstrap', limits.bootstrap_per_minute, 0),
    };
  }

  get inFlight(): number {
    return this.#underWay.size;
  }

  /** True while a request of an order, cancel or conversion is in flight, so that the next step is urgent. */
  get carriesIntents(): boolean {
    return this.#intentsUnderWay > 0;
  }

  /** Id of the newest sent request; 0 before the first request. */
  get newestId(): number {
    return this.#nextId - 1;
  }

  /** Adds a request to the queue. In a full queue, one request is dropped and reported as unsent. */
  push(request: PlannedRequest): void {
    if (this.waiting >= MAX_WAITING && !this.#makeRoom(request)) return;
    const line = this.#lines[declarationOf(request.call.endpoint).scope];
    line.lanes[request.lane].push({ request, place: this.#places++ });
    this.waiting++;
  }

  /** Drops waiting requests for which `findReason` returns a reason. The next release reports them as unsent. */
  recall(findReason: (request: PlannedRequest) => string | null): void {
    for (const scope of SCOPES) {
      const { lanes } = this.#lines[scope];
      for (const lane of LANES) {
        if (lanes[lane].length === 0) continue;
        const kept: ScopeLine['lanes'][Lane] = [];
        for (const waiting of lanes[lane]) {
          const reason = findReason(waiting.request);
          if (reason === null) kept.push(waiting);
          else this.#givenUp.push({ request: waiting.request, reason });
        }
        this.waiting -= lanes[lane].length - kept.length;
        lanes[lane] = kept;
      }
    }
  }

  /**
   * Sets the number of own orders that rest, are in flight or in an unknown state. The cancel reserve depends on it.
   *
   * @param cancelsAll true when all orders are being canceled, for example by a kill: cancels then probe a full budget
   */
  setOpenOrders(count: number, cancelsAll = false): void {
    assert(Number.isSafeInteger(count) && count >= 0, `open orders must be a count, got ${count}`);
    this.#openOrders = count;
    for (const scope of SCOPES) this.#lines[scope].cancelsAll = cancelsAll;
  }

  /** Free fraction of the request burst for new orders: 1 after a quiet time, 0 while every new order must wait. */
  burstLeft(nowMs: number): number {
    return this.#lines.signed.burstLeft(this.#openOrders, this.#clock.advance(nowMs));
  }

  /** Releases the requests that may be sent now, the most urgent first. Request ids increase within a run. */
  release(nowMs: number): Release {
    const steadyMs = this.#clock.advance(nowMs);
    if (this.waiting === 0 && this.#givenUp.length === 0) return NOTHING;
    // Waiting requests that have expired are reported as unsent, like dropped requests.
    const reason = 'the request expired while it waited for the request budget';
    if (this.#findEarliestLatestMs() <= nowMs) this.recall(({ latestMs }) => (latestMs <= nowMs ? reason : null));
    const unsent = this.#givenUp.length === 0 ? NOTHING.unsent : this.#givenUp.splice(0);
    const requests: Request[] = [];
    for (let next = this.#next(steadyMs); next !== null; next = this.#next(steadyMs)) {
      const { line, lane, isProbe } = next;
      const request = line.take(next);
      this.waiting--;
      const id = this.#nextId++;
      this.#underWay.set(id, { request, scope: line.scope, releasedMs: steadyMs, isProbe });
      if (request.owner.kind === 'intent') this.#intentsUnderWay++;
      else if (lane === 'own') {
        this.#ownReads.forget(steadyMs);
        this.#ownReads.add(steadyMs);
      }
      const sent = { id, lane, call: request.call, latestMs: request.latestMs };
      requests.push(line.cancelsAll && lane === 'cancel' ? { ...sent, isUrgent: true } : sent);
    }
    return { requests, unsent };
  }

  findOwner(requestId: number): RequestOwner {
    return must(this.#underWay.get(requestId), `request ${requestId} under way`).request.owner;
  }

  /** Counts a request's outcome and its report about the budget; returns the request. */
  onOutcome(seen: Extract<Observation, { kind: 'outcome' }>): PlannedRequest {
    const { requestId, outcome, nowMs, budget } = seen;
    const underWay = must(this.#underWay.get(requestId), `request ${requestId} under way`);
    const { request, scope, releasedMs, isProbe } = underWay;
    this.#underWay.delete(requestId);
    if (request.owner.kind === 'intent') this.#intentsUnderWay--;
    const settled = {
      releasedMs,
      isProbe,
      sent: outcome.kind !== 'unknown' || outcome.sent,
      answered: outcome.kind !== 'unknown',
      throttled: outcome.kind === 'refused' && outcome.slug === 'throttled',
    };
    const steadyMs = this.#clock.advance(nowMs);
    const report = budget?.scope === scope ? { ...budget, resetMs: budget.resetMs + steadyMs - nowMs } : null;
    this.#lines[scope].budget.onOutcome(steadyMs, settled, report);
    return request;
  }

  /**
   * Number of requests of this lane that could be sent now: the budget above the lane's floor, less waiting requests of
   * this and earlier lanes. It is 0 while the scope is blocked. An order needs two requests (draft, submit).
   */
  headroom(scope: Scope, lane: Lane, nowMs: number): number {
    const line = this.#lines[scope];
    let before = 0;
    for (const earlier of LANES) {
      before += line.lanes[earlier].length;
      if (earlier === lane) break;
    }
    return Math.max(0, line.room(lane, this.#openOrders, this.#clock.advance(nowMs)) - before);
  }

  /** Requests per minute that may be sent now: the limit less its margin and less other programs' use; at least 1. */
  perMinute(scope: Scope, nowMs: number): number {
    return this.#lines[scope].budget.perMinute(this.#clock.advance(nowMs));
  }

  /** True if the budgets do not change with time: no recent throttling, and no use by other programs. */
  isSteady(nowMs: number): boolean {
    const steadyMs = this.#clock.advance(nowMs);
    return this.#lines.public.budget.isSteady(steadyMs) && this.#lines.signed.budget.isSteady(steadyMs);
  }

  /** Request budget figures for status pages; changes nothing. */
  status(scope: Scope, nowMs: number): BudgetStatus {
    const { budget } = this.#lines[scope];
    const steadyMs = this.#clock.peek(nowMs);
    const until = budget.blockedUntilMs(steadyMs);
    return {
      limit: budget.limit,
      perMinute: budget.perMinute(steadyMs),
      available: budget.available(steadyMs),
      blockedUntilMs: until > steadyMs ? until - steadyMs + nowMs : null,
    };
  }

  ownReadsPerMinute(nowMs: number): number {
    return this.#ownReads.countAt(this.#clock.peek(nowMs));
  }

  /** Time, `nowMs` or later, at which a waiting request can be sent or expires; null if no request waits. */
  nextReleaseMs(nowMs: number): number | null {
    if (this.waiting === 0 && this.#givenUp.length === 0) return null;
    const steadyMs = this.#clock.advance(nowMs);
    if (this.#givenUp.length > 0 || this.#next(steadyMs) !== null) return nowMs;
    let nextMs = this.#findEarliestLatestMs();
    for (const scope of SCOPES) {
      const line = this.#lines[scope];
      for (const lane of LANES) {
        if (line.lanes[lane].length === 0 || !this.#hasPlace(line, lane, steadyMs)) continue;
        const moment = line.roomFromMs(lane, this.#openOrders, steadyMs);
        if (moment !== null) nextMs = Math.min(nextMs, moment - steadyMs + nowMs);
        const probe = line.probeMs(lane, this.#openOrders, steadyMs);
        if (probe !== null) nextMs = Math.min(nextMs, probe - steadyMs + nowMs);
      }
    }
    return Math.max(nowMs, nextMs);
  }

  /** The most urgent request that may be sent now, by lane, then by waiting time; null if none may be sent. */
  #next(steadyMs: number): (Next & { readonly line: ScopeLine }) | null {
    let best: (Next & { line: ScopeLine; rank: number; place: number }) | null = null;
    for (const scope of SCOPES) {
      const line = this.#lines[scope];
      const next = line.next(this.#openOrders, steadyMs);
      if (next === null || !this.#hasPlace(line, next.lane, steadyMs)) continue;
      const { lane } = next;
      const rank = LANES.indexOf(lane);
      const place = line.lanes[lane][0]?.place ?? 0;
      if (best === null || rank < best.rank || (rank === best.rank && place < best.place))
        best = { line, lane, isProbe: next.isProbe, rank, place };
    }
    return best;
  }

  #hasPlace(line: ScopeLine, lane: Lane, steadyMs: number): boolean {
    if (!line.cancelsAll && line.budget.isNearUnknownLimit(steadyMs))
      if (line.budget.inFlight >= (LAST_LANES.includes(lane) ? 1 : 2)) return false;
    if (lane === 'cancel') return this.#underWay.size < MAX_IN_FLIGHT_WITH_CANCELS;
    return this.#underWay.size < MAX_IN_FLIGHT && line.budget.inFlight < MAX_IN_FLIGHT_PER_SCOPE;
  }

  /** Earliest expiry of a waiting request, our clock, ms; Infinity when none waits. */
  #findEarliestLatestMs(): number {
    let earliestMs = Number.POSITIVE_INFINITY;
    for (const scope of SCOPES)
      for (const lane of LANES)
        for (const { request } of this.#lines[scope].lanes[lane]) earliestMs = Math.min(earliestMs, request.latestMs);
    return earliestMs;
  }

  /** Drops the newest request of the least urgent lane, else `coming` itself; returns true if `coming` has room. */
  #makeRoom(coming: PlannedRequest): boolean {
    const reason = `more than ${MAX_WAITING} requests wait for the request budget`;
    for (const lane of [...LANES].reverse().slice(0, LANES.length - 1 - LANES.indexOf(coming.lane))) {
      for (const scope of SCOPES) {
        const dropped = this.#lines[scope].lanes[lane].pop();
        if (dropped === undefined) continue;
        this.#givenUp.push({ request: dropped.request, reason });
        this.waiting--;
        return true;
      }
    }
    this.#givenUp.push({ request: coming, reason });
    return false;
  }
}

/** Longest step of our clock that does not count as a jump, ms; the time is observed every second. */
const LONGEST_STEP_MS = 60_000;

/** Clock of the request budget: our clock without its jumps, so that the sliding minute stays correct. */
class SteadyClock {
  #ourMs: number | null = null;
  #steadyMs = 0;

  /** Advances the steady clock to `nowMs` of our clock. Returns the steady clock's time, ms, which never decreases. */
  advance(nowMs: number): number {
    const stepMs = nowMs - (this.#ourMs ?? nowMs);
    this.#steadyMs = this.peek(nowMs);
    // After a small step back, this clock waits until our clock has caught up, so that no time counts twice.
    if (this.#ourMs === null || stepMs >= 0 || stepMs < -LONGEST_STEP_MS) this.#ourMs = nowMs;
    return this.#steadyMs;
  }

  /** Returns this clock's time at `nowMs` of our clock, ms, without advancing this clock. */
  peek(nowMs: number): number {
    const stepMs = nowMs - (this.#ourMs ?? nowMs);
    return stepMs > 0 && stepMs <= LONGEST_STEP_MS ? this.#steadyMs + stepMs : this.#steadyMs;
  }
}
