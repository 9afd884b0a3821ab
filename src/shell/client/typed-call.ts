/** Turns an outcome into a record or an error: the base of every typed method. */

import { type DataOf, declarationOf, type EndpointName } from '../../shared/protocol/endpoints.js';
import type { Lane } from '../../shared/protocol/seam.js';
import type { HttpCaller } from './caller.js';
import type { CallInput, CallOptions, ClientAnswer, ListName, Page, RowOf } from './contract.js';
import { BrokenList, OutcomeUnknown, ServiceRefused } from './errors.js';
import { walkList } from './list-walk.js';

/** Largest page of every list (assets allow 200): fewest requests for a whole walk. */
const WALK_LIMIT = 100;

/** Guarantees of one list for its walk. */
interface ListRule<R> {
  /** Identifies a row; null for a row or list without ids. */
  readonly getKey: ((row: R) => string | null) | null;
  /**
   * Whether a page with a successor must be full: true for "before this id" cursors. Assets skip rows, and for offsets
   * and opaque cursors nothing is promised.
   */
  readonly isKeyset: (query: Readonly<Record<string, unknown>>) => boolean;
}

const always = () => true;
const never = () => false;
const unlessSorted = ({ sort }: Readonly<Record<string, unknown>>) => sort === undefined;
const byPubkey = ({ pubkey }: { readonly pubkey: string | null }) => pubkey;
const byConditionId = (row: { readonly condition_id: string }) => row.condition_id;

const LIST_RULES: { readonly [N in ListName]: ListRule<RowOf<N>> } = {
  'events.list': { getKey: byConditionId, isKeyset: unlessSorted },
  'markets.list': { getKey: byConditionId, isKeyset: unlessSorted },
  // Two trades of one second may be equal in every field.
  'markets.trades': { getKey: null, isKeyset: always },
  'markets.marginActivity': { getKey: null, isKeyset: always },
  'search.list': {
    getKey: ({ result_type, summary }) => `${result_type} ${summary.condition_id}`,
    isKeyset: never,
  },
  'orders.list': { getKey: byPubkey, isKeyset: always },
  'trades.list': { getKey: byPubkey, isKeyset: always },
  'merges.list': { getKey: byPubkey, isKeyset: always },
  'splits.list': { getKey: byPubkey, isKeyset: always },
  'redeems.list': { getKey: byPubkey, isKeyset: always },
  'account.assets': { getKey: ({ token }) => token.symbol, isKeyset: never },
  'positions.list': { getKey: byPubkey, isKeyset: never },
  'settlements.list': { getKey: ({ position_pubkey }) => position_pubkey, isKeyset: never },
  'requests.list': { getKey: byPubkey, isKeyset: never },
};

/** Makes calls that resolve to the record and throw otherwise. */
export class TypedCalls {
  readonly #caller: HttpCaller;

  constructor(caller: HttpCaller) {
    this.#caller = caller;
  }

  /** The record of one call. Throws ServiceRefused or OutcomeUnknown. */
  async ask<N extends EndpointName>(endpoint: N, input: CallInput<N>, options?: CallOptions): Promise<DataOf<N>> {
    return requireRecord(endpoint, await this.#call(endpoint, input, options)).data;
  }

  /** One page of a list. Throws ServiceRefused or OutcomeUnknown. */
  async page<N extends ListName>(endpoint: N, input: CallInput<N>, options?: CallOptions): Promise<Page<RowOf<N>>> {
    const answer = await this.#call(endpoint, input, options);
    const { data, nextCursor } = requireRecord(endpoint, answer);
    return { rows: data, nextCursor, limit: answer.pageLimit };
  }

  /** Every row of the list. Throws ServiceRefused, OutcomeUnknown or BrokenList at the row where it occurs. */
  all<N extends ListName>(
    endpoint: N,
    input: CallInput<N>,
    options?: CallOptions,
  ): AsyncGenerator<RowOf<N>, void, undefined> {
    // Query fields of every list, by its declaration.
    const { limit = WALK_LIMIT, ...query } = (input.query ?? {}) as ListQuery;
    // The table's rule for the rows of this endpoint.
    const rule = LIST_RULES[endpoint] as ListRule<RowOf<N>>;
    return walkList<RowOf<N>>({
      getKey: rule.getKey,
      fullPages: rule.isKeyset(query),
      limit,
      fetch: (cursor = query.cursor) => {
        const paged = { ...query, limit, ...(cursor === undefined ? {} : { cursor }) };
        // Every list takes a limit and a cursor; the rest of the input is the caller's.
        return this.page(endpoint, { ...input, query: paged } as CallInput<N>, options);
      },
      makeError: (fault, what) => new BrokenList(endpoint, fault, what),
    });
  }

  #call<N extends EndpointName>(endpoint: N, input: CallInput<N>, options: CallOptions = {}): Promise<ClientAnswer<N>> {
    return this.#caller.call(endpoint, input, { lane: chooseLane(endpoint), ...options });
  }
}

interface ListQuery extends Readonly<Record<string, unknown>> {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

function requireRecord<N extends EndpointName>(endpoint: N, { outcome }: ClientAnswer<N>) {
  if (outcome.kind === 'answered') return outcome;
  if (outcome.kind === 'refused') throw new ServiceRefused(endpoint, outcome);
  throw new OutcomeUnknown(endpoint, outcome.reason, { sent: outcome.sent });
}

const LESS_RISK: readonly EndpointName[] = [
  'orders.cancel',
  'orders.cancelSubmit',
  'positions.close',
  'requests.cancel',
  'positions.setTpSl',
];

/** Priority within the budget: requests that reduce risk, then signed ones, then own reads. */
function chooseLane(endpoint: EndpointName): Lane {
  if (LESS_RISK.includes(endpoint)) return 'cancel';
  const { method, scope } = declarationOf(endpoint);
  if (scope === 'public') return 'hot';
  if (method === 'GET') return 'own';
  return endpoint.endsWith('.submit') ? 'submit' : 'draft';
}
