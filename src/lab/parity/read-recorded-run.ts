/** Reads a run's journal once: observations, requests and outcomes, without a trader. */

import type { RecordedFeedValue } from '../../recording/contract.js';
import { declarationOf } from '../../shared/protocol/endpoints.js';
import type { AnyCall, Observation } from '../../shared/protocol/seam.js';
import type { RunDescription, RunJournal, Step } from '../../shell/journal/runs.js';
import { Capture } from '../../shell/recorder/capture/capture.js';
import { VenueClock } from '../../trader/engine/venue-clock.js';
import type { EventSource, TimedCommand } from '../backtest/contract.js';
import { type MeasuredCall, makeLatencySource } from '../backtest/latency.js';
import { RequestCount } from '../backtest/request-count.js';
import { formatQuantity } from '../report/figures.js';
import type { SessionRecord } from '../session/contract.js';
import {
  foldSession,
  type MarketFacts,
  type ReportedTrade,
  type SessionFacts,
  tradeTimeMs,
} from '../session/live-session.js';
import { BestPrices } from './best-prices.js';
import { MemoryStore } from './memory-store.js';
import { type RunFill, RunOrders } from './run-orders.js';

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

/** Inputs of a run's session. */
interface RecordedSession extends Pick<SessionFacts, 'fromMs' | 'toMs' | 'requests' | 'refusals'> {
  readonly description: RunDescription;
  readonly orders: RunOrders;
  readonly sources: readonly EventSource[];
  /** Exchange clock minus ours, ms; rounded. */
  readonly offsetMs: number;
  /** Exchange clock when the trader was told to stop. */
  readonly untilMs: number;
}

/**
 * Session of a live run, from the answers in its journal. Its initial holdings are left out, since a backtest begins
 * without any. Prices are the others', from the run's own polls.
 */
async function readRunSession(run: RecordedSession): Promise<SessionRecord> {
  const { description, orders, sources, fromMs, untilMs, toMs, offsetMs, requests, refusals } = run;
  const { capitalMicros, version, configHash, strategies, runId, startedMs } = description;
  // A list of own trades reaches back before the start.
  const fills = [...orders.fills.values()].filter(({ row }) => row.timestamp * 1000 + 999 >= fromMs);
  const seen = new Map(sources.map((source) => [source.market.conditionId, source]));
  const ids = new Set([
    ...seen.keys(),
    ...fills.map(({ row }) => row.order.market.condition_id),
    ...[...orders.conversions.values()].map(({ conditionId }) => conditionId),
  ]);
  const markets: MarketFacts[] = [];
  for (const id of ids) markets.push(await listMarket(id, seen.get(id) ?? null, fills, run));
  return foldSession({
    title: `${strategies.map(({ name }) => name).join(', ')}: run ${runId}`,
    fromMs,
    toMs,
    capitalMicros,
    requests,
    refusals,
    endCashMicros: null,
    markets,
    running: [[startedMs + offsetMs, untilMs]],
    notices: [],
    assumptions: {
      version,
      configHash,
      data: [`the journal of run ${runId}`],
      remarks: ['What the run began with, shares and open orders, is left out of these figures.'],
    },
  });
}

/** @param source null for a market whose book the run never saw */
async function listMarket(
  conditionId: string,
  source: EventSource | null,
  fills: readonly RunFill[],
  run: RecordedSession,
): Promise<MarketFacts> {
  const { orders, offsetMs } = run;
  const market = source?.market;
  return {
    conditionId,
    title: market?.title ?? conditionId,
    eventTitle: market?.eventTitle ?? '',
    tickMicros: market === undefined ? null : 10 ** (6 - market.tickPrecision),
    openMs: market?.openTimeMs ?? null,
    closeMs: null,
    outcome: market?.outcome ?? null,
    makerFeeRateMicros: market?.fees?.makerRateMicros ?? 0,
    orders: [...orders.orders.values()]
      .filter((order) => order.conditionId === conditionId)
      .map((order) => ({
        ...order,
        fromMs: Math.round(order.fromMs + offsetMs),
        toMs: order.toMs === null ? null : Math.round(order.toMs + offsetMs),
      })),
    trades: fills.filter(({ row }) => row.order.market.condition_id === conditionId).map((fill) => toTrade(fill, run)),
    conversions: [...orders.conversions.values()]
      .filter((conversion) => conversion.conditionId === conditionId)
      .map(({ conditionId: _, seenMs, ...moved }) => ({
        ...moved,
        yesCostMicros: null,
        timeMs: Math.round(seenMs + offsetMs),
      })),
    prices: source === null ? null : await BestPrices.of(source),
    lastMs: run.untilMs,
    countedFromMs: run.fromMs,
    fairMicros: null,
    endShares: null,
  };
}

function toTrade({ row, seenMs }: RunFill, { description, offsetMs }: RecordedSession): ReportedTrade {
  const { pubkey, side, outcome } = row.order;
  // With several strategies any of them could have placed the order.
  const [only, another] = description.strategies;
  return {
    timeMs: tradeTimeMs(row.timestamp, seenMs + offsetMs),
    seenMs: Math.round(seenMs + offsetMs),
    orderPubkey: pubkey ?? '',
    strategy: another === undefined ? (only?.name ?? '') : '',
    isYes: outcome.is_yes,
    isBuy: side === 'buy',
    isMaker: row.is_maker,
    ownPriceMicros: row.price,
    amountMicros: row.amount,
    feeMicros: row.fee,
  };
}
