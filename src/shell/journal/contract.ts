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
import type { EventRule } from '../../trader/risk/exposure.js';
import type { RiskLimits } from '../../trader/risk/limits.js';
import type { Economics } from '../../trader/strategy/economics.js';

/** `RunDescription`. */
export const RUN_FILE = 'run.json';
export const LEDGER_COPY = 'ledger.sqlite';
/** `RunEnd`. */
export const END_FILE = 'end.json';

export const JOURNAL_FORMAT = 1;

/** Inputs of the core as data. Contains no key, secret or passphrase. */
export interface RunDescription {
  readonly format: typeof JOURNAL_FORMAT;
  readonly runId: string;
  readonly version: string;
  readonly configHash: string;
  /** Absolute path of the trader's file. */
  readonly configFile: string;
  /** Absolute path of the run's ledger. */
  readonly ledgerPath: string;
  /** Our clock, ms: the `nowMs` of the recorded `Trader`. */
  readonly startedMs: number;
  /** The profile with the actual address; an embedded exchange has a new one at every start. */
  readonly profile: VenueProfile;
  readonly capitalMicros: Micros;
  readonly risk: RiskLimits;
  readonly polling: PollingSettings;
  readonly merge: MergeSettings;
  readonly economics: Economics;
  readonly events: readonly EventRule[];
  readonly feeds: readonly FeedSettings[];
  /** Longest call into a strategy, ms. */
  readonly strategyLimitMs: number;
  readonly strategies: readonly JournaledStrategy[];
  /** Why there is no `ledger.sqlite`: such a run can be read, not replayed. Null if there is one. */
  readonly ledgerMissing: string | null;
}

/** A strategy by its settings and the key of its code; no journal contains code. */
export interface JournaledStrategy extends Omit<StrategySettings, 'module' | 'moduleKey'> {
  /** Equal for equal code. */
  readonly moduleKey: string;
  /** Absolute path of the strategy file. */
  readonly file: string;
  /** As written in the strategy file: the name of a shipped module, or a path. */
  readonly moduleName: string;
}

/** One `Trader.handle`. */
export interface Step {
  /** From 0, consecutive. */
  readonly index: number;
  readonly observation: Observation;
  /** Its result, in order; empty when it threw. */
  readonly requests: readonly Request[];
  /** Interrupted calls into strategies during this step, by number within the step, from 0. */
  readonly timedOut: readonly number[];
  /** Results of the signer during this step, in order. */
  readonly signed: readonly Signed[];
  /** Error of the core, if any: the run's last step. */
  readonly failure: string | null;
}

export interface Signed {
  readonly intentId: string;
  readonly answer: SignAnswer;
}

export interface RunEnd {
  /** Steps passed to the journal; after an early stop the last of them may be missing on disk. */
  readonly steps: number;
  readonly endedMs: number;
  /** Why the journal ended before the run: no space, the size limit. Null for a complete one. */
  readonly stoppedEarly: string | null;
}

/** A run's journal on disk, also while it is written, up to its last flush. */
export interface RunJournal {
  readonly folder: string;
  readonly description: RunDescription;
  /** The starting ledger; null when it was not copied. Open a copy of it, never the file itself. */
  readonly ledgerFile: string | null;
  /** Null while the run continues, and for a killed one. */
  readonly end: RunEnd | null;
  /**
   * Streams the steps; each call begins at the first. A cut last line ends the stream and is reported in `warnings`.
   * Throws `recording_invalid` for a missing or invalid step.
   */
  steps(): AsyncIterable<Step>;
  /** Complete once `steps()` was read to its end. */
  readonly warnings: readonly string[];
}
