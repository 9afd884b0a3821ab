/** Types of the service's calls and handlers, and parts of answers: envelope, errors and cursors. */

import type { z } from 'zod';
import { decodeCursor, decodePlace, encodeCursor, type SortedPlace } from '../../shared/protocol/cursors.js';
import type { Endpoint, EndpointName, PathParamsOf, QueryOf, WireOf } from '../../shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceFault } from '../../shared/protocol/errors.js';
import { type AccountSlot, invalid, type Refusal } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import type { WalletSignatures } from './wallet-signatures.js';

/** Lists with cursors. Each cursor contains the index of its list, so new lists must be added at the end. */
const LISTS = [
  'events.list',
  'markets.list',
  'search.list',
  'markets.trades',
  'markets.marginActivity',
  'orders.list',
  'trades.list',
  'merges.list',
  'splits.list',
  'redeems.list',
  'positions.list',
  'settlements.list',
  'requests.list',
] as const satisfies readonly EndpointName[];

/** A list with its own cursors, which other lists refuse. All lists accept a cursor that names no list. */
export type CursorList = (typeof LISTS)[number];

/** Exclusive upper bound of a position in a list. Sixteen times this bound is still a safe integer. */
const PER_LIST = 2 ** 48;

const computeBase = (list: CursorList): number => (LISTS.indexOf(list) + 1) * PER_LIST;

function positionIn(list: CursorList, number: number): number | null {
  const position = number % PER_LIST;
  const base = number - position;
  return base === 0 || base === computeBase(list) ? position : null;
}

type CursorKey = Parameters<typeof decodeCursor>[1];

/** Returns the position at which a cursor continues its list; undefined without a cursor, null for an invalid one. */
export function cursorPosition(list: CursorList, cursor: string | undefined, key: CursorKey) {
  if (cursor === undefined) return undefined;
  const number = decodeCursor(cursor, key);
  return number === null ? null : positionIn(list, number);
}

/** Returns the cursor that continues a list at a position. */
export const cursorAt = (list: CursorList, key: CursorKey, position: number): string =>
  encodeCursor({ [key]: computeBase(list) + position });

/** Returns the record after which a sorted list continues; undefined without a cursor, null for an invalid one. */
export function cursorPlace(list: CursorList, cursor: string | undefined): SortedPlace | undefined | null {
  if (cursor === undefined) return undefined;
  const place = decodePlace(cursor);
  const sortValue = place === null ? null : positionIn(list, place.sortValue);
  return place === null || sortValue === null ? null : { pubkey: place.pubkey, sortValue };
}

/** Returns the cursor that continues a sorted list after a record. */
export const cursorBehind = (list: CursorList, { pubkey, sortValue }: SortedPlace): string =>
  encodeCursor({ pubkey, sort_value: computeBase(list) + sortValue });

/** An answer of the service before it is sent. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Media type; absent: JSON. */
  readonly type?: 'text/html';
  readonly location?: string;
}

type Meta =
  | { readonly limit: number; readonly next_cursor: string | null }
  | { readonly is_yes: boolean }
  | Readonly<Record<string, never>>;

/** Body of a successful answer. */
export const successText = (data: unknown, meta: Meta): string => JSON.stringify({ data, meta, error: null });

/** Converts an error of the core to the service's answer, with the HTTP status of the error's slug. */
export function faultAnswer(fault: ServiceFault): Answer {
  const { status, code, message } = SERVICE_ERRORS[fault.slug];
  const error = { code, slug: fault.slug, message: fault.message ?? message, details: fault.details ?? [] };
  return { status, text: JSON.stringify({ data: null, meta: null, error }) };
}

/** Context that all handlers share. */
export type HandlerContext = Readonly<{ core: ExchangeCore; wallets: WalletSignatures }>;

/** One validated call, as a handler receives it. */
export interface ServiceCall<N extends EndpointName> {
  /** Time of the call, Unix ms of the exchange's clock. All work due at the time of the call is already done. */
  readonly nowMs: number;
  /** The authenticated caller; -1 for a call without a signature. */
  readonly account: AccountSlot;
  readonly params: PathParamsOf<N>;
  readonly query: QueryOf<N>;
  readonly body: Endpoint<N>['body'] extends z.ZodObject ? z.output<NonNullable<Endpoint<N>['body']>> : null;
  readonly limit: number;
}

/** A handler's answer: a record or a page in wire format, or a fault. An answer without pages may have a `meta`. */
export type Reply<N extends EndpointName> =
  | {
      readonly ok: true;
      readonly value: WireOf<N>;
      readonly nextCursor?: string | null;
      readonly meta?: Meta;
      /** Body of the answer, if it is already serialized. */
      readonly text?: string;
    }
  | Refusal;

export const BAD_CURSOR = invalid('cursor', 'Invalid cursor.');
