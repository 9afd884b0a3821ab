/**
 * Leveraged positions: `client.requests` open them, `client.positions` hold them, `client.settlements` pay them out.
 * Money, prices and leverages come as decimal text; prices are in the space of the position's own outcome.
 */

import type { DataOf } from '../../../shared/protocol/endpoints.js';
import type { CallOptions, Page, QueryInput, RowOf } from '../contract.js';
import type { TypedCalls } from '../typed-call.js';

interface MarginHead {
  readonly market_condition_id: string;
  /** Default true. */
  readonly is_yes?: boolean;
  /** A number with at most six decimals, from 1 (the default) to what the market allows. */
  readonly leverage?: number;
  /** Decimal text in the space of the own outcome; not part of what is signed. */
  readonly take_profit_price?: string | null;
  readonly stop_loss_price?: string | null;
}

/** A margin position as a caller asks for it: all of `funds` now, or `shares` once the market reaches `price`. */
export type MarginInput =
  | (MarginHead & { readonly type: 'market'; readonly funds: string })
  | (MarginHead & { readonly type: 'limit'; readonly price: string; readonly shares: string });

/** What is present is written, null clears it, what is absent stays. One at least. */
export interface TpSlInput {
  readonly take_profit_price?: string | null;
  readonly stop_loss_price?: string | null;
}

type PositionQuery = QueryInput<'positions.list'>;
type SettlementQuery = QueryInput<'settlements.list'>;
type RequestQuery = QueryInput<'requests.list'>;

/** The calls under `positions.`: read, close and protect leveraged positions. */
export class PositionCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /**
   * One page of own positions, newest first unless sorted.
   * @param query `market_condition_id`, `event_condition_id`, `is_closed`, `sort`, `limit` 1 to 100 (default 50), `cursor`
   */
  list(query: PositionQuery = {}, options?: CallOptions): Promise<Page<RowOf<'positions.list'>>> {
    return this.#calls.page('positions.list', { query }, options);
  }

  /** Every own position that matches. */
  all(query: PositionQuery = {}, options?: CallOptions): AsyncGenerator<RowOf<'positions.list'>, void, undefined> {
    return this.#calls.all('positions.list', { query }, options);
  }

  /**
   * What opening a position now would do; public, nothing is reserved.
   * @param query `market_condition_id`, `funds` (decimal text), `is_yes` (default true), `leverage` (decimal text, default 1)
   */
  estimate(query: QueryInput<'positions.estimate'>, options?: CallOptions): Promise<DataOf<'positions.estimate'>> {
    return this.#calls.ask('positions.estimate', { query }, options);
  }

  /** One own position. Refused with `not_found`. */
  detail(pubkey: string, options?: CallOptions): Promise<DataOf<'positions.detail'>> {
    return this.#calls.ask('positions.detail', { params: { pubkey } }, options);
  }

  /**
   * Sells the position's shares: now, or with `price` (decimal text) once they sell at this price or better. Takes
   * effect without a signature. Refused with `not_found`. An OutcomeUnknown is settled by reading the position.
   */
  close(
    pubkey: string,
    query: QueryInput<'positions.close'> = {},
    options?: CallOptions,
  ): Promise<DataOf<'positions.close'>> {
    return this.#calls.ask('positions.close', { params: { pubkey }, query }, options);
  }

  /**
   * Sets take profit and stop loss, decimal text. Refused with `not_found`, and with
   * `hyperliquid_margin_tp_sl_not_supported` (501) on that backend.
   */
  setTpSl(pubkey: string, prices: TpSlInput, options?: CallOptions): Promise<DataOf<'positions.setTpSl'>> {
    return this.#calls.ask('positions.setTpSl', { params: { pubkey }, body: prices }, options);
  }

  /** Removes both; the answer still carries them. Refused as `setTpSl`. */
  deleteTpSl(pubkey: string, options?: CallOptions): Promise<DataOf<'positions.deleteTpSl'>> {
    return this.#calls.ask('positions.deleteTpSl', { params: { pubkey } }, options);
  }

  /** Claims what a `claimable` settlement pays; it becomes `claim_pending`. Refused with `not_found`. */
  claim(pubkey: string, options?: CallOptions): Promise<DataOf<'positions.claim'>> {
    return this.#calls.ask('positions.claim', { params: { pubkey } }, options);
  }
}

/** The calls under `settlements.`: read and claim what ended positions owe. */
export class SettlementCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /**
   * One page of settlements, newest first unless sorted.
   * @param query `position_pubkey`, `market_condition_id`, `states` (a list), `market_state`, `position_leverage`
   * (decimal text), `sort`, `limit` 1 to 100 (default 50), `cursor`
   */
  list(query: SettlementQuery = {}, options?: CallOptions): Promise<Page<RowOf<'settlements.list'>>> {
    return this.#calls.page('settlements.list', { query }, options);
  }

  /** Every settlement that matches. */
  all(query: SettlementQuery = {}, options?: CallOptions): AsyncGenerator<RowOf<'settlements.list'>, void, undefined> {
    return this.#calls.all('settlements.list', { query }, options);
  }
}

/** The calls under `requests.`: draft, submit, read and cancel requests that open positions. */
export class RequestCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /**
   * One page of position requests, newest first unless sorted.
   * @param query `market_condition_id`, `states` (a list), `is_yes`, `leverage` (decimal text), `sort`, `limit` 1 to 100
   * (default 50), `cursor`
   */
  list(query: RequestQuery = {}, options?: CallOptions): Promise<Page<RowOf<'requests.list'>>> {
    return this.#calls.page('requests.list', { query }, options);
  }

  /** Every position request that matches. */
  all(query: RequestQuery = {}, options?: CallOptions): AsyncGenerator<RowOf<'requests.list'>, void, undefined> {
    return this.#calls.all('requests.list', { query }, options);
  }

  /**
   * Drafts a position request; sign the row's `message` and submit it. `client.openMargin` does all of it.
   * Refused with `invalid_request_params`, `order_market_not_open`, `order_insufficient_funds`,
   * `hyperliquid_margin_tp_sl_not_supported`, `gringotts_unavailable`.
   */
  create(request: MarginInput, options?: CallOptions): Promise<DataOf<'requests.create'>> {
    return this.#calls.ask('requests.create', { body: request }, options);
  }

  /**
   * Submits the signature over a request's message: funding starts. Refused with `invalid_request_params` (the signature),
   * `not_found`, `program_call_has_expired`, `invalid_program_call_status`, and `order_market_not_open`, which fails it.
   */
  submit(pubkey: string, signature: string, options?: CallOptions): Promise<DataOf<'requests.submit'>> {
    return this.#calls.ask('requests.submit', { params: { pubkey }, body: { signature } }, options);
  }

  /** One position request. Refused with `not_found`. */
  detail(pubkey: string, options?: CallOptions): Promise<DataOf<'requests.detail'>> {
    return this.#calls.ask('requests.detail', { params: { pubkey } }, options);
  }

  /** Cancels a request whose funding has not completed. Takes effect without a signature. Refused with `not_found`. */
  cancel(pubkey: string, options?: CallOptions): Promise<DataOf<'requests.cancel'>> {
    return this.#calls.ask('requests.cancel', { params: { pubkey } }, options);
  }
}
