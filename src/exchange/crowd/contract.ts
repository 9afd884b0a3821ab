/** What the exchange's shell (`exchange/http`) needs to know of the crowd and of a replay: how to drive them. */

import type { RecordingWarning } from '../../recording/contract.js';

/**
 * Something that acts on the exchange core as time passes. The shell calls `tick` at or after `nextDueMs` (a late call
 * catches up, an early one does nothing) and never calls it from inside one of the core's own calls.
 */
export interface Driver {
  /** Does everything that was due by `nowMs` (the exchange's clock, Unix ms), in order of its own times. */
  tick(nowMs: number): void;
  /** The exchange's clock, Unix ms, of the next thing to do; Infinity when nothing will ever happen again. */
  nextDueMs(): number;
}

/** Facts about recorded data that the user should know, as far as it has been read. */
export interface ReplayNotes {
  /** Markets being replayed. */
  readonly markets: number;
  /** Those of them whose outcome is unknown: they close and never resolve. */
  readonly unresolved: number;
  /** Gaps and doubtful rows. */
  readonly notes: readonly RecordingWarning[];
  /** Recordings that cannot be read to their end. */
  readonly failures: readonly RecordingWarning[];
}
