/** Reads a run's journal once: observations, requests and outcomes, without a trader. */

import type { RecordedFeedValue } from '../../recording/contract.js';
import { declarationOf } from '../../shared/protocol/endpoints.js';
import type { AnyCall, Observation } from '../../shared/protocol/seam.js';
import type { RunJournal, Step } from '../../shell/journal/contract.js';
import { Capture } from '../../shell/recorder/capture/capture.js';
import { VenueClock } from '../../trader/engine/venue-clock.js';
import type { TimedCommand } from '../backtest/contract.js';
import { type MeasuredCall, makeLatencySource } from '../backtest/latency.js';
import { RequestCount } from '../backtest/request-count.js';
import { formatQuantity } from '../report/figures.js';
import { MemoryStore } from './memory-store.js';
import { RunOrders } from './run-orders.js';
import { readRunSession } from './run-session.js';

/** A backtest's stop may take longer than the run's. */
const STOP_ROOM_MS = 60_000;

type OutcomeObservation = Extract<Observation, { kind: 'outcome' }>;

/** From our clock to the exchange's. */
function shiftFeedValue({ feed, timeMs, value }: RecordedFeedValue, offsetMs: number): RecordedFeedValue {
  const { atMs, validUntilMs } = value;
  const times = { atMs: atMs + offsetMs, validUntilMs: validUntilMs === null ? null : validUntilMs + offsetMs };
  return { feed, timeMs: timeMs + offsetMs, value: { ...value, ...times } };
}

/** Actual events of a run from its journal, on the exchange's clock (Unix ms). */
export type LiveRun = Awaited<ReturnType<typeof readRecordedRun>>;

/** Throws TwinbookError `recording_invalid` for a journal that is damaged in the middle or empty. */
export async function readRecordedRun(run: RunJournal) {
  const reading = new RunReading(run);
  for await (const step of run.steps()) reading.take(step);
  return reading.result();
}

/** Takes a run's steps one by one, and returns their summary at the end. */
class RunReading {
  readonly #run: RunJournal;
  readonly #store = new MemoryStore();
  readonly #capture: Capture;
  readonly #clock = new VenueClock();
  readonly #underWay = new Map<number, AnyCall>();
  readonly #orders = new RunOrders();
  readonly #count: RequestCount;
  readonly #calls: MeasuredCall[] = [];
  /** On our clock. */
  readonly #commands: TimedCommand[] = [];
  /** On our clock. */
  readonly #feedValues: RecordedFeedValue[] = [];
  #unsent = 0;
  #timedOut = 0;
  #fromMs: number | null = null;
  #toMs = 0;

  constructor(run: RunJournal) {
    const { profile, polling } = run.description;
    this.#run = run;
    this.#capture = new Capture({ store: this.#store, folder: run.folder, venue: profile.service_name, only: null });
    // Quoted markets are read at least this often: a much later read is a gap.
    this.#capture.expect(polling.quietIntervalMs);
    this.#count = new RequestCount(profile.rate_limits);
  }

  take({ observation, requests, timedOut }: Step): void {
    const { nowMs } = observation;
    this.#fromMs ??= nowMs;
    this.#toMs = nowMs;
    this.#timedOut += timedOut.length;
    if (observation.kind === 'command') this.#commands.push({ atMs: nowMs, command: observation.command });
    if (observation.kind === 'feed') {
      for (const value of observation.values) this.#feedValues.push({ feed: observation.feed, timeMs: nowMs, value });
    }
    if (observation.kind === 'outcome') this.#outcome(observation);
    for (const request of requests) {
      this.#underWay.set(request.id, request.call);
      this.#capture.onAsk(request, nowMs);
    }
    this.#capture.tick(nowMs);
  }

  #outcome(observation: OutcomeObservation): void {
    const { requestId, outcome, sentMs, nowMs, venueTimeMs } = observation;
    if (venueTimeMs !== null) this.#clock.observe(venueTimeMs, sentMs, nowMs);
    const middleMs = (sentMs + nowMs) / 2;
    this.#capture.onOutcome(observation, this.#clock.nowMs(middleMs) ?? middleMs);
    const call = this.#underWay.get(requestId);
    this.#underWay.delete(requestId);
    if (call === undefined) return;
    if (outcome.kind === 'unknown' && !outcome.sent) {
      this.#unsent++;
      return;
    }
    const { scope } = declarationOf(call.endpoint);
    this.#count.countRequest(call.endpoint, scope, sentMs);
    this.#count.countAnswer(scope, outcome);
    if (outcome.kind !== 'unknown' && nowMs >= sentMs)
      this.#calls.push({ endpoint: call.endpoint, roundTripMs: nowMs - sentMs });
    this.#orders.onAnswer(call, outcome, { sentMs, seenMs: nowMs });
  }

  /**
   * `sources`: the others' side of each market that the run looked at, from its own polls. `feedValues`: when the run
   * heard them. `commands`: of the operator, without quote hours, as the backtest's own clock knows them; a stop is last.
   * `remarks`: why live and backtest are not quite the same thing here.
   */
  async result() {
    this.#capture.close(this.#toMs);
    const offsetMs = Math.round(this.#clock.offsetMs ?? 0);
    const [fromMs, toMs] = [(this.#fromMs ?? 0) + offsetMs, this.#toMs + offsetMs];
    const commands = this.#commandsAt(offsetMs, toMs);
    const untilMs = commands.at(-1)?.atMs ?? toMs;
    // Open until the trader has stopped: its cancels must find their orders.
    const sources = this.#store.sources(fromMs, toMs + STOP_ROOM_MS);
    const { use, refused } = this.#count;
    const session = await readRunSession({
      description: this.#run.description,
      orders: this.#orders,
      sources,
      offsetMs,
      fromMs,
      untilMs,
      toMs,
      requests: { ...use, unsent: this.#unsent },
      refusals: refused,
    });
    const roundTrips = makeLatencySource(this.#calls);
    const feedValues = this.#feedValues.map((heard) => shiftFeedValue(heard, offsetMs));
    return { session, sources, feedValues, roundTrips, commands, fromMs, toMs, offsetMs, remarks: this.#remarks() };
  }

  /** Up to the first stop; without one the run ends with its journal. */
  #commandsAt(offsetMs: number, toMs: number): TimedCommand[] {
    const own = this.#commands.filter(({ command }) => command.kind !== 'quote-hours');
    const stop = own.findIndex(({ command }) => command.kind === 'stop');
    const moved = (stop < 0 ? own : own.slice(0, stop + 1)).map(({ atMs, command }) => ({
      atMs: atMs + offsetMs,
      command,
    }));
    return stop < 0 ? [...moved, { atMs: toMs, command: { kind: 'stop' } }] : moved;
  }

  #remarks(): readonly string[] {
    const { gaps } = this.#capture.counts;
    const remarks: string[] = [];
    if (this.#timedOut > 0) {
      remarks.push(
        `Live, ${formatQuantity(this.#timedOut, 'call')} into strategies took too long; a backtest cuts none short.`,
      );
    }
    if (gaps > 0)
      remarks.push(`The run's own polls leave ${formatQuantity(gaps, 'gap')} in which nothing is known of a market.`);
    if (this.#unsent > 0) {
      remarks.push(
        `${formatQuantity(this.#unsent, 'request')} never left live: the budget had no place for them in time.`,
      );
    }
    return remarks;
  }
}
