/** Reads recorded runs from their journals, without a trader: market data, requests, orders, fills and conversions. */

import { ChunkWriter, isPrice } from '../../recording/chunks.js';
import {
  EVENT,
  type EventChunk,
  type RecordedFeedValue,
  type RecordedGap,
  type RecordedMarket,
  SIDE,
} from '../../recording/contract.js';
import type { MarketSink, Stamp } from '../../recording/store/segment.js';
import type { RecordingStore } from '../../recording/store/store.js';
import { must, TwinbookError } from '../../shared/base/errors.js';
import { stepOfPrecision } from '../../shared/base/micros.js';
import { type DataOf, declarationOf } from '../../shared/protocol/endpoints.js';
import type { ConversionRow, OrderRow, OwnTradeRow, RedeemRow } from '../../shared/protocol/records.js';
import type { AnyCall, Observation, Outcome } from '../../shared/protocol/seam.js';
import { isFinalOrder, ORDER_STANDING, paidFunds } from '../../shared/protocol/states.js';
import type { RunJournal, RunStep } from '../../shell/journal/runs.js';
import { Capture } from '../../shell/recorder/capture/capture.js';
import { VenueTimeBounds } from '../../trader/engine/venue-clock.js';
import type { EventSource, TimedCommand } from '../backtest/contract.js';
import { makeLatencySource } from '../backtest/latency.js';
import { playFromMemory } from '../backtest/replay-driver.js';
import { RequestCount } from '../backtest/session.js';
import { sumCoverages } from '../report/analysis/markets.js';
import { sum } from '../report/analysis/split.js';
import { formatQuantity } from '../report/figures.js';
import { type JournalFacts, readOutcome } from '../report/session-from-ledger.js';
import type { ConversionRecord, RequestUse, ScopeUse, SessionRecord } from '../session/contract.js';
import {
  foldSession,
  type LedgerMarket,
  type RecordedPrices,
  type SessionOrder,
  toCoverage,
  tradeTimeMs,
  UNKNOWN_BEST,
} from '../session/live-session.js';

/** Time after a run's last observation during which the last book counts as valid, ms; about the duration of a stop. */
const ROOM_MS = 60_000;

export interface Journaled extends JournalFacts {
  /** Prices by condition id, for those wanted markets that at least one run has read. */
  readonly prices: ReadonlyMap<string, RecordedPrices>;
}

/** `runs`: oldest first. `wanted`: condition ids. `onDamaged`: called for a journal that is damaged in the middle. */
export async function readJournals(
  runs: readonly RunJournal[],
  wanted: ReadonlySet<string>,
  onDamaged: (run: RunJournal, error: TwinbookError) => void,
): Promise<Journaled> {
  const seen: SeenRun[] = [];
  for (const run of runs) {
    try {
      seen.push(await seenBy(run, wanted));
    } catch (error) {
      if (!(error instanceof TwinbookError)) throw error;
      onDamaged(run, error);
    }
  }
  const ids = new Set(seen.flatMap(({ markets }) => [...markets.keys()]));
  return {
    prices: new Map([...ids].map((id) => [id, pricesOver(seen, id)])),
    offsetMs: (ourMs) => (seen.findLast(({ startedMs }) => startedMs <= ourMs) ?? seen[0])?.offsetMs ?? 0,
    requests: requestsOver(seen),
    remarks: [`The books are from the trader’s own polls, in the journals of ${formatQuantity(seen.length, 'run')}.`],
  };
}

type SeenRun = Awaited<ReturnType<typeof seenBy>>;

async function seenBy(run: RunJournal, wanted: ReadonlySet<string>) {
  const { session, sources, fromMs, toMs, offsetMs } = await readRecordedRun(run);
  const markets = new Map<string, RecordedPrices>();
  for (const source of sources)
    if (wanted.has(source.market.conditionId)) markets.set(source.market.conditionId, await readBestPrices(source));
  const { startedMs } = run.description;
  const { account, requests } = session;
  return { startedMs, fromMs, toMs, offsetMs, markets, requests, sampledMs: account.timeMs.length * account.stepMs };
}

function pricesOver(seen: readonly SeenRun[], id: string): RecordedPrices {
  const markets = seen.flatMap(({ markets }) => markets.get(id) ?? []);
  const at: RecordedPrices['at'] = (timeMs) => {
    const run = seen.findLast(({ fromMs }) => fromMs <= timeMs);
    return run === undefined || timeMs > run.toMs + ROOM_MS
      ? UNKNOWN_BEST
      : (run.markets.get(id)?.at(timeMs) ?? UNKNOWN_BEST);
  };
  const standing = (timeMs: number): number | null => {
    const begun = seen.filter(({ fromMs }) => fromMs <= timeMs);
    return begun.flatMap(({ markets }) => markets.get(id)?.standing(timeMs) ?? []).at(-1) ?? null;
  };
  const outcome = markets.findLast((market) => market.outcome !== null)?.outcome ?? null;
  const recorded = markets.flatMap((market) => market.coverage ?? []);
  const coverage = recorded.length === 0 ? null : sumCoverages(recorded);
  // If a market was renamed between two runs, its latest names are used.
  const { eventTitle = '', category = '' } = markets.at(-1) ?? {};
  return { at, standing, outcome, coverage, eventTitle, category };
}

function requestsOver(seen: readonly SeenRun[]): RequestUse | null {
  const uses = seen.flatMap(({ requests }) => requests ?? []);
  const last = uses.at(-1);
  if (last === undefined) return null;
  const scope = (name: 'public' | 'signed'): ScopeUse => {
    const own = uses.map((use) => use[name]);
    return {
      limitPerMinute: last[name].limitPerMinute,
      count: sum(own.map(({ count }) => count)),
      peakPerMinute: Math.max(...own.map(({ peakPerMinute }) => peakPerMinute)),
      throttled: sum(own.map(({ throttled }) => throttled)),
    };
  };
  const byEndpoint = new Map<string, number>();
  for (const [name, count] of uses.flatMap((use) => use.byEndpoint))
    byEndpoint.set(name, (byEndpoint.get(name) ?? 0) + count);
  return {
    public: scope('public'),
    signed: scope('signed'),
    byEndpoint: [...byEndpoint].sort(([, a], [, b]) => b - a),
    unsent: sum(uses.map(({ unsent }) => unsent)),
    // A session from a ledger ends with the ledger's last entry, but the run may have continued.
    overMs: sum(seen.map(({ requests, sampledMs }) => (requests === null ? 0 : sampledMs))),
  };
}

async function readBestPrices(source: EventSource): Promise<RecordedPrices> {
  const { outcome, eventTitle, category } = source.market;
  const timesMs: number[] = [];
  const bests: ReturnType<RecordedPrices['at']>[] = [];
  const [bids, asks] = [new Set<number>(), new Set<number>()];
  const note = (timeMs: number): void => {
    const bidMicros = bids.size === 0 ? null : Math.max(...bids);
    const askMicros = asks.size === 0 ? null : Math.min(...asks);
    const last = bests.at(-1) ?? UNKNOWN_BEST;
    if (last.bidMicros === bidMicros && last.askMicros === askMicros) return;
    const both = bidMicros !== null && askMicros !== null;
    const middleMicros = both ? Math.floor((bidMicros + askMicros) / 2) : last.middleMicros;
    timesMs.push(timeMs);
    bests.push({ bidMicros, askMicros, middleMicros });
  };
  const take = ({ length, timeMs, kind, side, priceMicros, amountMicros }: EventChunk): void => {
    for (let i = 0; i < length; i++) {
      const nowMs = must(timeMs[i], 'a time for each event');
      const levels = side[i] === SIDE.bid ? bids : asks;
      if (kind[i] === EVENT.clear) for (const each of [bids, asks]) each.clear();
      if (kind[i] === EVENT.level && (amountMicros[i] ?? 0) === 0) levels.delete(priceMicros[i] ?? 0);
      else if (kind[i] === EVENT.level) levels.add(priceMicros[i] ?? 0);
      if (kind[i] !== EVENT.end && (i + 1 === length || timeMs[i + 1] !== nowMs)) note(nowMs);
    }
  };
  const stream = source.open();
  try {
    for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) take(chunk);
  } finally {
    stream.close();
  }
  const at: RecordedPrices['at'] = (timeMs) => {
    let [low, high] = [0, timesMs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((timesMs[middle] ?? 0) <= timeMs) low = middle + 1;
      else high = middle;
    }
    return bests[low - 1] ?? UNKNOWN_BEST;
  };
  const coverage = toCoverage(source.summary);
  return { outcome, eventTitle, category, coverage, at, standing: (timeMs) => at(timeMs).middleMicros };
}

type AnsweredAt = Readonly<Record<'sentMs' | 'seenMs', number>>;

/** An order of the run. The times are approximate, in Unix ms of the trader's clock. */
type RunOrder = SessionOrder & { readonly conditionId: string; toMs: number | null; isCanceled: boolean };

/** `seenMs`: time when the run first received this record, Unix ms of the trader's clock. */
type RunFill = Readonly<{ row: OwnTradeRow; seenMs: number }>;

type RunConversion = Omit<ConversionRecord, 'markMicros' | 'timeMs'> &
  Readonly<{ conditionId: string; seenMs: number }>;

class RunOrders {
  readonly orders = new Map<string, RunOrder>();
  readonly #drafted = new Set<string>();
  readonly fills = new Map<string, RunFill>();
  readonly conversions = new Map<string, RunConversion>();

  /** Takes an answer. These casts are safe, because the trader's shell has parsed the data by the call's endpoint. */
  onAnswer(call: AnyCall, outcome: Outcome, at: AnsweredAt): void {
    if (outcome.kind !== 'answered') return;
    const data: unknown = outcome.data;
    switch (call.endpoint) {
      case 'orders.create':
        return void this.#drafted.add((data as DataOf<'orders.create'>).pubkey);
      case 'orders.submit':
        return this.#onOrder(data as OrderRow, at, true);
      case 'orders.cancelSubmit':
      case 'orders.detail':
        return this.#onOrder(data as OrderRow, at, false);
      case 'orders.list':
        for (const row of data as DataOf<'orders.list'>) this.#onOrder(row, at, false);
        return;
      case 'trades.list':
        for (const row of data as DataOf<'trades.list'>) this.#onTrade(row, at);
        return;
      case 'merges.submit':
      case 'merges.detail':
      case 'splits.submit':
      case 'splits.detail':
        return this.#onSets(call.endpoint.startsWith('merges') ? 'merge' : 'split', data as ConversionRow, at);
      case 'redeems.submit':
      case 'redeems.detail':
        return this.#onRedeem(data as RedeemRow, at);
    }
  }

  /** `isNew`: true if the row is the answer to the order's submit. */
  #onOrder(row: OrderRow, at: AnsweredAt, isNew: boolean): void {
    const { pubkey, status, price, amount, market, outcome, side } = row;
    if (pubkey === null || price === null || amount === null || status === null) return;
    if (ORDER_STANDING[status].phase === 'unsigned') return;
    const isOver = isFinalOrder(status);
    const known = this.orders.get(pubkey);
    // An order that was already final when first read, or is no draft of this run, belongs to an earlier run.
    if (known === undefined && !isNew && (isOver || !this.#drafted.has(pubkey))) return;
    const middleMs = (at.sentMs + at.seenMs) / 2;
    const order: RunOrder = known ?? {
      pubkey,
      conditionId: market.condition_id,
      fromMs: isNew ? middleMs : at.sentMs,
      toMs: null,
      isCanceled: false,
      amountMicros: amount,
      side: outcome.is_yes === (side === 'buy') ? 'bid' : 'ask',
      isBuy: side === 'buy',
      ownPriceMicros: price,
      priceMicros: outcome.is_yes ? price : 1_000_000 - price,
    };
    this.orders.set(pubkey, order);
    if (!isOver) return;
    order.toMs ??= Math.max(order.fromMs, middleMs);
    order.isCanceled ||= ORDER_STANDING[status].isCanceled;
  }

  #onTrade(row: OwnTradeRow, at: AnsweredAt): void {
    this.#onOrder(row.order, at, false);
    if (row.state === 'done' && !this.fills.has(row.pubkey)) this.fills.set(row.pubkey, { row, seenMs: at.seenMs });
  }

  /** Records a finished merge or split once its row has the settled amount, as the ledger does. */
  #onSets(kind: 'merge' | 'split', row: ConversionRow, at: AnsweredAt): void {
    const { pubkey, state, market_condition_id, onchain_amount } = row;
    if (state !== 'done' || onchain_amount === null || this.conversions.has(pubkey)) return;
    const sets = kind === 'merge' ? onchain_amount : -onchain_amount;
    const moved = { yesMicros: sets, noMicros: sets, cashMicros: sets, yesCostMicros: null };
    this.conversions.set(pubkey, { kind, conditionId: market_condition_id, ...moved, seenMs: at.seenMs });
  }

  #onRedeem(row: RedeemRow, at: AnsweredAt): void {
    const { pubkey, yes_shares, no_shares, market_condition_id } = row;
    const cash = paidFunds(row);
    if (cash === null || this.conversions.has(pubkey)) return;
    const moved = { yesMicros: yes_shares ?? 0, noMicros: no_shares ?? 0, cashMicros: cash, yesCostMicros: null };
    this.conversions.set(pubkey, { kind: 'redeem', conditionId: market_condition_id, ...moved, seenMs: at.seenMs });
  }
}

/** Extra time at the end of the market data, ms, because a backtest's stop may take longer than the run's stop. */
const STOP_ROOM_MS = 60_000;

export async function readRecordedRun(run: RunJournal) {
  const reading = new RunReading(run);
  for await (const step of run.steps()) reading.take(step);
  return reading.result();
}

/** Span of a run, exchange clock, Unix ms. `untilMs`: trader's stop. `offsetMs`: exchange minus trader's clock. */
type RunSpan = Readonly<Record<'fromMs' | 'toMs' | 'untilMs' | 'offsetMs', number>>;

class RunReading {
  readonly #run: RunJournal;
  readonly #store = new MemoryStore();
  readonly #capture: Capture;
  readonly #clock = new VenueTimeBounds();
  readonly #underWay = new Map<number, AnyCall>();
  readonly #orders = new RunOrders();
  readonly #count: RequestCount;
  readonly #calls: Parameters<typeof makeLatencySource>[0][number][] = [];
  readonly #commands: TimedCommand[] = [];
  readonly #feedValues: RecordedFeedValue[] = [];
  #unsent = 0;
  #timedOut = 0;
  #fromMs: number | null = null;
  #toMs = 0;

  constructor(run: RunJournal) {
    const { profile, polling } = run.description;
    this.#run = run;
    this.#capture = new Capture({ store: this.#store, folder: run.folder, venue: profile.service_name, only: null });
    // The trader reads quoted markets at least at this interval, so a much later read means a gap.
    this.#capture.expect(polling.quietIntervalMs);
    this.#count = new RequestCount(profile.rate_limits);
  }

  take({ observation, requests, timedOut }: RunStep): void {
    const { nowMs } = observation;
    this.#fromMs ??= nowMs;
    this.#toMs = nowMs;
    this.#timedOut += timedOut.length;
    if (observation.kind === 'command') this.#commands.push({ atMs: nowMs, command: observation.command });
    if (observation.kind === 'feed')
      for (const value of observation.values) this.#feedValues.push({ feed: observation.feed, timeMs: nowMs, value });
    if (observation.kind === 'outcome') this.#outcome(observation);
    for (const request of requests) {
      this.#underWay.set(request.id, request.call);
      this.#capture.onAsk(request, nowMs);
    }
    this.#capture.tick(nowMs);
  }

  #outcome(observation: Extract<Observation, { kind: 'outcome' }>): void {
    const { requestId, outcome, sentMs, nowMs, venueTimeMs } = observation;
    if (venueTimeMs !== null) this.#clock.observe(venueTimeMs, sentMs, nowMs);
    const middleMs = (sentMs + nowMs) / 2;
    this.#capture.onOutcome(observation, this.#clock.nowMs(middleMs) ?? middleMs);
    const call = this.#underWay.get(requestId);
    this.#underWay.delete(requestId);
    if (call === undefined) return;
    if (outcome.kind === 'unknown' && !outcome.sent) return void this.#unsent++;
    const { scope } = declarationOf(call.endpoint);
    this.#count.countRequest(call.endpoint, scope, sentMs);
    this.#count.countAnswer(scope, outcome);
    if (outcome.kind !== 'unknown' && nowMs >= sentMs)
      this.#calls.push({ endpoint: call.endpoint, roundTripMs: nowMs - sentMs });
    this.#orders.onAnswer(call, outcome, { sentMs, seenMs: nowMs });
  }

  /** `commands`: operator commands without quote hours, up to the stop. `remarks`: differences from a backtest. */
  async result() {
    this.#capture.close(this.#toMs);
    const offsetMs = Math.round(this.#clock.offsetMs ?? 0);
    const [fromMs, toMs] = [(this.#fromMs ?? 0) + offsetMs, this.#toMs + offsetMs];
    const commands = this.#commandsAt(offsetMs, toMs);
    const untilMs = commands.at(-1)?.atMs ?? toMs;
    // The markets stay open until the trader has stopped, because its cancels need the orders on the book.
    const sources = this.#store.sources(fromMs, toMs + STOP_ROOM_MS);
    const session = await this.#session(sources, { offsetMs, fromMs, toMs, untilMs });
    const roundTrips = makeLatencySource(this.#calls);
    const feedValues = this.#feedValues.map(({ feed, timeMs, value }): RecordedFeedValue => {
      const validUntilMs = value.validUntilMs === null ? null : value.validUntilMs + offsetMs;
      return { feed, timeMs: timeMs + offsetMs, value: { ...value, atMs: value.atMs + offsetMs, validUntilMs } };
    });
    return { session, sources, feedValues, roundTrips, commands, fromMs, toMs, offsetMs, remarks: this.#remarks() };
  }

  /** Initial shares are omitted, because a backtest starts without shares. Best prices are those of other accounts. */
  async #session(sources: readonly EventSource[], span: RunSpan): Promise<SessionRecord> {
    const { capitalMicros, version, configHash, strategies, runId, startedMs } = this.#run.description;
    const { fromMs, toMs, untilMs, offsetMs } = span;
    const { use, refused } = this.#count;
    // The exchange's list of the trader's trades also contains trades from before the run.
    const fills = [...this.#orders.fills.values()].filter(({ row }) => row.timestamp * 1000 + 999 >= fromMs);
    const seen = new Map(sources.map((source) => [source.market.conditionId, source]));
    const ids = new Set([
      ...seen.keys(),
      ...fills.map(({ row }) => row.order.market.condition_id),
      ...[...this.#orders.conversions.values()].map(({ conditionId }) => conditionId),
    ]);
    const [only, another] = strategies;
    // With several strategies, the journal does not show which strategy placed an order.
    const strategy = another === undefined ? (only?.name ?? '') : '';
    const markets: LedgerMarket[] = [];
    for (const id of ids) {
      const source = seen.get(id) ?? null;
      const prices = source === null ? null : await readBestPrices(source);
      markets.push({ ...listMarket(id, source, fills, this.#orders, span, strategy), prices });
    }
    return foldSession({
      title: `${strategies.map(({ name }) => name).join(', ')}: run ${runId}`,
      fromMs,
      toMs,
      capitalMicros,
      requests: { ...use, unsent: this.#unsent },
      refusals: refused,
      endCashMicros: null,
      markets,
      running: [[startedMs + offsetMs, untilMs]],
      notices: [],
      assumptions: {
        version,
        configHash,
        data: [`the journal of run ${runId}`],
        remarks: ['Shares and open orders from before the run are left out of these figures.'],
      },
    });
  }

  /** Returns the operator commands up to the first stop. Without a stop, the journal's end counts as a stop. */
  #commandsAt(offsetMs: number, toMs: number): TimedCommand[] {
    const own = this.#commands
      .filter(({ command }) => command.kind !== 'quote-hours')
      .map(({ atMs, command }) => ({ atMs: atMs + offsetMs, command }));
    const stop = own.findIndex(({ command }) => command.kind === 'stop');
    return stop < 0 ? [...own, { atMs: toMs, command: { kind: 'stop' } }] : own.slice(0, stop + 1);
  }

  #remarks(): readonly string[] {
    const { gaps } = this.#capture.counts;
    const calls = formatQuantity(this.#timedOut, 'call');
    const requests = formatQuantity(this.#unsent, 'request');
    const counted = [
      [this.#timedOut, `In the run, ${calls} of a strategy exceeded the time limit; a backtest has no such limit.`],
      [gaps, `The run’s polls have ${formatQuantity(gaps, 'gap')} in which a market’s state is unknown.`],
      [this.#unsent, `The live trader never sent ${requests}, because the rate limit was exhausted.`],
    ] as const;
    return counted.flatMap(([count, text]) => (count > 0 ? [text] : []));
  }
}

function listMarket(
  conditionId: string,
  source: EventSource | null,
  fills: readonly RunFill[],
  orders: RunOrders,
  { offsetMs, fromMs, untilMs }: RunSpan,
  strategy: string,
) {
  const market = source?.market;
  const conversions = [...orders.conversions.values()]
    .filter((conversion) => conversion.conditionId === conditionId)
    .map(({ conditionId: _, seenMs, ...moved }) => ({ ...moved, timeMs: Math.round(seenMs + offsetMs) }));
  return {
    conditionId,
    title: market?.title ?? conditionId,
    eventConditionId: market?.eventConditionId,
    eventTitle: market?.eventTitle ?? '',
    closeMs: null,
    outcome: market?.outcome ?? readOutcome(conversions),
    orders: [...orders.orders.values()]
      .filter((order) => order.conditionId === conditionId)
      .map((order) => ({
        ...order,
        fromMs: Math.round(order.fromMs + offsetMs),
        toMs: order.toMs === null ? null : Math.round(order.toMs + offsetMs),
      })),
    trades: fills
      .filter(({ row }) => row.order.market.condition_id === conditionId)
      .map(({ row, seenMs }) => ({
        timeMs: tradeTimeMs(row.timestamp, seenMs + offsetMs),
        seenMs: Math.round(seenMs + offsetMs),
        orderPubkey: row.order.pubkey ?? '',
        strategy,
        isYes: row.order.outcome.is_yes,
        isBuy: row.order.side === 'buy',
        isMaker: row.is_maker,
        ownPriceMicros: row.price,
        amountMicros: row.amount,
        feeMicros: row.fee,
      })),
    conversions,
    // As in a backtest, a market counts from its first book to its end.
    lastMs: Math.min(untilMs, source?.summary?.lastMs ?? untilMs),
    countedFromMs: Math.max(fromMs, source?.summary?.firstMs ?? fromMs),
    fairMicros: null,
    endShares: null,
  };
}

/** A first book within this time after a run's start, ms, is moved to the start: backtests may read a book earlier. */
const FIRST_LOOK_MS = 10_000;

class MemoryStore implements Pick<RecordingStore, 'market'> {
  readonly #sinks = new Map<string, MemorySink>();

  market(market: RecordedMarket): MarketSink {
    const known = this.#sinks.get(market.conditionId);
    if (known !== undefined) return known;
    const sink = new MemorySink(market);
    this.#sinks.set(market.conditionId, sink);
    return sink;
  }

  sources(fromMs: number, toMs: number): EventSource[] {
    return [...this.#sinks.values()].flatMap((sink) => sink.source(fromMs, toMs) ?? []);
  }
}

class MemorySink implements MarketSink {
  market: RecordedMarket;
  refused = 0;
  // Polls are not stored, because backtests do not play them. Orders and feed values are read from the journal.
  readonly poll = () => undefined;
  readonly own = this.poll;
  readonly feedValue = this.poll;
  readonly #writer = new ChunkWriter();
  readonly #events = { level: 0, trade: 0, clear: 0, end: 0 };
  readonly #gaps: RecordedGap[] = [];
  #openGap: Omit<RecordedGap, 'toMs'> | null = null;
  #firstMs: number | null = null;
  #chunks: EventChunk[] | null = null;

  constructor(market: RecordedMarket) {
    this.market = market;
  }

  describe(market: RecordedMarket): void {
    this.market = market;
  }

  level(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean {
    return this.#isEvent(priceMicros, amountMicros) && this.#write('level', at, side, priceMicros, amountMicros);
  }

  trade(at: Stamp, side: number, priceMicros: number, amountMicros: number): boolean {
    if (!this.#isEvent(priceMicros, amountMicros) || amountMicros === 0) return false;
    return this.#write('trade', at, side, priceMicros, amountMicros);
  }

  clear(at: Stamp): void {
    this.#write('clear', at, 0, 0, 0);
  }

  gap({ timeMs }: Stamp, reason: string): void {
    if (this.#firstMs === null || this.#chunks !== null) return;
    this.#openGap ??= { fromMs: Math.max(timeMs, this.#writer.lastTimeMs), reason };
  }

  end({ timeMs }: Stamp): void {
    if (this.#chunks !== null) return;
    this.#chunks = this.#writer.end(timeMs);
    this.#events.end++;
    if (this.#openGap !== null) this.#gaps.push({ ...this.#openGap, toMs: null });
  }

  /** Ends the recording at `toMs`. Returns its events; null without events. An early first book moves to `fromMs`. */
  source(fromMs: number, toMs: number): EventSource | null {
    this.end({ timeMs: toMs, seenMs: null });
    const seenMs = this.#firstMs;
    if (seenMs === null) return null;
    const firstMs = seenMs > fromMs && seenMs - fromMs <= FIRST_LOOK_MS ? fromMs : seenMs;
    const chunks = this.#chunks ?? [];
    const times = chunks[0]?.timeMs ?? new Float64Array();
    for (let i = 0; times[i] === seenMs; i++) times[i] = firstMs;
    const { lastTimeMs: lastMs } = this.#writer;
    const openTimeMs = Math.max(this.market.openTimeMs, firstMs);
    const summary = { firstMs, lastMs, events: this.#events, gaps: this.#gaps, refused: this.refused, bytes: 0 };
    return playFromMemory({ ...this.market, openTimeMs }, chunks, summary);
  }

  #isEvent(priceMicros: number, amountMicros: number): boolean {
    const isWhole = Number.isSafeInteger(amountMicros) && amountMicros >= 0;
    if (isWhole && isPrice(priceMicros, stepOfPrecision(this.market.tickPrecision))) return true;
    this.refused++;
    return false;
  }

  #write(kind: 'level' | 'trade' | 'clear', at: Stamp, side: number, priceMicros: number, amountMicros: number) {
    if (this.#chunks !== null) {
      this.refused++;
      return false;
    }
    this.#writer.write(EVENT[kind], at.timeMs, side, priceMicros, amountMicros);
    this.#events[kind]++;
    this.#firstMs ??= at.timeMs;
    if (this.#openGap !== null) this.#gaps.push({ ...this.#openGap, toMs: this.#writer.lastTimeMs });
    this.#openGap = null;
    return true;
  }
}
