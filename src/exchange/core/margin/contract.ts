/**
 * Margin as the rest of the exchange sees it: what may be asked of leveraged positions and what comes back. Part of the
 * core's contract (../contract.ts); the rules stand where they are computed: economics.ts for the money, requests.ts,
 * positions.ts and settlements.ts for the moves of their records.
 */

import type { Micros } from '../../../shared/base/micros.js';
import type { FiltersOf } from '../records/queries.js';

/** Prices that close a position by themselves, in its own outcome's space. Absent: left as it is; null: none. */
export interface TpSlChange {
  readonly takeProfit?: Micros | null | undefined;
  readonly stopLoss?: Micros | null | undefined;
}

/** What a position is to be opened with: all of `funds` at the price that is found, or `shares` at `price` or better. */
export type MarginSize =
  | { readonly type: 'market'; readonly funds: Micros }
  | { readonly type: 'limit'; readonly price: Micros; readonly shares: Micros };

/** What a position request asks for; leverage is in Micros, 1 x being 1,000,000. */
export type MarginTerms = MarginSize &
  TpSlChange & {
    readonly marketConditionId: string;
    readonly isYes: boolean;
    readonly leverage: Micros;
  };

/** The position whose cost is asked for; leverage and funds are in Micros. */
export interface EstimateTerms {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  readonly leverage: Micros;
  readonly funds: Micros;
}

/** A place in a margin list: behind the record of this pubkey. `sortValue` is the record's number in order of creation. */
export interface MarginPlace {
  readonly pubkey: string;
  readonly sortValue: number;
}

/** Which rows of a list of margin are wanted, and where its page begins. */
export interface MarginPageQuery {
  readonly limit: number;
  readonly after?: MarginPlace | undefined;
  /** Default: newest first. */
  readonly oldestFirst?: boolean | undefined;
}

/** The same with the filters of a list. */
export type MarginQuery<N extends 'requests.list' | 'positions.list' | 'settlements.list'> = FiltersOf<N> &
  MarginPageQuery;

/** One page of a list of margin. */
export interface MarginPage<T> {
  readonly rows: readonly T[];
  /** Null on the last page. */
  readonly next: MarginPlace | null;
}

/** Margin money of one account, in all markets or in some. */
export interface MarginPnl {
  /** Sum of `total_pnl` of every settlement that exists, in whatever state: what ended positions won or lost, all fees in. */
  readonly settlements: Micros;
  /** Sum of `unrealized_pnl` of the open positions. */
  readonly unrealized: Micros;
  /** Opening fees that were paid for the positions that are still open; part of `settlements` once they end. */
  readonly openingFees: Micros;
  /** Money of the account that is in margin and not in its funds: funded requests, open positions, unpaid settlements. */
  readonly held: Micros;
}
