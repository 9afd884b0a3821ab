/**
 * Margin as the rest of the exchange sees it: what may be asked of leveraged positions and what comes back. Part of the
 * core's contract (../contract.ts); the rules stand where they are computed: economics.ts for the money, requests.ts,
 * positions.ts and settlements.ts for the moves of their records.
 */

import type { Micros } from '../../../shared/base/micros.js';
import type { FiltersOf } from '../records/queries.js';

/** Prices that close a position, in its own outcome's space. Absent: unchanged; null: none. */
export interface TpSlChange {
  readonly takeProfit?: Micros | null | undefined;
  readonly stopLoss?: Micros | null | undefined;
}

/** Size of a new position: all of `funds` at the current price, or `shares` at `price` or better. */
export type MarginSize =
  | { readonly type: 'market'; readonly funds: Micros }
  | { readonly type: 'limit'; readonly price: Micros; readonly shares: Micros };

/** Terms of a position request; leverage in micros, 1 x being 1,000,000. */
export type MarginTerms = MarginSize &
  TpSlChange & {
    readonly marketConditionId: string;
    readonly isYes: boolean;
    readonly leverage: Micros;
  };

/** Terms of an estimate; leverage and funds in micros. */
export interface EstimateTerms {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  readonly leverage: Micros;
  readonly funds: Micros;
}

/** Place in a margin list: after the record of this pubkey. `sortValue` is the record's number in order of creation. */
export interface MarginPlace {
  readonly pubkey: string;
  readonly sortValue: number;
}

/** Filters and start of a page of a margin list. */
export interface MarginPageQuery {
  readonly limit: number;
  readonly after?: MarginPlace | undefined;
  /** Default: newest first. */
  readonly oldestFirst?: boolean | undefined;
}

/** The same with the filters of a list. */
export type MarginQuery<N extends 'requests.list' | 'positions.list' | 'settlements.list'> = FiltersOf<N> &
  MarginPageQuery;

/** One page of a margin list. */
export interface MarginPage<T> {
  readonly rows: readonly T[];
  /** Null on the last page. */
  readonly next: MarginPlace | null;
}

/** Margin money of one account, in all or some markets. */
export interface MarginPnl {
  /** Sum of `total_pnl` of all settlements in any state: results of ended positions, fees included. */
  readonly settlements: Micros;
  /** Sum of `unrealized_pnl` of the open positions. */
  readonly unrealized: Micros;
  /** Opening fees of open positions; part of `settlements` once they end. */
  readonly openingFees: Micros;
  /** The account's money in margin, outside its funds: funded requests, open positions, unpaid settlements. */
  readonly held: Micros;
}
