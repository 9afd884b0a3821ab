/** The words of the core's contract: settings, markets, drafts, numbers. Seen from outside through contract.ts. */

import type { z } from 'zod';
import type { Micros } from '../../shared/base/micros.js';
import type { DraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { ServiceFault } from '../../shared/protocol/errors.js';
import type { DraftCosigners } from '../../shared/protocol/profile.js';
import type * as record from '../../shared/protocol/records.js';
import type { MarketState, OrderType, Side } from '../../shared/protocol/states.js';
import type { FillModel } from './matching/fill-model.js';

/** What a call of the core gives: its record, or the fault that the service answers. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: ServiceFault };

/** What is fixed for the life of an exchange. */
export interface CoreSettings {
  /** As in challenges and readable drafts, e.g. `SVC`. */
  readonly serviceName: string;
  /** What the `message` of a draft is; absent: the readable text itself. */
  readonly draftMessage?: DraftMessage;
  /** Who signs a draft that is a transaction beside the account's wallet; absent: nobody. */
  readonly draftCosigners?: DraftCosigners;
  /** ms from a draft to its expiry (60,000). */
  readonly draftLifetimeMs: number;
  /** ms that a submitted merge or split stays `in_process`, and each step of margin takes (400). */
  readonly landingMs: number;
  /** Percent of a position's own liquidity, 1 to 100, that its loss must reach for a liquidation; absent: 100. */
  readonly liquidationLossPercent?: number;
  /** Currency of an account on its wallet's first key. */
  readonly startingFunds: Micros;
  /** ms (600,000). */
  readonly challengeLifetimeMs: number;
  /** Pubkeys and condition ids are derived from it. */
  readonly seed: number;
  /**
   * How real orders stand in recorded queues: a name that fill-model.ts reads, or a model; absent: `risk-averse`.
   * TwinbookError `usage` for a name that it does not know. Orders of a snapshot keep their places and move by today's model.
   */
  readonly fillModel?: string | FillModel;
  /** Hears of fills at the moment of each; absent: nobody listens. */
  readonly observer?: CoreObserver;
}

/** For a shell that measures. It may read the core, never change it. */
export interface CoreObserver {
  /** The book is still as it was right before the trade, but for the real orders that it has reached so far. */
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

/** One fill of an order of an account with a wallet. Amounts and currency in millionths. */
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
  /** Currency that moved without the fee, always positive. */
  readonly costMicros: number;
  readonly feeMicros: number;
  readonly isMaker: boolean;
  /** A recorded amount that came to the order's price did it, not a trade. */
  readonly atCrossing: boolean;
}

/** Small integers in the order of creation. Account 0 is the recorded market's. */
export type AccountSlot = number;
/** A market's place in the catalog, from 0; it never changes. */
export type MarketIndex = number;

/** Answer of the `/paper/accounts/{wallet}/` controls. */
export interface WireFunds {
  readonly funds: { readonly total: string; readonly locked: string; readonly available: string };
  readonly custodial: boolean;
}

/** The book's rules of a market; absent ones take the core's defaults. Numbers in Micros, precisions in digits. */
export type BookConfigSpec = {
  readonly kind: 'orderbook';
} & { readonly [K in Exclude<keyof record.OrderbookConfig, 'kind'>]?: record.OrderbookConfig[K] };

/** A market without a user book (margin kinds): kept and shown as given, orders are refused on it. */
export type PoolConfigSpec = Exclude<z.input<typeof record.marketConfig>, { kind: 'orderbook' }>;

/** A market to create: any field of the detail; all but `config` may be absent. */
export interface MarketSpec {
  readonly config: BookConfigSpec | PoolConfigSpec;
  /** Title of its event; the same title is the same event. Absent: an event of its own. */
  readonly event?: string;
  /** Of an event that begins with this market, unless there is one of this id; absent: an id is made. */
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
  /** Where the price of a margin market starts, YES space, strictly between 0 and 1; default 0.5. */
  readonly reference_price?: Micros;
  readonly yes_outcome_label?: string;
  readonly no_outcome_label?: string;
  readonly rules?: readonly string[];
  /** Unix seconds. */
  readonly resolution_date?: number | null;
  /** Default `open`; not `resolved` or `canceled`. */
  readonly state?: MarketState;
}

/** Body of an order draft, already parsed. Price and funds in the space of the named outcome. */
export interface OrderRequest {
  readonly market_condition_id: string;
  readonly is_yes: boolean;
  readonly side: Side;
  readonly order_type: OrderType;
  readonly price?: Micros | undefined;
  readonly amount?: Micros | undefined;
  readonly funds?: Micros | undefined;
}

/** What the caller of `createKey` sent. */
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

/** Why `placeInternal` refused; a refusal is a negative number so that the hot path allocates nothing. */
export const REFUSED_MARKET = -1; // no book, not open, or paused
export const REFUSED_GRID = -2; // price or amount off the grid or out of range
export const REFUSED_BALANCE = -3; // a limited account cannot pay

/** How an account without a wallet is made, for the crowd and for tests. */
export interface InternalAccountOptions {
  /** May spend without limit: its currency goes negative, so that money is still conserved. */
  readonly unlimited: boolean;
  /** Starting currency of a limited account; default 0. */
  readonly funds?: Micros;
}

/** What an account holds of one market; shares in Micros. */
export interface Holding {
  readonly yes: Micros;
  readonly yesLocked: Micros;
  readonly no: Micros;
  readonly noLocked: Micros;
}
