/**
 * The ledger as the rest of the program sees it: its rows, one class for those who only look (command line, dashboard) and one for
 * the single process that writes.
 *
 * Amounts and prices are Micros; `…Ms` is our own clock in milliseconds, `…S` the exchange's in Unix seconds.
 */

export type { Ledger } from './ledger.js';
export type { LedgerReader, PnlRow } from './reads.js';
export type { Booked } from './table.js';
export type * from './tables.js';
export { isFinalIntent } from './tables.js';
