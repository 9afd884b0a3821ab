/** Types of the core's contract: settings, markets, drafts, numbers. Other rooms import them from contract.ts. */

import type { z } from 'zod';
import type { Micros } from '../../shared/base/micros.js';
import type { DraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { ServiceFault } from '../../shared/protocol/errors.js';
import type { DraftCosigners } from '../../shared/protocol/profile.js';
import type * as record from '../../shared/protocol/records.js';
import type { MarketState, OrderType, Side } from '../../shared/protocol/states.js';
import type { FillModel } from './matching/fill-model.js';

/** Result of a core call: its record, or the service's fault. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: ServiceFault };

/** Fixed settings of an exchange. */
export interface CoreSettings {
  /** As in challenges and readable drafts, for example `SVC`. */
  readonly serviceName: string;
  /** Format of a draft's `message`; absent: the readable text itself. */
  readonly draftMessage?: DraftMessage;
  /** Signers of a transaction draft besides the account's wallet; absent: none. */
  readonly draftCosigners?: DraftCosigners;
  /** ms from a draft to its expiry (60,000). */
  readonly draftLifetimeMs: number;
  /** ms that a submitted merge or split stays `in_process`, and of each margin step (400). */
  readonly landingMs: number;
  /** Percent of a position's own liquidity, 1 to 100, whose loss liquidates it; absent: 100. */
  readonly liquidationLossPercent?: number;
  /** Starting currency of an account at its wallet's first key. */
  readonly startingFunds: Micros;
  /** ms (600,000). */
  readonly challengeLifetimeMs: number;
  /** Pubkeys and condition ids derive from it. */
  readonly seed: number;
  /**
   * Place of real orders in recorded queues: a name of fill-model.ts, or a model; absent: `risk-averse`. TwinbookError
   * `usage` for an unknown name. Orders of a snapshot keep their places and advance by the present model.
   */
  readonly fillModel?: string | FillModel;
  /** Receives each fill as it happens; absent: none does. */
  readonly observer?: CoreObserver;
}

/** For a shell that measures. It may read the core, never change it. */
export interface CoreObserver {
  /** The book is as right before the trade, except for the real orders reached so far. */
  onFill(fill: ObservedFill): void;
  /**
   * A recorded amount has changed at or beyond the price of resting real orders of the other side, or the recorded book was
   * cleared. `side`: of the recorded amount. `arrivedMicros`: the price to which something new has come, null when something
   * went. `bestMicros`: the best price that the recording still holds there, whatever of it real orders have eaten, null when it
   * reaches no real order any more. Both in YES space. Called after the fills that it caused.
   */
  onCrossing?(
    timeMs: number,
    market: MarketIndex,
    side: BookSide,
    arrivedMicros: number | null,
    bestMicros: number | null,
  ): void;
}

/** A fill of an order of an account with a wallet. Amounts and currency in millionths. */
export interface ObservedFill {
  readonly timeMs: number;
  readonly account: AccountSlot;
  readonly market: MarketIndex;
  readonly orderPubkey: string;
  readonly tradePubkey: string;
  readonly isYes: boolean;
  readonly isBuy: boolean;
  /** In YES space. */
  readonly priceMicros: number;
  readonly amountMicros: number;
  /** Currency moved without the fee, always positive. */
  readonly costMicros: number;
  readonly feeMicros: number;
  readonly isMaker: boolean;
  /** Caused by a recorded amount that arrived at the order's price, not by a trade. */
  readonly atCrossing: boolean;
}

/** Small integers in order of creation. Account 0 is the recorded market's. */
export type AccountSlot = number;
/** A market's place in the catalog, from 0; it never changes. */
export type MarketIndex = number;

/** Answer of the `/paper/accounts/{wallet}/` controls. */
export interface WireFunds {
  readonly funds: { readonly total: string; readonly locked: string; readonly available: string };
  readonly custodial: boolean;
}

/** Book rules of a market; absent ones use the core's defaults. Numbers in micros, precisions in digits. */
export type BookConfigSpec = {
  readonly kind: 'orderbook';
} & { readonly [K in Exclude<keyof record.OrderbookConfig, 'kind'>]?: record.OrderbookConfig[K] };

/** A market without a user book (margin kinds): stored and shown as given, orders are refused. */
export type PoolConfigSpec = Exclude<z.input<typeof record.marketConfig>, { kind: 'orderbook' }>;

/** A market to create: any field of the detail; all but `config` may be absent. */
export interface MarketSpec {
  readonly config: BookConfigSpec | PoolConfigSpec;
  /** Title of its event; equal titles are one event. Absent: its own event. */
  readonly event?: string;
  /** Id of an event created with this market; absent: a derived id. */
  readonly event_condition_id?: string;
  readonly condition_id?: string;
  readonly title?: string;
  readonly description?: string | null;
  readonly logo?: string | null;
  readonly category?: string;
  /** Slugs of the sports catalog; a league needs its sport. */
  readonly sport?: string;
  readonly league?: string;
  readonly margin_enabled?: boolean;
  /** Start price of a margin market, YES space, strictly between 0 and 1; default 0.5. */
  readonly reference_price?: Micros;
  readonly yes_outcome_label?: string;
  readonly no_outcome_label?: string;
  readonly rules?: readonly string[];
  /** Unix seconds. */
  readonly resolution_date?: number | null;
  /** Default `open`; not `resolved` or `canceled`. */
  readonly state?: MarketState;
}

/** Parsed body of an order draft. Price and funds in the named outcome's space. */
export interface OrderRequest {
  readonly market_condition_id: string;
  readonly is_yes: boolean;
  readonly side: Side;
  readonly order_type: OrderType;
  readonly price?: Micros | undefined;
  readonly amount?: Micros | undefined;
  readonly funds?: Micros | undefined;
}

/** Input of `createKey`. */
export interface KeyRequest {
  readonly wallet_address: string;
  readonly message: string;
  readonly nonce: string;
}

/** Drafts that a wallet signs. A cancel draft is found by its order's pubkey. */
export type DraftKind = 'order' | 'cancel' | 'merge' | 'split' | 'redeem' | 'request';

/** Sides of internal orders and recorded levels, in YES space. */
export const BID = 0;
export const ASK = 1;
/** A side of the YES book: `BID` or `ASK`. */
export type BookSide = typeof BID | typeof ASK;

/** Refusals of `placeInternal`: negative numbers, so that the hot path allocates nothing. */
export const REFUSED_MARKET = -1; // No book, not open, or paused.
export const REFUSED_GRID = -2; // Price or amount off the grid or out of range.
export const REFUSED_BALANCE = -3; // A limited account cannot pay.

/** Options of an account without a wallet, for the crowd and for tests. */
export interface InternalAccountOptions {
  /** Unlimited spending: its currency may be negative, so that money is conserved. */
  readonly unlimited: boolean;
  /** Starting currency of a limited account; default 0. */
  readonly funds?: Micros;
}

/** An account's holding in one market; shares in micros. */
export interface Holding {
  readonly yes: Micros;
  readonly yesLocked: Micros;
  readonly no: Micros;
  readonly noLocked: Micros;
}
