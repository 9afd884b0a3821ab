/**
 * A user's money is locked in the account until a request is funded. After the funding the pool holds this money until
 * a refund or a payout. At any time, deposits = currency of all accounts + fees + `held` and `balance` of all pools.
 */

import { must } from '../../../shared/base/errors.js';
import { ONE } from '../../../shared/base/micros.js';
import { isSettledMarket, type MarketState } from '../../../shared/protocol/states.js';
import {
  type EstimateTerms,
  type FiltersOf,
  invalid,
  type MarginPage,
  type MarginPageQuery,
  type MarketIndex,
  mapResult,
  ok,
  type PageQuery,
  type Result,
  refuse,
  type Wire,
} from '../contract.js';
import type { CoreContext } from '../core-context.js';
import type { Market } from '../market.js';
import { asMicros } from '../money.js';
import type { ArchiveQuery, RecordOfAccount } from '../records/archive.js';
import { detailRow } from '../records/market-rows.js';
import { askedMarket, firstOf, type Records } from '../records/records.js';
import { checkEstimate } from './checks.js';
import { Positions, Settlements } from './positions.js';
import type { PositionRecord, RequestRecord, SettlementRecord } from './records.js';
import { namedMargin, PositionRequests } from './requests.js';
import * as rows from './rows.js';

/** Size, start, direction and filters of one page of a margin list. */
type MarginQuery<N extends 'requests.list' | 'positions.list' | 'settlements.list'> = FiltersOf<N> & MarginPageQuery;

/** Leveraged positions against pools. Requests open positions, which end in settlements. */
export class Margin {
  readonly context: CoreContext;
  readonly settlements: Settlements;
  readonly positions: Positions;
  readonly requests: PositionRequests;

  constructor(context: CoreContext) {
    this.context = context;
    this.settlements = new Settlements(context, ({ position }) =>
      must(this.positions.get(position), `position ${position}`),
    );
    this.positions = new Positions(context, this.settlements);
    this.requests = new PositionRequests(context, this.positions);
  }

  stepSettlement(id: number): void {
    const position = this.settlements.step(id);
    if (position !== null) this.positions.onClaim(position);
  }

  setReferencePrice(conditionId: string, price: number): Result<Wire<'marketDetail'>> {
    const { catalog, nowMs } = this.context;
    const market = catalog.byId(conditionId);
    if (market === null) return refuse('not_found');
    if (market.margin === null) return invalid('condition_id', 'This market does not trade on margin.');
    if (!Number.isSafeInteger(price) || price <= 0 || price >= ONE)
      return invalid('price', 'Must lie between 0 and 1.');
    if (isSettledMarket(market.state)) return invalid('price', `The market is ${market.state}, which is final.`);
    market.margin.referencePrice = price;
    market.tape.candles.write(nowMs, price, 0);
    this.sweep(market);
    return ok(detailRow(catalog, market));
  }

  /** Claims the settlement of a position. Refuses an open position, because it has no settlement yet. */
  claimSettlement(account: number, positionPubkey: string): Result<Wire<'claimResult'>> {
    const settlement = this.settlements.find(account, positionPubkey);
    if (settlement !== null) {
      const claimed = this.settlements.claim(settlement);
      return mapResult(claimed, ({ pubkey, state }) => ({ position_pubkey: pubkey, state }));
    }
    if (this.positions.find(account, positionPubkey) === null) return refuse('not_found');
    return invalid('pubkey', 'The position is open: there is nothing to claim.');
  }

  /** Checks all positions, then all requests, in order of creation; called when price or trading state changes. */
  sweep(market: Market): void {
    const pool = market.margin;
    if (pool === null || !market.isTradable) return;
    this.positions.sweep(pool);
    for (const id of pool.requestIds()) {
      const request = this.requests.live(id);
      if (request !== null) this.requests.tryFill(request);
    }
  }

  marketMoved(market: Market, isSettled: boolean): void {
    const pool = market.margin;
    if (pool === null) return;
    if (market.state !== 'open') this.requests.refundAll(pool.requestIds());
    if (isSettled) this.positions.settle({ market, pool });
    this.sweep(market);
  }

  /** Currency of all pools, which is outside all accounts. */
  get held(): number {
    let sum = 0;
    for (const { margin } of this.context.catalog.markets) if (margin !== null) sum += margin.held + margin.balance;
    return sum;
  }

  /** Estimates cost and size of a position that opens now. Refuses the same terms as a position request. */
  estimate(terms: EstimateTerms): Result<Wire<'marginEstimate'>> {
    const named = namedMargin(this.context, terms.marketConditionId);
    if (!named.ok) return named;
    const cost = checkEstimate(terms, named.value.pool);
    return cost.ok ? ok(rows.estimateRow(this.context, named.value, terms, cost.value)) : cost;
  }

  requestPage(account: number, query: MarginQuery<'requests.list'>): MarginPage<Wire<'requestRow'>> {
    const { states, is_yes: isYes, leverage } = query;
    const accepts = (record: RequestRecord) => leverage === undefined || record.leverage === leverage;
    return this.#page(this.requests, account, query, { states, isYes, accepts });
  }

  positionPage(account: number, query: MarginQuery<'positions.list'>): MarginPage<Wire<'positionRow'>> {
    const { catalog } = this.context;
    const { is_closed: isClosed, event_condition_id: eventId } = query;
    const event = eventId === undefined ? undefined : catalog.findEventIndex(eventId);
    if (event === null) return NOTHING;
    const accepts = ({ end, market }: PositionRecord) =>
      (isClosed === undefined || (end !== null) === isClosed) &&
      (event === undefined || catalog.market(market).card.eventIndex === event);
    return this.#page(this.positions, account, query, { accepts, isLiveOnly: isClosed === false });
  }

  settlementPage(account: number, query: MarginQuery<'settlements.list'>): MarginPage<Wire<'settlementRow'>> {
    const { catalog } = this.context;
    const { position_pubkey: positionPubkey, states, market_state: marketState, position_leverage: leverage } = query;
    const accepts = (record: SettlementRecord): boolean =>
      (marketState === undefined || isInLife(catalog.market(record.market).state, marketState)) &&
      (leverage === undefined || record.leverage === leverage);
    const { settlements } = this;
    if (positionPubkey === undefined) return this.#page(settlements, account, query, { states, accepts });
    // A position has at most one settlement, so its list has one page.
    const record = query.after === undefined ? settlements.find(account, positionPubkey) : null;
    const market = askedMarket(catalog, query.market_condition_id);
    const isAsked = record !== null && accepts(record) && (states?.includes(record.state) ?? true);
    return isAsked && (market ?? record.market) === record.market && market !== null
      ? { rows: [settlements.toRow(record)], next: null }
      : NOTHING;
  }

  #page<R extends RecordOfAccount & { readonly market: number }, T>(
    records: Records<R, T>,
    account: number,
    query: MarginPageQuery & { readonly market_condition_id?: string | undefined },
    { states, isYes, isLiveOnly, accepts }: Filter<R>,
  ): MarginPage<T> {
    const market = askedMarket(this.context.catalog, query.market_condition_id);
    if (market === null) return NOTHING;
    const { after, oldestFirst, limit } = query;
    const asked = { account, market, states, isYes, from: after?.sortValue, oldestFirst };
    const { rows, last } = firstOf(accepted(records.list(asked, BLOCK, isLiveOnly), accepts), limit);
    return { rows: rows.map(records.toRow), next: last === null ? null : { pubkey: last.pubkey, sortValue: last.id } };
  }

  /** Returns a margin market's activities, newest first. A market keeps its newest 1,000 activities. */
  activityPage(index: MarketIndex, { limit, beforeId, activity_type: type }: PageQuery<'markets.marginActivity'>) {
    const market = this.context.catalog.market(index);
    const found: Wire<'marginActivityRow'>[] = [];
    let lastId = 0;
    for (const activity of market.margin?.activity.before(beforeId) ?? []) {
      if (type !== undefined && activity.type !== type) continue;
      if (found.length === limit) return { rows: found, nextBeforeId: lastId };
      found.push(
        rows.activityRow(this.context, market, activity, this.context.identity.account(activity.account).name),
      );
      lastId = activity.id;
    }
    return { rows: found, nextBeforeId: null };
  }

  /** Margin results of an account in the given markets, or in all markets if `markets` is absent. */
  pnl(account: number, markets?: readonly MarketIndex[]) {
    const { context, requests, positions, settlements } = this;
    const asked = markets === undefined ? null : new Set(markets);
    const isAsked = (record: { readonly market: number }) => asked === null || asked.has(record.market);
    let [unrealized, openingFees, held] = [0, 0, 0];
    for (const request of requests.listLive(account))
      if (isAsked(request) && request.isFunded) held += request.reserved;
    for (const position of positions.listLive(account)) {
      if (!isAsked(position) || position.end !== null) continue;
      unrealized += rows.unrealizedPnl(context, position);
      openingFees += position.openingFee;
      held += position.userLiquidity;
    }
    for (const settlement of settlements.listLive(account)) if (isAsked(settlement)) held += settlement.payout;
    return {
      /** Profit of ended positions after fees: the sum of `total_pnl` over all settlements in any state. */
      settlements: asMicros(settlements.realized.of(account, markets)),
      /** Sum of `unrealized_pnl` of the account's open positions. */
      unrealized: asMicros(unrealized),
      /** Opening fees of open positions. When a position ends, its fee becomes part of `settlements`. */
      openingFees: asMicros(openingFees),
      /** The account's currency in funded requests, open positions and unpaid settlements; not part of its funds. */
      held: asMicros(held),
    };
  }

  dump() {
    return {
      requests: this.requests.dump(),
      positions: this.positions.dump(),
      settlements: this.settlements.dump(),
      realized: this.settlements.realized.dump(),
    };
  }

  /** Must be called after the markets are loaded, because positions and requests are added to the markets' pools. */
  load(dump: ReturnType<Margin['dump']>): void {
    this.requests.load(dump.requests);
    this.positions.load(dump.positions);
    this.settlements.load(dump.settlements);
    this.settlements.realized.load(dump.realized);
  }
}

/** True if a state matches a filter: `open` means unsettled, `resolved` settled, any other filter an equal state. */
function isInLife(state: MarketState, asked: MarketState): boolean {
  if (asked === 'open') return !isSettledMarket(state);
  return asked === 'resolved' ? isSettledMarket(state) : state === asked;
}

const NOTHING: MarginPage<never> = { rows: [], next: null };
/** Number of archive rows per read; more than a page, because some filters are applied after the read. */
const BLOCK = 100;

/** Filters of a margin list. The archive applies only `states` and `isYes`. */
interface Filter<R> extends Pick<ArchiveQuery, 'states' | 'isYes'> {
  /** True if no final record can match the filters. The archive is then not read. */
  readonly isLiveOnly?: boolean;
  readonly accepts: (record: R) => boolean;
}

function* accepted<R>(records: Iterable<R>, accepts: (record: R) => boolean): Generator<R> {
  for (const record of records) if (accepts(record)) yield record;
}
