/** What can be traded, in groups: `client.events`, `client.sports`, `client.search`. Public. */

import type { DataOf } from '../../../shared/protocol/endpoints.js';
import type { CallOptions, Page, QueryInput, RowOf } from '../contract.js';
import type { TypedCalls } from '../typed-call.js';

type EventQuery = QueryInput<'events.list'>;
type SearchQuery = QueryInput<'search.list'>;

/** The calls under `events.`: events and the markets in them. */
export class EventCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /**
   * One page of events, newest first unless sorted, each with two of its markets at most.
   * @param query `state`, `category`, `sort`, `sport` and `league` (comma-separated slugs; league only with sport),
   * `limit` 1 to 100 (default 20), `cursor`
   */
  list(query: EventQuery = {}, options?: CallOptions): Promise<Page<RowOf<'events.list'>>> {
    return this.#calls.page('events.list', { query }, options);
  }

  /** Every event. With `sort` rows may move between pages meanwhile, which ends in a BrokenList. */
  all(query: EventQuery = {}, options?: CallOptions): AsyncGenerator<RowOf<'events.list'>, void, undefined> {
    return this.#calls.all('events.list', { query }, options);
  }

  /** One event with all its markets. Refused with `not_found`. */
  detail(conditionId: string, options?: CallOptions): Promise<DataOf<'events.detail'>> {
    return this.#calls.ask('events.detail', { params: { condition_id: conditionId } }, options);
  }
}

/** The calls under `sports.`: sports with their leagues. */
export class SportCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /** All sports and their leagues at once: the slugs that other calls filter by. */
  list(options?: CallOptions): Promise<DataOf<'sports.list'>> {
    return this.#calls.ask('sports.list', {}, options);
  }
}

/** The calls under `search.`: markets and events by words and filters. */
export class SearchCalls {
  readonly #calls: TypedCalls;

  constructor(calls: TypedCalls) {
    this.#calls = calls;
  }

  /**
   * One page of markets and events that match. A hit's `summary` is its whole detail; `result_type` says of what.
   * @param query at least one filter beside `limit`, `cursor` and `sort`, else refused with `invalid_request_params`;
   * `q` has 2 characters or more, prices and leverages are decimal text, times Unix seconds; `limit` 1 to 100 (default 20)
   */
  list(query: SearchQuery, options?: CallOptions): Promise<Page<RowOf<'search.list'>>> {
    return this.#calls.page('search.list', { query }, options);
  }

  /** Every hit. Rows may move between pages meanwhile, which ends in a BrokenList. */
  all(query: SearchQuery, options?: CallOptions): AsyncGenerator<RowOf<'search.list'>, void, undefined> {
    return this.#calls.all('search.list', { query }, options);
  }
}
