/** Input and output of a backtest. */

import type { AccountSlot, MarketIndex, ObservedFill } from '../../exchange/core/contract.js';
import type { ExchangeCore } from '../../exchange/core/core.js';
import type { FillModel } from '../../exchange/core/matching/fill-model.js';
import type {
  EventChunk,
  RecordedFeedValue,
  RecordedGap,
  RecordedMarket,
  RecordingSummary,
} from '../../recording/contract.js';
import type { FeedValue, OperatorCommand, Request } from '../../shared/protocol/seam.js';
import type { TraderSettings } from '../../trader/engine/settings.js';
import type { Snapshot } from '../../trader/engine/snapshot.js';
import type { SessionRecord } from '../session/contract.js';
import type { FeeCurve } from './fees.js';
import type { LatencyModel } from './latency.js';

/** Source of one market's events, which reads ahead. */
export interface EventSource {
  readonly market: RecordedMarket;
  /** Known if the recording's header has it; else from the first chunk. */
  readonly firstMs: number | null;
  /** Whether opened streams begin to read at once; early opening then shortens the wait. */
  readonly readsAhead?: boolean | undefined;
  readonly summary: RecordingSummary | null;
  /** Gaps found so far while playing, for a recording without a summary. */
  readonly gaps?: readonly RecordedGap[];
  /** Warnings about the data for its user; complete after it was played to its end. */
  readonly warnings: readonly string[];
  /** Opens a stream from the beginning. A chunk is valid until the next but one is requested. */
  open(): ChunkStream;
}

export interface ChunkStream {
  /** Returns the next chunk: at once from memory, else as a promise; null at the end. */
  next(): EventChunk | null | Promise<EventChunk | null>;
  close(): void;
}

export interface Played {
  readonly source: EventSource;
  readonly index: MarketIndex;
  readonly openedMs: number;
  /** Time of the first event; later than the market's opening, because the trader must find the market first. */
  readonly firstMs: number;
  /** End time; null while the market is played. */
  readonly closedMs: number | null;
  readonly events: number;
  /** Events off the market's grid. */
  readonly refused: number;
  /** Why the recording could not be read to its end; null when it could. */
  readonly failure: string | null;
}

export interface MarketListener {
  onOpen(played: Played): void;
  /** Called after the market's last event, while the book still exists. */
  ending(played: Played): void;
  /** Called when the book is empty and no order rests; the market has just settled if the outcome is known. */
  onClose(played: Played, nowMs: number): void;
}

/** Plays the markets of a backtest. Times are the exchange clock, Unix ms. */
export interface MarketDriver {
  /** Close of the last market, as far as known. */
  readonly untilMs: number;
  readonly nextOpenMs: number;
  readonly openCount: number;
  readonly lastClosedMs: number;
  readonly readUntilMs: number;
  readonly events: number;
  read(untilMs: number): Promise<void>;
  openDue(nowMs: number): Promise<void>;
  /** Plays one market, or all, up to and including this time. */
  sync(index: MarketIndex, nowMs: number): void;
  syncAll(nowMs: number): void;
  close(): void;
}

/** Values of one feed at one time: the newest per market. */
export interface FeedWord {
  readonly feed: string;
  readonly values: readonly FeedValue[];
}

export interface FeedSource {
  readonly nextMs: number;
  take(nowMs: number): readonly FeedWord[];
}

/** Markets generated while they are played, instead of recorded ones. */
export interface MadeMarkets {
  /** Called once, before the first event. `account` is the trader's. */
  drive(core: ExchangeCore, account: AccountSlot, listener: MarketListener): MarketDriver;
  /** Called with every fill of the trader, as it happens. */
  onFill(fill: ObservedFill): void;
  /** Feed values of these markets, instead of the plan's; absent: none. */
  readonly feeds?: FeedSource;
}

export interface TimedCommand {
  /** Exchange clock, Unix ms; times before the beginning mean the beginning. */
  readonly atMs: number;
  readonly command: OperatorCommand;
}

/** `resume`: at the next event or UTC day. `end`: no resumption, like a live trader without an operator. */
export const AFTER_HALT = ['resume', 'end'] as const;
export type AfterHalt = (typeof AFTER_HALT)[number];

export type BacktestTraderSettings = Omit<TraderSettings, 'runId' | 'boundedCall' | 'findModule' | 'startedWith'>;

export interface BacktestPlan {
  readonly title: string;
  readonly trader: BacktestTraderSettings;
  readonly sources: readonly EventSource[];
  /** Played instead of the sources if present. */
  readonly made?: MadeMarkets;
  /** A name of `exchange/core/matching/fill-model.ts`, or a custom model. */
  readonly fillModel: string | FillModel;
  readonly latency: LatencyModel;
  readonly seed: number;
  /** Fee rates in millionths where the recording has none. */
  readonly fees: { readonly makerRateMicros: number; readonly takerRateMicros: number };
  /** Draws the delay of the trader's first beat after the beginning or a pause, ms; absent: no delay. */
  readonly phaseMs?: (() => number) | undefined;
  /** Fee curve for a recording without a fee, instead of `fees`; null: no curve was chosen. */
  readonly feeCurve?: FeeCurve | null | undefined;
  /** Landing time of merges and redeems, ms. */
  readonly landingMs: number;
  /**
   * Timed commands of an operator, in order. A `stop` ends the run once the trader has stopped. Without a `stop`, the
   * trader is stopped after the last market.
   */
  readonly commands?: readonly TimedCommand[];
  /** Action after a halt by a limit; absent: `resume`. */
  readonly afterHalt?: AfterHalt;
  /** Feed values, ordered by the time when the value is known (exchange clock); absent: none. */
  readonly feedValues?: readonly RecordedFeedValue[];
  readonly warnings?: readonly string[];
  /** Lines for the report: the played data. */
  readonly data: readonly string[];
  /** Called with every request as it leaves; exchange clock, Unix ms. */
  readonly onSent?: (request: Request, nowMs: number) => void;
  /** Called once, before the first event, with a function that returns the trader's present snapshot. */
  readonly onStart?: (snapshot: () => Snapshot) => void;
  /** Called at intervals: finished recorded ms, and all. */
  readonly progress?: (doneMs: number, allMs: number) => void;
}

export interface BacktestOutcome {
  readonly session: SessionRecord;
  /** Number of applied recorded events. */
  readonly events: number;
  /** Lower-case hex over every request, answer and fill, in order: equal inputs give equal hashes. */
  readonly traceHash: string;
}
