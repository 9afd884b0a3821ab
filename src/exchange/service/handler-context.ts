/** A service call for its handler: checked as far as possible without the core. */

import type { z } from 'zod';
import type { Endpoint, EndpointName, ParamsOf, QueryOf, WireOf } from '../../shared/protocol/endpoints.js';
import type { ServiceFault } from '../../shared/protocol/errors.js';
import type { AccountSlot, Page, Result } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import type { Market } from '../core/market.js';
import { badField, type Meta, NOT_FOUND } from './envelope.js';
import { type CursorList, cursorAt, cursorPosition } from './list-cursors.js';
import type { WalletSignatures } from './wallet-signatures.js';

/** Shared context of all handlers. */
export interface HandlerContext {
  readonly core: ExchangeCore;
  readonly wallets: WalletSignatures;
}

type ParsedBody<N extends EndpointName> = Endpoint<N>['body'] extends z.ZodObject
  ? z.output<NonNullable<Endpoint<N>['body']>>
  : null;

/** One validated call. */
export interface ServiceCall<N extends EndpointName> {
  /** Exchange clock, ms; all due work is done. */
  readonly nowMs: number;
  /** The authenticated caller; only for a signed call. */
  readonly account: AccountSlot;
  readonly params: ParamsOf<N>;
  readonly query: QueryOf<N>;
  readonly body: ParsedBody<N>;
  /** Rows of a page: the caller's limit, else the declared default. */
  readonly limit: number;
}

/** A handler's answer: the record or page in wire format. `meta` is that of a list without pages. */
export type Reply<N extends EndpointName> =
  | {
      readonly ok: true;
      readonly data: WireOf<N>;
      readonly nextCursor?: string | null;
      readonly meta?: Meta;
    }
  | { readonly ok: false; readonly fault: ServiceFault };

/** Carries out one call and returns the answer. */
type Handler<N extends EndpointName> = (call: ServiceCall<N>, context: HandlerContext) => Reply<N>;
/** One handler per call. */
export type Handlers = { readonly [N in EndpointName]: Handler<N> };

/** A reply that carries an error. */
export const refuse = (fault: ServiceFault) => ({ ok: false, fault }) as const;

/** A result of the core as a reply. */
export const reply = <T>(result: Result<T>) =>
  result.ok ? ({ ok: true, data: result.value } as const) : refuse(result.fault);

/** A record, or not found. */
export const answerFound = <T>(record: T | null) =>
  record === null ? refuse(NOT_FOUND) : ({ ok: true, data: record } as const);

/** The path's market, or `not_found`. */
export function ofMarket<T>(
  { core }: HandlerContext,
  params: { readonly condition_id: string },
  answer: (market: Market) => T,
) {
  const market = core.catalog.byId(params.condition_id);
  return market === null ? refuse(NOT_FOUND) : answer(market);
}

/** A keyset list: reads the cursor, gets the page, writes the next cursor. */
export function keysetPage<Q extends { readonly cursor?: string | undefined }, T>(
  list: CursorList,
  query: Q,
  limit: number,
  read: (query: Q & { readonly limit: number; readonly beforeId: number | undefined }) => Page<T>,
) {
  const beforeId = cursorPosition(list, query.cursor, 'before_id');
  if (beforeId === null) return refuse(BAD_CURSOR);
  const page = read({ ...query, limit, beforeId });
  const nextCursor = page.nextBeforeId === null ? null : cursorAt(list, 'before_id', page.nextBeforeId);
  return { ok: true as const, data: [...page.rows], nextCursor };
}

export const BAD_CURSOR = badField('cursor', 'Invalid cursor.');
