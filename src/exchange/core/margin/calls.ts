/** Margin as calls of the core: time passes, then the subsystem that knows the rules decides. */

import { ONE } from '../../../shared/base/micros.js';
import { isSettledMarket } from '../../../shared/protocol/states.js';
import { Clockwork } from '../advance-time.js';
import type { CoreContext } from '../core-context.js';
import { invalid, ok, refuse } from '../fault.js';
import { asMicros } from '../money.js';
import { detailRow } from '../records/market-rows.js';
import type { Page } from '../records/queries.js';
import type { WireDetail } from '../records/wire-rows.js';
import type { AccountSlot, MarketIndex, Result } from '../types.js';
import type * as contract from './contract.js';
import * as reads from './reads.js';
import { cancelledRequestRow, positionRow, requestRow, tpSlRow } from './rows.js';

/** The calls of the core that concern leveraged positions. */
export class MarginCalls extends Clockwork implements contract.MarginMutators, contract.MarginReads {
  setReferencePrice(nowMs: number, conditionId: string, price: number): Result<WireDetail> {
    this.reach(nowMs);
    const { margin, context } = this.parts;
    const market = context.catalog.byId(conditionId);
    if (market === null) return refuse('not_found');
    if (market.margin === null) return invalid('condition_id', 'This market does not trade on margin.');
    if (!Number.isSafeInteger(price) || price <= 0 || price >= ONE)
      return invalid('price', 'Must lie between 0 and 1.');
    if (isSettledMarket(market.state)) return invalid('price', `The market is ${market.state} for good.`);
    margin.moveReference(market, price);
    return ok(detailRow(context.catalog, market));
  }

  draftMarginRequest(nowMs: number, account: AccountSlot, terms: contract.MarginTerms): Result<contract.WireRequest> {
    this.reach(nowMs);
    return this.#map(this.parts.margin.requests.draft(account, terms), requestRow);
  }

  submitMarginRequest(
    nowMs: number,
    account: AccountSlot,
    pubkey: string,
    signatureValid: boolean,
  ): Result<contract.WireRequest> {
    this.reach(nowMs);
    return this.#map(this.parts.margin.requests.submit(account, pubkey, signatureValid), requestRow);
  }

  cancelMarginRequest(nowMs: number, account: AccountSlot, pubkey: string): Result<contract.WireCancelledRequest> {
    this.reach(nowMs);
    return this.#map(this.parts.margin.requests.cancel(account, pubkey), cancelledRequestRow);
  }

  closePosition(nowMs: number, account: AccountSlot, pubkey: string, price: number | null): Result<contract.WireClose> {
    this.reach(nowMs);
    const closed = this.parts.margin.positions.close(account, pubkey, price);
    return this.#map(closed, (_, { position, closeType }) => ({
      close_type: closeType,
      position_pubkey: position.pubkey,
      is_closed: position.end !== null,
    }));
  }

  setTpSl(nowMs: number, account: AccountSlot, pubkey: string, change: contract.TpSlChange): Result<contract.WireTpSl> {
    this.reach(nowMs);
    return this.#map(this.parts.margin.positions.setTpSl(account, pubkey, change), (_, tpSl) => tpSlRow(tpSl));
  }

  deleteTpSl(nowMs: number, account: AccountSlot, pubkey: string): Result<contract.WireTpSl> {
    this.reach(nowMs);
    return this.#map(this.parts.margin.positions.deleteTpSl(account, pubkey), (_, tpSl) => tpSlRow(tpSl));
  }

  /** A position that is known but has no settlement yet is open: named as what is wrong, not as not found. */
  claimSettlement(nowMs: number, account: AccountSlot, positionPubkey: string): Result<contract.WireClaim> {
    this.reach(nowMs);
    const { settlements, positions } = this.parts.margin;
    const settlement = settlements.find(account, positionPubkey);
    if (settlement === null) {
      if (positions.records.find(account, positionPubkey) === null) return refuse('not_found');
      return invalid('pubkey', 'The position is open: there is nothing to claim.');
    }
    return this.#map(settlements.claim(settlement), (_, { pubkey, state }) => ({ position_pubkey: pubkey, state }));
  }

  #map<T, U>(result: Result<T>, row: (context: CoreContext, value: T) => U): Result<U> {
    return result.ok ? ok(row(this.parts.context, result.value)) : result;
  }

  marginEstimate(terms: contract.EstimateTerms): Result<contract.WireEstimate> {
    return reads.estimate(this.parts.margin, terms);
  }

  marginRequest(account: AccountSlot, pubkey: string): contract.WireRequest | null {
    const record = this.parts.margin.requests.records.find(account, pubkey);
    return record === null ? null : requestRow(this.parts.context, record);
  }

  marginRequests(account: AccountSlot, query: contract.RequestQuery): contract.MarginPage<contract.WireRequest> {
    return reads.requestPage(this.parts.margin, account, query);
  }

  position(account: AccountSlot, pubkey: string): contract.WirePosition | null {
    const position = this.parts.margin.positions.records.find(account, pubkey);
    return position === null ? null : positionRow(this.parts.context, position);
  }

  positions(account: AccountSlot, query: contract.PositionQuery): contract.MarginPage<contract.WirePosition> {
    return reads.positionPage(this.parts.margin, account, query);
  }

  settlements(account: AccountSlot, query: contract.SettlementQuery): contract.MarginPage<contract.WireSettlement> {
    return reads.settlementPage(this.parts.margin, account, query);
  }

  marginActivity(market: MarketIndex, query: contract.ActivityQuery): Page<contract.WireActivity> {
    const { margin, context, identity } = this.parts;
    return reads.activityPage(
      margin,
      context.catalog.market(market),
      query,
      (account) => identity.account(account).name,
    );
  }

  marginPnl(account: AccountSlot, markets?: readonly MarketIndex[]): contract.MarginPnl {
    return reads.marginPnl(this.parts.margin, account, markets);
  }

  get marginHeld() {
    return asMicros(this.parts.margin.held);
  }
}
