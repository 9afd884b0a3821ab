/** One scope of the request budget: its waiting requests by lane, and which may leave. */

import { must } from '../../shared/base/errors.js';
import { MINUTE_MS } from '../../shared/base/sliding-minute.js';
import type { Scope } from '../../shared/protocol/endpoints.js';
import { LANES, type Lane, type PlannedRequest } from '../../shared/protocol/seam.js';
import { Budget, burstOf } from './budget.js';

/** Each n-th slot of the last lanes goes to the longest-waiting request, so that no lane starves. */
const FAIR_TURN = 4;
export const LAST_LANES: readonly Lane[] = ['draft', 'hot', 'quiet'];
/** Lanes that reduce risk or confirm it: they probe whatever the venue reported. */
const PROBING_LANES: readonly Lane[] = ['cancel', 'own'];

/** A request that waits. */
export interface Waiting {
  readonly request: PlannedRequest;
  /** Ascending in order of `push`. */
  readonly place: number;
}

/** The next request of one scope that may leave. */
export interface Next {
  readonly lane: Lane;
  readonly isProbe: boolean;
}

/** One scope: its budget, and what waits for it by lane. */
export class ScopeLine {
  readonly scope: Scope;
  readonly budget: Budget;
  /** The profile's. */
  readonly perMinute: number;
  readonly lanes: Record<Lane, Waiting[]> = { cancel: [], submit: [], own: [], draft: [], hot: [], quiet: [] };
  /** In all lanes. */
  waiting = 0;
  inFlight = 0;
  /** Everything is being canceled, as by a kill. */
  cancelsAll = false;
  #lastLaneTurns = 0;
  /** Maximum time until the reserve must be available. */
  readonly #withinMs: number;

  constructor(scope: Scope, perMinute: number, withinMs: number) {
    this.scope = scope;
    this.#withinMs = withinMs;
    this.perMinute = perMinute;
    this.budget = new Budget(perMinute);
  }

  /** The lane whose first request may leave by this scope's budget, or as a probe; null when none may. */
  next(openOrders: number, nowMs: number): Next | null {
    if (this.waiting === 0) return null;
    const lane = this.#nextLane(openOrders, nowMs);
    if (lane !== null) return { lane, isProbe: false };
    for (const each of PROBING_LANES)
      if (this.probeMs(each, openOrders, nowMs) === nowMs) return { lane: each, isProbe: true };
    return null;
  }

  /** When this lane's first request may leave as a probe; null when it may not. */
  probeMs(lane: Lane, openOrders: number, nowMs: number): number | null {
    if (this.lanes[lane].length === 0 || !PROBING_LANES.includes(lane)) return null;
    const floor = laneFloor(this.scope, lane, openOrders, this.perMinute);
    return this.budget.probeMs(floor, nowMs, this.cancelsAll && lane === 'cancel');
  }

  #nextLane(openOrders: number, nowMs: number): Lane | null {
    let first: Lane | null = null;
    for (const lane of LANES) {
      if (!this.#mayLeave(lane, openOrders, nowMs)) continue;
      first = lane;
      break;
    }
    if (first === null || !LAST_LANES.includes(first) || this.#lastLaneTurns % FAIR_TURN !== FAIR_TURN - 1)
      return first;
    const place = (lane: Lane) => this.lanes[lane][0]?.place ?? Number.POSITIVE_INFINITY;
    const mayLeave = LAST_LANES.filter((lane) => this.#mayLeave(lane, openOrders, nowMs));
    return mayLeave.reduce((a, b) => (place(b) < place(a) ? b : a), first);
  }

  #mayLeave(lane: Lane, openOrders: number, nowMs: number): boolean {
    return this.lanes[lane].length > 0 && this.room(lane, openOrders, nowMs) > 0;
  }

  /** Requests of this lane that could leave now. */
  room(lane: Lane, openOrders: number, nowMs: number): number {
    const left = this.budget.available(nowMs);
    if (left <= 0 || this.budget.probing) return left;
    const floor = laneFloor(this.scope, lane, openOrders, this.budget.perMinute(nowMs));
    if (lane === 'cancel' || this.#withinMs === 0)
      return Math.min(left - floor, this.#paceRoom(lane, openOrders, nowMs));
    const within = this.budget.available(nowMs, this.#withinMs) - floor;
    return Math.min(left, within, this.#paceRoom(lane, openOrders, nowMs));
  }

  /** When the budget allows the next request of this lane; null when unknown. */
  roomFromMs(lane: Lane, openOrders: number, nowMs: number): number | null {
    const floor = laneFloor(this.scope, lane, openOrders, this.budget.perMinute(nowMs));
    const whole = this.budget.availableFromMs(floor + 1, nowMs);
    if (whole === null) return null;
    const pacedMs = this.#isPaced(lane) ? this.budget.evenRoomFromMs(this.#most(openOrders, nowMs), nowMs) : nowMs;
    if (lane === 'cancel' || this.#withinMs === 0) return Math.max(pacedMs, whole);
    const one = this.budget.availableFromMs(1, nowMs);
    return one === null ? null : Math.max(pacedMs, one, whole - this.#withinMs);
  }

  /** Fraction left of the burst for new orders. */
  burstLeft(openOrders: number, nowMs: number): number {
    const most = this.#most(openOrders, nowMs);
    return Math.max(0, this.budget.evenRoom(most, nowMs)) / burstOf(most);
  }

  /**
   * Only requests that begin something new are paced: begun work is finished, and cancels and own reads are never held
   * back.
   */
  #isPaced(lane: Lane): boolean {
    return lane === 'draft' && this.scope === 'signed';
  }

  #paceRoom(lane: Lane, openOrders: number, nowMs: number): number {
    if (!this.#isPaced(lane)) return Number.POSITIVE_INFINITY;
    return Math.floor(this.budget.evenRoom(this.#most(openOrders, nowMs), nowMs));
  }

  /**
   * Requests per minute beside the reserve. If the reserve is needed only after a part of the minute, requests that
   * leave before that part need no room beside it.
   */
  #most(openOrders: number, nowMs: number): number {
    const perMinute = this.budget.perMinute(nowMs);
    const beside = perMinute - cancelReserve(openOrders, perMinute);
    return Math.max(1, this.#withinMs === 0 ? beside : Math.min(perMinute, beside / (1 - this.#withinMs / MINUTE_MS)));
  }

  take(lane: Lane): PlannedRequest {
    if (LAST_LANES.includes(lane)) this.#lastLaneTurns++;
    this.waiting--;
    return must(this.lanes[lane].shift(), `a request in lane ${lane}`).request;
  }
}

/** Draft and submit of a cancel. */
const REQUESTS_PER_CANCEL = 2;
/** For the reads that prove a cancel-all. */
const SLACK = 20;

/**
 * `2 x open orders + 20`, the requests that cancel everything and prove it; where a whole budget is below 80 a minute
 * the 20 shrink to a quarter of it. With more open orders than the budget can cancel in a minute the reserve exceeds
 * the budget, and no new draft leaves until some are gone: that is meant.
 */
export const cancelReserve = (openOrders: number, perMinute: number): number =>
  REQUESTS_PER_CANCEL * openOrders + Math.min(SLACK, Math.floor(perMinute / 4));

/**
 * What must be left after a request of this lane. Cancels may take everything. Reads of own state may take half of the
 * reserve (a cancel is safe only when what rests is known, but a storm of reads must not stop the cancels), and never
 * have to leave more than half the budget. Everything else, submits of new orders among it, leaves the whole reserve.
 * Only the signed scope can cancel, so only it has one.
 */
function laneFloor(scope: Scope, lane: Lane, openOrders: number, perMinute: number): number {
  if (scope !== 'signed' || lane === 'cancel') return 0;
  const reserve = cancelReserve(openOrders, perMinute);
  if (lane !== 'own') return reserve;
  return Math.min(Math.ceil(reserve / 2), Math.floor(perMinute / 2));
}
