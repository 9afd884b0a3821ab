/** What a backtest is given and gives. */

import type { FillModel } from '../../exchange/core/matching/fill-model.js';
import type { EventChunk, RecordedGap, RecordedMarket, RecordingSummary } from '../../recording/contract.js';
import type { EndpointName } from '../../shared/protocol/endpoints.js';
import type { OperatorCommand, Request } from '../../shared/protocol/seam.js';
import type { TraderSettings } from '../../trader/engine/settings.js';
import type { SessionRecord } from '../session/contract.js';
import type { FeeCurve } from './fees/fee-curves.js';
import type { AfterHalt } from './halts.js';

/** One market's events, read ahead. */
export interface EventSource {
  readonly market: RecordedMarket;
  /** Known where the recording tells it without being read; else the first chunk tells. */
  readonly firstMs: number | null;
  /** What the recording says of itself; null where it cannot. */
  readonly summary: RecordingSummary | null;
  /** Where there is no summary: the gaps that playing it found so far. */
  readonly gaps?: readonly RecordedGap[];
  /** What its user must be told of the data; complete once it was played to its end. */
  readonly warnings: readonly string[];
  /** From the beginning, each time. Chunks belong to the reader until it asks for the next but one. */
  open(): ChunkStream;
}

export interface ChunkStream {
  /** The next chunk: at once when it is in memory, later when it must be read, null at the end. */
  next(): EventChunk | null | Promise<EventChunk | null>;
  /** Lets go of whatever is being read. */
  close(): void;
}

/** How long requests and answers are on their way, ms. */
export interface LatencyModel {
  /** As it was asked for, e.g. `constant:150` or `recorded:x3`. */
  readonly name: string;
  /** Draws the next one, for a call of this endpoint: from us to the exchange, and back. */
  draw(endpoint: EndpointName): void;
  readonly thereMs: number;
  readonly backMs: number;
  /** What goes wrong with it; null when nothing does. */
  readonly failure: CallFailure | null;
}

/** `lost`: no answer until the client gives up; `error`: answered with 500. */
export interface CallFailure {
  readonly kind: 'lost' | 'error';
  /** The exchange has done it all the same. */
  readonly hasActed: boolean;
}

/** When a client gives up on an answer, ms. */
export const GIVES_UP_MS = 10_000;

export interface TimedCommand {
  /** The exchange's clock, Unix ms; before the beginning means at the beginning. */
  readonly atMs: number;
  readonly command: OperatorCommand;
}

export interface BacktestPlan {
  /** What the report is called. */
  readonly title: string;
  /** The trader's settings as a live start has them; the run's id and the bounded call are the shell's. */
  readonly trader: Omit<TraderSettings, 'runId' | 'boundedCall'>;
  readonly sources: readonly EventSource[];
  /** A name that `exchange/core/matching/fill-model.ts` reads, or a model of somebody's own. */
  readonly fillModel: string | FillModel;
  readonly latency: LatencyModel;
  readonly seed: number;
  /** Fee rates in millionths where the recording names none. */
  readonly fees: { readonly makerRateMicros: number; readonly takerRateMicros: number };
  /** Draws how long after the beginning, or a pause, the trader beats first, ms; absent: at once. */
  readonly phaseMs?: (() => number) | undefined;
  /** Charged where a recording names no fee, in place of `fees`; null: none was asked for. */
  readonly feeCurve?: FeeCurve | null | undefined;
  /** How long merges and redeems are in process, ms. */
  readonly landingMs: number;
  /**
   * What an operator orders, each at its moment, in order of time. With a `stop` the run ends once the trader has stopped;
   * without one it is stopped after the last market.
   */
  readonly commands?: readonly TimedCommand[];
  /** What happens when a limit halts the trader; absent: `resume`. */
  readonly afterHalt?: AfterHalt;
  /** Lines for the report: what was played. */
  readonly data: readonly string[];
  /** Told of every request as it leaves, at its moment: the exchange's clock, Unix ms. */
  readonly sent?: (request: Request, nowMs: number) => void;
  /** Told now and then: recorded ms that are done, of all. */
  readonly progress?: (doneMs: number, allMs: number) => void;
}

export interface BacktestOutcome {
  readonly session: SessionRecord;
  /** Recorded events that were applied. */
  readonly events: number;
  /** Lower-case hex over every request, every answer and every fill, in order: same inputs, same hash. */
  readonly traceHash: string;
}
