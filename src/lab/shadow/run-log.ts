/**
 * A run as its journal tells it, read on as it is written: the markets that it saw, what the operator ordered and what feeds
 * said, all on the exchange's clock. Several backtests play the same log, each at its own pace.
 */

import type { RecordedFeedValue, RecordedMarket } from '../../recording/contract.js';
import type { MarketSink, RecordingStore } from '../../recording/store/contract.js';
import type { AnyCall, Observation, OperatorCommand } from '../../shared/protocol/seam.js';
import type { RunJournal, Step } from '../../shell/journal/contract.js';
import { Capture } from '../../shell/recorder/capture/capture.js';
import { VenueClock } from '../../trader/engine/venue-clock.js';
import type { TimedCommand } from '../backtest/contract.js';
import { FeedReplay, type FeedSource } from '../backtest/feeds/feed-replay.js';
import { type MeasuredCall, makeLatencySource } from '../backtest/latency-choice.js';
import { SeenMarket } from './seen-market.js';

/**
 * How far backtests stay behind the run, ms. A book waits up to 20 s for the trades that belong to it, and the answer to a
 * request up to 10 s; what is told later than this happens when it is told.
 */
export const BEHIND_MS = 30_000;

/** So many measured round trips say enough of a network. */
const MOST_CALLS = 20_000;

type OutcomeObservation = Extract<Observation, { kind: 'outcome' }>;

/** Which of the run's commands a backtest of it obeys: those that a person gave, but not what concerns its files or its fleet. */
const isObeyed = ({ kind }: OperatorCommand): boolean =>
  kind !== 'configure' && kind !== 'fleet' && kind !== 'quote-hours' && kind !== 'reconcile';

export class RunLog implements Pick<RecordingStore, 'market' | 'poll'> {
  /** What its person ordered, and last that it stops: in order of time, while it grows. */
  readonly commands: TimedCommand[] = [];
  readonly #feedValues: RecordedFeedValue[] = [];
  readonly #markets = new Map<string, SeenMarket>();
  readonly #steps: AsyncIterator<Step>;
  readonly #onStep: (step: Step) => void;
  readonly #capture: Capture;
  readonly #clock = new VenueClock();
  readonly #underWay = new Map<number, AnyCall>();
  readonly #calls: MeasuredCall[] = [];
  #reading: Promise<void> | null = null;
  #watermarkMs = Number.NEGATIVE_INFINITY;
  #newestMs = Number.NEGATIVE_INFINITY;
  #lastOurMs = 0;
  #isOver = false;

  /** @param onStep told of every step as it is read */
  constructor(run: RunJournal, steps: AsyncIterable<Step>, onStep: (step: Step) => void) {
    const { profile, polling } = run.description;
    this.#steps = steps[Symbol.asyncIterator]();
    this.#onStep = onStep;
    this.#capture = new Capture({ store: this, folder: run.folder, venue: profile.service_name, only: null });
    this.#capture.expect(polling.quietIntervalMs);
  }

  get watermarkMs(): number {
    return this.#watermarkMs;
  }

  /** The newest moment of the run that was read, by the exchange's clock, Unix ms. */
  get newestMs(): number {
    return this.#newestMs;
  }

  /** Everything was read. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** In the order in which their first books were seen. */
  get markets(): readonly SeenMarket[] {
    return [...this.#markets.values()];
  }

  /** Round trips of requests so far. */
  get roundTrips() {
    return makeLatencySource(this.#calls);
  }

  /** What feeds said and will say, from the first word, for one backtest. */
  feeds(): FeedSource {
    return new FeedReplay(this.#feedValues);
  }

  /** Throws what the steps throw: TwinbookError `recording_invalid` for a journal that is damaged. */
  async readUntil(timeMs: number): Promise<void> {
    while (!this.#isOver && this.#watermarkMs <= timeMs) {
      this.#reading ??= this.#readOne().finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
  }

  market(market: RecordedMarket): MarketSink {
    const seen = this.#markets.get(market.conditionId) ?? new SeenMarket(market, this);
    this.#markets.set(market.conditionId, seen);
    return seen;
  }

  poll(): void {
    // Round trips are counted where the requests are.
  }

  async #readOne(): Promise<void> {
    const { done, value } = await this.#steps.next();
    if (done === true) this.#end();
    else this.#take(value);
  }

  #take(step: Step): void {
    const { observation, requests } = step;
    const { nowMs } = observation;
    this.#lastOurMs = nowMs;
    if (observation.kind === 'outcome') this.#onOutcome(observation);
    const timeMs = this.#toVenue(nowMs);
    if (observation.kind === 'command' && isObeyed(observation.command))
      this.commands.push({ atMs: this.#after(timeMs), command: observation.command });
    if (observation.kind === 'feed') this.#onFeed(observation, timeMs);
    for (const request of requests) {
      this.#underWay.set(request.id, request.call);
      this.#capture.onAsk(request, nowMs);
    }
    this.#capture.tick(nowMs);
    this.#onStep(step);
    if (this.#clock.offsetMs === null) return;
    this.#newestMs = Math.max(this.#newestMs, timeMs);
    this.#watermarkMs = Math.max(this.#watermarkMs, timeMs - BEHIND_MS);
  }

  #onOutcome(observation: OutcomeObservation): void {
    const { requestId, outcome, sentMs, nowMs, venueTimeMs } = observation;
    if (venueTimeMs !== null) this.#clock.observe(venueTimeMs, sentMs, nowMs);
    const call = this.#underWay.get(requestId);
    this.#underWay.delete(requestId);
    this.#capture.onOutcome(observation, this.#toVenue((sentMs + nowMs) / 2));
    const isCounted = call !== undefined && outcome.kind !== 'unknown' && nowMs >= sentMs;
    if (isCounted && this.#calls.length < MOST_CALLS)
      this.#calls.push({ endpoint: call.endpoint, roundTripMs: nowMs - sentMs });
  }

  #onFeed({ feed, values, nowMs }: Extract<Observation, { kind: 'feed' }>, timeMs: number): void {
    const offsetMs = timeMs - nowMs;
    for (const value of values) {
      const validUntilMs = value.validUntilMs === null ? null : value.validUntilMs + offsetMs;
      const shifted = { ...value, atMs: value.atMs + offsetMs, validUntilMs };
      this.#feedValues.push({ feed, timeMs: this.#after(timeMs), value: shifted });
    }
  }

  #toVenue(ourMs: number): number {
    return Math.round(this.#clock.nowMs(ourMs) ?? ourMs);
  }

  /** Never before what was played already. */
  #after(timeMs: number): number {
    return Math.max(timeMs, this.#watermarkMs);
  }

  /** A run that nobody has stopped ends where its journal does. */
  #end(): void {
    this.#capture.close(this.#lastOurMs);
    this.commands.push({ atMs: this.#after(this.#newestMs), command: { kind: 'stop' } });
    this.#watermarkMs = Number.POSITIVE_INFINITY;
    this.#isOver = true;
  }
}
