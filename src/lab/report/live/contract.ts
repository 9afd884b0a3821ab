/** What a report of a live ledger is told from outside of the ledger. */

import type { Coverage } from '../../session/contract.js';
import type { RecordedBest } from '../../session/market-walk.js';

export interface LedgerSessionOptions {
  readonly title: string;
  /** Of the running program; the ledger names those that wrote it. */
  readonly version: string;
  /** Unix ms: the end of the session while the trader runs; null when it does not: then the last thing that was seen. */
  readonly nowMs: number | null;
  /** YES prices of the running trader; what is held is valued at them first of all. */
  readonly fairMicros: ReadonlyMap<string, number>;
  /** What a recording knows of a market; null where there is none. */
  readonly recorded: (conditionId: string) => RecordedPrices | null;
}

/** A recorded book without our own orders, at any moment. */
export interface RecordedPrices {
  /** As known at this moment; nulls outside of the recording and within its gaps. */
  readonly at: (timeMs: number) => RecordedBest;
  /** What YES resolved to, if the recording knows. */
  readonly outcome: boolean | null;
  readonly coverage: Coverage | null;
}
