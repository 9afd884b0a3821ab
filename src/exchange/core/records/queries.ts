/** How lists of the core are asked for and answered: by the filters of their declarations. */

import type { EndpointName, QueryOf } from '../../../shared/protocol/endpoints.js';

/** Keyset page: rows newest first; `nextBeforeId` goes into the next cursor, null on the last page. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly nextBeforeId: number | null;
}

/** What a list can be filtered by, as its declaration reads it. */
export type FiltersOf<N extends EndpointName> = Omit<QueryOf<N>, 'limit' | 'cursor' | 'sort'>;

/** Which rows of a list are wanted, newest first. */
export type PageQuery<N extends EndpointName> = FiltersOf<N> & {
  readonly limit: number;
  /** Only rows with an id below this one. */
  readonly beforeId?: number | undefined;
};

/** Which holdings a list shows. */
export type AssetQuery = FiltersOf<'account.assets'> & {
  readonly limit: number;
  /** Place in the scan; see assets.ts. */
  readonly offset?: number | undefined;
};
