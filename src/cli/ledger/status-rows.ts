/** The running trader's status as `status --json` prints it. Money and amounts are decimal strings, times Unix ms. */

import { formatDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';
import {
  type AccountStatus,
  type BudgetStatus,
  describeQuoting,
  type MarketStatus,
  type TraderStatus,
} from '../../shared/protocol/trader-status.js';
import { agreementText } from '../../trader/reconcile/differences.js';
import { worthOfRequests } from '../../trader/scheduler/request-queue.js';

export type StatusData = ReturnType<typeof makeStatus>;
export type StatusAgreement = ReturnType<typeof makeAgreement>;
export type StatusMarket = ReturnType<typeof makeMarket>;
export type StatusFeed = StatusData['feeds'][number];
export type StatusBudget = ReturnType<typeof makeBudget>;

export function makeStatus({ process, account, markets, dashboard, nowMs, signingRefused }: TraderStatus) {
  const money = (value: Micros | null) => (value === null ? '' : formatDecimal(value));
  const worth = worthOfRequests(account.spent, account.fills, account.resultMicros);
  return {
    mode: account.mode,
    reason: account.reason,
    /** Command that leads back up from this mode; empty when none is needed. */
    way_back: account.wayBack,
    pid: process.pid,
    version: process.version,
    config_file: process.configFile,
    config_hash: process.configHash,
    venue: process.venue,
    base_url: process.baseUrl,
    dashboard,
    started: process.startedMs,
    now: nowMs,
    agreement: makeAgreement(account),
    cash: money(account.cashMicros),
    /** Cash plus holdings at their marks, minus the invested capital. */
    result: money(account.resultMicros),
    open_orders: account.openOrders,
    unknown_orders: account.unknownOrders,
    fills: account.fills,
    signing_refused: signingRefused,
    markets: markets.map(makeMarket),
    /** The user's own fair values; problems are rows and lines that were left out since the start. */
    feeds: account.feeds.map(({ name, current, values, ageMs, problems, trouble }) => ({
      name,
      /** Markets with a current value for strategies. */
      current_markets: current,
      values,
      newest_age_ms: ageMs,
      problems,
      trouble,
    })),
    budget: [makeBudget('public', account.budgets.public), makeBudget('signed', account.budgets.signed)],
    /** Requests of this run by purpose. */
    spent: account.spent.map(({ purpose, lastMinute, total }) => ({ purpose, last_minute: lastMinute, total })),
    marks: makeMarks(account.marks),
    /** Requests per fill and result per request of this run; null without any. */
    requests_per_fill: worth.requestsPerFill,
    value_per_request: worth.valuePerRequest,
  };
}

/**
 * Ledger against exchange in the newest complete round. `open`: differences that no operator has accepted, null before
 * the first.
 */
function makeAgreement({ reconciled, accepted }: AccountStatus) {
  const open = reconciled?.differences.length ?? null;
  const text = open === null ? 'ledger and exchange are not compared yet' : agreementText(open, accepted);
  return { text, open, accepted: accepted.length };
}

/** Observed reliability of the venue's marks; null where they are not used. */
function makeMarks(marks: AccountStatus['marks']) {
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

const HOUR_S = 3600;

/** Currency per hour, by term. */
function hourlyValue({ value, place }: NonNullable<MarketStatus['worth']>) {
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

export function makeMarket(market: MarketStatus) {
  const price = (value: Micros | null) => (value === null ? null : formatDecimal(value));
  return {
    market_condition_id: market.conditionId,
    title: market.title,
    strategy: market.strategies.join(', '),
    /** `quoting`, or the reason why not, in a few words. */
    state: describeQuoting(market),
    bid: price(market.bidMicros),
    ask: price(market.askMicros),
    fair: price(market.fairMicros),
    yes: formatDecimal(market.yesMicros),
    no: formatDecimal(market.noMicros),
    open_orders: market.orders.length,
    /** Value of quoting it; null when unknown. */
    value: market.worth === null ? null : hourlyValue(market.worth),
  };
}
