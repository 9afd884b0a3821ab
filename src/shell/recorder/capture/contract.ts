/** Input and counters of a capture. */

import type { RecordingStore } from '../../../recording/store/store.js';
import type { OwnTradeRow } from '../../../shared/protocol/records.js';

/** When a poll left and its answer came (our clock), and the estimated venue clock in between. Unix ms. */
export interface PolledAt {
  readonly sentMs: number;
  readonly seenMs: number;
  readonly venueMs: number;
}

export interface CaptureSettings {
  readonly store: Pick<RecordingStore, 'market' | 'poll'>;
  /** Folder of the store, for the descriptions. */
  readonly folder: string;
  readonly venue: string;
  /** Only these markets; null for all seen ones. */
  readonly only: ReadonlySet<string> | null;
}

/** Since the start. */
export interface CaptureCounts {
  readonly markets: number;
  readonly levels: number;
  readonly trades: number;
  readonly gaps: number;
  readonly own: number;
  /** Feed values of recorded markets. */
  readonly feedValues: number;
  /** Invalid levels of the venue's answers (outside (0, 1), or without size), and events off the grid. */
  readonly refused: number;
}

/** An own order in any answer. */
export type OwnOrderRow = OwnTradeRow['order'];
