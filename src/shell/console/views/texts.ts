/** Formats of the ledger's and the trader's figures for the page. */

import { complement, formatDecimal, type Micros, maxMicros } from '../../../shared/base/micros.js';
import type { LedgerReader, OrderRecord } from '../../../trader/ledger/contract.js';
import type { ViewQuery } from '../../dashboard/contract.js';
import type { TraderState } from '../trader-state.js';

export const outcomeName = (isYes: boolean): string => (isYes ? 'YES' : 'NO');

/** `buy NO`. */
export const sideText = ({ side, isYes }: { readonly side: string; readonly isYes: boolean }): string =>
  `${side} ${outcomeName(isYes)}`;

/** A fill may be booked before the exchange's order row shows it, and the reverse. */
export const filledOf = ({ filledMicros, bookedMicros }: Pick<OrderRecord, 'filledMicros' | 'bookedMicros'>): Micros =>
  maxMicros(filledMicros, bookedMicros);

/** The price of an order in the YES book. */
export const yesPrice = (isYes: boolean, price: Micros): Micros => (isYes ? price : complement(price));

/** `sell YES 0.38` of an order to buy NO at 0.62. */
export function otherSpace({ side, isYes }: { side: string; isYes: boolean }, price: Micros): string {
  return `${side === 'buy' ? 'sell' : 'buy'} ${outcomeName(!isYes)} ${formatDecimal(complement(price))}`;
}

/** Rows of one page. */
const PAGE_ROWS = 50;

/** The rows of a page that contain every word, and the number of all such rows. */
export function findPage<Row extends object>(rows: readonly Row[], { words, page }: Pick<ViewQuery, 'words' | 'page'>) {
  const wanted = words.toLowerCase().split(/\s+/);
  const isFound = (row: Row): boolean => {
    const text = Object.values(row).join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  const found = words === '' ? rows : rows.filter(isFound);
  return { rows: found.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS), count: found.length, page, size: PAGE_ROWS };
}

/** 0 of 0 has no fraction. */
export const computePart = (used: number, limit: number): number | null => (limit > 0 ? used / limit : null);

/** A market's title from the trader, else from the ledger, else a prefix of its id. */
export function makeTitleLookup(trader: TraderState, ledger: LedgerReader | null): (id: string) => string {
  const known = new Map<string, string>();
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const title = trader.markets.get(id)?.title ?? ledger?.market(id)?.title ?? id.slice(0, SHORT_ID);
    known.set(id, title);
    return title;
  };
}

const SHORT_ID = 12;
