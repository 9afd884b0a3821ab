/**
 * Types of the core; its calls are the methods of `ExchangeCore`. The core is synchronous: time, secrets and verdicts
 * on signatures are arguments. Records are spelled as on the wire.
 *
 * A call happens at the time of `at(nowMs)`, which never goes back; everything due by then is done before. Arguments
 * are plain JSON, so a journal of the calls replays to the same state. Reads change nothing.
 */

import type { z } from 'zod';
import type { Micros } from '../../shared/base/micros.js';
import type { DraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { Endpoint, EndpointName, QueryOf } from '../../shared/protocol/endpoints.js';
import type { ServiceErrorSlug, ServiceFault } from '../../shared/protocol/errors.js';
import type { DraftCosigners } from '../../shared/protocol/profile.js';
import type * as record from '../../shared/protocol/records.js';
import type { MarketState } from '../../shared/protocol/states.js';
import type { FillModel } from './matching/fill-model.js';

/** A successful call with its record. */
export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

/** A call that changed nothing, with the service's error. */
export type Refusal = Extract<Result<never>, { ok: false }>;

/** Refuses a call with the table's message of this slug. */
export const refuse = (slug: ServiceErrorSlug): Refusal => ({ ok: false, fault: { slug } });

/** Converts a result's record with `row`; a refusal passes through. */
export const mapResult = <T, U>(result: Result<T>, row: (record: T) => U) =>
  result.ok ? ok(row(result.value)) : result;

/** 400 `invalid_request_params` that names the field. */
export const invalid = (field: string, text: string): Refusal => ({
  ok: false,
  fault: { slug: 'invalid_request_params', details: [{ [field]: text }] },
});

/** Refuses a submit whose signature is not that of the caller's wallet over the draft. */
export const badSignature = (): Refusal => invalid('signature', 'The signature does not verify.');

/** Result of a core call: its record, or the service's fault. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: ServiceFault };

/** Fixed settings of an exchange. */
export interface CoreSettings {
  /** Name of the service in challenges and readable drafts, for example `SVC`. */
  readonly serviceName: string;
  /** Format of a draft's `message`; absent: the readable text itself. */
  readonly draftMessage?: DraftMessage;
  /** Required signers of a transaction draft besides the account's wallet; absent: no other signer. */
  readonly draftCosigners?: DraftCosigners;
  /** Time from a draft to its expiry, ms (60,000). */
  readonly draftLifetimeMs: number;
  /** ms that a submitted merge or split stays `in_process`, and of each margin step (400). */
  readonly landingMs: number;
  /** Percent of a position's own liquidity, 1 to 100; a loss of this size liquidates the position. Absent: 100. */
  readonly liquidationLossPercent?: number;
  /** Starting currency of an account at its wallet's first key. */
  readonly startingFunds: Micros;
  /** ms (600,000). */
  readonly challengeLifetimeMs: number;
  /** Seed of all pubkeys and condition ids. */
  readonly seed: number;
  /** Place of real orders in recorded queues: a fill model or its name, which must be known; absent: `risk-averse`. */
  readonly fillModel?: string | FillModel;
  /** Receives fills as they happen; absent: no observer. */
  readonly observer?: CoreObserver;
}

/** Observer for a shell that measures. An observer may read the core, never change the core. */
export interface CoreObserver {
  /** The book is as right before the trade, except for the real orders reached so far. */
  onFill(fill: ObservedFill): void;
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
  /** Price in YES space. */
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
  /** Title of the market's event; equal titles are one event. Absent: the market gets its own event. */
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

type ParsedBody<N extends EndpointName> = z.output<NonNullable<Endpoint<N>['body']>>;

/** Parsed body of an order draft. Price and funds in the named outcome's space. */
export type OrderRequest = Omit<ParsedBody<'orders.create'>, 'price' | 'amount' | 'funds'> &
  Partial<ParsedBody<'orders.create'>>;

/** Input of `createKey`. */
export type KeyRequest = Omit<ParsedBody<'keys.create'>, 'signature'>;

/** Drafts that a wallet signs. A cancel draft is found by its order's pubkey. */
export type DraftKind = 'order' | 'cancel' | 'merge' | 'split' | 'redeem' | 'request';

/** Sides of internal orders and recorded levels, in YES space. */
export const BID = 0;
export const ASK = 1;
/** A side of the YES book: `BID` or `ASK`. */
export type BookSide = typeof BID | typeof ASK;

/** Refusals of `placeInternal`: negative numbers, so that the hot path allocates nothing. */
export const REFUSED_MARKET = -1; // The market has no book, is not open, or is paused.
export const REFUSED_GRID = -2; // Price or amount off the grid or out of range.
export const REFUSED_BALANCE = -3; // A limited account cannot pay.

/** Options of an account without a wallet, for the crowd and for tests. */
export interface InternalAccountOptions {
  /** Unlimited spending: its currency may be negative, so that money is conserved. */
  readonly unlimited: boolean;
  /** Starting currency of a limited account; default 0. */
  readonly funds?: Micros;
}

/** A record of protocol/records.ts in wire format, by its name there. */
export type Wire<Name extends keyof typeof record> = z.input<(typeof record)[Name]>;

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
  /** Only rows with an id below this id. */
  readonly beforeId?: number | undefined;
};

/** Selected holdings of a list. */
export type AssetQuery = FiltersOf<'account.assets'> & {
  readonly limit: number;
  /** Place in the scan; see assets.ts. */
  readonly offset?: number | undefined;
};

/** Prices that close a position, in its own outcome's space. Absent: unchanged; null: no such price. */
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
  /** Place of the next page; null on the last page. */
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
  /** The account's money in margin, outside its funds: funded requests, open positions and unpaid settlements. */
  readonly held: Micros;
}
