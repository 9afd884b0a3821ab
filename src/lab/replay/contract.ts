/** What a replay is given and gives. */

import type { Request } from '../../shared/protocol/seam.js';
import type { Step } from '../../shell/journal/contract.js';
import type { TraderSettings } from '../../trader/engine/settings.js';
import type { Trader } from '../../trader/engine/trader.js';
import type { Ledger } from '../../trader/ledger/contract.js';

/** Settings of a trader; the bounded call is the replay's own. */
export type ReplayedTrader = Omit<TraderSettings, 'boundedCall'>;

/** The core as it was made once, and what it was given. */
export interface ReplayPlan {
  readonly trader: ReplayedTrader;
  /** Our clock, ms: the `nowMs` that the `Trader` was made with. */
  readonly startedMs: number;
  /** The longest that a call into a strategy could take then, ms. */
  readonly strategyLimitMs: number;
  /** As it was at the start. The replay writes it; the caller closes it. */
  readonly ledger: Ledger;
  readonly steps: AsyncIterable<Step> | Iterable<Step>;
  /** Left out: to the end. */
  readonly look?: ReplayLook;
}

/** A look at the trader between its steps; what is read of it is as it was then. */
export interface ReplayLook {
  /** No step after this is decided, our clock, Unix ms. */
  readonly untilMs: number;
  readonly afterStep: (trader: Trader, nowMs: number) => void;
}

export interface ReplayResult {
  /** Steps that the journal holds. */
  readonly steps: number;
  /** Those before the first difference: everything they asked and signed was the same. */
  readonly repeatedSteps: number;
  /** Requests of the run, and how many of them stand before the first difference. */
  readonly requests: number;
  readonly repeatedRequests: number;
  /** Signatures of the run. */
  readonly signatures: number;
  /** Our clock, ms, of the first and last observation; null without any. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Null when every decision repeated. */
  readonly difference: Difference | null;
  readonly after: Aftermath | null;
}

/** The first step in which the core did not do what it did then. */
export interface Difference {
  /** From 0. */
  readonly step: number;
  /** Our clock, ms. */
  readonly timeMs: number;
  /** What was seen in that step, in words. */
  readonly observation: string;
  /** What is different, in a sentence. */
  readonly what: string;
  /** What was asked in that step, in words; bounded. */
  readonly recorded: readonly string[];
  readonly replayed: readonly string[];
  /** Of the first request that differs, each part that does, by its path; bounded. */
  readonly fields: readonly FieldDifference[];
}

export interface FieldDifference {
  readonly path: string;
  /** As JSON; null where there is none. */
  readonly recorded: string | null;
  readonly replayed: string | null;
}

/** What followed the first difference, as far as a run can be followed whose answers were to other questions. */
export interface Aftermath {
  /** Steps after the first difference that could be compared, and how many of them differed as well. */
  readonly steps: number;
  readonly differing: number;
  /** Why no later step could be compared; null when all could. */
  readonly endedBecause: string | null;
}

/** What the core did in one step. */
export interface Redone {
  readonly requests: readonly Request[];
  /** Intents that it wanted signed, in order. */
  readonly signed: readonly string[];
  readonly failure: string | null;
}
