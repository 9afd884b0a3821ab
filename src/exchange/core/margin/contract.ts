/**
 * Margin as the rest of the exchange sees it: what may be asked of leveraged positions and what comes back. Part of the
 * core's contract (../contract.ts); the rules stand where they are computed: economics.ts for the money, requests.ts,
 * positions.ts and settlements.ts for the moves of their records.
 */

import type { z } from 'zod';
import type { Micros } from '../../../shared/base/micros.js';
import type * as record from '../../../shared/protocol/records.js';
import type { MarginActivity, MarketState, RequestState, SettlementState } from '../../../shared/protocol/states.js';
import type { PageQuery } from '../records/queries.js';

/** A leveraged position as the service answers it. */
export type WirePosition = z.input<typeof record.positionRow>;
/** The take profit and stop loss of a position as the service answers them. */
export type WireTpSl = z.input<typeof record.tpSlRow>;
/** A settlement as the service answers it. */
export type WireSettlement = z.input<typeof record.settlementRow>;
/** The answer to the call that closes a position. */
export type WireClose = z.input<typeof record.closeResult>;
/** The answer to the call that claims a settlement. */
export type WireClaim = z.input<typeof record.claimResult>;
/** A position request as the service answers it. */
export type WireRequest = z.input<typeof record.requestRow>;
/** A position request as the answer to its cancel shows it. */
export type WireCancelledRequest = z.input<typeof record.cancelledRequestRow>;
/** The answer to the call that estimates a position without opening it. */
export type WireEstimate = z.input<typeof record.marginEstimate>;
/** An activity of a margin market as the service answers it. */
export type WireActivity = z.input<typeof record.marginActivityRow>;

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
export interface MarginQuery {
  readonly limit: number;
  readonly after?: MarginPlace | undefined;
  /** Default: newest first. */
  readonly oldestFirst?: boolean | undefined;
  readonly marketConditionId?: string | undefined;
}

/** Which position requests a list shows. */
export interface RequestQuery extends MarginQuery {
  readonly states?: readonly RequestState[] | undefined;
  readonly isYes?: boolean | undefined;
  readonly leverage?: Micros | undefined;
}

/** Which positions a list shows. */
export interface PositionQuery extends MarginQuery {
  readonly eventConditionId?: string | undefined;
  readonly isClosed?: boolean | undefined;
}

/** Which settlements a list shows. */
export interface SettlementQuery extends MarginQuery {
  readonly positionPubkey?: string | undefined;
  readonly states?: readonly SettlementState[] | undefined;
  readonly marketState?: MarketState | undefined;
  readonly leverage?: Micros | undefined;
}

/** Which activities a list shows. */
export interface ActivityQuery extends PageQuery {
  readonly type?: MarginActivity | undefined;
}

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

/** Every method of margin that changes state. */
export const MARGIN_MUTATORS = [
  'setReferencePrice',
  'draftMarginRequest',
  'submitMarginRequest',
  'cancelMarginRequest',
  'closePosition',
  'setTpSl',
  'deleteTpSl',
  'claimSettlement',
] as const;
