/** Queries and pages of the core's lists, by the filters of their declarations. */

import type { EndpointName, QueryOf } from '../../../shared/protocol/endpoints.js';

/** Keyset page: rows newest first; `nextBeforeId` goes into the next cursor, null on the last page. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly nextBeforeId: number | null;
}

/** Filters of a list, by its declaration. */
export type FiltersOf<N extends EndpointName> = Omit<QueryOf<N>, 'limit' | 'cursor' | 'sort'>;

/** Selected rows of a list, newest first. */
export type PageQuery<N extends EndpointName> = FiltersOf<N> & {
  readonly limit: number;
  /** Only rows with an id below this one. */
  readonly beforeId?: number | undefined;
};

/** Selected holdings of a list. */
export type AssetQuery = FiltersOf<'account.assets'> & {
  readonly limit: number;
  /** Place in the scan; see assets.ts. */
  readonly offset?: number | undefined;
};
