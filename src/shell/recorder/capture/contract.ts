/** What a capture is given, and what it counts. */

import type { RecordingStore } from '../../../recording/store/contract.js';
import type { OwnTradeRow } from '../../../shared/protocol/records.js';

/** When a poll left, when its answer had come (our clock), and what the venue's clock probably said in between. Unix ms. */
export interface PolledAt {
  readonly sentMs: number;
  readonly seenMs: number;
  readonly venueMs: number;
}

export interface CaptureSettings {
  readonly store: Pick<RecordingStore, 'market' | 'poll'>;
  /** Folder of the store, for the descriptions. */
  readonly folder: string;
  /** Name of the recorded venue. */
  readonly venue: string;
  /** Only these markets; null for every one that is seen. */
  readonly only: ReadonlySet<string> | null;
}

/** Since the start. */
export interface CaptureCounts {
  readonly markets: number;
  readonly levels: number;
  readonly trades: number;
  readonly gaps: number;
  readonly own: number;
  /** What feeds said of recorded markets. */
  readonly feedValues: number;
  /** Levels of the venue's answers that could not be believed (off (0, 1), or without size), and events off the grid. */
  readonly refused: number;
}

/** An order of ours as any answer shows it. */
export type OwnOrderRow = OwnTradeRow['order'];
