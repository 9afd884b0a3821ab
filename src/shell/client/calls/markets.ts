/** Markets: `client.markets`. Public. Prices are in YES space unless a call says otherwise. */

import type { DataOf } from '../../../shared/protocol/endpoints.js';
import type { CallOptions, Page, QueryInput, RowOf } from '../contract.js';
import type { TypedCalls } from '../typed-call.js';

type MarketQuery = QueryInput<'markets.list'>;
type TradeQuery = QueryInput<'markets.trades'>;
type ActivityQuery = QueryInput<'markets.marginActivity'>;

/** Every call that names a market is refused with `not_found` where there is none. */
export class MarketCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /**
   * One page of markets, newest first unless sorted.
   * @param query `state` (of the event filters: `open`, `closed`, `resolved` …), `category`, `sort`, `sport`, `league`,
   * `limit` 1 to 100 (default 20), `cursor`
   */
  list(query: MarketQuery = {}, options?: CallOptions): Promise<Page<RowOf<'markets.list'>>> {
    return this.#calls.page('markets.list', { query }, options);
  }

  /** Every market. With `sort` rows may move between pages meanwhile, which ends in a BrokenList. */
  all(query: MarketQuery = {}, options?: CallOptions): AsyncGenerator<RowOf<'markets.list'>, void, undefined> {
    return this.#calls.all('markets.list', { query }, options);
  }

  /** Everything about one market. `config` holds its grid and limits (Micros) and its fee rates, by `kind`. */
  detail(conditionId: string, options?: CallOptions): Promise<DataOf<'markets.detail'>> {
    return this.#calls.ask('markets.detail', { params: { condition_id: conditionId } }, options);
  }

  /**
   * The order book of one outcome, best price first; prices and amounts in Micros.
   * @param query `depth` levels a side, 1 to 100 (default 50); `is_yes` false for the NO book, whose prices are 1 - p
   */
  book(
    conditionId: string,
    query: QueryInput<'markets.book'> = {},
    options?: CallOptions,
  ): Promise<DataOf<'markets.book'>> {
    return this.#calls.ask('markets.book', { params: { condition_id: conditionId }, query }, options);
  }

  /**
   * One page of a market's trades, newest first. `is_yes` is the taker's outcome and `price` is in its space (Micros).
   * @param query `limit` 1 to 100 (default 50), `cursor`
   */
  trades(conditionId: string, query: TradeQuery = {}, options?: CallOptions): Promise<Page<RowOf<'markets.trades'>>> {
    return this.#calls.page('markets.trades', { params: { condition_id: conditionId }, query }, options);
  }

  /** Every trade of a market, newest first. Trades have no name: one that comes twice cannot be told. */
  allTrades(
    conditionId: string,
    query: TradeQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<RowOf<'markets.trades'>, void, undefined> {
    return this.#calls.all('markets.trades', { params: { condition_id: conditionId }, query }, options);
  }

  /** Volumes and capital in currency, as decimal text. */
  stats(conditionId: string, options?: CallOptions): Promise<DataOf<'markets.stats'>> {
    return this.#calls.ask('markets.stats', { params: { condition_id: conditionId } }, options);
  }

  /** The middle of the book as decimal text; null while nothing tells it. `is_yes` (default true) picks the outcome. */
  price(
    conditionId: string,
    query: QueryInput<'markets.price'> = {},
    options?: CallOptions,
  ): Promise<DataOf<'markets.price'>> {
    return this.#calls.ask('markets.price', { params: { condition_id: conditionId }, query }, options);
  }

  /**
   * A price chart, oldest bar first; prices and volumes as decimal text.
   * @param query `start_time` (inclusive) and `end_time` (exclusive) in Unix seconds, at most 30 days apart;
   * `interval` `5m` or `30m`; `is_yes` (default true)
   */
  candles(
    conditionId: string,
    query: QueryInput<'markets.candles'>,
    options?: CallOptions,
  ): Promise<DataOf<'markets.candles'>> {
    return this.#calls.ask('markets.candles', { params: { condition_id: conditionId }, query }, options);
  }

  /**
   * One page of what happened to everybody's margin positions in a market, newest first.
   * @param query `activity_type`, `limit` 1 to 100 (default 50), `cursor`
   */
  marginActivity(
    conditionId: string,
    query: ActivityQuery = {},
    options?: CallOptions,
  ): Promise<Page<RowOf<'markets.marginActivity'>>> {
    return this.#calls.page('markets.marginActivity', { params: { condition_id: conditionId }, query }, options);
  }

  /** All of it. The rows have no name: one that comes twice cannot be told. */
  allMarginActivity(
    conditionId: string,
    query: ActivityQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<RowOf<'markets.marginActivity'>, void, undefined> {
    return this.#calls.all('markets.marginActivity', { params: { condition_id: conditionId }, query }, options);
  }
}
