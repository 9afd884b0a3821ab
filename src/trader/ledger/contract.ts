/**
 * The ledger's public interface: row types, `LedgerReader` for readers, and `Ledger` for the only writer. Amounts and
 * prices are Micros. Fields `…Ms` are times of our clock, ms. Fields `…S` are exchange times, Unix s.
 */

export type { Ledger } from './ledger.js';
export type { LedgerReader } from './reads.js';
export type { Booked } from './table.js';
export type * from './tables.js';
export { isFinalIntent, placeTerms } from './tables.js';
