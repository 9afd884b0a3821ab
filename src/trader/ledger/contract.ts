/**
 * The ledger's public interface: its row types, `LedgerReader` for readers, and `Ledger` for the only writer.
 *
 * Amounts and prices are Micros; `…Ms` is our clock in milliseconds, `…S` is exchange time in Unix seconds.
 */

export type { Ledger } from './ledger.js';
export type { LedgerReader, PnlRow } from './reads.js';
export type { Booked } from './table.js';
export type * from './tables.js';
export { isFinalIntent } from './tables.js';
