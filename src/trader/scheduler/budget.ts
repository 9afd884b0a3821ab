/**
 * Counts the requests of one scope (public, signed or bootstrap) in the exchange's sliding minute. The count uses own
 * requests and the HTTP client's reports of limits.
 *
 * A released request counts until a minute after its outcome is known. The exchange's minute for the request begins
 * between release and outcome, so this period contains the exchange's minute at any network delay.
 */

import { must } from '../../shared/base/errors.js';
import { MINUTE_MS, SlidingMinute } from '../../shared/base/sliding-minute.js';
import type { Scope } from '../../shared/protocol/endpoints.js';
import { type BudgetReport, LANES, type Lane, type PlannedRequest } from '../../shared/protocol/seam.js';

/** Methods of `RequestQueue` that `BudgetWatch` uses. */
interface WatchedQueue {
  perMinute(scope: Scope, nowMs: number): number;
  status(scope: Scope, nowMs: number): { readonly limit: number };
}

/** Fraction of the request limit that stays unused, for other programs and the exchange's coarse clock. */
const MARGIN = 0.05;
/** Minimum wait after a throttled request, ms, even if the exchange's answer states no wait. */
const FIRST_WAIT_MS = 1_000;
/** Longest wait after a refusal or a jump of our clock, ms; after this wait, one request is sent as a test. */
const LONGEST_WAIT_MS = 120_000;
/** Wait before an urgent request tests (probes) a full budget, ms; doubled with each refused probe. */
const PROBE_MS = { first: 1_000, longest: 10_000 } as const;

/** A reported limit below 1 / 8 of the profile's limit is not trusted: cancels and own reads may test it. */
const LEAST_TRUST = 8;
/** If own requests use at least this fraction of the limit, the exchange's report of a full budget is trusted. */
const EXPLAINING_PART = 3 / 4;
/** Fraction of the profile's limit that is considered safe while the exchange has not reported a limit. */
const UNKNOWN_FROM_PART = 1 / 4;

/** Fraction of the allowed requests per minute that may be sent at once (a burst). */
const BURST_PART = 1 / 4;

/** Facts about the outcome of a request that counts in the budget. */
interface Settled {
  readonly releasedMs: number;
  /** False if no byte of the request was sent. */
  readonly sent: boolean;
  /** True for any answer of the exchange, including a refusal. */
  readonly answered: boolean;
  readonly throttled: boolean;
  /** True for a request that was sent to test whether a full budget still allows requests. */
  readonly isProbe: boolean;
}

class Budget {
  readonly #profileLimit: number;
  /** Allowed requests per minute as reported by the client, at most the profile's limit. */
  limit: number;
  /** Times of known request outcomes, the queue's clock, ms, ascending; at most `limit` times. */
  readonly #settled = new SlidingMinute();
  inFlight = 0;
  /** Number of requests by other programs (or a previous run) on the same budget, as last reported. */
  #foreign = 0;
  #foreignToldMs = 0;
  #blockedUntilMs = 0;
  #isFirm = false;
  #isShown = true;
  #isGuess = false;
  /** True after throttling until a request succeeds; until then requests are sent one at a time, in lane order. */
  probing = false;
  isProbeUnderWay = false;
  #probeAtMs = Number.NEGATIVE_INFINITY;
  #probesRefused = 0;

  constructor(perMinute: number) {
    this.#profileLimit = perMinute;
    this.limit = perMinute;
  }

  /** Requests per minute that this trader may use now: the limit less `MARGIN` and other programs' use; at least 1. */
  perMinute(nowMs: number): number {
    return Math.max(1, this.#usable - this.#foreignAt(nowMs));
  }

  /** True if requests are neither slowed nor blocked, and no other program is known to use the budget. */
  isSteady(nowMs: number): boolean {
    return !this.probing && this.blockedUntilMs(nowMs) <= nowMs && this.#foreignAt(nowMs) === 0;
  }

  /** Number of requests that may be sent `withinMs` from now, if none is sent before and others' use stays constant. */
  available(nowMs: number, withinMs = 0): number {
    if (this.blockedUntilMs(nowMs) > nowMs) return 0;
    const unused = this.#usable - this.#own(nowMs + withinMs);
    // A probe ignores the last reported use by other programs: only the probe's answer shows the current use.
    if (this.probing) return this.inFlight === 0 && unused > 0 ? 1 : 0;
    return Math.max(0, unused - this.#foreignAt(nowMs));
  }

  /**
   * Number of requests that may be sent now if `most` per minute are spread evenly after one burst. Without this even
   * spread, a burst would block all requests for a minute. The number is 0 or less when no request may be sent.
   */
  evenRoom(most: number, nowMs: number): number {
    const burst = most * BURST_PART;
    const perMs = (most - burst) / MINUTE_MS;
    let least = burst;
    for (let since = this.#settled.countAt(nowMs); since > 0; since--)
      least = Math.min(least, burst + perMs * (nowMs - this.#settled.timeAt(since)) - since);
    return least - this.inFlight;
  }

  /** Time at which `evenRoom` allows one more request, if no request is sent or answered before. */
  evenRoomFromMs(most: number, nowMs: number): number {
    const burst = most * BURST_PART;
    const perMs = (most - burst) / MINUTE_MS;
    let leastMs = Number.POSITIVE_INFINITY;
    for (let since = this.#settled.countAt(nowMs); since > 0; since--) {
      const freeAgeMs = Math.max(0, since + this.inFlight + 1 - burst) / perMs;
      leastMs = Math.min(leastMs, nowMs - this.#settled.timeAt(since) - Math.min(MINUTE_MS, freeAgeMs));
    }
    return nowMs + Math.max(0, Math.ceil(-leastMs));
  }

  /**
   * Time at which one request may test (probe) a full budget, because the exchange's report may be wrong. The time is
   * null while a probe is in flight, or while own use leaves at most `floor` requests of the profile's limit. If own
   * requests fill the budget, only urgent requests may probe.
   */
  probeMs(floor: number, nowMs: number, isUrgent: boolean): number | null {
    const own = this.#own(nowMs);
    const room = Math.floor(this.#profileLimit * (1 - MARGIN)) - own;
    if (this.isProbeUnderWay || room <= floor) return null;
    // Own requests explain a full budget if the exchange's limit is trusted and own requests nearly reach the limit.
    const isTrusted = !this.#isGuess && this.limit * LEAST_TRUST >= this.#profileLimit;
    const isBlocked = this.blockedUntilMs(nowMs) > nowMs;
    if (!isUrgent && (isBlocked ? this.#isFirm : isTrusted && own >= this.limit * EXPLAINING_PART)) return null;
    this.#probeAtMs = Math.min(this.#probeAtMs, nowMs + PROBE_MS.longest);
    return Math.max(nowMs, this.#probeAtMs);
  }

  /** True if the next requests might exceed the exchange's unknown limit, so that all sent requests may be refused. */
  isNearUnknownLimit(nowMs: number): boolean {
    return !this.#isShown && this.#own(nowMs) >= this.#profileLimit * UNKNOWN_FROM_PART;
  }

  /** Time at which throttling ends, the queue's clock, ms; at most `LONGEST_WAIT_MS` from now. */
  blockedUntilMs(nowMs: number): number {
    return Math.min(this.#blockedUntilMs, nowMs + LONGEST_WAIT_MS);
  }

  /** Earliest time at which `count` requests may be sent, if no request is sent before; null when unknown. */
  availableFromMs(count: number, nowMs: number): number | null {
    const blocked = this.blockedUntilMs(nowMs);
    if (blocked > nowMs) return blocked;
    const missing = count - this.available(nowMs);
    if (missing <= 0) return nowMs;
    const freedMs = this.#settled.leavesMs(nowMs, missing - 1);
    if (freedMs !== null) return freedMs;
    return this.#foreignAt(nowMs) > 0 ? this.#foreignToldMs + MINUTE_MS : null;
  }

  /** Counts the outcome of a request; `report` is the budget information in the answer. */
  onOutcome(nowMs: number, settled: Settled, report: BudgetReport | null): void {
    this.inFlight--;
    if (settled.isProbe) this.isProbeUnderWay = false;
    if (!settled.sent) return;
    // The times stay ascending even if `nowMs` falls; a request then counts longer than a minute, never less.
    this.#settled.add(Math.max(nowMs, this.#settled.newestMs ?? nowMs));
    this.#settled.forget(nowMs);
    if (report !== null) {
      this.#learn(nowMs, report);
      this.#isShown = report.isShown ?? true;
      this.#isGuess = report.isGuess ?? false;
    }
    if (settled.throttled) this.#throttle(nowMs, report);
    else if (settled.answered && settled.releasedMs >= this.#blockedUntilMs) this.probing = false;
    // An accepted probe ends the wait for the budget. A refused probe delays the next probe.
    if (settled.isProbe && settled.answered && !settled.throttled) {
      this.#blockedUntilMs = nowMs;
      this.probing = false;
      this.#probesRefused = 0;
      this.#probeAtMs = nowMs;
    } else if (settled.isProbe || settled.throttled || this.available(nowMs) < 1) {
      if (settled.isProbe && settled.throttled) this.#probesRefused = Math.min(this.#probesRefused + 1, 10);
      this.#probeAtMs = nowMs + Math.min(PROBE_MS.longest, PROBE_MS.first * 2 ** this.#probesRefused);
    }
  }

  #learn(nowMs: number, { limit, remaining }: BudgetReport): void {
    const sane = Number.isSafeInteger(limit) && Number.isSafeInteger(remaining) && limit >= 1 && remaining >= 0;
    if (!sane || remaining > limit) return;
    this.limit = Math.min(this.#profileLimit, limit);
    this.#foreign = Math.max(0, limit - remaining - this.#own(nowMs));
    this.#foreignToldMs = nowMs;
  }

  #throttle(nowMs: number, report: BudgetReport | null): void {
    const told = Math.max(report?.resetMs ?? nowMs, nowMs + FIRST_WAIT_MS);
    const until = Number.isFinite(told) ? told : nowMs + FIRST_WAIT_MS;
    this.#blockedUntilMs = Math.min(Math.max(this.#blockedUntilMs, until), nowMs + LONGEST_WAIT_MS);
    this.#isFirm = report?.isFirm ?? false;
    this.probing = true;
  }

  get #usable(): number {
    return Math.max(1, Math.floor(this.limit * (1 - MARGIN)));
  }

  #foreignAt(nowMs: number): number {
    return nowMs - this.#foreignToldMs < MINUTE_MS ? this.#foreign : 0;
  }

  #own(nowMs: number): number {
    return this.inFlight + this.#settled.countAt(nowMs);
  }
}

/** Every n-th request of `LAST_LANES` is the one that has waited longest, so that no lane starves. */
const FAIR_TURN = 4;
export const LAST_LANES: readonly Lane[] = ['draft', 'hot', 'quiet'];
/** Lanes that reduce or confirm risk; they may test (probe) a budget that the exchange reports as full. */
const PROBING_LANES: readonly Lane[] = ['cancel', 'own'];

interface WaitingRequest {
  readonly request: PlannedRequest;
  readonly place: number;
}

interface Next {
  readonly lane: Lane;
  readonly isProbe: boolean;
}

/** One scope of the request queue (such as signed): its budget, and its waiting requests by lane. */
export class ScopeLine {
  readonly scope: Scope;
  readonly budget: Budget;
  /** Requests per minute that the venue profile allows. */
  readonly perMinute: number;
  readonly lanes: Record<Lane, WaitingRequest[]> = { cancel: [], submit: [], own: [], draft: [], hot: [], quiet: [] };
  /** True while all orders are being canceled, for example by a kill. */
  cancelsAll = false;
  #lastLaneTurns = 0;
  /** Time within which the requests reserved for cancels must become available, ms. */
  readonly #withinMs: number;
  /** The lane of drafts of new orders: only these requests are spread evenly over the minute. Null in other scopes. */
  readonly #pacedLane: Lane | null;

  constructor(scope: Scope, perMinute: number, withinMs: number) {
    this.scope = scope;
    this.#pacedLane = scope === 'signed' ? 'draft' : null;
    this.#withinMs = withinMs;
    this.perMinute = perMinute;
    this.budget = new Budget(perMinute);
  }

  /** The lane whose first request may be sent, within the budget or as a probe; null if no lane may send. */
  next(openOrders: number, nowMs: number): Next | null {
    const isFairTurn = this.#lastLaneTurns % FAIR_TURN === FAIR_TURN - 1;
    let oldest: { readonly lane: Lane; readonly place: number } | null = null;
    for (const lane of LANES) {
      const place = this.lanes[lane][0]?.place;
      const mayLeave = place !== undefined && this.room(lane, openOrders, nowMs) > 0;
      if (!mayLeave) continue;
      if (!isFairTurn || !LAST_LANES.includes(lane)) return { lane, isProbe: false };
      if (oldest === null || place < oldest.place) oldest = { lane, place };
    }
    if (oldest !== null) return { lane: oldest.lane, isProbe: false };
    for (const lane of PROBING_LANES)
      if (this.lanes[lane].length > 0 && this.probeMs(lane, openOrders, nowMs) === nowMs)
        return { lane, isProbe: true };
    return null;
  }

  /** Time at which this lane's first request may be sent as a budget probe; null when it may not. */
  probeMs(lane: Lane, openOrders: number, nowMs: number): number | null {
    if (!PROBING_LANES.includes(lane)) return null;
    const floor = laneFloor(this.scope, lane, openOrders, this.perMinute);
    return this.budget.probeMs(floor, nowMs, this.cancelsAll && lane === 'cancel');
  }

  /** Number of requests that this lane could send now. */
  room(lane: Lane, openOrders: number, nowMs: number): number {
    const left = this.budget.available(nowMs);
    if (left <= 0 || this.budget.probing) return left;
    const floor = laneFloor(this.scope, lane, openOrders, this.budget.perMinute(nowMs));
    const even =
      lane === this.#pacedLane ? Math.floor(this.budget.evenRoom(this.#most(openOrders, nowMs), nowMs)) : left;
    if (lane === 'cancel' || this.#withinMs === 0) return Math.min(left - floor, even);
    return Math.min(left, this.budget.available(nowMs, this.#withinMs) - floor, even);
  }

  /** Time at which the budget allows the next request of this lane; null when unknown. */
  roomFromMs(lane: Lane, openOrders: number, nowMs: number): number | null {
    const floor = laneFloor(this.scope, lane, openOrders, this.budget.perMinute(nowMs));
    const whole = this.budget.availableFromMs(floor + 1, nowMs);
    if (whole === null) return null;
    const pacedMs = lane === this.#pacedLane ? this.budget.evenRoomFromMs(this.#most(openOrders, nowMs), nowMs) : nowMs;
    if (lane === 'cancel' || this.#withinMs === 0) return Math.max(pacedMs, whole);
    const one = this.budget.availableFromMs(1, nowMs);
    return one === null ? null : Math.max(pacedMs, one, whole - this.#withinMs);
  }

  /** Unused fraction of the request burst for new orders. */
  burstLeft(openOrders: number, nowMs: number): number {
    const most = this.#most(openOrders, nowMs);
    return Math.max(0, this.budget.evenRoom(most, nowMs)) / (most * BURST_PART);
  }

  /** Requests per minute not reserved for cancels; higher if the reserve may become available later in the minute. */
  #most(openOrders: number, nowMs: number): number {
    const perMinute = this.budget.perMinute(nowMs);
    const beside = perMinute - cancelReserve(openOrders, perMinute);
    return Math.max(1, this.#withinMs === 0 ? beside : Math.min(perMinute, beside / (1 - this.#withinMs / MINUTE_MS)));
  }

  /** Takes the lane's first request, which is then in flight. */
  take({ lane, isProbe }: Next): PlannedRequest {
    if (LAST_LANES.includes(lane)) this.#lastLaneTurns++;
    const { request } = must(this.lanes[lane].shift(), `a request in lane ${lane}`);
    this.budget.inFlight++;
    if (isProbe) this.budget.isProbeUnderWay = true;
    return request;
  }
}

/** Number of requests that a cancel needs: a draft and a submit. */
const REQUESTS_PER_CANCEL = 2;
/** Number of requests kept for the reads that verify a cancel-all. */
const SLACK = 20;

/**
 * Number of requests that cancel all open orders and verify the result, `2 x open orders + 20`. If the budget is below
 * 80 requests per minute, a quarter of it replaces the 20. If the reserve exceeds the budget, no new draft is sent
 * until the number of open orders falls.
 */
export const cancelReserve = (openOrders: number, perMinute: number): number =>
  REQUESTS_PER_CANCEL * openOrders + Math.min(SLACK, Math.floor(perMinute / 4));

/**
 * Number of requests that must remain in the budget after a request of this lane. Cancels may use the whole
 * budget. Own reads may use half the cancel reserve: cancels need to know which orders are open, but reads must not
 * block cancels. All other lanes leave the whole cancel reserve unused. Only the signed scope has a reserve.
 */
function laneFloor(scope: Scope, lane: Lane, openOrders: number, perMinute: number): number {
  if (scope !== 'signed' || lane === 'cancel') return 0;
  const reserve = cancelReserve(openOrders, perMinute);
  return lane !== 'own' ? reserve : Math.min(Math.ceil(reserve / 2), Math.floor(perMinute / 2));
}

/** The request budget is short below this fraction of the profile's limit. Brief throttling leaves a larger part. */
const SHORT_PART = 1 / 5;
/** The request budget is sufficient again above this fraction of the profile's limit. */
const ENOUGH_PART = 1 / 2;
/** Time for which the budget must be short before a notice, ms; one wrong answer from the exchange causes no notice. */
const SHORT_AFTER_MS = 10_000;
/** Time for which the budget must be sufficient before a notice, ms; long, to avoid repeated notices. */
const ENOUGH_AFTER_MS = 120_000;

const SCOPES = ['public', 'signed'] as const satisfies readonly Scope[];

interface WatchedScope {
  readonly scope: (typeof SCOPES)[number];
  readonly usual: number;
  isTold: boolean;
  /** Time since which the budget's state differs from the last notice, our clock, ms; null without a difference. */
  sinceMs: number | null;
}

/** Reports when the exchange allows so few requests that market reads or orders must wait. */
export class BudgetWatch {
  readonly #watched: readonly WatchedScope[];

  constructor(limits: { readonly public_per_minute: number; readonly signed_per_minute: number }) {
    const usual = { public: limits.public_per_minute, signed: limits.signed_per_minute };
    this.#watched = SCOPES.map((scope) => ({ scope, usual: usual[scope], isTold: false, sinceMs: null }));
  }

  /** Returns a notice when the budget becomes short or sufficient again. The caller runs this about once a second. */
  look(queue: WatchedQueue, nowMs: number) {
    return this.#watched.flatMap((watched) => {
      const { scope, usual, isTold } = watched;
      const perMinute = queue.perMinute(scope, nowMs);
      const isOtherwise = isTold ? perMinute >= usual * ENOUGH_PART : perMinute < usual * SHORT_PART;
      // If our clock was set back, the time for which this state has lasted is counted from now.
      watched.sinceMs = isOtherwise ? Math.min(watched.sinceMs ?? nowMs, nowMs) : null;
      const afterMs = isTold ? ENOUGH_AFTER_MS : SHORT_AFTER_MS;
      if (watched.sinceMs === null || nowMs - watched.sinceMs < afterMs) return [];
      watched.isTold = !isTold;
      watched.sinceMs = null;
      if (isTold) return [{ kind: 'budget_back', text: `${perMinute} ${scope} requests a minute are available again` }];
      const { limit } = queue.status(scope, nowMs);
      const why = limit < usual ? `the exchange's request limit is ${limit}` : 'other programs seem to send requests';
      const left = `only ${perMinute} of ${usual} ${scope} requests a minute are available`;
      return [{ kind: 'budget_short', text: `${left}: ${why}; ${WAITING[scope]} wait` }];
    });
  }
}

const WAITING = { public: 'market reads', signed: 'orders' } as const;
