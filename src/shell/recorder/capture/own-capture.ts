/** Own orders and trades from the seam: our part of books, and rows of a recording. */

import type { MarketSink, OwnRow } from '../../../recording/store/contract.js';
import { parseDecimal } from '../../../shared/base/decimal.js';
import type { DataOf } from '../../../shared/protocol/endpoints.js';
import type { AnyCall, Outcome } from '../../../shared/protocol/seam.js';
import { RESTING_STATUSES } from '../../../shared/protocol/states.js';
import type { OwnOrderRow, PolledAt } from './contract.js';
import { OwnOrders, type OwnTerms } from './own-orders.js';

/** Drafts whose terms are stored until their submit; a trader has a few at a time. */
const MAX_DRAFTS = 1_000;

/** Enough for all orders of hours; a dropped one is written again when seen again, which is harmless. */
const MAX_WRITTEN = 20_000;

/** Fields of a row by its order; those of orders or trades alone are null. */
const makeRow = (order: OwnOrderRow, seenMs: number) => ({
  seen_ms: seenMs,
  side: order.side,
  is_yes: order.outcome.is_yes,
  filled_amount_micros: null,
  remaining_amount_micros: null,
  fee_micros: null,
  is_maker: null,
  timestamp: null,
});

type CallTo<N extends AnyCall['endpoint']> = Extract<AnyCall, { endpoint: N }>;

export class OwnCapture {
  readonly orders = new OwnOrders();
  /** By order or trade, its last written state. */
  readonly #written = new Map<string, string>();
  readonly #drafts = new Map<string, { readonly terms: OwnTerms; readonly amountMicros: number }>();
  readonly #findSink: (market: string) => MarketSink | undefined;
  count = 0;

  constructor(findSink: (market: string) => MarketSink | undefined) {
    this.#findSink = findSink;
  }

  onAsk(call: AnyCall, nowMs: number): void {
    if (call.endpoint === 'orders.submit') {
      const { pubkey } = call.params;
      const draft = this.#drafts.get(pubkey);
      if (draft !== undefined) this.orders.onSubmit(pubkey, draft.terms, draft.amountMicros, nowMs);
    } else if (call.endpoint === 'orders.cancelSubmit') this.orders.onDisturbance(call.params.pubkey, nowMs);
  }

  /** Takes its outcome. The shell answers with the data of the call's endpoint; TypeScript cannot relate them. */
  onOutcome(call: AnyCall, outcome: Outcome, at: PolledAt): void {
    const data: unknown = outcome.kind === 'answered' ? outcome.data : null;
    switch (call.endpoint) {
      case 'orders.create':
        if (data !== null) this.#onDraft(call, data as DataOf<'orders.create'>);
        return;
      case 'orders.submit':
        this.#drafts.delete(call.params.pubkey);
        if (outcome.kind === 'refused') return this.orders.onRefusal(call.params.pubkey);
        return this.#onOrder(data as OwnOrderRow | null, call.params.pubkey, at);
      case 'orders.cancelSubmit':
      case 'orders.detail':
        return this.#onOrder(data as OwnOrderRow | null, call.params.pubkey, at);
      case 'orders.list':
        if (outcome.kind !== 'answered') return;
        return this.#onOrders(call, data as DataOf<'orders.list'>, outcome.nextCursor, at);
      case 'trades.list':
        for (const row of (data ?? []) as DataOf<'trades.list'>) this.#onTrade(row, at);
        return;
      default:
        return;
    }
  }

  #onDraft({ body }: CallTo<'orders.create'>, { pubkey }: DataOf<'orders.create'>): void {
    const price = parseDecimal(body.price ?? '');
    const amount = parseDecimal(body.amount ?? '');
    // A market order does not rest.
    if (price === null || amount === null) return;
    const terms = {
      market: body.market_condition_id,
      isYes: body.is_yes,
      buys: body.side === 'buy',
      priceMicros: price,
    };
    this.#drafts.set(pubkey, { terms, amountMicros: amount });
    const oldest = this.#drafts.size > MAX_DRAFTS ? this.#drafts.keys().next().value : undefined;
    if (oldest !== undefined) this.#drafts.delete(oldest);
  }

  #onOrder(row: OwnOrderRow | null, pubkey: string, at: PolledAt): void {
    if (row === null) return this.orders.onDisturbance(pubkey, at.seenMs);
    this.orders.onRow(row, at.sentMs, at.seenMs);
    this.#writeOrder(row, at);
  }

  #onOrders(
    { query }: CallTo<'orders.list'>,
    rows: DataOf<'orders.list'>,
    nextCursor: string | null,
    at: PolledAt,
  ): void {
    for (const row of rows) this.#onOrder(row, row.pubkey ?? '', at);
    const { cursor, market_condition_id: market, is_yes: isYes, side, status } = query;
    const isEverything = [cursor, market, isYes, side].every((filter) => filter === undefined);
    const isResting = RESTING_STATUSES.every((one) => status === undefined || status.includes(one));
    if (!isEverything || !isResting || nextCursor !== null) return;
    this.orders.onList(new Set(rows.flatMap(({ pubkey }) => pubkey ?? [])), at.sentMs, at.seenMs);
  }

  #onTrade(row: DataOf<'trades.list'>[number], at: PolledAt): void {
    const { order } = row;
    this.orders.onRow(order, at.sentMs, at.seenMs);
    this.#write(order, row.state, {
      ...makeRow(order, at.seenMs),
      record: 'trade',
      pubkey: row.pubkey,
      order_pubkey: order.pubkey,
      status: row.state,
      price_micros: row.price,
      amount_micros: row.amount,
      fee_micros: row.fee,
      is_maker: row.is_maker,
      timestamp: row.timestamp,
    });
  }

  #writeOrder(row: OwnOrderRow, at: PolledAt): void {
    const { pubkey, status } = row;
    if (pubkey === null || status === null) return;
    this.#write(row, `${status} ${row.filled_amount} ${row.remaining_amount}`, {
      ...makeRow(row, at.seenMs),
      record: 'order',
      pubkey,
      order_pubkey: null,
      status,
      price_micros: row.price,
      amount_micros: row.amount,
      filled_amount_micros: row.filled_amount,
      remaining_amount_micros: row.remaining_amount,
    });
  }

  /** One row for each state of an order or trade in a recorded market. */
  #write({ market }: OwnOrderRow, state: string, row: OwnRow): void {
    const sink = this.#findSink(market.condition_id);
    const key = `${row.record} ${row.pubkey}`;
    if (sink === undefined || this.#written.get(key) === state) return;
    this.#written.delete(key);
    this.#written.set(key, state);
    const oldest = this.#written.size > MAX_WRITTEN ? this.#written.keys().next().value : undefined;
    if (oldest !== undefined) this.#written.delete(oldest);
    sink.own(row);
    this.count += 1;
  }
}
