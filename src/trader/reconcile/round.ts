/**
 * The lists of one round of reconciliation: all asked for together, each walked to its end or its mark. The round is worth
 * what its worst list is worth: one page that does not come, one row or cursor that repeats, and nothing may be concluded.
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
import type { ListCursorStep } from './list-cursor.js';

/** Rows a page. Conversions are few: their newest page is nearly always enough. */
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

/** Lists that there are only where the venue lists own trades. */
const OF_OWN_TRADES: readonly RoundList[] = ['trades', 'sums'];

/**
 * Signed requests of a round whose lists end with their first page: each list, and the looks at orders and, where the venue lists
 * own trades, at those that must come after them.
 */
export function requestsOfRound(ownTrades: boolean): number {
  const lists = Object.keys(CALLS).length + 1;
  return ownTrades ? lists + 2 : lists - OF_OWN_TRADES.length + 1;
}

/** One list being read. */
export interface Reading {
  begin(): void;
  onReport(report: RequestResult): ListCursorStep;
}

/** Lists that a venue may not have: the interface names them and does not show them. */
const OPTIONAL: readonly RoundList[] = ['merges', 'splits', 'redeems'];

export class Round {
  readonly #lists: ReadonlyMap<RoundList, Reading>;
  /** Our clock, ms: when the first request was asked for. */
  readonly #begunMs: number;
  readonly #underWay: Set<RoundList>;
  readonly #absent: RoundList[] = [];
  /** `unsent`: a request never left, so nobody is to blame. */
  #void: { readonly reason: string; readonly unsent: boolean } | null = null;
  /** Asked for beyond the first of each list. */
  #furtherPages = 0;

  constructor(lists: ReadonlyMap<RoundList, Reading>, nowMs: number) {
    this.#lists = lists;
    this.#begunMs = nowMs;
    this.#underWay = new Set(lists.keys());
    for (const reading of lists.values()) reading.begin();
  }

  /** Lists of which the exchange has said that it has none: they are not compared. */
  get absent(): readonly RoundList[] {
    return this.#absent;
  }

  /** The requests of all its lists. `first` is the poll that is due: it is itself the request for the assets. */
  requests(first: PlannedRequest): readonly PlannedRequest[] {
    const further = [...this.#lists.keys()].flatMap((list) =>
      list === 'assets' ? [] : [{ ...first, call: CALLS[list], owner: { kind: 'round' as const, list } }],
    );
    return [first, ...further];
  }

  /** The outcome of a request of its own; no end while something is under way. What comes after it was voided only has to come back. */
  onReport(list: RoundList, report: RequestResult) {
    const reading = must(this.#lists.get(list), `list ${list} of the round`);
    const isAbsent = OPTIONAL.includes(list) && isNoSuchList(report);
    if (isAbsent) this.#absent.push(list);
    const step = this.#void === null && !isAbsent ? reading.onReport(report) : ({ kind: 'complete' } as const);
    if (step.kind === 'more') {
      this.#furtherPages += 1;
      return { requests: [step.next], end: null };
    }
    if (step.kind === 'void') {
      const unsent = report.outcome.kind === 'unknown' && !report.outcome.sent;
      this.#void = { reason: `${list}: ${step.reason}`, unsent };
    }
    this.#underWay.delete(list);
    if (this.#underWay.size > 0) return { requests: [], end: null };
    const furtherPages = this.#furtherPages;
    if (this.#void !== null) return { requests: [], end: { kind: 'void', ...this.#void, furtherPages } as const };
    return { requests: [], end: { kind: 'complete', begunMs: this.#begunMs, furtherPages } as const };
  }
}

/** How a round's lists ended. */
export type RoundEnd = NonNullable<ReturnType<Round['onReport']>['end']>;

const isNoSuchList = ({ outcome }: RequestResult): boolean =>
  outcome.kind === 'refused' && (outcome.status === 404 || outcome.status === 405);

/** Which intervals of `polling` the budget of this profile stretches while orders rest, one sentence; null where it holds them. */
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
