/** How lists of the core are asked for and answered. */

import type { ConversionState, OrderStatus, RedeemState, Side } from '../../../shared/protocol/states.js';

/** Keyset page: rows newest first; `nextBeforeId` goes into the next cursor, null on the last page. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly nextBeforeId: number | null;
}

/** Which rows of a list are wanted, newest first. */
export interface PageQuery {
  readonly limit: number;
  /** Only rows with an id below this one. */
  readonly beforeId?: number | undefined;
  readonly marketConditionId?: string | undefined;
}

/** Which orders a list shows. */
export interface OrderQuery extends PageQuery {
  readonly statuses?: readonly OrderStatus[] | undefined;
  readonly isYes?: boolean | undefined;
  readonly side?: Side | undefined;
}

/** Which merges or splits a list shows. */
export interface ConversionQuery extends PageQuery {
  readonly state?: ConversionState | undefined;
}

/** Which redeems a list shows. */
export interface RedeemQuery extends PageQuery {
  readonly state?: RedeemState | undefined;
}

/** Which holdings a list shows. */
export interface AssetQuery {
  readonly limit: number;
  /** Place in the scan; see assets.ts. */
  readonly offset?: number | undefined;
  readonly marketConditionId?: string | undefined;
}

/** Which markets a profit and loss is summed over; all of them without a filter. */
export interface PnlFilter {
  readonly marketConditionId?: string | undefined;
  readonly eventConditionId?: string | undefined;
}
