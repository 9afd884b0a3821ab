/**
 * Requests for margin positions, from draft to opened position. Each change of a request's state takes `landing_ms`:
 *
 *     created -(submit)-> funding_processing -> processing -> order_placed -> completed
 *     created -(not signed in time)-> failed;  -(market does not trade at the submit)-> failed
 *     created, funding_processing -(cancel)-> cancelled
 *     funding_processing, processing, order_placed -(market leaves `open`, nothing to buy)-> refund_processing -> failed
 *
 * A request's draft locks its maximum cost, `reserved`. From `processing` on, the pool holds the money. In the state
 * `completed`, the fee is paid and unused money is returned. In the state `failed`, the refund has arrived. In
 * `order_placed`, a limit request waits for its price without a time limit.
 */

import type { DraftTerms } from '../../../shared/protocol/drafts/draft-text.js';
import type { RequestState } from '../../../shared/protocol/states.js';
import { makeName } from '../catalog.js';
import { badSignature, invalid, type MarginRequest, ok, type Result, refuse, type Wire } from '../contract.js';
import { type CoreContext, landsMs, openDraft } from '../core-context.js';
import { Records } from '../records/records.js';
import { checkTerms, costWithFee, type MarginMarket, marginMarket } from './checks.js';
import type { Positions } from './positions.js';
import type { RequestRecord } from './records.js';
import { requestRow } from './rows.js';

/** Processes and cancels requests for positions. */
export class PositionRequests extends Records<RequestRecord, Wire<'requestRow'>> {
  readonly #positions: Positions;

  constructor(context: CoreContext, positions: Positions) {
    super(context, {
      recordKind: 'request',
      facets: ({ market, state, isYes }) => ({ market, state, isYes, side: null }),
      toRow: (record) => requestRow(context, record),
    });
    this.#positions = positions;
  }

  /**
   * Drafts a position request and locks its maximum cost. Drafts are checked in this order: signing service, market,
   * leverage, sizes, take profit and stop loss, market open, balance.
   */
  draft(account: number, terms: MarginRequest): Result<Wire<'requestRow'>> {
    const context = this.context;
    if (!context.signingAvailable) return refuse('gringotts_unavailable');
    const named = namedMargin(context, terms.marketConditionId);
    if (!named.ok) return named;
    const { market, pool } = named.value;
    const cost = checkTerms(terms, pool);
    if (!cost.ok) return cost;
    if (!market.isTradable) return refuse('order_market_not_open');
    const reserved = costWithFee(cost.value);
    if (context.funds.available(account) < reserved) return refuse('order_insufficient_funds');
    const id = this.nextId();
    const { pubkey, message, expiresMs } = openDraft(context, 'request', id, account, market, draftTerms(terms));
    const isLimit = terms.type === 'limit';
    const record: RequestRecord = {
      id,
      pubkey,
      account,
      market: market.index,
      isYes: terms.isYes,
      type: terms.type,
      leverage: terms.leverage,
      funds: isLimit ? null : terms.funds,
      price: isLimit ? terms.price : null,
      shares: isLimit ? terms.shares : null,
      takeProfit: terms.takeProfit ?? null,
      stopLoss: terms.stopLoss ?? null,
      message,
      createdMs: context.nowMs,
      reserved,
      state: 'created',
      orderState: null,
      isExpired: false,
      isFunded: false,
      fundingTxid: null,
      refundTxid: null,
      stepMs: expiresMs,
    };
    this.keep(record);
    context.funds.lock(account, reserved);
    return ok(this.toRow(record));
  }

  submit(account: number, pubkey: string, signatureValid: boolean): Result<Wire<'requestRow'>> {
    const record = this.find(account, pubkey);
    if (record === null) return refuse('not_found');
    if (record.isExpired) return refuse('program_call_has_expired');
    if (record.state !== 'created') return refuse('invalid_program_call_status');
    if (!signatureValid) return badSignature();
    const { market, pool } = marginMarket(this.context, record.market);
    if (!market.isTradable) {
      this.#end(record, 'failed');
      return refuse('order_market_not_open');
    }
    pool.pendingRequests.add(record.id);
    this.#become(record, 'funding_processing');
    return ok(this.toRow(record));
  }

  cancel(account: number, pubkey: string): Result<Wire<'cancelledRequestRow'>> {
    const record = this.find(account, pubkey);
    if (record === null) return refuse('not_found');
    if (record.state !== 'created' && record.state !== 'funding_processing')
      return invalid('pubkey', `A request that is ${record.state} can no longer be cancelled.`);
    // The interface requires the state `cancelled` at once. The money is still in the account, so no refund is needed.
    this.#end(record, 'cancelled');
    return ok(cancelledRequestRow(this.context, record));
  }

  /** Changes the state of a request that is due at `dueMs`, unless another event has already changed it. */
  step(id: number, dueMs: number): void {
    const record = this.live(id);
    if (record === null || record.stepMs !== dueMs) return;
    switch (record.state) {
      case 'created':
        record.isExpired = true;
        return this.#end(record, 'failed');
      case 'funding_processing':
        return this.#fund(record);
      case 'processing':
        record.orderState = 'open';
        return this.#become(record, 'order_placed');
      case 'order_placed':
        record.stepMs = null;
        return this.tryFill(record);
      case 'refund_processing':
        // Only a funded request has a refund transaction.
        if (record.isFunded) record.refundTxid = makeName(this.context.settings.seed, 'refund', id);
        return this.#end(record, 'failed');
      default:
        return;
    }
  }

  #become(record: RequestRecord, state: RequestState): void {
    record.state = state;
    record.stepMs = landsMs(this.context);
    this.context.timers.put(record.stepMs, 'request', record.id);
  }

  #fund(record: RequestRecord): void {
    const { funds } = this.context;
    funds.lock(record.account, -record.reserved);
    funds.add(record.account, -record.reserved);
    marginMarket(this.context, record.market).pool.held += record.reserved;
    record.isFunded = true;
    record.fundingTxid = makeName(this.context.settings.seed, 'funding', record.id);
    this.#become(record, 'processing');
  }

  /** Fills a placed position request if the market trades and the price is within its limit. */
  tryFill(record: RequestRecord): void {
    if (record.state !== 'order_placed' || record.stepMs !== null) return;
    const named = marginMarket(this.context, record.market);
    const mark = named.pool.mark(record.isYes);
    if (!named.market.isTradable || (record.price !== null && mark > record.price)) return;
    if (!this.#positions.open(record, mark)) return this.#refund(record);
    record.orderState = 'filled';
    this.#finish(record, 'completed');
  }

  #refund(record: RequestRecord): void {
    if (record.orderState !== null) record.orderState = 'canceled';
    this.#become(record, 'refund_processing');
  }

  refundAll(pending: readonly number[]): void {
    for (const id of pending) {
      const record = this.requireLive(id);
      if (record.state !== 'refund_processing') this.#refund(record);
    }
  }

  /** Ends a position request without a position, and returns its money to the account. */
  #end(record: RequestRecord, state: 'cancelled' | 'failed'): void {
    const { funds } = this.context;
    if (record.isFunded) {
      funds.add(record.account, record.reserved);
      marginMarket(this.context, record.market).pool.held -= record.reserved;
    } else {
      funds.lock(record.account, -record.reserved);
    }
    this.#finish(record, state);
  }

  #finish(record: RequestRecord, state: RequestState): void {
    record.state = state;
    record.stepMs = null;
    marginMarket(this.context, record.market).pool.pendingRequests.delete(record.id);
    this.finish(record);
  }

  override load(dump: ReturnType<PositionRequests['dump']>): void {
    super.load(dump);
    for (const { id, state, market } of dump.records)
      if (state !== 'created') marginMarket(this.context, market).pool.pendingRequests.add(id);
  }
}

/** Answer to a cancel of a position request. The interface defines only title and id in `market`. */
function cancelledRequestRow(context: CoreContext, record: RequestRecord): Wire<'cancelledRequestRow'> {
  const { card } = context.catalog.market(record.market);
  return { ...requestRow(context, record), market: { condition_id: card.conditionId, title: card.title } };
}

/** Returns the named margin market, or a refusal (400) for the field `market_condition_id`. */
export function namedMargin(context: CoreContext, conditionId: string): Result<MarginMarket> {
  const named = context.catalog.requireMarket(conditionId);
  if (!named.ok) return named;
  const market = named.value;
  if (market.margin === null) return invalid('market_condition_id', 'This market does not trade on margin.');
  return ok({ market, pool: market.margin });
}

function draftTerms(terms: MarginRequest): DraftTerms {
  const { isYes, leverage } = terms;
  const head = { action: 'open-margin-position', isYes, leverage } as const;
  if (terms.type === 'market') return { ...head, type: 'market', funds: terms.funds };
  return { ...head, type: 'limit', price: terms.price, shares: terms.shares };
}
