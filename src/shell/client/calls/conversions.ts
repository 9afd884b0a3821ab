/**
 * Shares into currency and back: `client.merges` (a YES and a NO share into one unit), `client.splits` (the reverse) and
 * `client.redeems` (what a resolution left). Each is a draft until its message is signed and submitted; `client.merge`,
 * `client.split` and `client.redeem` do all of it.
 */

import type { DataOf } from '../../../shared/protocol/endpoints.js';
import type { CallOptions, Page, QueryInput, RowOf } from '../contract.js';
import type { TypedCalls } from '../typed-call.js';

/** How many complete sets, as decimal text: a positive multiple of the market's lot. */
export interface ConversionInput {
  readonly market_condition_id: string;
  readonly amount: string;
}

type MergeQuery = QueryInput<'merges.list'>;
type SplitQuery = QueryInput<'splits.list'>;
type RedeemQuery = QueryInput<'redeems.list'>;

/** The calls under `merges.`: draft, submit and read what turns complete sets into currency. */
export class MergeCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /**
   * One page of merges, newest first; amounts in Micros.
   * @param query `market_condition_id`, `state`, `limit` 1 to 100 (default 50), `cursor`
   */
  list(query: MergeQuery = {}, options?: CallOptions): Promise<Page<RowOf<'merges.list'>>> {
    return this.#calls.page('merges.list', { query }, options);
  }

  /** Every merge that matches. */
  all(query: MergeQuery = {}, options?: CallOptions): AsyncGenerator<RowOf<'merges.list'>, void, undefined> {
    return this.#calls.all('merges.list', { query }, options);
  }

  /**
   * Drafts a merge: locks the shares and answers the message to sign. Asking again for the amount of a draft that is
   * not signed yet answers that same draft.
   * Refused with `share_merge_insufficient_shares`, `share_merge_in_progress`, `share_conversion_invalid_amount`,
   * `share_conversion_market_not_eligible`, `…_not_open`, `…_paused`, `share_merge_market_has_unbacked_collateral`,
   * `custodial_user_trading_not_allowed`, `gringotts_unavailable`.
   */
  create(merge: ConversionInput, options?: CallOptions): Promise<DataOf<'merges.create'>> {
    return this.#calls.ask('merges.create', { body: merge }, options);
  }

  /**
   * Submits the signature over a draft's message; answers the row `in_process`. Read it until it is `done` or `failed`.
   * Refused with `share_conversion_not_found`, `share_conversion_invalid_state`, `program_call_has_expired`.
   * @param signature 128 hex characters
   */
  submit(pubkey: string, signature: string, options?: CallOptions): Promise<DataOf<'merges.submit'>> {
    return this.#calls.ask('merges.submit', { params: { pubkey }, body: { signature } }, options);
  }

  /** One merge. Refused with `not_found`. */
  detail(pubkey: string, options?: CallOptions): Promise<DataOf<'merges.detail'>> {
    return this.#calls.ask('merges.detail', { params: { pubkey } }, options);
  }
}

/** The calls under `splits.`: draft, submit and read what turns currency into complete sets. */
export class SplitCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /**
   * One page of splits, newest first; amounts in Micros.
   * @param query `market_condition_id`, `state`, `limit` 1 to 100 (default 50), `cursor`
   */
  list(query: SplitQuery = {}, options?: CallOptions): Promise<Page<RowOf<'splits.list'>>> {
    return this.#calls.page('splits.list', { query }, options);
  }

  /** Every split that matches. */
  all(query: SplitQuery = {}, options?: CallOptions): AsyncGenerator<RowOf<'splits.list'>, void, undefined> {
    return this.#calls.all('splits.list', { query }, options);
  }

  /**
   * Drafts a split: locks the currency and answers the message to sign. Refused as a merge is, but with
   * `share_split_insufficient_funds` and `share_split_in_progress`.
   */
  create(split: ConversionInput, options?: CallOptions): Promise<DataOf<'splits.create'>> {
    return this.#calls.ask('splits.create', { body: split }, options);
  }

  /** Submits the signature over a draft's message, as that of a merge. */
  submit(pubkey: string, signature: string, options?: CallOptions): Promise<DataOf<'splits.submit'>> {
    return this.#calls.ask('splits.submit', { params: { pubkey }, body: { signature } }, options);
  }

  /** One split. Refused with `not_found`. */
  detail(pubkey: string, options?: CallOptions): Promise<DataOf<'splits.detail'>> {
    return this.#calls.ask('splits.detail', { params: { pubkey } }, options);
  }
}

/** The calls under `redeems.`: draft, submit and read what turns the shares of a settled market into currency. */
export class RedeemCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /**
   * One page of redeems, newest first; amounts in Micros.
   * @param query `market_condition_id`, `state`, `limit` 1 to 100 (default 50), `cursor`
   */
  list(query: RedeemQuery = {}, options?: CallOptions): Promise<Page<RowOf<'redeems.list'>>> {
    return this.#calls.page('redeems.list', { query }, options);
  }

  /** Every redeem that matches. */
  all(query: RedeemQuery = {}, options?: CallOptions): AsyncGenerator<RowOf<'redeems.list'>, void, undefined> {
    return this.#calls.all('redeems.list', { query }, options);
  }

  /**
   * Drafts a redeem of all free shares of a resolved or canceled market. Refused with `invalid_request_params` (the
   * market is not settled, or nothing is held), `gringotts_unavailable`.
   */
  create(marketConditionId: string, options?: CallOptions): Promise<DataOf<'redeems.create'>> {
    return this.#calls.ask('redeems.create', { body: { market_condition_id: marketConditionId } }, options);
  }

  /** Submits the signature over a draft's message; the row is `completed` with its funds. Refused as an order's submit. */
  submit(pubkey: string, signature: string, options?: CallOptions): Promise<DataOf<'redeems.submit'>> {
    return this.#calls.ask('redeems.submit', { params: { pubkey }, body: { signature } }, options);
  }

  /** One redeem. Refused with `not_found`. */
  detail(pubkey: string, options?: CallOptions): Promise<DataOf<'redeems.detail'>> {
    return this.#calls.ask('redeems.detail', { params: { pubkey } }, options);
  }
}
