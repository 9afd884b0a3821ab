/**
 * What the journal of a run promises: everything that crossed the seam between the trader's core and its shell, in
 * order, so that the same core on the same ledger can be given the same observations again and every request compared.
 *
 * A run is a folder `<journal.dir>/<run id>/`: `run.json` (`RunDescription`), `ledger.sqlite` (the ledger as it was when
 * it had been opened and before the `Trader` was made), `observations-000001.ndjson.gz` … (one `Step` a line; the newest
 * segment is `.ndjson`), and `end.json` (`RunEnd`) when the journal was closed.
 *
 * To replay: open a copy of the ledger; make the executor with `description.runId`, the configuration's hash, and a
 * signer that gives back `step.signed` in order; make the `Trader` with the settings of the description, a bounded call
 * that throws what `timedOut` names, and `description.startedMs` as its `nowMs`; then `handle` each step's observation.
 * JSON has no `undefined`: compare requests by their canonical JSON.
 */

import type { Micros } from '../../shared/base/micros.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { Observation, Request } from '../../shared/protocol/seam.js';
import type { FeedSettings, MergeSettings, PollingSettings, StrategySettings } from '../../trader/engine/settings.js';
import type { SignAnswer } from '../../trader/executor/contract.js';
import type { EventRule } from '../../trader/risk/event-rules.js';
import type { RiskLimits } from '../../trader/risk/limits.js';
import type { Economics } from '../../trader/strategy/economics.js';

/** Those that are read. The second has values of feeds, changes of the configuration and words of a fleet, and is written where there are any. */
export const JOURNAL_FORMATS = [1, 2] as const;
export const NEWEST_FORMAT = 2;

/** Whether only the newest format has such an entry. */
export const hasNewerEntry = (observation: Observation): boolean =>
  observation.kind === 'feed' ||
  (observation.kind === 'command' && ['configure', 'fleet'].includes(observation.command.kind));

/** What the core was made of, as data. Holds no key, secret or passphrase. */
export interface RunDescription {
  readonly format: (typeof JOURNAL_FORMATS)[number];
  readonly runId: string;
  readonly version: string;
  readonly configHash: string;
  /** Absolute path of the trader's file. */
  readonly configFile: string;
  /** Absolute path of the ledger that the run wrote. */
  readonly ledgerPath: string;
  /** Our clock, ms: the `nowMs` that the `Trader` was made with. */
  readonly startedMs: number;
  /** The address that was traded on; an embedded exchange has another one at every start. */
  readonly profile: VenueProfile;
  readonly capitalMicros: Micros;
  readonly risk: RiskLimits;
  readonly polling: PollingSettings;
  readonly merge: MergeSettings;
  /** Absent in runs of a version that knew none. */
  readonly economics?: Economics;
  readonly events?: readonly EventRule[];
  /** Absent in runs of a version that knew none. */
  readonly feeds?: readonly FeedSettings[];
  /** The longest that one call into a strategy may take, ms. */
  readonly strategyLimitMs: number;
  readonly strategies: readonly JournaledStrategy[];
  /** Why there is no `ledger.sqlite`: such a run can be read, not replayed. Null when it is there. */
  readonly ledgerMissing: string | null;
}

/** A strategy by its settings and the key of its code; the code itself is in no journal. */
export interface JournaledStrategy extends Omit<StrategySettings, 'module'> {
  /** Absolute path of the strategy file. */
  readonly file: string;
  /** As written in the strategy file: the name of a shipped module, or a path. */
  readonly moduleName: string;
}

/** One `Trader.handle`. */
export interface Step {
  /** From 0, without a gap. */
  readonly index: number;
  readonly observation: Observation;
  /** What it returned, in order; empty when it threw. */
  readonly requests: readonly Request[];
  /** Calls into strategies during this step that were cut short, by their number within the step, from 0. */
  readonly timedOut: readonly number[];
  /** What the signer answered during this step, in order. */
  readonly signed: readonly Signed[];
  /** What the core threw, when it did: the run's last step. */
  readonly failure: string | null;
}

export interface Signed {
  readonly intentId: string;
  readonly answer: SignAnswer;
}

export interface RunEnd {
  /** Steps that the journal was given; when it stopped early, the last of them may not have reached the disk. */
  readonly steps: number;
  readonly endedMs: number;
  /** Why the journal ended before the run did: no space, the size limit. Null when it holds the whole run. */
  readonly stoppedEarly: string | null;
}

/** A run's journal as it lies on disk; also one that is being written, up to its last flush. */
export interface RunJournal {
  readonly folder: string;
  readonly description: RunDescription;
  /** The starting ledger; null when it was not copied. Open a copy of it, never the file itself. */
  readonly ledgerFile: string | null;
  /** Null when the run goes on, or was killed. */
  readonly end: RunEnd | null;
  /**
   * Streams the steps from the first; each call starts anew. A cut last line ends the stream and is said in `warnings`.
   * Throws `recording_invalid` for a step that is missing or no step.
   */
  steps(): AsyncIterable<Step>;
  /** Complete once `steps()` has been read to its end. */
  readonly warnings: readonly string[];
}
