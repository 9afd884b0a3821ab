/** The one gate through which every request leaves: lanes, budgets and the cancel reserve. */

import { assert, must } from '../../shared/base/errors.js';
import { type Micros, ONE } from '../../shared/base/micros.js';
import { SlidingMinute } from '../../shared/base/sliding-minute.js';
import { declarationOf, type Scope } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { RequestOwner } from '../../shared/protocol/request-owner.js';
import {
  type AnyCall,
  type BudgetReport,
  LANES,
  type Lane,
  type PlannedRequest,
  type Request,
} from '../../shared/protocol/seam.js';
import type { OutcomeObservation, Release, Unsent } from './contract.js';
import { LAST_LANES, type Next, ScopeLine } from './scope-line.js';

/** More than a minute of both budgets (120 and 300): what stands further back would be stale before it left. */
export const MAX_WAITING = 512;
/** Enough to use the budget at a second of latency; more would only pile up in a slow exchange. */
export const MAX_IN_FLIGHT = 8;
/** One scope leaves places to the others, so that slow reads of books never hold back our own orders, nor vice versa. */
export const MAX_IN_FLIGHT_PER_SCOPE = 6;
/** Cancels do not wait for a place among the rest. */
export const MAX_IN_FLIGHT_WITH_CANCELS = 16;

const SCOPES: readonly Scope[] = ['signed', 'public', 'bootstrap'];
const NOTHING: Release = { requests: [], unsent: [] };

interface UnderWay {
  readonly request: PlannedRequest;
  readonly scope: Scope;
  /** On the steady clock. */
  readonly releasedMs: number;
  readonly isProbe: boolean;
}

export class RequestQueue {
  readonly #lines: Readonly<Record<Scope, ScopeLine>>;
  readonly #underWay = new Map<number, UnderWay>();
  /** What the budgets go by; requests and observations go by ours. */
  readonly #clock = new SteadyClock();
  /** Gave way, or was recalled: unsent with the next release. */
  #givenUp: Unsent[] = [];
  readonly #counts = new PurposeCounts();
  /** Requests of intents among those under way. */
  #intentsUnderWay = 0;
  #openOrders = 0;
  #places = 0;
  #nextId: number;

  /**
   * @param firstId of the first request; greater than any that this run has used
   * @param cancelAllWithinMs after which at the latest every open order can have been canceled; 0 for at once
   */
  constructor(limits: VenueProfile['rate_limits'], firstId = 1, cancelAllWithinMs = 0) {
    this.#nextId = firstId;
    this.#lines = {
      public: new ScopeLine('public', limits.public_per_minute, 0),
      signed: new ScopeLine('signed', limits.signed_per_minute, cancelAllWithinMs),
      bootstrap: new ScopeLine('bootstrap', limits.bootstrap_per_minute, 0),
    };
  }

  /** Requests that wait, requests under way: for status pages and bounds. */
  get waiting(): number {
    const { public: reads, signed, bootstrap } = this.#lines;
    return reads.waiting + signed.waiting + bootstrap.waiting;
  }

  get inFlight(): number {
    return this.#underWay.size;
  }

  /** Whether the answer to a request of an intent is out: the next step may be the one that an order waits for. */
  get carriesIntents(): boolean {
    return this.#intentsUnderWay > 0;
  }

  /** Of the newest request that was let go; 0 before the first. */
  get newestId(): number {
    return this.#nextId - 1;
  }

  /** Never fails: a request that finds no room comes back unsent with the next release. */
  push(request: PlannedRequest): void {
    if (this.waiting >= MAX_WAITING && !this.#makeRoom(request)) return;
    const line = this.#lines[declarationOf(request.call.endpoint).scope];
    line.lanes[request.lane].push({ request, place: this.#places++ });
    line.waiting++;
  }

  /** Takes back what still waits and is not wanted any more; it comes back unsent with the next release. */
  recall(isUnwanted: (request: PlannedRequest) => boolean, reason: string): void {
    for (const unsent of this.#takeOut(isUnwanted, reason)) this.#givenUp.push(unsent);
  }

  /**
   * Orders that rest, are in flight or unknown: the reserve that can cancel them all follows it. Set it when it changes.
   * @param cancelsAll all of them are being canceled, as of a kill: cancels then probe whatever the venue said
   */
  setOpenOrders(count: number, cancelsAll = false): void {
    assert(Number.isSafeInteger(count) && count >= 0, `open orders must be a count, got ${count}`);
    this.#openOrders = count;
    for (const scope of SCOPES) this.#lines[scope].cancelsAll = cancelsAll;
  }

  /** The part that is left of what may leave at once for new orders: 1 after a quiet while, 0 while each waits for the next moment. */
  burstLeft(nowMs: number): number {
    return this.#lines.signed.burstLeft(this.#openOrders, this.#clock.advance(nowMs));
  }

  /** What may leave now, most urgent first. Ids ascend within a run. */
  release(nowMs: number): Release {
    const steadyMs = this.#clock.advance(nowMs);
    if (this.waiting === 0 && this.#givenUp.length === 0) return NOTHING;
    const unsent = this.#takeUnsent(nowMs);
    const requests: Request[] = [];
    for (let next = this.#next(steadyMs); next !== null; next = this.#next(steadyMs)) {
      requests.push(this.#send(next.line, next, steadyMs));
    }
    return { requests, unsent };
  }

  /** Whom the request behind a request that is under way belongs to. */
  findOwner(requestId: number): RequestOwner {
    return must(this.#underWay.get(requestId), `request ${requestId} under way`).request.owner;
  }

  /** Takes in one outcome and what it says about the budget; gives back the request behind it. */
  onOutcome(seen: OutcomeObservation): PlannedRequest {
    const { requestId, outcome, nowMs, budget } = seen;
    const { request, scope, releasedMs, isProbe } = must(
      this.#underWay.get(requestId),
      `request ${requestId} under way`,
    );
    this.#underWay.delete(requestId);
    if (request.owner.kind === 'intent') this.#intentsUnderWay--;
    const line = this.#lines[scope];
    line.inFlight--;
    const settled = {
      releasedMs,
      isProbe,
      sent: outcome.kind !== 'unknown' || outcome.sent,
      answered: outcome.kind !== 'unknown',
      throttled: outcome.kind === 'refused' && outcome.slug === 'throttled',
    };
    const steadyMs = this.#clock.advance(nowMs);
    line.budget.onOutcome(steadyMs, settled, budget?.scope === scope ? onSteadyClock(budget, steadyMs - nowMs) : null);
    return request;
  }

  /**
   * How many more requests of this lane could leave within the budget now: what is left above the lane's floor, less what
   * waits in this and earlier lanes. 0 while the scope is blocked. Placing an order takes two now (draft, submit).
   */
  headroom(scope: Scope, lane: Lane, nowMs: number): number {
    const line = this.#lines[scope];
    const { lanes } = line;
    const steadyMs = this.#clock.advance(nowMs);
    let before = 0;
    for (const earlier of LANES) {
      before += lanes[earlier].length;
      if (earlier === lane) break;
    }
    return Math.max(0, line.room(lane, this.#openOrders, steadyMs) - before);
  }

  /** Requests a minute that this scope allows us at present: the profile's, or less as its answers have taught. */
  perMinute(scope: Scope, nowMs: number): number {
    return this.#lines[scope].budget.perMinute(this.#clock.advance(nowMs));
  }

  /**
   * Whether time alone cannot lower what both budgets allow: there was no recent throttling, and nobody else uses the
   * budgets.
   */
  isSteady(nowMs: number): boolean {
    const steadyMs = this.#clock.advance(nowMs);
    return this.#lines.public.budget.isSteady(steadyMs) && this.#lines.signed.budget.isSteady(steadyMs);
  }

  /** For status pages. Reads only: what leaves later, and when, is as if nobody had asked. */
  status(scope: Scope, nowMs: number) {
    const { budget } = this.#lines[scope];
    const steadyMs = this.#clock.peek(nowMs);
    const until = budget.blockedUntilMs(steadyMs);
    return {
      /** Requests a minute that the venue allows, as far as we know. */
      limit: budget.limit,
      /** Requests a minute that we allow ourselves at present. */
      perMinute: budget.perMinute(steadyMs),
      /** Requests that could leave now. */
      available: budget.available(steadyMs),
      /** Our clock, ms: throttled until then; null when it is not. */
      blockedUntilMs: until > steadyMs ? until - steadyMs + nowMs : null,
    };
  }

  /** What requests of this run were spent on; for status pages, as `status`. */
  listSpent(nowMs: number): readonly PurposeUse[] {
    return this.#counts.at(this.#clock.peek(nowMs));
  }

  /** When something that waits could leave or expires: `nowMs` for at once, null when only an outcome can move it. */
  nextReleaseMs(nowMs: number): number | null {
    if (this.waiting === 0 && this.#givenUp.length === 0) return null;
    const steadyMs = this.#clock.advance(nowMs);
    if (this.#givenUp.length > 0 || this.#next(steadyMs) !== null) return nowMs;
    let nextMs = this.#findEarliestLatestMs();
    for (const scope of SCOPES) {
      const line = this.#lines[scope];
      if (line.waiting === 0) continue;
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

  /** The most urgent request that may leave now: by lane, then by who waited longer. */
  #next(steadyMs: number): (Next & { readonly line: ScopeLine }) | null {
    let best: (Next & { line: ScopeLine; rank: number; place: number }) | null = null;
    for (const scope of SCOPES) {
      const line = this.#lines[scope];
      const next = line.next(this.#openOrders, steadyMs);
      if (next === null || !this.#hasPlace(line, next.lane, steadyMs)) continue;
      const { lane } = next;
      const rank = LANES.indexOf(lane);
      const place = line.lanes[lane][0]?.place ?? 0;
      if (best === null || rank < best.rank || (rank === best.rank && place < best.place)) {
        best = { line, lane, isProbe: next.isProbe, rank, place };
      }
    }
    return best;
  }

  #hasPlace(line: ScopeLine, lane: Lane, steadyMs: number): boolean {
    if (!line.cancelsAll && line.budget.isNearUnknownLimit(steadyMs)) {
      if (line.inFlight >= (LAST_LANES.includes(lane) ? 1 : 2)) return false;
    }
    if (lane === 'cancel') return this.#underWay.size < MAX_IN_FLIGHT_WITH_CANCELS;
    return this.#underWay.size < MAX_IN_FLIGHT && line.inFlight < MAX_IN_FLIGHT_PER_SCOPE;
  }

  #send(line: ScopeLine, { lane, isProbe }: Next, steadyMs: number): Request {
    const request = line.take(lane);
    const id = this.#nextId++;
    this.#counts.note(classifyPurpose(request.call, request.owner), steadyMs);
    this.#underWay.set(id, { request, scope: line.scope, releasedMs: steadyMs, isProbe });
    if (request.owner.kind === 'intent') this.#intentsUnderWay++;
    line.budget.onSent(isProbe);
    line.inFlight++;
    const sent = { id, lane, call: request.call, latestMs: request.latestMs };
    return line.cancelsAll && lane === 'cancel' ? { ...sent, isUrgent: true } : sent;
  }

  /** What was given up, and what has become worthless while it waited. */
  #takeUnsent(nowMs: number): readonly Unsent[] {
    const hasExpired = this.#findEarliestLatestMs() <= nowMs;
    if (!hasExpired && this.#givenUp.length === 0) return NOTHING.unsent;
    const reason = 'its latest useful moment passed while it waited for the request budget';
    const expired = hasExpired ? this.#takeOut((request) => request.latestMs <= nowMs, reason) : [];
    const unsent = [...this.#givenUp, ...expired];
    this.#givenUp = [];
    return unsent;
  }

  /** Infinity when nothing waits. */
  #findEarliestLatestMs(): number {
    let earliestMs = Number.POSITIVE_INFINITY;
    for (const scope of SCOPES) {
      const line = this.#lines[scope];
      if (line.waiting === 0) continue;
      for (const lane of LANES)
        for (const { request } of line.lanes[lane]) earliestMs = Math.min(earliestMs, request.latestMs);
    }
    return earliestMs;
  }

  #takeOut(isUnwanted: (request: PlannedRequest) => boolean, reason: string): Unsent[] {
    const unsent: Unsent[] = [];
    for (const scope of SCOPES) {
      const line = this.#lines[scope];
      if (line.waiting === 0) continue;
      const { lanes } = line;
      for (const lane of LANES) {
        if (!lanes[lane].some(({ request }) => isUnwanted(request))) continue;
        for (const { request } of lanes[lane].filter(({ request }) => isUnwanted(request)))
          unsent.push({ request, reason });
        const waiting = lanes[lane].filter(({ request }) => !isUnwanted(request));
        line.waiting -= lanes[lane].length - waiting.length;
        lanes[lane] = waiting;
      }
    }
    return unsent;
  }

  /** Gives up the newest request of a later lane, or else the one that comes; true when there is room now. */
  #makeRoom(coming: PlannedRequest): boolean {
    const reason = `more than ${MAX_WAITING} requests wait for the request budget`;
    for (const lane of [...LANES].reverse().slice(0, LANES.length - 1 - LANES.indexOf(coming.lane))) {
      for (const scope of SCOPES) {
        const dropped = this.#lines[scope].lanes[lane].pop();
        if (dropped === undefined) continue;
        this.#givenUp.push({ request: dropped.request, reason });
        this.#lines[scope].waiting--;
        return true;
      }
    }
    this.#givenUp.push({ request: coming, reason });
    return false;
  }
}

/** A scope's budget for status pages. */
export type BudgetStatus = Readonly<ReturnType<RequestQueue['status']>>;

const onSteadyClock = (report: BudgetReport, aheadMs: number): BudgetReport => ({
  ...report,
  resetMs: report.resetMs + aheadMs,
});

/** The trader is told the time every second; a longer step is no passing of time that we could vouch for. */
const LONGEST_STEP_MS = 60_000;

/**
 * A clock for the request budget. It runs with the trader's clock and stands still while that clock jumps: else a window of
 * a minute would be forgotten at once, or stay full for as long as the jump.
 */
class SteadyClock {
  #ourMs: number | null = null;
  #steadyMs = 0;

  /** Takes in that ours shows `nowMs`. Milliseconds on this clock, never less than before. */
  advance(nowMs: number): number {
    const stepMs = nowMs - (this.#ourMs ?? nowMs);
    this.#steadyMs = this.peek(nowMs);
    // A small step back is waited out, so that going to and fro does not count twice.
    if (this.#ourMs === null || stepMs >= 0 || stepMs < -LONGEST_STEP_MS) this.#ourMs = nowMs;
    return this.#steadyMs;
  }

  /** The same for somebody who only looks: what comes after it is as if nobody had. */
  peek(nowMs: number): number {
    const stepMs = nowMs - (this.#ourMs ?? nowMs);
    return stepMs > 0 && stepMs <= LONGEST_STEP_MS ? this.#steadyMs + stepMs : this.#steadyMs;
  }
}

/**
 * `looks`: books, trades, details and the list of markets; `moves`: orders placed, and how they fare; `cancels`;
 * `conversions`: merges, splits, redeems; `own`: resting orders, own trades, assets, rounds of reconciliation.
 */
const PURPOSES = ['looks', 'moves', 'cancels', 'conversions', 'own'] as const;
type Purpose = (typeof PURPOSES)[number];

export function classifyPurpose({ endpoint }: Pick<AnyCall, 'endpoint'>, owner: RequestOwner): Purpose {
  if (owner.kind === 'round') return 'own';
  if (owner.kind === 'poll') {
    const { kind } = owner.target;
    return kind === 'orders' || kind === 'fills' || kind === 'assets' ? 'own' : 'looks';
  }
  if (endpoint === 'orders.cancel' || endpoint === 'orders.cancelSubmit') return 'cancels';
  return /^(merges|splits|redeems)\./.test(endpoint) ? 'conversions' : 'moves';
}

/** Counts by purpose. Moments are those of a clock that never steps back. */
export class PurposeCounts {
  readonly #minutes = new Map<Purpose, SlidingMinute>(PURPOSES.map((purpose) => [purpose, new SlidingMinute()]));
  readonly #totals = new Map<Purpose, number>();

  note(purpose: Purpose, nowMs: number): void {
    const minute = this.#minutes.get(purpose);
    minute?.forget(nowMs);
    minute?.add(nowMs);
    this.#totals.set(purpose, (this.#totals.get(purpose) ?? 0) + 1);
  }

  at(nowMs: number) {
    return PURPOSES.map((purpose) => ({
      purpose,
      lastMinute: this.#minutes.get(purpose)?.countAt(nowMs) ?? 0,
      /** Of this run. */
      total: this.#totals.get(purpose) ?? 0,
    }));
  }
}

/** Requests of one purpose. */
type PurposeUse = Readonly<ReturnType<PurposeCounts['at']>[number]>;

/** What a fill took, and what a request brought; null before there is a fill, a request or a result. */
export function worthOfRequests(
  spent: readonly Pick<PurposeUse, 'total'>[],
  fills: number,
  resultMicros: Micros | null,
) {
  const requests = spent.reduce((sum, { total }) => sum + total, 0);
  return {
    requestsPerFill: fills === 0 ? null : requests / fills,
    /** Currency. Of this run's requests, and of the result of all runs with this capital. */
    valuePerRequest: requests === 0 || resultMicros === null ? null : resultMicros / ONE / requests,
  };
}
