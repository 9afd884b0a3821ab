/** State of one poll: time of the last request, whether the request is in flight, and failures. */

import type { PollTarget, RequestOwner } from '../../shared/protocol/request-owner.js';
import type { AnyCall } from '../../shared/protocol/seam.js';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import { BAR_S, CANDLES_S } from '../market/estimators.js';

/** Urgency of an expedited poll; `first` precedes all polls, `next` precedes polls that are not expedited. */
type Urgency = 'first' | 'next';

/** Result of a poll; `unsent` means that the request was never sent, so that the next poll needs no backoff. */
export type PollResult = 'ok' | 'failed' | 'unsent';

const FIRST_BACKOFF_MS = 1_000;
/** Longest wait after failed polls, ms: a poll that keeps failing is sent once per minute. */
const LONGEST_BACKOFF_MS = 60_000;

/** One poll (repeated request): its target, and when it was last sent. */
export class PollRecord {
  readonly target: PollTarget;
  readonly owner: RequestOwner;
  readonly #bookDepth: number;
  #call: AnyCall | null = null;
  underWay = false;
  answered = false;
  /** Urgency of the poll if expedited; null for a normal poll. */
  expedited: Urgency | null = null;
  /** Time of the poll's last request, our clock, ms; null before the first request. */
  #askedMs: number | null = null;
  #failures = 0;
  /** True when the poll never succeeded and its last request failed: then it waits only for its backoff. */
  #hasOnlyFailed = false;
  #notBeforeMs = 0;

  constructor(target: PollTarget, bookDepth: number) {
    this.target = target;
    this.owner = { kind: 'poll', target };
    this.#bookDepth = bookDepth;
  }

  /** The poll's call to the exchange: one cached object, except for calls that contain times. */
  callAt(nowMs: number): AnyCall {
    const call = this.#call ?? pollCall(this.target, this.#bookDepth, nowMs);
    if (this.target.kind !== 'candles') this.#call = call;
    return call;
  }

  /** Time since the last request, ms; Infinity before the first request, if expedited, or if our clock was set back. */
  age(nowMs: number): number {
    return this.expedited !== null ? Number.POSITIVE_INFINITY : this.sinceAsked(nowMs);
  }

  /** Time since the poll's last request, ms, also for an expedited poll; Infinity when unknown. */
  sinceAsked(nowMs: number): number {
    const askedMs = this.#askedMs;
    return askedMs === null || nowMs < askedMs ? Number.POSITIVE_INFINITY : nowMs - askedMs;
  }

  /** True if the poll is not in flight, and is expedited or past its interval and backoff. */
  ready(intervalMs: number, nowMs: number): boolean {
    if (this.underWay) return false;
    if (this.expedited !== null) return true;
    return (this.#hasOnlyFailed || this.sinceAsked(nowMs) >= intervalMs) && !this.#backsOff(nowMs);
  }

  /** Time from which the poll is ready, unless it is expedited before, our clock, ms; Infinity while in flight. */
  readyFromMs(intervalMs: number, nowMs: number): number {
    if (this.underWay) return Number.POSITIVE_INFINITY;
    if (this.ready(intervalMs, nowMs)) return nowMs;
    const waitedMs = nowMs + (this.#hasOnlyFailed ? 0 : intervalMs) - this.sinceAsked(nowMs);
    return this.#backsOff(nowMs) ? Math.max(waitedMs, this.#notBeforeMs) : waitedMs;
  }

  /** Expedites the poll. If the poll already has a higher urgency, it keeps that urgency. */
  expedite(urgency: Urgency): void {
    if (this.expedited !== 'first') this.expedited = urgency;
  }

  onAsk(nowMs: number): void {
    this.#askedMs = nowMs;
    this.underWay = true;
    this.expedited = null;
  }

  /** Counts this poll as successful, because the answer to another request contained its data. */
  onSeen(nowMs: number): void {
    this.#askedMs = nowMs;
    this.answered = true;
    this.#hasOnlyFailed = false;
    this.expedited = null;
    this.#failures = 0;
    this.#notBeforeMs = 0;
  }

  onEnd(result: PollResult, nowMs: number): void {
    if (!this.underWay) return;
    this.underWay = false;
    this.#hasOnlyFailed = result === 'failed' && !this.answered;
    if (result === 'unsent') return;
    this.answered ||= result === 'ok';
    this.#failures = result === 'ok' ? 0 : Math.min(this.#failures + 1, 10);
    const wait = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.#failures - 1));
    this.#notBeforeMs = result === 'ok' ? 0 : nowMs + wait;
  }

  forget(): void {
    this.answered = false;
    this.expedited = null;
    this.#askedMs = null;
    this.#failures = 0;
    this.#hasOnlyFailed = false;
    this.#notBeforeMs = 0;
  }

  /** True during the backoff after failures. Setting our clock back must not extend the backoff. */
  #backsOff(nowMs: number): boolean {
    return nowMs < this.#notBeforeMs && this.#notBeforeMs - nowMs <= LONGEST_BACKOFF_MS;
  }
}

/** Rows per page of trades, own trades and own orders: the exchange's maximum. */
export const ROWS = 100;
const ASSET_ROWS = 200;

/** @param nowMs our clock, ms; price bars are requested up to the last complete bar */
export function pollCall(target: PollTarget, bookDepth: number, nowMs: number): AnyCall {
  const body = undefined;
  if ('marketConditionId' in target) {
    const params = { condition_id: target.marketConditionId };
    switch (target.kind) {
      case 'book':
        return { endpoint: 'markets.book', params, query: { depth: bookDepth, is_yes: true }, body };
      case 'trades':
        return { endpoint: 'markets.trades', params, query: { limit: ROWS }, body };
      case 'detail':
        return { endpoint: 'markets.detail', params, query: {}, body };
      case 'candles': {
        const end_time = BAR_S * Math.floor(nowMs / 1000 / BAR_S);
        const query = { start_time: end_time - CANDLES_S, end_time, interval: '5m', is_yes: true } as const;
        return { endpoint: 'markets.candles', params, query, body };
      }
    }
  }
  const params = {};
  switch (target.kind) {
    case 'orders':
      return { endpoint: 'orders.list', params, query: { status: [...RESTING_STATUSES], limit: ROWS }, body };
    case 'fills':
      return { endpoint: 'trades.list', params, query: { limit: ROWS }, body };
    case 'assets':
    case 'marks':
      return { endpoint: 'account.assets', params, query: { limit: ASSET_ROWS }, body };
    case 'catalog':
      return { endpoint: 'markets.list', params, query: { limit: ROWS, state: 'open' }, body };
    case 'details':
      return { endpoint: 'search.list', params, query: { limit: ROWS, state: ['open'], result_type: 'market' }, body };
  }
}
