/** What comparing a recorded run with a backtest of it gives. */

import type { RecordedFeedValue } from '../../recording/contract.js';
import type { EventSource, TimedCommand } from '../backtest/contract.js';
import type { LatencySource } from '../backtest/latency.js';
import type { SessionRecord } from '../session/contract.js';

/**
 * A start looks at every book that it is to quote within this, ms. A book that was first seen so soon after the start
 * stands there from the start: or a backtest's first look, which comes no later, would find nothing. What is looked at
 * later, the run found later.
 */
export const FIRST_LOOK_MS = 10_000;

/** What the journal of a run tells of what really happened, on the exchange's clock (Unix ms). */
export interface LiveRun {
  readonly session: SessionRecord;
  /** The others' side of each market that the run looked at, from its own polls. */
  readonly sources: readonly EventSource[];
  /** Of requests that were answered. */
  /** What feeds said, when the run heard it. */
  readonly feedValues: readonly RecordedFeedValue[];
  readonly roundTrips: LatencySource;
  /** What the operator ordered; quote hours are left out, as the backtest's own clock knows them. Ends with a stop. */
  readonly commands: readonly TimedCommand[];
  readonly fromMs: number;
  readonly toMs: number;
  /** The exchange's clock minus ours, ms; rounded. */
  readonly offsetMs: number;
  /** Why live and backtest are not quite the same thing here, a sentence each. */
  readonly remarks: readonly string[];
}

/** One session, live or under a fill model, in the figures that are compared. Null: not known. */
export interface Side {
  /** `live`, or the fill model. */
  readonly name: string;
  readonly fills: number;
  /** Shares bought and sold. */
  readonly sharesMicros: number;
  readonly resultMicros: number;
  readonly spreadMicros: number | null;
  readonly driftMicros: number | null;
  readonly feesMicros: number;
  /** The largest |YES - NO| held in one market. */
  readonly peakInventoryMicros: number;
  /** Parts of the markets' time in which both sides were quoted, and only one. */
  readonly twoSidedShare: number | null;
  readonly oneSidedShare: number | null;
  readonly ordersPlaced: number;
  readonly ordersCanceled: number;
  readonly publicRequests: number | null;
  readonly signedRequests: number | null;
}

/** How far a fill model is off, as a part of what was live; null where nothing was filled live. */
export interface FillError {
  readonly name: string;
  readonly fillsShare: number | null;
  readonly sharesShare: number | null;
}

/** From the model that fills least to the one that fills most. */
export interface FillBand {
  readonly liveFills: number;
  readonly liveSharesMicros: number;
  readonly errors: readonly FillError[];
  /** Of `sharesShare`, the least and the most; null where nothing was filled live. */
  readonly lowShare: number | null;
  readonly highShare: number | null;
  /** Whether the shares filled live lie within what the models say. */
  readonly holds: boolean;
}

export interface MarketParity {
  readonly conditionId: string;
  readonly title: string;
  readonly sides: readonly Side[];
  readonly band: FillBand;
}

export interface Parity {
  /** The live side first, then the models as they were named. */
  readonly sides: readonly Side[];
  readonly band: FillBand;
  readonly markets: readonly MarketParity[];
  readonly remarks: readonly string[];
}
