/** What a report of a live ledger is told from outside of the ledger. */

import type { FeeSchedule } from '../../../shared/base/fees.js';
import type { MarketOutcome } from '../../../shared/protocol/outcome.js';
import type { Coverage, RequestUse } from '../../session/contract.js';
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
  readonly findPrices: (conditionId: string) => RecordedPrices | null;
  /** What the venue's fees are a part of, by its profile; absent: not known. */
  readonly feeSchedule?: FeeSchedule;
  /** What the journals of its runs add; without them the ledger stands alone. */
  readonly journals?: JournalFacts;
}

/** What the journals of a ledger's runs know and the ledger does not. */
export interface JournalFacts {
  /** The exchange's clock minus ours, ms, in the run of this moment of our clock. */
  readonly offsetMs: (ourMs: number) => number;
  /** Null without any journal. */
  readonly requests: RequestUse | null;
  /** A sentence each: runs without a journal, and what else a reader must know. */
  readonly remarks: readonly string[];
}

/** A recorded book without our own orders, at any moment. */
export interface RecordedPrices {
  /** As known at this moment; nulls outside of the recording and within its gaps. */
  readonly at: (timeMs: number) => RecordedBest;
  /** The last middle that was known by this moment, however long before it; null before the first. */
  readonly standing: (timeMs: number) => number | null;
  /** What YES resolved to, if the recording knows. */
  readonly outcome: MarketOutcome | null;
  readonly coverage: Coverage | null;
  /** Names that the ledger does not keep; empty where not known. */
  readonly eventTitle: string;
  readonly category: string;
}
