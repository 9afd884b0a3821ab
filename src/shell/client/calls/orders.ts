/**
 * Own orders and own trades: `client.orders`, `client.trades`. An order is a draft until its message is signed and
 * submitted; `client.place` and `client.cancel` do all of it.
 */

import type { DataOf } from '../../../shared/protocol/endpoints.js';
import type { Side } from '../../../shared/protocol/states.js';
import type { CallOptions, Page, QueryInput, RowOf } from '../contract.js';
import type { TypedCalls } from '../typed-call.js';

interface OrderHead {
  readonly market_condition_id: string;
  readonly is_yes: boolean;
}

/** An order as a caller writes it: decimal text, prices in the space of the order's own outcome. */
export type OrderInput =
  /** Rests in the book until it is filled or canceled. */
  | (OrderHead & {
      readonly order_type: 'limit';
      readonly side: Side;
      /** On the market's tick, within its `min_price` and `max_price`. */
      readonly price: string;
      /** Shares, on the market's lot. */
      readonly amount: string;
    })
  /** Buys at once for at most `funds` of currency, fee included; the rest is canceled. */
  | (OrderHead & { readonly order_type: 'market'; readonly side: 'buy'; readonly funds: string })
  /** Sells `amount` shares at once; what finds no buyer is canceled. */
  | (OrderHead & { readonly order_type: 'market'; readonly side: 'sell'; readonly amount: string });

type OrderQuery = QueryInput<'orders.list'>;
type OwnTradeQuery = QueryInput<'trades.list'>;

/** The calls under `orders.`: draft, submit, read and cancel orders. */
export class OrderCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /**
   * One page of own orders, newest first, drafts included; amounts and prices in Micros.
   * @param query `market_condition_id`, `status` (a list), `is_yes`, `side`, `limit` 1 to 100 (default 50), `cursor`
   */
  list(query: OrderQuery = {}, options?: CallOptions): Promise<Page<RowOf<'orders.list'>>> {
    return this.#calls.page('orders.list', { query }, options);
  }

  /** Every own order that matches. An order that changes its status meanwhile is missed or seen in either. */
  all(query: OrderQuery = {}, options?: CallOptions): AsyncGenerator<RowOf<'orders.list'>, void, undefined> {
    return this.#calls.all('orders.list', { query }, options);
  }

  /**
   * Drafts an order: answers the message to sign. Nothing trades and nothing is locked yet; balance is asked here and at submit.
   * Refused with `invalid_request_params` (grid, limits, market), `order_market_not_open`, `order_insufficient_funds`,
   * `order_insufficient_shares`, `gringotts_unavailable`.
   */
  create(order: OrderInput, options?: CallOptions): Promise<DataOf<'orders.create'>> {
    return this.#calls.ask('orders.create', { body: order }, options);
  }

  /**
   * Submits the signature over a draft's message: the order trades with what it meets, the rest of a limit order rests.
   * Refused with `not_found`, `program_call_has_expired`, `invalid_program_call_status`, and what `create` is refused with.
   * @param signature 128 hex characters
   */
  submit(pubkey: string, signature: string, options?: CallOptions): Promise<DataOf<'orders.submit'>> {
    return this.#calls.ask('orders.submit', { params: { pubkey }, body: { signature } }, options);
  }

  /** One own order. Refused with `not_found`. */
  detail(pubkey: string, options?: CallOptions): Promise<DataOf<'orders.detail'>> {
    return this.#calls.ask('orders.detail', { params: { pubkey } }, options);
  }

  /**
   * Drafts a cancel: answers the order's own pubkey and the message to sign. The order rests until it is submitted.
   * Refused with `not_found`, `order_not_cancelable`, `gringotts_unavailable`.
   */
  cancel(pubkey: string, options?: CallOptions): Promise<DataOf<'orders.cancel'>> {
    return this.#calls.ask('orders.cancel', { params: { pubkey } }, options);
  }

  /** Submits the signature over a cancel's message. Refused as `submit`, and with `order_not_cancelable`. */
  cancelSubmit(pubkey: string, signature: string, options?: CallOptions): Promise<DataOf<'orders.cancelSubmit'>> {
    return this.#calls.ask('orders.cancelSubmit', { params: { pubkey }, body: { signature } }, options);
  }
}

/** The calls under `trades.`: read the caller's own fills. */
export class TradeCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /**
   * One page of own trades, newest first. `price` is in the space of the own order's outcome; Micros throughout.
   * @param query `market_condition_id`, `limit` 1 to 100 (default 50), `cursor`
   */
  list(query: OwnTradeQuery = {}, options?: CallOptions): Promise<Page<RowOf<'trades.list'>>> {
    return this.#calls.page('trades.list', { query }, options);
  }

  /** Every own trade, newest first. */
  all(query: OwnTradeQuery = {}, options?: CallOptions): AsyncGenerator<RowOf<'trades.list'>, void, undefined> {
    return this.#calls.all('trades.list', { query }, options);
  }
}
