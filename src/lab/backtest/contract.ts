/** What a backtest is given and gives. */

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
import type { EndpointName } from '../../shared/protocol/endpoints.js';
import type { OperatorCommand, Request } from '../../shared/protocol/seam.js';
import type { Snapshot } from '../../trader/engine/snapshot.js';
import type { SessionRecord } from '../session/contract.js';
import type { FeedSource } from './feeds/feed-replay.js';
import type { FeeCurve } from './fees.js';
import type { AfterHalt } from './halts.js';
import type { BacktestTraderSettings } from './trader-side.js';

/** One market's events, read ahead. */
export interface EventSource {
  readonly market: RecordedMarket;
  /** Known where the recording tells it without being read; else `findFirstMs` tells, or the first chunk. */
  readonly firstMs: number | null;
  /** Looks at the beginning alone, where that tells; null where nothing is read from it. */
  readonly findFirstMs?: (() => Promise<number | null>) | undefined;
  /** Its streams begin to read when they are opened: whoever opens one early waits less for it. */
  readonly readsAhead?: boolean | undefined;
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

/** One market in play. */
export interface Played {
  readonly source: EventSource;
  readonly index: MarketIndex;
  readonly openedMs: number;
  /** Its first event: a while after it was opened, for the trader has to find it first. */
  readonly firstMs: number;
  /** When it ended; null while it is played. */
  readonly closedMs: number | null;
  readonly events: number;
  /** Events that had no place on the market's grid. */
  readonly refused: number;
  /** Why the recording could not be read to its end; null when it could. */
  readonly failure: string | null;
}

export interface MarketListener {
  onOpen(played: Played): void;
  /** Its last event has been played, and its book still stands. */
  ending(played: Played): void;
  /** Its book is empty and nothing rests on it any more; it has just been settled, if its outcome is known. */
  onClose(played: Played, nowMs: number): void;
}

/** What lets the markets of a backtest happen. Times are the exchange's clock, Unix ms. */
export interface MarketDriver {
  /** When the last market closes, as far as that is known. */
  readonly untilMs: number;
  /** When the next market opens; Infinity when none is left. */
  readonly nextOpenMs: number;
  readonly openCount: number;
  /** When a market closed last. */
  readonly lastClosedMs: number;
  /** Everything up to this moment has been read and may be played. */
  readonly readUntilMs: number;
  /** Events that were applied so far. */
  readonly events: number;
  read(untilMs: number): Promise<void>;
  /** Opens what is due. */
  openDue(nowMs: number): Promise<void>;
  /** Plays one market, or all, up to and including this moment. */
  sync(index: MarketIndex, nowMs: number): void;
  syncAll(nowMs: number): void;
  close(): void;
}

/** Markets that are made while they are played, in place of recorded ones. */
export interface MadeMarkets {
  /** Asked once, before anything happens. `account` is the trader's. */
  drive(core: ExchangeCore, account: AccountSlot, listener: MarketListener): MarketDriver;
  /** Told of every fill of the trader, as it happens. */
  onFill(fill: ObservedFill): void;
  /** What feeds say of them, in place of the plan's; absent: nothing. */
  readonly feeds?: FeedSource;
}

export interface TimedCommand {
  /** The exchange's clock, Unix ms; before the beginning means at the beginning. */
  readonly atMs: number;
  readonly command: OperatorCommand;
}

export interface BacktestPlan {
  /** What the report is called. */
  readonly title: string;
  readonly trader: BacktestTraderSettings;
  readonly sources: readonly EventSource[];
  /** Played in place of the sources; absent: the sources are. */
  readonly made?: MadeMarkets;
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
  /** What feeds said, in order of the moment at which each value is known (the exchange's clock); absent: nothing. */
  readonly feedValues?: readonly RecordedFeedValue[];
  /** What the user must be told of the data, beside what its sources say. */
  readonly warnings?: readonly string[];
  /** Lines for the report: what was played. */
  readonly data: readonly string[];
  /** Told of every request as it leaves, at its moment: the exchange's clock, Unix ms. */
  readonly onSent?: (request: Request, nowMs: number) => void;
  /** Receives once, before anything happens, a function that returns the trader's snapshot of the current moment. */
  readonly onStart?: (snapshot: () => Snapshot) => void;
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
