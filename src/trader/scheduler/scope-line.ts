/** Waiting requests of one scope by lane, and the rule which may be sent. */

import { must } from '../../shared/base/errors.js';
import { MINUTE_MS } from '../../shared/base/sliding-minute.js';
import type { Scope } from '../../shared/protocol/endpoints.js';
import { LANES, type Lane, type PlannedRequest } from '../../shared/protocol/seam.js';
import { Budget, burstOf } from './budget.js';

/** Every n-th slot of the last lanes goes to the longest-waiting request, so that no lane starves. */
const FAIR_TURN = 4;
export const LAST_LANES: readonly Lane[] = ['draft', 'hot', 'quiet'];
/** Lanes that reduce or confirm risk: they may probe a budget that the venue reports as full. */
const PROBING_LANES: readonly Lane[] = ['cancel', 'own'];

/** A waiting request. */
export interface Waiting {
  readonly request: PlannedRequest;
  /** Place in the order of `push`. */
  readonly place: number;
}

/** The next request of one scope that may be sent. */
export interface Next {
  readonly lane: Lane;
  readonly isProbe: boolean;
}

/** One scope of the queue: its budget, and its waiting requests by lane. */
export class ScopeLine {
  readonly scope: Scope;
  readonly budget: Budget;
  /** Requests per minute by the profile. */
  readonly perMinute: number;
  readonly lanes: Record<Lane, Waiting[]> = { cancel: [], submit: [], own: [], draft: [], hot: [], quiet: [] };
  /** Number of waiting requests in all lanes. */
  waiting = 0;
  inFlight = 0;
  /** True while all orders are being canceled, as by a kill. */
  cancelsAll = false;
  #lastLaneTurns = 0;
  /** Maximum time until the cancel reserve must be available, ms. */
  readonly #withinMs: number;

  constructor(scope: Scope, perMinute: number, withinMs: number) {
    this.scope = scope;
    this.#withinMs = withinMs;
    this.perMinute = perMinute;
    this.budget = new Budget(perMinute);
  }

  /** The lane whose first request may be sent by the budget or as a probe; null when none may. */
  next(openOrders: number, nowMs: number): Next | null {
    if (this.waiting === 0) return null;
    const lane = this.#nextLane(openOrders, nowMs);
    if (lane !== null) return { lane, isProbe: false };
    for (const each of PROBING_LANES)
      if (this.probeMs(each, openOrders, nowMs) === nowMs) return { lane: each, isProbe: true };
    return null;
  }

  /** Time at which this lane's first request may be sent as a probe; null when it may not. */
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

  /** Number of requests of this lane that could be sent now. */
  room(lane: Lane, openOrders: number, nowMs: number): number {
    const left = this.budget.available(nowMs);
    if (left <= 0 || this.budget.probing) return left;
    const floor = laneFloor(this.scope, lane, openOrders, this.budget.perMinute(nowMs));
    if (lane === 'cancel' || this.#withinMs === 0)
      return Math.min(left - floor, this.#paceRoom(lane, openOrders, nowMs));
    const within = this.budget.available(nowMs, this.#withinMs) - floor;
    return Math.min(left, within, this.#paceRoom(lane, openOrders, nowMs));
  }

  /** Time at which the budget allows the next request of this lane; null when unknown. */
  roomFromMs(lane: Lane, openOrders: number, nowMs: number): number | null {
    const floor = laneFloor(this.scope, lane, openOrders, this.budget.perMinute(nowMs));
    const whole = this.budget.availableFromMs(floor + 1, nowMs);
    if (whole === null) return null;
    const pacedMs = this.#isPaced(lane) ? this.budget.evenRoomFromMs(this.#most(openOrders, nowMs), nowMs) : nowMs;
    if (lane === 'cancel' || this.#withinMs === 0) return Math.max(pacedMs, whole);
    const one = this.budget.availableFromMs(1, nowMs);
    return one === null ? null : Math.max(pacedMs, one, whole - this.#withinMs);
  }

  /** Fraction of the burst for new orders that is left. */
  burstLeft(openOrders: number, nowMs: number): number {
    const most = this.#most(openOrders, nowMs);
    return Math.max(0, this.budget.evenRoom(most, nowMs)) / burstOf(most);
  }

  /**
   * True for paced requests: only those that begin new orders. Started orders, cancels and own reads are never delayed.
   */
  #isPaced(lane: Lane): boolean {
    return lane === 'draft' && this.scope === 'signed';
  }

  #paceRoom(lane: Lane, openOrders: number, nowMs: number): number {
    if (!this.#isPaced(lane)) return Number.POSITIVE_INFINITY;
    return Math.floor(this.budget.evenRoom(this.#most(openOrders, nowMs), nowMs));
  }

  /**
   * Requests per minute besides the cancel reserve. If the reserve is needed only later in the minute, earlier requests
   * need no room besides it.
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

/** Requests of a cancel: draft and submit. */
const REQUESTS_PER_CANCEL = 2;
/** Requests for the reads that verify a cancel-all. */
const SLACK = 20;

/**
 * Requests that cancel and verify all open orders: `2 x open orders + 20`. For a budget below 80 per minute, the 20
 * become a quarter of it. If the reserve exceeds the budget, no new draft is sent until orders are gone; this is
 * intended.
 */
export const cancelReserve = (openOrders: number, perMinute: number): number =>
  REQUESTS_PER_CANCEL * openOrders + Math.min(SLACK, Math.floor(perMinute / 4));

/**
 * Requests that must be left after a request of this lane. Cancels may take everything. Own reads may take half the
 * reserve: cancels need to know which orders rest, but reads must not block them. All other lanes leave the whole
 * reserve. Only the signed scope has one.
 */
function laneFloor(scope: Scope, lane: Lane, openOrders: number, perMinute: number): number {
  if (scope !== 'signed' || lane === 'cancel') return 0;
  const reserve = cancelReserve(openOrders, perMinute);
  if (lane !== 'own') return reserve;
  return Math.min(Math.ceil(reserve / 2), Math.floor(perMinute / 2));
}
