/** The running trader's status, as the control socket answers it. Money and amounts are decimal strings, times Unix ms. */

import { formatDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';
import type { FeedSnapshot } from '../../trader/engine/feeds.js';
import type { AccountSnapshot, MarketSnapshot, Snapshot } from '../../trader/engine/snapshot.js';
import { agreementText } from '../../trader/reconcile/differences.js';
import { type BudgetStatus, worthOfRequests } from '../../trader/scheduler/request-queue.js';

export type StatusData = ReturnType<typeof makeStatus>;
export type StatusAgreement = ReturnType<typeof makeAgreement>;
export type StatusMarket = ReturnType<typeof makeMarket>;
export type StatusValue = ReturnType<typeof hourlyValue>;
export type StatusFeed = ReturnType<typeof makeFeed>;
export type StatusBudget = ReturnType<typeof makeBudget>;

/** What only the process around the trader knows. */
export interface StatusFrame {
  readonly version: string;
  readonly baseUrl: string;
  readonly startedMs: number;
  readonly nowMs: number;
  /** Address of the page, without what opens it; null when there is none. */
  readonly dashboard: string | null;
  readonly config: { readonly file: string; readonly configHash: string; readonly venue: { readonly name: string } };
  /** Drafts that the signer refused, over all runs of this ledger. */
  readonly signingRefused: number;
  readonly feeds: readonly FeedSource[];
}

interface FeedSource {
  readonly name: string;
  readonly problems: number;
  readonly trouble: string | null;
}

export function makeStatus(now: Snapshot, frame: StatusFrame) {
  const { config, version, baseUrl, startedMs, nowMs, dashboard, signingRefused, feeds } = frame;
  const money = (value: Micros | null) => (value === null ? '' : formatDecimal(value));
  const worth = worthOfRequests(now.spent, now.fills, now.resultMicros);
  return {
    mode: now.mode as string,
    reason: now.reason,
    /** The command that leads back up from this mode; empty when none is needed. */
    way_back: now.wayBack,
    pid: process.pid,
    version,
    config_file: config.file,
    config_hash: config.configHash,
    venue: config.venue.name,
    base_url: baseUrl,
    dashboard,
    started: startedMs,
    now: nowMs,
    agreement: makeAgreement(now),
    cash: money(now.cashMicros),
    /** Cash plus holdings at their marks, minus the capital put in. */
    result: money(now.resultMicros),
    open_orders: now.openOrders,
    unknown_orders: now.unknownOrders,
    fills: now.fills,
    signing_refused: signingRefused,
    markets: now.markets.map(makeMarket),
    feeds: now.feeds.map((feed) => makeFeed(feed, feeds)),
    budget: [makeBudget('public', now.budgets.public), makeBudget('signed', now.budgets.signed)],
    /** What requests of this run were spent on. */
    spent: now.spent.map(({ purpose, lastMinute, total }) => ({ purpose, last_minute: lastMinute, total })),
    marks: makeMarks(now.marks),
    /** Requests of this run for each of its fills, and result for each of its requests; null before there are any. */
    requests_per_fill: worth.requestsPerFill,
    value_per_request: worth.valuePerRequest,
  };
}

/** Ledger against exchange, as of the newest complete round. `open`: differences that no operator has accepted, null before the first. */
export function makeAgreement({ reconciled, accepted }: Pick<AccountSnapshot, 'reconciled' | 'accepted'>) {
  const open = reconciled?.differences.length ?? null;
  const text = open === null ? 'ledger and exchange are not compared yet' : agreementText(open, accepted);
  return { text, open, accepted: accepted.length };
}

/** What looks have shown of the venue's marks; null where they are not to be used. */
function makeMarks(marks: Snapshot['marks']) {
  if (marks === null) return null;
  const { isBelieved: believed, told, precision, recall } = marks;
  return { believed, told, precision, recall };
}

/** Requests in the current minute. */
const makeBudget = (scope: string, { limit, available: left }: BudgetStatus) => ({
  scope,
  limit,
  remaining: Math.max(0, left),
});

/** A source of the user's own fair values; its problems are rows and lines that were left out since the start. */
export function makeFeed({ name, current, values, ageMs }: FeedSnapshot, sources: readonly FeedSource[]) {
  const source = sources.find((one) => one.name === name);
  return {
    name,
    /** Markets with a current value for strategies. */
    current_markets: current,
    values,
    newest_age_ms: ageMs,
    problems: source?.problems ?? 0,
    trouble: source?.trouble ?? null,
  };
}

const HOUR_S = 3600;

/** Currency an hour, and its terms. */
function hourlyValue({ value, place }: NonNullable<MarketSnapshot['worth']>) {
  const { edge, stale, looks, moves, fills, reserve, currency, net } = value;
  return {
    /** 1 for the most valuable. */
    place,
    net: net * HOUR_S,
    edge: edge * HOUR_S,
    stale: stale * HOUR_S,
    looks: looks * HOUR_S,
    moves: moves * HOUR_S,
    fills: fills * HOUR_S,
    reserve: reserve * HOUR_S,
    currency: currency * HOUR_S,
    look_every_s: value.lookEveryS,
    fills_an_hour: value.fillsPerS * HOUR_S,
    currency_bound: value.currencyBound,
  };
}

function makeMarket(market: MarketSnapshot) {
  const price = (value: Micros | null) => (value === null ? null : formatDecimal(value));
  return {
    market_condition_id: market.conditionId,
    title: market.title,
    strategy: market.strategies.join(', '),
    /** `quoting`, or why not, in a few words. */
    state: market.openOrders > 0 && market.fairMicros !== null ? 'quoting' : market.note,
    bid: price(market.bidMicros),
    ask: price(market.askMicros),
    fair: price(market.fairMicros),
    yes: formatDecimal(market.yesMicros),
    no: formatDecimal(market.noMicros),
    open_orders: market.openOrders,
    /** What quoting it is worth; null where that is not known. */
    value: market.worth === null ? null : hourlyValue(market.worth),
  };
}
