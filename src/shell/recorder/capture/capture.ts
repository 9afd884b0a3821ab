/**
 * Converts requests and their outcomes into recordings, in memory. Recorded books exclude known own orders, and no
 * trade is recorded twice. A level below the requested depth does not count as removed. Time without answers is
 * recorded as a gap with its cause, because it is not a quiet market.
 */

import type { RecordedMarket } from '../../../recording/contract.js';
import type { FeedRow } from '../../../recording/store/segment.js';
import type { RecordingStore } from '../../../recording/store/store.js';
import type { DataOf } from '../../../shared/protocol/endpoints.js';
import { inferOutcome, type MarketOutcome } from '../../../shared/protocol/outcome.js';
import type { MarketDetail, RedeemRow } from '../../../shared/protocol/records.js';
import type { AnyCall, Observation, Outcome, Request } from '../../../shared/protocol/seam.js';
import { CATEGORIES, isSettledMarket } from '../../../shared/protocol/states.js';
import { MarketCapture } from './market-capture.js';
import { OwnCapture, type PolledAt } from './own-capture.js';

type HeardValue = Omit<FeedRow, 'timeMs'>;
type FeedObservation = Extract<Observation, { kind: 'feed' }>;
export type CapturedOutcome = Extract<Observation, { kind: 'outcome' }>;

const DEFAULT_DEPTH = 20;
/** Interval assumed until the usual interval is known, ms. */
const USUAL_MS = 10_000;
/** Maximum number of feed values that wait for their market's first book. */
const MOST_WAITING = 10_000;

interface CaptureSettings {
  readonly store: Pick<RecordingStore, 'market'>;
  /** Folder of the store, for the descriptions. */
  readonly folder: string;
  readonly venue: string;
  /** Ids of the only markets to record; null for all seen markets. */
  readonly only: ReadonlySet<string> | null;
}

/** Numbers of recorded items since the start. */
export type CaptureCounts = Capture['counts'];

export class Capture {
  readonly #settings: CaptureSettings;
  readonly #underWay = new Map<number, AnyCall>();
  readonly #markets = new Map<string, MarketCapture>();
  readonly #details = new Map<string, MarketDetail>();
  readonly #outcomes = new Map<string, MarketOutcome>();
  readonly #own = new OwnCapture((market) => this.#markets.get(market)?.sink);
  /** Newest feed values by feed and market, for markets that were not read yet. */
  readonly #waiting = new Map<string, HeardValue>();
  /** Venue clock minus ours, ms, from the newest answer. */
  #offsetMs = 0;
  #usualMs = USUAL_MS;

  constructor(settings: CaptureSettings) {
    this.#settings = settings;
  }

  /** Numbers of recorded items. `refused`: invalid levels of the venue, and events off the price or amount grid. */
  get counts() {
    const total = { markets: this.#markets.size, own: this.#own.count, levels: 0, trades: 0, gaps: 0, refused: 0 };
    for (const { counts } of this.#markets.values())
      for (const name of ['levels', 'trades', 'gaps', 'refused'] as const) total[name] += counts[name];
    return total;
  }

  /** Number of own orders that may rest, according to the answers. */
  get ownResting(): number {
    return this.#own.orders.resting;
  }

  /** Sets the usual interval between reads of a book, ms. A several times longer interval is a gap. */
  expect(usualMs: number): void {
    this.#usualMs = usualMs;
  }

  onAsk({ id, call }: Request, nowMs: number): void {
    this.#underWay.set(id, call);
    this.#own.onAsk(call, nowMs);
  }

  /** Records the outcome of a request. `venueMs`: estimated venue clock midway between request and answer, ms. */
  onOutcome(observation: CapturedOutcome, venueMs: number): void {
    const { requestId, outcome, sentMs, nowMs, venueTimeMs } = observation;
    const call = this.#underWay.get(requestId);
    this.#underWay.delete(requestId);
    this.#offsetMs = venueMs - (sentMs + nowMs) / 2;
    if (call === undefined) return;
    this.#takeIn(call, outcome, { sentMs, seenMs: nowMs, venueMs: Math.round(venueMs) });
    // An unsent request has no round trip, and the missing read is recorded as a gap anyway.
    if (outcome.kind !== 'unknown' || outcome.sent) {
      const poll = { endpoint: call.endpoint, sentMs, seenMs: nowMs, venueMs: venueTimeMs, outcome: outcome.kind };
      const market = getPolledMarket(call);
      if (market !== null) this.#markets.get(market)?.sink.poll(poll);
    }
  }

  onFeed({ feed, values, nowMs: seenMs }: FeedObservation): void {
    for (const value of values) this.#onFeedValue({ feed, seenMs, value });
  }

  tick(nowMs: number): void {
    for (const market of this.#markets.values()) market.tick(nowMs);
    this.#own.orders.forget(nowMs);
  }

  /** Writes waiting data. Call it last, before the store is closed. */
  close(nowMs: number): void {
    for (const market of this.#markets.values()) market.flush(nowMs);
  }

  // The casts: data has the type of the call's endpoint, but TypeScript cannot relate them.
  #takeIn(call: AnyCall, outcome: Outcome, at: PolledAt): void {
    const data: unknown = outcome.kind === 'answered' ? outcome.data : null;
    switch (call.endpoint) {
      case 'markets.book': {
        const { condition_id: id } = call.params;
        if (data === null) return this.#markets.get(id)?.onGap(`a poll of the book failed: ${why(outcome)}`, at.seenMs);
        const depth = call.query.depth ?? DEFAULT_DEPTH;
        return this.#market(id, at)?.onBook(data as DataOf<'markets.book'>, depth, at, this.#usualMs);
      }
      case 'markets.trades': {
        if (outcome.kind !== 'answered') return;
        const rows = data as DataOf<'markets.trades'>;
        return this.#market(call.params.condition_id, at)?.onTrades(rows, outcome.nextCursor === null, at);
      }
      case 'markets.detail':
        if (data !== null) this.#onDetail(data as DataOf<'markets.detail'>, at);
        return;
      case 'redeems.list':
        for (const row of (data ?? []) as DataOf<'redeems.list'>) this.#onRedeem(row);
        return;
      case 'redeems.submit':
      case 'redeems.detail':
        if (data !== null) this.#onRedeem(data as DataOf<'redeems.detail'>);
        return;
      default:
        return this.#own.onOutcome(call, outcome, at);
    }
  }

  /** Returns a market's capture; undefined while its description is unknown, or if it is not to be recorded. */
  #market(conditionId: string, at: PolledAt): MarketCapture | undefined {
    const known = this.#markets.get(conditionId);
    const detail = this.#details.get(conditionId);
    if (known !== undefined || detail === undefined || detail.state !== 'open') return known;
    const { store, only } = this.#settings;
    if (only !== null && !only.has(conditionId)) return undefined;
    const described = this.#describe(detail, this.#outcomes.get(conditionId) ?? null, at);
    if (described === null) return undefined;
    const captured = new MarketCapture(store.market(described), this.#own.orders);
    this.#markets.set(conditionId, captured);
    this.#passOnWaiting(conditionId);
    return captured;
  }

  /** Records a feed value, or keeps it for the first book: a feed reports a constant value only once. */
  #onFeedValue(row: HeardValue): void {
    const { conditionId } = row.value;
    const sink = this.#markets.get(conditionId)?.sink;
    if (sink !== undefined) {
      sink.feedValue({ ...row, timeMs: Math.round(row.seenMs + this.#offsetMs) });
      return;
    }
    const key = `${row.feed} ${conditionId}`;
    this.#waiting.delete(key);
    this.#waiting.set(key, row);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MOST_WAITING && oldest !== undefined) this.#waiting.delete(oldest);
  }

  #passOnWaiting(conditionId: string): void {
    for (const [key, row] of this.#waiting) {
      if (row.value.conditionId !== conditionId) continue;
      this.#waiting.delete(key);
      this.#onFeedValue(row);
    }
  }

  #onDetail(detail: MarketDetail, at: PolledAt): void {
    const before = this.#details.get(detail.condition_id);
    this.#details.set(detail.condition_id, detail);
    const captured = this.#markets.get(detail.condition_id);
    if (captured === undefined) return;
    const { market } = captured.sink;
    const described = this.#describe(detail, market.outcome, at);
    if (described !== null && !sameDescription(described, market)) captured.sink.describe(described);
    if (detail.state === 'open' || before?.state === detail.state) return;
    if (isSettledMarket(detail.state)) captured.end(at);
    else captured.onGap(`the market is ${detail.state}`, at.seenMs);
  }

  #onRedeem(row: DataOf<'redeems.detail'>): void {
    const outcome = learnOutcome(row);
    if (outcome === null) return;
    this.#outcomes.set(row.market_condition_id, outcome);
    const sink = this.#markets.get(row.market_condition_id)?.sink;
    if (sink !== undefined && sink.market.outcome !== outcome) sink.describe({ ...sink.market, outcome });
  }

  #describe(detail: MarketDetail, outcome: MarketOutcome | null, at: PolledAt) {
    const { venue, folder } = this.#settings;
    return describeMarket(detail, venue, folder, outcome, Math.round(at.venueMs));
  }
}

const getPolledMarket = (call: AnyCall): string | null =>
  call.endpoint === 'markets.book' || call.endpoint === 'markets.trades' || call.endpoint === 'markets.detail'
    ? call.params.condition_id
    : null;

function why(outcome: Outcome): string {
  if (outcome.kind === 'refused') return outcome.slug;
  return outcome.kind === 'unknown' ? outcome.reason : 'no answer';
}

/** Category recorded for a market without a known category. */
const OTHER_CATEGORY = 'finance';

/** Describes a market; null without an order book. `seenMs` replaces times that the venue does not report. */
export function describeMarket(
  detail: MarketDetail,
  venue: string,
  path: string,
  outcome: MarketOutcome | null,
  seenMs: number,
): RecordedMarket | null {
  const { config, condition_id: conditionId, created, resolution_date: resolution } = detail;
  if (config.kind !== 'orderbook') return null;
  return {
    conditionId,
    eventTitle: detail.event?.title ?? detail.title,
    ...(detail.event === null || detail.event === undefined ? {} : { eventConditionId: detail.event.condition_id }),
    title: detail.title,
    category: CATEGORIES.find((category) => category === detail.category) ?? OTHER_CATEGORY,
    rules: detail.rules ?? [],
    tickPrecision: config.price_precision,
    amountPrecision: config.amount_precision,
    openTimeMs: created === null ? seenMs : created * 1000,
    closeTimeMs: resolution === null ? seenMs : resolution * 1000,
    ...(resolution === null ? { closeIsGuessed: true } : {}),
    outcome,
    fees: { makerRateMicros: config.maker_fee_rate, takerRateMicros: config.taker_fee_rate },
    source: { kind: 'twinbook', path, ticker: conditionId, origin: venue },
  };
}

/** Infers a market's outcome from our own redeem. Null before its payment, or for equal shares of both outcomes. */
export function learnOutcome({
  state,
  funds,
  onchain_funds: paid,
  yes_shares: yes,
  no_shares: no,
}: RedeemRow): MarketOutcome | null {
  const received = paid ?? funds;
  if ((state !== 'done' && state !== 'completed') || received === null || yes === null || no === null) return null;
  return inferOutcome(yes, no, received);
}

/** Whether two descriptions are equal; times that the venue does not report are ignored. */
export const sameDescription = (a: RecordedMarket, b: RecordedMarket): boolean =>
  JSON.stringify({ ...a, openTimeMs: 0, closeTimeMs: 0 }) === JSON.stringify({ ...b, openTimeMs: 0, closeTimeMs: 0 });
