/** Reads of margin: rows, lists, sums. Read-only. */

import { must } from '../../../shared/base/errors.js';
import { isSettledMarket, type MarketState } from '../../../shared/protocol/states.js';
import type { CoreContext } from '../core-context.js';
import { ok } from '../fault.js';
import type { Market } from '../market.js';
import { asMicros } from '../money.js';
import type { Page, PageQuery } from '../records/queries.js';
import { askedMarket, firstOf, type RecordOfAccount, type Records } from '../records/records.js';
import type { Wire } from '../records/wire-rows.js';
import type { Result } from '../types.js';
import type * as contract from './contract.js';
import type { Margin } from './margin.js';
import type { PositionRecord, RequestRecord, SettlementRecord } from './records.js';
import { checkEstimate } from './request-checks.js';
import { namedMargin } from './requests.js';
import * as rows from './rows.js';

/** Cost and size of a position opened now; refuses the same terms as a request. */
export function estimate({ context }: Margin, terms: contract.EstimateTerms): Result<Wire<'marginEstimate'>> {
  const named = namedMargin(context, terms.marketConditionId);
  if (!named.ok) return named;
  const cost = checkEstimate(terms, named.value.pool);
  return cost.ok ? ok(rows.estimateRow(context, named.value, terms, cost.value)) : cost;
}

/** `open` and `resolved` are the two phases of a margin market; other words match the exact state. */
function isInLife(state: MarketState, asked: MarketState): boolean {
  if (asked === 'open') return !isSettledMarket(state);
  return asked === 'resolved' ? isSettledMarket(state) : state === asked;
}

const NOTHING: contract.MarginPage<never> = { rows: [], next: null };
/** Rows per archive read: these lists have filters that the archive lacks. */
const BLOCK = 100;

/** Records of an account that a list shows; the archive itself filters states and outcomes. */
interface Filter<R> {
  readonly states?: readonly string[] | undefined;
  readonly isYes?: boolean | undefined;
  /** No final record can match: the archive is skipped. */
  readonly isLiveOnly?: boolean;
  readonly accepts: (record: R) => boolean;
}

function marginPage<R extends RecordOfAccount, T>(
  { catalog }: CoreContext,
  records: Records<R>,
  account: number,
  {
    market_condition_id,
    after,
    oldestFirst,
    limit,
  }: contract.MarginPageQuery & { market_condition_id?: string | undefined },
  { states, isYes, isLiveOnly, accepts }: Filter<R>,
  toRow: (record: R) => T,
): contract.MarginPage<T> {
  const market = askedMarket(catalog, market_condition_id);
  if (market === null) return NOTHING;
  const asked = { account, market, states, isYes, from: after?.sortValue, oldestFirst };
  const { rows, last } = firstOf(accepted(records.list(asked, BLOCK, isLiveOnly), accepts), limit);
  return { rows: rows.map(toRow), next: last === null ? null : { pubkey: last.pubkey, sortValue: last.id } };
}

function* accepted<R>(records: Iterable<R>, accepts: (record: R) => boolean): Generator<R> {
  for (const record of records) if (accepts(record)) yield record;
}

/** One page of an account's position requests. */
export function requestPage(
  { context, requests }: Margin,
  account: number,
  query: contract.MarginQuery<'requests.list'>,
) {
  const { states, is_yes: isYes, leverage } = query;
  const accepts = (record: RequestRecord) => leverage === undefined || record.leverage === leverage;
  const filter = { states, isYes, accepts };
  return marginPage(context, requests.records, account, query, filter, (record) => rows.requestRow(context, record));
}

/** One page of an account's positions. */
export function positionPage(
  { context, positions }: Margin,
  account: number,
  query: contract.MarginQuery<'positions.list'>,
) {
  const { is_closed: isClosed, event_condition_id: eventId } = query;
  const event = eventId === undefined ? undefined : context.catalog.findEventIndex(eventId);
  if (event === null) return NOTHING;
  const accepts = ({ end, market }: PositionRecord) =>
    (isClosed === undefined || (end !== null) === isClosed) &&
    (event === undefined || context.catalog.market(market).card.eventIndex === event);
  const filter = { accepts, isLiveOnly: isClosed === false };
  return marginPage(context, positions.records, account, query, filter, (record) => rows.positionRow(context, record));
}

/** One page of an account's settlements. */
export function settlementPage(
  margin: Margin,
  account: number,
  query: contract.MarginQuery<'settlements.list'>,
): contract.MarginPage<Wire<'settlementRow'>> {
  const { context, settlements } = margin;
  const { position_pubkey: positionPubkey, states, market_state: marketState, position_leverage: leverage } = query;
  const accepts = (record: SettlementRecord): boolean =>
    (marketState === undefined || isInLife(context.catalog.market(record.market).state, marketState)) &&
    (leverage === undefined || record.leverage === leverage);
  const toRow = (record: SettlementRecord) => settlementRow(margin, record);
  if (positionPubkey !== undefined) {
    // At most one: no list is walked, and no page follows.
    const record = query.after === undefined ? settlements.records.find(account, positionPubkey) : null;
    const market = askedMarket(context.catalog, query.market_condition_id);
    const isAsked = record !== null && accepts(record) && (states?.includes(record.state) ?? true);
    return isAsked && (market ?? record.market) === record.market && market !== null
      ? { rows: [toRow(record)], next: null }
      : NOTHING;
  }
  return marginPage(context, settlements.records, account, query, { states, accepts }, toRow);
}

function settlementRow({ context, positions }: Margin, record: SettlementRecord): Wire<'settlementRow'> {
  const position = must(positions.records.get(record.position), `position ${record.position}`);
  return rows.settlementRow(context, record, position);
}

/** Activities of a market, newest first; at most the ring's length. */
export function activityPage(
  { context }: Margin,
  market: Market,
  { limit, beforeId, activity_type: type }: PageQuery<'markets.marginActivity'>,
  userName: (account: number) => string,
): Page<Wire<'marginActivityRow'>> {
  const found: Wire<'marginActivityRow'>[] = [];
  let lastId = 0;
  for (const activity of market.margin?.activity.before(beforeId) ?? []) {
    if (type !== undefined && activity.type !== type) continue;
    if (found.length === limit) return { rows: found, nextBeforeId: lastId };
    found.push(rows.activityRow(context, market, activity, userName(activity.account)));
    lastId = activity.id;
  }
  return { rows: found, nextBeforeId: null };
}

/** Costs only live records: at most two open positions per market; settled ones are in a running sum. */
export function marginPnl(
  { context, realized, requests, positions, settlements }: Margin,
  account: number,
  markets?: readonly number[],
): contract.MarginPnl {
  const asked = markets === undefined ? null : new Set(markets);
  const isAsked = (record: { readonly market: number }) => asked === null || asked.has(record.market);
  let [unrealized, openingFees, held] = [0, 0, 0];
  for (const request of requests.records.listLive(account)) {
    if (isAsked(request) && request.isFunded) held += request.reserved;
  }
  for (const position of positions.records.listLive(account)) {
    if (!isAsked(position) || position.end !== null) continue;
    unrealized += rows.unrealizedPnl(context, position);
    openingFees += position.openingFee;
    held += position.userLiquidity;
  }
  for (const settlement of settlements.records.listLive(account)) if (isAsked(settlement)) held += settlement.payout;
  return {
    settlements: asMicros(realized.of(account, markets)),
    unrealized: asMicros(unrealized),
    openingFees: asMicros(openingFees),
    held: asMicros(held),
  };
}
