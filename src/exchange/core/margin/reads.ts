/** What is read of margin: rows, lists, sums. Nothing here changes anything. */

import { must } from '../../../shared/base/errors.js';
import { isSettledMarket, type MarketState } from '../../../shared/protocol/states.js';
import { ok } from '../fault.js';
import type { Market } from '../market.js';
import { asMicros } from '../money.js';
import type { Page } from '../records/queries.js';
import type { Result } from '../types.js';
import type * as contract from './contract.js';
import { makeFilter, marginPage, NOTHING } from './lists.js';
import type { Margin } from './margin.js';
import type { SettlementRecord } from './records.js';
import { checkEstimate } from './request-checks.js';
import { namedMargin } from './requests.js';
import * as rows from './rows.js';

/**
 * What a position would cost and hold if it were opened at this moment; refuses terms that a request would be refused
 * for.
 */
export function estimate({ context }: Margin, terms: contract.EstimateTerms): Result<contract.WireEstimate> {
  const named = namedMargin(context, terms.marketConditionId);
  if (!named.ok) return named;
  const cost = checkEstimate(terms, named.value.pool);
  return cost.ok ? ok(rows.estimateRow(context, named.value, terms, cost.value)) : cost;
}

/** `open` and `resolved` are the two halves of a margin market's life; every other word is just that state. */
function isInLife(state: MarketState, asked: MarketState): boolean {
  if (asked === 'open') return !isSettledMarket(state);
  return asked === 'resolved' ? isSettledMarket(state) : state === asked;
}

/** One page of an account's position requests. */
export function requestPage(
  { context, requests }: Margin,
  account: number,
  query: contract.RequestQuery,
): contract.MarginPage<contract.WireRequest> {
  const { states, isYes, leverage } = query;
  const filter = makeFilter(context.catalog, account, query);
  return marginPage(
    {
      archive: context.archive,
      recordKind: 'request',
      records: requests.records,
      accepts: (record) =>
        (states === undefined || states.includes(record.state)) &&
        (isYes === undefined || record.isYes === isYes) &&
        (leverage === undefined || record.leverage === leverage),
    },
    filter === null ? null : { ...filter, states, isYes },
    query,
    (record) => rows.requestRow(context, record),
  );
}

/** One page of an account's positions. */
export function positionPage(
  { context, positions }: Margin,
  account: number,
  query: contract.PositionQuery,
): contract.MarginPage<contract.WirePosition> {
  const { isClosed, eventConditionId } = query;
  const event = eventConditionId === undefined ? undefined : context.catalog.findEventIndex(eventConditionId);
  if (event === null) return NOTHING;
  return marginPage(
    {
      archive: context.archive,
      recordKind: 'position',
      records: positions.records,
      accepts: (position) =>
        (isClosed === undefined || (position.end !== null) === isClosed) &&
        (event === undefined || context.catalog.market(position.market).card.eventIndex === event),
      isLiveOnly: isClosed === false,
    },
    makeFilter(context.catalog, account, query),
    query,
    (position) => rows.positionRow(context, position),
  );
}

/** One page of an account's settlements. */
export function settlementPage(
  margin: Margin,
  account: number,
  query: contract.SettlementQuery,
): contract.MarginPage<contract.WireSettlement> {
  const { context, settlements } = margin;
  const { positionPubkey, states, marketState, leverage } = query;
  const filter = makeFilter(context.catalog, account, query);
  const accepts = (record: SettlementRecord): boolean =>
    (states === undefined || states.includes(record.state)) &&
    (marketState === undefined || isInLife(context.catalog.market(record.market).state, marketState)) &&
    (leverage === undefined || record.leverage === leverage);
  const toRow = (record: SettlementRecord) => settlementRow(margin, record);
  if (positionPubkey !== undefined) {
    // There is one at most: no list is gone through, and there is nothing behind it.
    const record = query.after === undefined ? settlements.find(account, positionPubkey) : null;
    const isAsked = record !== null && accepts(record) && (filter?.market ?? record.market) === record.market;
    return isAsked && filter !== null ? { rows: [toRow(record)], next: null } : NOTHING;
  }
  return marginPage(
    { archive: context.archive, recordKind: 'settlement', records: settlements.records, accepts },
    filter === null ? null : { ...filter, states },
    query,
    toRow,
  );
}

function settlementRow({ context, positions }: Margin, record: SettlementRecord): contract.WireSettlement {
  const position = must(positions.records.get(record.position), `position ${record.position}`);
  return rows.settlementRow(context, record, position);
}

/** Activities of a market, newest first; at most as many as its ring keeps. */
export function activityPage(
  { context }: Margin,
  market: Market,
  { limit, beforeId, type }: contract.ActivityQuery,
  userName: (account: number) => string,
): Page<contract.WireActivity> {
  const found: contract.WireActivity[] = [];
  let lastId = 0;
  for (const activity of market.margin?.activity.before(beforeId) ?? []) {
    if (type !== undefined && activity.type !== type) continue;
    if (found.length === limit) return { rows: found, nextBeforeId: lastId };
    found.push(rows.activityRow(context, market, activity, userName(activity.account)));
    lastId = activity.id;
  }
  return { rows: found, nextBeforeId: null };
}

/** Costs what is live: open positions are two a market at most, and settled ones count in a running sum. */
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
