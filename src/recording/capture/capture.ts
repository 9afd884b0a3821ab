/**
 * Turns what crosses the seam, requests and their outcomes, into recordings: of the trader's own polls, or of those that a
 * recorder makes. Pure and synchronous: it fills a store's memory; who writes it to disk, and when, is the shell's business.
 *
 * Never: others' liquidity with our own orders in it, as far as we know them; a level that is called gone because it lies
 * deeper than was asked; a trade twice; a silence that looks like a quiet market (it is a gap, with its cause).
 */

import type { DataOf } from '../../protocol/endpoints.js';
import type { MarketDetail } from '../../protocol/records.js';
import type { AnyCall, Observation, Outcome, Request } from '../../protocol/seam.js';
import { isSettledMarket, RESTING_STATUSES } from '../../protocol/states.js';
import type { CaptureCounts, CaptureSettings, PolledAt } from './contract.js';
import { describeMarket, outcomeOf, sameDescription } from './describe.js';
import { MarketCapture } from './market-capture.js';
import { OwnOrders, type OwnTerms } from './own-orders.js';
import { OwnRows } from './own-rows.js';

export type OutcomeObservation = Extract<Observation, { kind: 'outcome' }>;

/** The service's own depth when none is asked for. */
const DEFAULT_DEPTH = 20;
/** Drafts whose terms are remembered until they are submitted; a trader has a few at a time. */
const MAX_DRAFTS = 1_000;

export class Capture {
  readonly #settings: CaptureSettings;
  readonly #underWay = new Map<number, AnyCall>();
  readonly #markets = new Map<string, MarketCapture>();
  readonly #details = new Map<string, MarketDetail>();
  readonly #outcomes = new Map<string, boolean>();
  readonly #drafts = new Map<string, { readonly terms: OwnTerms; readonly amountMicros: number }>();
  readonly #own = new OwnOrders();
  readonly #ownRows = new OwnRows();
  #ownCount = 0;
  #usualMs = 10_000;

  constructor(settings: CaptureSettings) {
    this.#settings = settings;
  }

  get counts(): CaptureCounts {
    const all = [...this.#markets.values()].map(({ counts }) => counts);
    const sum = (pick: (counts: MarketCapture['counts']) => number) => all.reduce((total, one) => total + pick(one), 0);
    return {
      markets: this.#markets.size,
      levels: sum(({ levels }) => levels),
      trades: sum(({ trades }) => trades),
      gaps: sum(({ gaps }) => gaps),
      own: this.#ownCount,
      refused: sum(({ refused }) => refused),
    };
  }

  /** Own orders that may rest, as far as answers told. */
  get ownResting(): number {
    return this.#own.resting;
  }

  /** The usual time between two looks at one book, ms: what takes several times as long is a gap. */
  expect(usualMs: number): void {
    this.#usualMs = usualMs;
  }

  /** A request leaves. */
  asked({ id, call }: Request, nowMs: number): void {
    this.#underWay.set(id, call);
    if (call.endpoint === 'orders.submit') {
      const draft = this.#drafts.get(call.params.pubkey);
      if (draft !== undefined) this.#own.submitted(call.params.pubkey, draft.terms, draft.amountMicros, nowMs);
    } else if (call.endpoint === 'orders.cancelSubmit') this.#own.disturbed(call.params.pubkey, nowMs);
  }

  /** Its outcome. `venueMs`: what the venue's clock probably said between request and answer. */
  seen(observation: OutcomeObservation, venueMs: number): void {
    const { requestId, outcome, sentMs, nowMs, venueTimeMs } = observation;
    const call = this.#underWay.get(requestId);
    this.#underWay.delete(requestId);
    if (call === undefined || (outcome.kind === 'unknown' && !outcome.sent)) return;
    const at: PolledAt = { sentMs, seenMs: nowMs, venueMs };
    const market = 'condition_id' in call.params ? call.params.condition_id : null;
    const poll = { endpoint: call.endpoint, sentMs, seenMs: nowMs, venueMs: venueTimeMs, outcome: outcome.kind };
    const captured = market === null ? undefined : this.#markets.get(market);
    (captured?.sink ?? this.#settings.store).poll(poll);
    this.#takeIn(call, outcome, at);
  }

  /** Time has passed. */
  tick(nowMs: number): void {
    for (const market of this.#markets.values()) market.tick(nowMs);
    this.#own.forget(nowMs);
  }

  /** Writes what waits; the last thing before the store is closed. */
  close(nowMs: number): void {
    for (const market of this.#markets.values()) market.flush(nowMs);
  }

  /** The market is looked at no more: it closed, or left the list. */
  lost(conditionId: string, reason: string, nowMs: number): void {
    this.#markets.get(conditionId)?.onGap(reason, nowMs);
  }

  // The shell answers a call with the data of the call's own endpoint, which TypeScript cannot relate.
  #takeIn(call: AnyCall, outcome: Outcome, at: PolledAt): void {
    const data: unknown = outcome.kind === 'answered' ? outcome.data : null;
    switch (call.endpoint) {
      case 'markets.book': {
        const { condition_id: id } = call.params;
        if (data === null) return this.#markets.get(id)?.onGap(`a poll of the book failed: ${why(outcome)}`, at.seenMs);
        const depth = call.query.depth ?? DEFAULT_DEPTH;
        return this.#market(id)?.onBook(data as DataOf<'markets.book'>, depth, at, this.#usualMs);
      }
      case 'markets.trades': {
        if (outcome.kind !== 'answered') return;
        const rows = data as DataOf<'markets.trades'>;
        return this.#market(call.params.condition_id)?.onTrades(rows, outcome.nextCursor === null, at);
      }
      case 'markets.detail':
        if (data !== null) this.#onDetail(data as DataOf<'markets.detail'>, at);
        return;
      default:
        return this.#onOwn(call, outcome, data, at);
    }
  }

  #onOwn(call: AnyCall, outcome: Outcome, data: unknown, at: PolledAt): void {
    switch (call.endpoint) {
      case 'orders.create':
        if (data !== null) this.#onDraft(call.body, data as DataOf<'orders.create'>);
        return;
      case 'orders.submit':
        this.#drafts.delete(call.params.pubkey);
        if (outcome.kind === 'refused') return this.#own.refused(call.params.pubkey);
        return this.#onOrder(data as DataOf<'orders.submit'> | null, call.params.pubkey, at);
      case 'orders.cancelSubmit':
        return this.#onOrder(data as DataOf<'orders.cancelSubmit'> | null, call.params.pubkey, at);
      case 'orders.detail':
        return this.#onOrder(data as DataOf<'orders.detail'> | null, call.params.pubkey, at);
      case 'orders.list':
        if (outcome.kind === 'answered') this.#onOrders(call.query, data as DataOf<'orders.list'>, outcome.nextCursor, at);
        return;
      case 'trades.list':
        for (const row of (data ?? []) as DataOf<'trades.list'>) this.#onOwnTrade(row, at);
        return;
      case 'redeems.list':
        for (const row of (data ?? []) as DataOf<'redeems.list'>) this.#onRedeem(row);
        return;
      case 'redeems.submit':
      case 'redeems.detail':
        if (data !== null) this.#onRedeem(data as DataOf<'redeems.detail'>);
        return;
      default:
        return;
    }
  }

  /** The capture of this market; undefined while its description is not known, or when it is not wanted. */
  #market(conditionId: string): MarketCapture | undefined {
    const known = this.#markets.get(conditionId);
    const detail = this.#details.get(conditionId);
    if (known !== undefined || detail === undefined || detail.state !== 'open') return known;
    const { store, venue, folder, only } = this.#settings;
    if (only !== null && !only.has(conditionId)) return undefined;
    const outcome = this.#outcomes.get(conditionId) ?? null;
    const described = describeMarket(detail, venue, folder, outcome, 0);
    if (described === null) return undefined;
    const captured = new MarketCapture(store.market(described), this.#own);
    this.#markets.set(conditionId, captured);
    return captured;
  }

  #onDetail(detail: MarketDetail, at: PolledAt): void {
    const before = this.#details.get(detail.condition_id);
    this.#details.set(detail.condition_id, detail);
    const captured = this.#markets.get(detail.condition_id);
    if (captured === undefined) return;
    this.#describe(detail, captured, at);
    if (detail.state === 'open' || before?.state === detail.state) return;
    if (isSettledMarket(detail.state)) captured.end(at);
    else captured.onGap(`the market is ${detail.state}`, at.seenMs);
  }

  #describe(detail: MarketDetail, { sink }: MarketCapture, at: PolledAt): void {
    const { venue, folder } = this.#settings;
    const outcome = this.#outcomes.get(detail.condition_id) ?? sink.market.outcome;
    const described = describeMarket(detail, venue, folder, outcome, at.venueMs);
    if (described !== null && !sameDescription(described, sink.market)) sink.describe(described);
  }

  #onRedeem(row: DataOf<'redeems.detail'>): void {
    const outcome = outcomeOf(row);
    if (outcome === null) return;
    this.#outcomes.set(row.market_condition_id, outcome);
    const sink = this.#markets.get(row.market_condition_id)?.sink;
    if (sink !== undefined && sink.market.outcome !== outcome) sink.describe({ ...sink.market, outcome });
  }

  #onDraft(body: Extract<AnyCall, { endpoint: 'orders.create' }>['body'], { pubkey }: DataOf<'orders.create'>): void {
    const { market_condition_id: market, is_yes: isYes, side, price, amount } = body;
    // A market order does not rest.
    if (price === undefined || price === null || amount === undefined || amount === null) return;
    const terms = { market, isYes, buys: side === 'buy', priceMicros: microsOf(price) };
    this.#drafts.set(pubkey, { terms, amountMicros: microsOf(amount) });
    const oldest = this.#drafts.size > MAX_DRAFTS ? this.#drafts.keys().next().value : undefined;
    if (oldest !== undefined) this.#drafts.delete(oldest);
  }

  #onOrder(row: DataOf<'orders.detail'> | null, pubkey: string, at: PolledAt): void {
    if (row === null) return this.#own.disturbed(pubkey, at.seenMs);
    this.#own.seen(row, at.sentMs, at.seenMs);
    this.#writeOrder(row, at);
  }

  #onOrders(
    query: Extract<AnyCall, { endpoint: 'orders.list' }>['query'],
    rows: DataOf<'orders.list'>,
    nextCursor: string | null,
    at: PolledAt,
  ): void {
    for (const row of rows) {
      this.#own.seen(row, at.sentMs, at.seenMs);
      this.#writeOrder(row, at);
    }
    const { cursor, market_condition_id: market, is_yes: isYes, side, status } = query;
    const everything = [cursor, market, isYes, side].every((filter) => filter === undefined);
    const resting = RESTING_STATUSES.every((one) => status === undefined || status.includes(one));
    if (!everything || !resting || nextCursor !== null) return;
    this.#own.listed(new Set(rows.flatMap(({ pubkey }) => pubkey ?? [])), at.sentMs, at.seenMs);
  }

  #onOwnTrade(row: DataOf<'trades.list'>[number], at: PolledAt): void {
    // Orders that were over before we looked are no news.
    this.#own.seen(row.order, at.sentMs, at.seenMs);
    const sink = this.#markets.get(row.order.market.condition_id)?.sink;
    const own = sink === undefined ? null : this.#ownRows.trade(row, at.seenMs);
    if (own === null) return;
    sink?.own(own);
    this.#ownCount += 1;
  }

  #writeOrder(row: DataOf<'orders.detail'>, at: PolledAt): void {
    const sink = this.#markets.get(row.market.condition_id)?.sink;
    const own = sink === undefined ? null : this.#ownRows.order(row, at.seenMs);
    if (own === null) return;
    sink?.own(own);
    this.#ownCount += 1;
  }
}

function why(outcome: Outcome): string {
  if (outcome.kind === 'refused') return outcome.slug;
  return outcome.kind === 'unknown' ? outcome.reason : 'no answer';
}
