/** Tracks own orders and trades: removes own orders from recorded books, and records own orders and trades. */

import { SIDE } from '../../../recording/contract.js';
import type { MarketSink, OwnRow } from '../../../recording/store/segment.js';
import { parseDecimal } from '../../../shared/base/micros.js';
import type { DataOf } from '../../../shared/protocol/endpoints.js';
import type { OwnTradeRow } from '../../../shared/protocol/records.js';
import type { AnyCall, Outcome } from '../../../shared/protocol/seam.js';
import { isFinalOrder, ORDER_STANDING, RESTING_STATUSES } from '../../../shared/protocol/states.js';

/** Times of a request and its answer by our clock, and the estimated venue clock midway between them, Unix ms. */
interface PolledAt {
  readonly sentMs: number;
  readonly seenMs: number;
  readonly venueMs: number;
}

type OwnOrderRow = OwnTradeRow['order'];

/** Certain and maximum own amount at one price. If they differ, the amount of other traders there is unknown. */
interface OwnAtPrice {
  readonly sureMicros: number;
  readonly mostMicros: number;
}

/** Own amounts by side (`SIDE`) and price. */
type OwnInBook = readonly [bids: ReadonlyMap<number, OwnAtPrice>, asks: ReadonlyMap<number, OwnAtPrice>];

/** Maximum number of drafts whose terms are stored until they are submitted. */
const MAX_DRAFTS = 1_000;

/** Maximum number of remembered orders and trades, enough for hours. Recording a forgotten state again is harmless. */
const MAX_WRITTEN = 20_000;

/** Returns a recording's row with the fields that orders and trades share. All other fields are null. */
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

/** Sets a value as the newest entry of a map. If the map then has more than `most` entries, deletes the oldest. */
export function remember<V>(values: Map<string, V>, key: string, value: V, most: number): void {
  values.delete(key);
  values.set(key, value);
  const [oldest] = values.keys();
  if (values.size > most && oldest !== undefined) values.delete(oldest);
}

type CallTo<N extends AnyCall['endpoint']> = Extract<AnyCall, { endpoint: N }>;

export class OwnCapture {
  readonly orders = new OwnOrders();
  /** Last recorded state of each own order and trade. */
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

  /** Records a call's outcome. The casts are safe: the data has the type of the call's endpoint. */
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
        return this.#onOrders(call, data as DataOf<'orders.list'>, outcome.nextCursor === null, at);
      case 'trades.list':
        for (const row of (data ?? []) as DataOf<'trades.list'>) this.#onTrade(row, at);
        return;
      default:
        return;
    }
  }

  #onDraft({ body }: CallTo<'orders.create'>, { pubkey }: DataOf<'orders.create'>): void {
    const [price, amount] = [parseDecimal(body.price ?? ''), parseDecimal(body.amount ?? '')];
    // An order without price or amount is a market order, which never rests.
    if (price === null || amount === null) return;
    const { market_condition_id: market, is_yes: isYes, side } = body;
    const terms = { market, isYes, buys: side === 'buy', priceMicros: price };
    remember(this.#drafts, pubkey, { terms, amountMicros: amount }, MAX_DRAFTS);
  }

  #onOrder(row: OwnOrderRow | null, pubkey: string, at: PolledAt): void {
    if (row === null) return this.orders.onDisturbance(pubkey, at.seenMs);
    this.orders.onRow(row, at.sentMs, at.seenMs);
    this.#writeOrder(row, at);
  }

  #onOrders({ query }: CallTo<'orders.list'>, rows: DataOf<'orders.list'>, isLast: boolean, at: PolledAt): void {
    for (const row of rows) this.#onOrder(row, row.pubkey ?? '', at);
    const { cursor, market_condition_id: market, is_yes: isYes, side, status } = query;
    const isEverything = [cursor, market, isYes, side].every((filter) => filter === undefined);
    const isResting = RESTING_STATUSES.every((one) => status === undefined || status.includes(one));
    if (!isEverything || !isResting || !isLast) return;
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

  /** Writes one row for each state of an order or trade in a recorded market. */
  #write({ market }: OwnOrderRow, state: string, row: OwnRow): void {
    const sink = this.#findSink(market.condition_id);
    const key = `${row.record} ${row.pubkey}`;
    if (sink === undefined || this.#written.get(key) === state) return;
    remember(this.#written, key, state, MAX_WRITTEN);
    sink.own(row);
    this.count += 1;
  }
}

/** Time for which an ended order is remembered, ms: until all books from its lifetime are recorded. */
const REMEMBERED_MS = 120_000;

interface OwnTerms {
  readonly market: string;
  readonly isYes: boolean;
  readonly buys: boolean;
  readonly priceMicros: number;
}

interface Known extends OwnTerms {
  /** Larger of the order's remaining amounts before and after its last change, micros. */
  mostMicros: number;
  remainingMicros: number;
  /** Time of the first submit, or of the request whose answer first showed the order; our clock, ms. */
  bornMs: number;
  /** Time of the last request or news about the order; our clock, ms. */
  changedMs: number;
  /** Time when the order's end was learned, our clock, ms; null while the order may rest. */
  goneMs: number | null;
}

/** Time from a book's arrival until our own amounts in the book count as known, ms. */
export const OWN_WAIT_MS = 20_000;

export class OwnOrders {
  readonly #orders = new Map<string, Known>();

  onSubmit(pubkey: string, terms: OwnTerms, amountMicros: number, nowMs: number): void {
    if (!this.#orders.has(pubkey)) this.#add(pubkey, terms, amountMicros, nowMs);
  }

  /** Records that a request or failure may have changed the order. */
  onDisturbance(pubkey: string, nowMs: number): void {
    const known = this.#orders.get(pubkey);
    if (known !== undefined) known.changedMs = Math.max(known.changedMs, nowMs);
  }

  onRefusal(pubkey: string): void {
    this.#orders.delete(pubkey);
  }

  /** Records an own order from an answer to a request that was sent at `sentMs`. */
  onRow(row: OwnOrderRow, sentMs: number, nowMs: number): void {
    const { pubkey, status, price, amount, remaining_amount: remaining, market, outcome, side } = row;
    if (pubkey === null || price === null || status === null) return;
    if (ORDER_STANDING[status].phase === 'unsigned') return;
    const left = remaining ?? amount ?? 0;
    const gone = isFinalOrder(status);
    const known = this.#orders.get(pubkey);
    if (known === undefined) {
      if (gone) return;
      const terms = { market: market.condition_id, isYes: outcome.is_yes, buys: side === 'buy', priceMicros: price };
      // The order may have rested for long, so its amount at an earlier read of the book is unknown.
      return this.#add(pubkey, terms, left, Number.isFinite(sentMs) ? sentMs : nowMs);
    }
    if (gone) this.#close(known, nowMs);
    else if (left !== known.remainingMicros) {
      const mostMicros = Math.max(left, known.mostMicros);
      Object.assign(known, { mostMicros, remainingMicros: left, changedMs: nowMs });
    } else if (known.changedMs <= sentMs - OWN_WAIT_MS) known.mostMicros = left;
  }

  /** Marks orders as ended that are missing in a complete list of resting orders, which was requested at `sentMs`. */
  onList(pubkeys: ReadonlySet<string>, sentMs: number, nowMs: number): void {
    for (const [pubkey, known] of this.#orders)
      if (!pubkeys.has(pubkey) && known.changedMs < sentMs) this.#close(known, nowMs);
  }

  /** Replaces stored times later than `nowMs` by `nowMs`, because books from now on come after those times. */
  onStepBack(nowMs: number): void {
    for (const known of this.#orders.values())
      for (const time of ['bornMs', 'changedMs', 'goneMs'] as const)
        if ((known[time] ?? nowMs) > nowMs) known[time] = nowMs;
  }

  /** Returns our own amounts in a book that was requested at `sentMs` and received at `seenMs`, our clock. */
  inBook(market: string, { sentMs, seenMs }: PolledAt): OwnInBook {
    const found = [new Map<number, OwnAtPrice>(), new Map<number, OwnAtPrice>()] as const;
    for (const known of this.#orders.values()) {
      if (known.market !== market || known.bornMs >= seenMs) continue;
      if (known.goneMs !== null && known.goneMs < sentMs) continue;
      const sure = known.goneMs === null && known.changedMs <= sentMs;
      // Orders that buy YES or sell NO are bids of the YES book.
      const side = found[known.isYes === known.buys ? SIDE.bid : SIDE.ask];
      const price = known.isYes ? known.priceMicros : 1_000_000 - known.priceMicros;
      const before = side.get(price) ?? { sureMicros: 0, mostMicros: 0 };
      side.set(price, {
        sureMicros: before.sureMicros + (sure ? known.remainingMicros : 0),
        mostMicros: before.mostMicros + (sure ? known.remainingMicros : known.mostMicros),
      });
    }
    return found;
  }

  get resting(): number {
    return [...this.#orders.values()].filter(({ goneMs }) => goneMs === null).length;
  }

  forget(nowMs: number): void {
    for (const [pubkey, { goneMs }] of this.#orders)
      if (goneMs !== null && goneMs < nowMs - REMEMBERED_MS) this.#orders.delete(pubkey);
  }

  #add(pubkey: string, terms: OwnTerms, amountMicros: number, atMs: number): void {
    const amounts = { mostMicros: amountMicros, remainingMicros: amountMicros };
    this.#orders.set(pubkey, { ...terms, ...amounts, bornMs: atMs, changedMs: atMs, goneMs: null });
  }

  #close(known: Known, nowMs: number): void {
    if (known.goneMs !== null) return;
    known.goneMs = nowMs;
    known.changedMs = nowMs;
  }
}
