/**
 * Reads the lists of one reconciliation round: all are requested together, and each is read to its end or mark. One
 * lost page, or one repeated row or cursor, voids the round.
 */

import { must } from '../../shared/base/errors.js';
import { MINUTE_MS } from '../../shared/base/sliding-minute.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { RoundList } from '../../shared/protocol/request-owner.js';
import type { AnyCall, PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';
import { Budget } from '../scheduler/budget.js';
import type { PollSettings } from '../scheduler/contract.js';
import { fitOwnReads, ORDERS_PER_FILLS, SIGNED_PART } from '../scheduler/own-pace.js';
import { SECOND_READER_ROWS } from './independent-fill-count.js';
import type { WalkStep } from './page-walk.js';

/** Rows per page. Conversions are few, so their lists use smaller pages. */
const ROWS = 100;
const FEW_ROWS = 50;

const CALLS: Readonly<Record<Exclude<RoundList, 'assets'>, AnyCall>> = {
  orders: { endpoint: 'orders.list', params: {}, query: { limit: ROWS }, body: undefined },
  trades: { endpoint: 'trades.list', params: {}, query: { limit: ROWS }, body: undefined },
  merges: { endpoint: 'merges.list', params: {}, query: { limit: FEW_ROWS }, body: undefined },
  splits: { endpoint: 'splits.list', params: {}, query: { limit: FEW_ROWS }, body: undefined },
  redeems: { endpoint: 'redeems.list', params: {}, query: { limit: FEW_ROWS }, body: undefined },
  sums: { endpoint: 'trades.list', params: {}, query: { limit: SECOND_READER_ROWS }, body: undefined },
};

/** Lists that exist only on venues with own trades. */
const OF_OWN_TRADES: readonly RoundList[] = ['trades', 'sums'];

/**
 * Signed requests of a round whose lists have one page each: the lists, and the later reads of orders and own trades.
 */
export function requestsOfRound(ownTrades: boolean): number {
  const lists = Object.keys(CALLS).length + 1;
  return ownTrades ? lists + 2 : lists - OF_OWN_TRADES.length + 1;
}

/** One list of a round, while it is read. */
export interface Reading {
  begin(): void;
  onReport(report: RequestResult): WalkStep;
}

/** Lists that a venue may lack, because its API documents no schema for them. */
const OPTIONAL: readonly RoundList[] = ['merges', 'splits', 'redeems'];

export class Round {
  readonly #lists: ReadonlyMap<RoundList, Reading>;
  /** Our clock, ms, of the round's first request. */
  readonly #begunMs: number;
  readonly #underWay: Set<RoundList>;
  /** Lists that the exchange does not have; they are not compared. */
  readonly absent: RoundList[] = [];
  /** Why the round is void; null if it is not. `unsent`: a request was never sent, so the exchange did not fail. */
  #void: { readonly reason: string; readonly unsent: boolean } | null = null;
  /** Number of requested pages beyond the first of each list. */
  #furtherPages = 0;

  constructor(lists: ReadonlyMap<RoundList, Reading>, nowMs: number) {
    this.#lists = lists;
    this.#begunMs = nowMs;
    this.#underWay = new Set(lists.keys());
    for (const reading of lists.values()) reading.begin();
  }

  /** Requests of all lists of the round. `first` is the due poll, which reads the assets. */
  requests(first: PlannedRequest): readonly PlannedRequest[] {
    const further = [...this.#lists.keys()].flatMap((list) =>
      list === 'assets' ? [] : [{ ...first, call: CALLS[list], owner: { kind: 'round' as const, list } }],
    );
    return [first, ...further];
  }

  /**
   * Takes in an answer; `end` is null while another request is in flight. Once the round is void, the remaining answers
   * are ignored.
   */
  onReport(list: RoundList, report: RequestResult) {
    const reading = must(this.#lists.get(list), `list ${list} of the round`);
    const { outcome } = report;
    const isNoList = outcome.kind === 'refused' && (outcome.status === 404 || outcome.status === 405);
    const isAbsent = OPTIONAL.includes(list) && isNoList;
    if (isAbsent) this.absent.push(list);
    const step = this.#void === null && !isAbsent ? reading.onReport(report) : ({ kind: 'page', next: null } as const);
    if (step.kind === 'page' && step.next !== null) {
      this.#furtherPages += 1;
      return { requests: [step.next], end: null };
    }
    if (step.kind === 'void') {
      const unsent = outcome.kind === 'unknown' && !outcome.sent;
      this.#void = { reason: `${list}: ${step.reason}`, unsent };
    }
    this.#underWay.delete(list);
    if (this.#underWay.size > 0) return { requests: [], end: null };
    const furtherPages = this.#furtherPages;
    if (this.#void !== null) return { requests: [], end: { kind: 'void', ...this.#void, furtherPages } as const };
    return { requests: [], end: { kind: 'complete', begunMs: this.#begunMs, furtherPages } as const };
  }
}

/** How a round ended: complete or void. */
export type RoundEnd = NonNullable<ReturnType<Round['onReport']>['end']>;

/**
 * Describes the intervals of `polling` that this profile's budget extends while orders rest; null when it extends none.
 */
export function describeStretch(
  { ownIntervalMs, assetsIntervalMs: roundsMs }: Pick<PollSettings, 'ownIntervalMs' | 'assetsIntervalMs'>,
  { own_trades: ownTrades, rate_limits: limits }: VenueProfile,
): string | null {
  const perMinute = new Budget(limits.signed_per_minute).perMinute(0);
  const asked = ownTrades
    ? { fillsMs: ownIntervalMs, ordersMs: ORDERS_PER_FILLS * ownIntervalMs, roundsMs }
    : { fillsMs: null, ordersMs: ownIntervalMs, roundsMs };
  const requests = requestsOfRound(ownTrades);
  const fitted = fitOwnReads(asked, requests, perMinute);
  if (fitted.ordersMs === asked.ordersMs && fitted.roundsMs === roundsMs) return null;
  const looks = (asked.fillsMs === null ? 0 : MINUTE_MS / asked.fillsMs) + MINUTE_MS / asked.ordersMs;
  const wanted = Math.round(looks + (requests * MINUTE_MS) / roundsMs);
  const fills = (ms: number | null) => (ms === null ? '' : `own trades every ${seconds(ms)}, `);
  return (
    `polling asks for ${fills(asked.fillsMs)}own orders every ${seconds(asked.ordersMs)} and a round of reconciliation ` +
    `(${requests} requests) every ${seconds(roundsMs)}, ${wanted} signed requests a minute; such reads may take ` +
    `${Math.floor(perMinute * SIGNED_PART)} of ${limits.signed_per_minute}, so while orders rest it will be ` +
    `${fills(fitted.fillsMs)}own orders every ${seconds(fitted.ordersMs)} and a round every ${seconds(fitted.roundsMs)}`
  );
}

const seconds = (ms: number): string => `${Number((ms / 1000).toFixed(1))} s`;
