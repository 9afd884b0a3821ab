/** How the exchange's shell (`exchange/http`) drives the crowd and a replay. */

import type { RecordingWarning } from '../../recording/contract.js';

/**
 * Acts on the exchange core as time passes. The shell calls `tick` at or after `nextDueMs` (a late call catches up, an
 * early one does nothing) and never from inside one of the core's own calls.
 */
export interface Driver {
  /** Does all work due by `nowMs` (exchange clock, Unix ms), in order of time. */
  tick(nowMs: number): void;
  /** Exchange clock, Unix ms, of the next work; Infinity when none will come. */
  nextDueMs(): number;
}

/** Facts about recorded data for the user, as far as it was read. */
export interface ReplayNotes {
  /** Markets being replayed. */
  readonly markets: number;
  /** Markets with an unknown outcome: they close and never resolve. */
  readonly unresolved: number;
  /** Gaps and doubtful rows. */
  readonly notes: readonly RecordingWarning[];
  /** Recordings that cannot be read to their end. */
  readonly failures: readonly RecordingWarning[];
}
