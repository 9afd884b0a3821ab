/** The own account: `client.account`. No call shows the currency balance. */

import type { DataOf } from '../../../shared/protocol/endpoints.js';
import type { CallOptions, Page, QueryInput, RowOf } from '../contract.js';
import type { TypedCalls } from '../typed-call.js';

type AssetQuery = QueryInput<'account.assets'>;

/** The calls under `account.`: names, holdings, and profit and loss of the caller. */
export class AccountCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /** Names and the time of joining, Unix seconds. */
  detail(options?: CallOptions): Promise<DataOf<'account.detail'>> {
    return this.#calls.ask('account.detail', {}, options);
  }

  /**
   * One page of own shares, one row for each outcome; amounts in Micros. A page may be short though another follows.
   * @param query `market_condition_id`, `limit` 1 to 200 (default 50), `cursor`
   */
  assets(query: AssetQuery = {}, options?: CallOptions): Promise<Page<RowOf<'account.assets'>>> {
    return this.#calls.page('account.assets', { query }, options);
  }

  /** All own shares. */
  allAssets(query: AssetQuery = {}, options?: CallOptions): AsyncGenerator<RowOf<'account.assets'>, void, undefined> {
    return this.#calls.all('account.assets', { query }, options);
  }

  /** Profit and loss in currency, decimal text: of all, of one market or of one event. */
  pnl(query: QueryInput<'account.pnl'> = {}, options?: CallOptions): Promise<DataOf<'account.pnl'>> {
    return this.#calls.ask('account.pnl', { query }, options);
  }
}
