/** Bounds of a query besides its own conditions: markets and a time span. Other rows are invisible. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { Recording } from '../contract.js';
import type { Table } from '../store/layout.js';
import { quote } from '../store/tables.js';

export interface QueryBounds {
  /** Condition ids, tickers, or unique prefixes; empty for all markets. */
  readonly markets: readonly string[];
  /** Unix ms, the first moment and the one after the last; null for no bound. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export const NO_BOUNDS: QueryBounds = { markets: [], fromMs: null, toMs: null };

/** Time of a row: when it happened, else when it was requested or seen. */
const MOMENTS: Readonly<Record<Table, string>> = {
  events: 'time_ms',
  polls: 'sent_ms',
  own: 'seen_ms',
  feeds: 'time_ms',
};

/** Empty, or a WHERE for a table's rows. Markets are ids, from `resolveBounds`. */
export function makeBoundsSql(table: Table, { markets, fromMs, toMs }: QueryBounds): string {
  const conditions = [
    ...(markets.length === 0 ? [] : [`market IN (${markets.map(quote).join(', ')})`]),
    ...(fromMs === null ? [] : [`${MOMENTS[table]} >= ${fromMs}`]),
    ...(toMs === null ? [] : [`${MOMENTS[table]} < ${toMs}`]),
  ];
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}

/** The same with the ids of the named markets. Throws TwinbookError `usage` for an unknown or ambiguous name. */
export function resolveBounds(bounds: QueryBounds, recordings: readonly Recording[]): QueryBounds {
  return { ...bounds, markets: bounds.markets.map((name) => findMarket(name, recordings)) };
}

function findMarket(name: string, recordings: readonly Recording[]): string {
  const names = recordings.map(({ market }) => ({ id: market.conditionId, ticker: market.source.ticker }));
  const exact = names.filter(({ id, ticker }) => id === name || ticker === name);
  const found =
    exact.length > 0 ? exact : names.filter(({ id, ticker }) => id.startsWith(name) || ticker.startsWith(name));
  const ids = new Set(found.map(({ id }) => id));
  const [id] = ids;
  if (ids.size === 1 && id !== undefined) return id;
  const what = ids.size === 0 ? 'no market' : `${ids.size} markets`;
  const hint =
    '`twinbook data list` shows the markets of recordings: name one by its id or ticker, or by a beginning that no other has.';
  throw new TwinbookError('usage', `${what} of these recordings is named "${name}"`, hint);
}
