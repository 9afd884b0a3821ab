/** Types of the paper exchange's core. Arguments of calls are plain JSON, so a journal of the calls can be replayed. */

import type { z } from 'zod';
import type { Micros } from '../../shared/base/micros.js';
import type { SortedPlace } from '../../shared/protocol/cursors.js';
import type { DraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { Endpoint, EndpointName, QueryOf } from '../../shared/protocol/endpoints.js';
import type { ServiceErrorSlug, ServiceFault } from '../../shared/protocol/errors.js';
import type { DraftCosigners } from '../../shared/protocol/profile.js';
import type * as record from '../../shared/protocol/records.js';
import type { FillModel } from './matching/fill-model.js';
import { text } from './money.js';

/** Makes the result of a successful call from the call's value. */
export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

/** Result of a refused call, which changed nothing. */
export type Refusal = Extract<Result<never>, { ok: false }>;

/** Refuses a call with this error and its standard message, or with another message. */
export const refuse = (slug: ServiceErrorSlug, message?: string): Refusal => ({
  ok: false,
  fault: message === undefined ? { slug } : { slug, message },
});

/** Converts a successful result's record with `row`; a refusal stays unchanged. */
export const mapResult = <T, U>(result: Result<T>, row: (record: T) => U) =>
  result.ok ? ok(row(result.value)) : result;

/** Refuses a call with a 400 `invalid_request_params` that names the wrong field. */
export const invalid = (field: string, problem: string): Refusal => ({
  ok: false,
  fault: { slug: 'invalid_request_params', details: [{ [field]: problem }] },
});

/** Refuses a value that is not a multiple of the step; returns null for a multiple. Value and step are in micros. */
export const offGrid = (field: string, value: number, step: number): Refusal | null =>
  value % step === 0 ? null : invalid(field, `Must be a multiple of ${text(step)}.`);

/** Refuses a value outside two bounds, micros; returns null for a value within. */
export function outside(field: string, value: number, least: number, most: number): Refusal | null {
  if (value < least) return invalid(field, `Ensure this value is greater than or equal to ${text(least)}.`);
  return value > most ? invalid(field, `Ensure this value is less than or equal to ${text(most)}.`) : null;
}

/** Refuses a submit whose signature was not made by the caller's wallet for the draft. */
export const badSignature = (): Refusal => invalid('signature', 'The signature does not verify.');

/** Result of a core call: the record, or the error of a refusal. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: ServiceFault };

/** Fixed settings of an exchange. */
export interface CoreSettings {
  /** Name of the service in challenges and readable drafts, for example `SVC`. */
  readonly serviceName: string;
  /** Format of a draft's `message`; if absent, the message is the draft's readable text. */
  readonly draftMessage?: DraftMessage;
  /** Signers that a transaction draft needs besides the account's wallet; absent: no other signer. */
  readonly draftCosigners?: DraftCosigners;
  /** Time from a draft to its expiry, ms; usually 60,000. */
  readonly draftLifetimeMs: number;
  /** Time that a submitted merge or split stays `in_process`, and that each margin step takes, ms; usually 400. */
  readonly landingMs: number;
  /** Loss that liquidates a position, in percent of its user_liquidity, 1 to 100. Absent: 100. */
  readonly liquidationLossPercent?: number;
  /** Currency that an account receives when its wallet creates its first key. */
  readonly startingFunds: Micros;
  /** Time from a challenge to its expiry, ms; usually 600,000. */
  readonly challengeLifetimeMs: number;
  /** Seed of all pubkeys and condition ids. */
  readonly seed: number;
  /** Fill model or its name; a model places accounts' orders in recorded queues. Absent: `risk-averse`. */
  readonly fillModel?: string | FillModel;
  /** Listener that receives fills as they happen; absent: no listener. */
  readonly observer?: CoreObserver;
}

/** Observer that receives fills for measurements. A fill observer may read the core but must never change it. */
export interface CoreObserver {
  /** During this call, the book is as before the trade, except for accounts' orders that the trade has filled. */
  onFill(fill: ObservedFill): void;
}

/** A fill of an order that belongs to an account with a wallet. Amounts and currency of the fill are in millionths. */
export interface ObservedFill {
  readonly timeMs: number;
  readonly account: AccountSlot;
  readonly market: MarketIndex;
  readonly orderPubkey: string;
  readonly tradePubkey: string;
  readonly isYes: boolean;
  readonly isBuy: boolean;
  /** Price of the fill in YES space. */
  readonly priceMicros: number;
  readonly amountMicros: number;
  /** Currency that the fill moved, excluding the fee; always positive. */
  readonly costMicros: number;
  readonly feeMicros: number;
  readonly isMaker: boolean;
  /** True if the fill was caused by a recorded level that reached the order's price, not by a recorded trade. */
  readonly atCrossing: boolean;
}

/** Number of an account, in order of creation. Account 0 owns all recorded liquidity. */
export type AccountSlot = number;
/** Number of a market in the catalog, from 0; it never changes. */
export type MarketIndex = number;

/** Rules of a market's order book: numbers in micros, precisions in digits. Absent rules get the core's defaults. */
export type BookConfigSpec = Pick<record.OrderbookConfig, 'kind'> & Partial<record.OrderbookConfig>;

/** Rules of a margin market, which has no order book and refuses orders. The exchange stores and shows these rules. */
export type PoolConfigSpec = Exclude<z.input<typeof record.marketConfig>, { kind: 'orderbook' }>;

type DetailField = 'condition_id' | 'title' | 'description' | 'logo' | 'category' | 'margin_enabled';
type OtherField = 'yes_outcome_label' | 'no_outcome_label' | 'resolution_date' | 'state';
type DetailFields = { readonly [F in DetailField | OtherField]?: Wire<'marketDetail'>[F] | undefined };

/**
 * Description of a market to create: fields of a market's detail, of which only `config` is required. The state is
 * `open` by default; a market cannot start `resolved` or `canceled`.
 */
export interface MarketSpec extends DetailFields {
  readonly config: BookConfigSpec | PoolConfigSpec;
  /** Title of the event. Markets with equal ids, else with equal titles, share an event; absent: an own event. */
  readonly event?: string | undefined;
  /** Id of the event; absent: the id of the event with the title, or a derived id. */
  readonly event_condition_id?: string;
  /** Slug of the market's sport in the sports catalog. `league`: slug of one of the sport's leagues. */
  readonly sport?: string | null | undefined;
  readonly league?: string | null | undefined;
  /** Initial reference price of a margin market, YES space, strictly between 0 and 1; default 0.5. */
  readonly reference_price?: Micros | null | undefined;
  readonly rules?: readonly string[] | null | undefined;
}

type DraftBody<N extends EndpointName> = z.output<NonNullable<Endpoint<N>['body']>>;

/** Parsed body of an order draft. Price and funds refer to the order's outcome. */
export type OrderRequest = Omit<DraftBody<'orders.create'>, 'price' | 'amount' | 'funds'> &
  Partial<DraftBody<'orders.create'>>;

/** Request for an API key, without its signature. */
export type KeyRequest = Omit<DraftBody<'keys.create'>, 'signature'>;

/** Kinds of drafts that a wallet must sign. A cancel draft has its order's pubkey. */
export type DraftKind = 'order' | 'cancel' | 'merge' | 'split' | 'redeem' | 'request';

/** Sides of internal orders and recorded levels, in YES space. */
export const BID = 0;
export const ASK = 1;
/** A side of the YES order book, either `BID` or `ASK`. */
export type MatchingSide = typeof BID | typeof ASK;

/** Refusal codes of `InternalOrders.place`: negative numbers, so that the hot path allocates nothing. */
export const REFUSED_MARKET = -1; // The market has no book, is not open, or is paused.
export const REFUSED_GRID = -2; // The price or amount is off the grid or out of range.
export const REFUSED_BALANCE = -3; // A limited account cannot pay.

/** Wire format of a record, by the record's name in protocol/records.ts. */
export type Wire<Name extends keyof typeof record> = z.input<(typeof record)[Name]>;

/** One page of a list, newest rows first. `nextBeforeId` makes the cursor of the next page; null on the last page. */
export interface RecordPage<T> {
  readonly rows: readonly T[];
  readonly nextBeforeId: number | null;
}

/** Filters of a list, as the list's endpoint declares them. */
export type FiltersOf<N extends EndpointName> = Omit<QueryOf<N>, 'limit' | 'cursor' | 'sort'>;

/** Filters and start of one page of a list, newest rows first. */
export type PageQuery<N extends EndpointName> = FiltersOf<N> & {
  readonly limit: number;
  /** Lists only rows with ids below this id. */
  readonly beforeId?: number | undefined;
};

/** New take profit and stop loss, as prices of the outcome. An absent price stays unchanged; null removes the price. */
export interface TpSlChange {
  readonly takeProfit?: Micros | null | undefined;
  readonly stopLoss?: Micros | null | undefined;
}

/** Size of a new position: all of `funds` at the current price, or `shares` at `price` or a better price. */
export type MarginSize =
  | { readonly type: 'market'; readonly funds: Micros }
  | { readonly type: 'limit'; readonly price: Micros; readonly shares: Micros };

/** Terms of a margin estimate. A leverage of 1 is 1,000,000. */
export interface EstimateTerms {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  readonly leverage: Micros;
  readonly funds: Micros;
}

/** Terms of a request to open a margin position. */
export type MarginRequest = Omit<EstimateTerms, 'funds'> & MarginSize & TpSlChange;

/** Size, start and direction of one page of a margin list. */
export interface MarginPageQuery {
  readonly limit: number;
  /** The page starts after this record of the list. `sortValue` is the number of the record in order of creation. */
  readonly after?: SortedPlace | undefined;
  /** Order of a margin list: true lists the oldest records first; default: newest first. */
  readonly oldestFirst?: boolean | undefined;
}

/** One page of a margin list. */
export interface MarginPage<T> {
  readonly rows: readonly T[];
  /** Start of the margin list's next page; null on the last page. */
  readonly next: SortedPlace | null;
}
