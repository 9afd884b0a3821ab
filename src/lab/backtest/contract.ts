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
import type { Observation, OperatorCommand, Request } from '../../shared/protocol/seam.js';
import type { TraderSettings } from '../../trader/engine/settings.js';
import type { TraderSnapshot } from '../../trader/engine/snapshot.js';
import type { SessionRecord } from '../session/contract.js';
import type { FeeCurve } from './fees.js';
import type { LatencyModel } from './latency.js';

export interface EventSource {
  readonly market: RecordedMarket;
  /** Time of the source's first event, Unix ms; null if it is known only after the first chunk is read. */
  readonly firstMs: number | null;
  /** True if `open` begins to read at once, so that an early call of `open` shortens the wait for the first chunk. */
  readonly readsAhead?: boolean | undefined;
  readonly summary: RecordingSummary | null;
  /** Gaps that are found while the market is played, if the recording has no summary. */
  readonly gaps?: readonly RecordedGap[];
  /** Warnings about the data for the user. The list of warnings is complete after the market was played to its end. */
  readonly warnings: readonly string[];
  open(): ChunkStream;
}

export interface ChunkStream {
  /** Returns the next chunk of events, or null at the end. A chunk not yet in memory is returned as a promise. */
  next(): EventChunk | null | Promise<EventChunk | null>;
  close(): void;
}

export interface Played {
  readonly source: EventSource;
  readonly index: MarketIndex;
  readonly openedMs: number;
  readonly firstMs: number;
  readonly closedMs: number | null;
  readonly events: number;
  readonly refused: number;
  /** Reason why the recording could not be read to its end; null if the reading had no error. */
  readonly failure: string | null;
}

export interface MarketListener {
  onOpen(played: Played): void;
  ending(played: Played): void;
  /** Called after a market's close: the book is empty, and the market is settled if its outcome is known. */
  onClose(played: Played, nowMs: number): void;
}

export interface MarketDriver {
  readonly untilMs: number;
  readonly nextOpenMs: number;
  readonly openCount: number;
  readonly lastClosedMs: number;
  readonly readUntilMs: number;
  readonly events: number;
  read(untilMs: number): Promise<void>;
  openDue(nowMs: number): Promise<void>;
  sync(index: MarketIndex, nowMs: number): void;
  syncAll(nowMs: number): void;
  close(): void;
}

export type FeedWord = Omit<Extract<Observation, { kind: 'feed' }>, 'kind' | 'nowMs'>;

export interface FeedSource {
  readonly nextMs: number;
  take(nowMs: number): readonly FeedWord[];
}

export interface MadeMarkets {
  /** Starts the generator of markets; called once, before the first event. `account` is the account of the trader. */
  drive(core: ExchangeCore, account: AccountSlot, listener: MarketListener): MarketDriver;
  onFill(fill: ObservedFill): void;
  readonly feeds?: FeedSource;
}

export interface TimedCommand {
  /** Time of the operator's command, exchange clock, Unix ms. A command before the run's start runs at the start. */
  readonly atMs: number;
  readonly command: OperatorCommand;
}

/** After a halt, the trader can `resume` trading at the next event or UTC day, or `end` trading. */
export const AFTER_HALT = ['resume', 'end'] as const;
export type AfterHalt = (typeof AFTER_HALT)[number];

type BacktestTraderSettings = Omit<TraderSettings, 'runId' | 'boundedCall' | 'findModule' | 'startedWith'>;

export interface BacktestPlan {
  readonly title: string;
  readonly trader: BacktestTraderSettings;
  readonly sources: readonly EventSource[];
  readonly made?: MadeMarkets;
  readonly fillModel: string | FillModel;
  readonly latency: LatencyModel;
  readonly seed: number;
  readonly fees: { readonly makerRateMicros: number; readonly takerRateMicros: number };
  /** Returns a random delay of the trader's first heartbeat after the start or a pause, ms. Absent: no delay. */
  readonly phaseMs?: (() => number) | undefined;
  /** Fee curve that replaces `fees` for a recording without fees; null if the user chose no curve. */
  readonly feeCurve?: FeeCurve | null | undefined;
  readonly landingMs: number;
  readonly commands?: readonly TimedCommand[];
  readonly afterHalt?: AfterHalt;
  readonly feedValues?: readonly RecordedFeedValue[];
  readonly warnings?: readonly string[];
  readonly data: readonly string[];
  readonly onSent?: (request: Request, nowMs: number) => void;
  readonly onStart?: (snapshot: () => TraderSnapshot) => void;
  readonly progress?: (doneMs: number, allMs: number) => void;
}

export interface BacktestOutcome {
  readonly session: SessionRecord;
  readonly events: number;
  /** Hash of every request, answer and fill in order, lower-case hex; equal for equal inputs of a backtest. */
  readonly traceHash: string;
}
