/** Orders of API users from draft to end, their cancel drafts, and their fills. What rests is in the pool; this is its paper. */

import { must } from '../../base/errors.js';
import { ONE } from '../../base/micros.js';
import type { DraftTerms } from '../../protocol/draft-text.js';
import { isFinalOrder, type OrderStatus, type OrderType, RESTING_STATUSES } from '../../protocol/states.js';
import { i32 } from './cells.js';
import type {
  OrderQuery,
  OrderRequest,
  Page,
  PageQuery,
  Result,
  WireDraft,
  WireOrder,
  WireOwnTrade,
} from './contract.js';
import { badSignature, done, invalid, refuse } from './fault.js';
import { draftExpiryMs, draftText, type Ground } from './ground.js';
import type { Market, Trading } from './market.js';
import type { FillListener, Matching } from './matching.js';
import { nameOf } from './names.js';
import { type CheckedOrder, checkOrder, lockOf, termsOf } from './order-checks.js';
import type { OrderRecord, OwnTrade } from './order-record.js';
import { orderRow, ownTradeRow } from './order-rows.js';
import { pageOf } from './pages.js';
import { isBidLeg, isBuyLeg, isYesLeg, type OrderPool } from './pool.js';

/** Of one account. */
interface Shelf {
  readonly orders: number[];
  readonly trades: number[];
  /** Orders that are not final, ascending: what is asked for most, however long the history. */
  readonly active: Set<number>;
}

/** More than any purse can buy: a market buy is bounded by its funds alone. */
const NO_AMOUNT_LIMIT = Number.MAX_SAFE_INTEGER;

export class Orders implements FillListener {
  readonly #ground: Ground;
  readonly #pool: OrderPool;
  readonly #records: OrderRecord[] = [];
  readonly #trades: OwnTrade[] = [];
  readonly #byPubkey = new Map<string, number>();
  readonly #shelves = new Map<number, Shelf>();

  constructor(ground: Ground, pool: OrderPool) {
    this.#ground = ground;
    this.#pool = pool;
  }

  draft(account: number, request: OrderRequest): Result<WireDraft> {
    const ground = this.#ground;
    if (!ground.signingAvailable) return refuse('gringotts_unavailable');
    const named = ground.catalog.named(request.market_condition_id);
    if (!named.ok) return named;
    const market = named.value;
    const { trading } = market;
    if (trading === null) return invalid('market_condition_id', 'This market has no order book.');
    const checked = checkOrder(request, trading);
    if (!checked.ok) return checked;
    if (!market.trades) return refuse('order_market_not_open');
    const lock = lockOf(checked.value, trading);
    market.shares.reserve(account);
    if (isBuyLeg(checked.value.leg)) {
      if (ground.funds.available(account) < lock) return refuse('order_insufficient_funds');
    } else if (market.shares.available(account, isYesLeg(checked.value.leg)) < lock) {
      return refuse('order_insufficient_shares');
    }
    const record = this.#open(account, market, checked.value, request.order_type, lock);
    return done({ pubkey: record.pubkey, message: record.message });
  }

  #open(account: number, market: Market, order: CheckedOrder, type: OrderType, lock: number): OrderRecord {
    const ground = this.#ground;
    const id = this.#records.length + 1;
    const pubkey = nameOf(ground.settings.seed, 'order', id);
    const expiresMs = draftExpiryMs(ground);
    const record: OrderRecord = {
      id,
      pubkey,
      account,
      market: market.index,
      leg: order.leg,
      type,
      price: order.price,
      amount: order.amount,
      funds: order.funds,
      message: draftText(ground, account, market, pubkey, expiresMs, termsOf(order)),
      status: 'waiting_to_sign',
      filledAmount: 0,
      filledFunds: 0,
      draftLock: 0,
      handle: 0,
      cancel: null,
    };
    this.#keep(record);
    this.#lockDraft(record, market, lock);
    ground.due.put(expiresMs, 'order', id);
    return record;
  }

  /** Sets what the draft holds locked; 0 releases it. */
  #lockDraft(record: OrderRecord, market: Market, lock: number): void {
    const change = lock - record.draftLock;
    if (isBuyLeg(record.leg)) this.#ground.funds.lock(record.account, change);
    else market.shares.lock(record.account, isYesLeg(record.leg), change);
    record.draftLock = lock;
  }

  #keep(record: OrderRecord): void {
    this.#records.push(record);
    this.#byPubkey.set(record.pubkey, record.id);
    const shelf = this.#shelf(record.account);
    shelf.orders.push(record.id);
    if (!isFinalOrder(record.status)) shelf.active.add(record.id);
  }

  #shelf(account: number): Shelf {
    let shelf = this.#shelves.get(account);
    if (shelf === undefined) {
      shelf = { orders: [], trades: [], active: new Set() };
      this.#shelves.set(account, shelf);
    }
    return shelf;
  }

  #become(record: OrderRecord, status: OrderStatus): void {
    record.status = status;
    if (isFinalOrder(status)) this.#shelf(record.account).active.delete(record.id);
    if (status !== 'waiting_to_sign') record.message = '';
  }

  /** A draft's time is over. */
  expire(id: number): void {
    const record = this.record(id);
    if (record.status !== 'waiting_to_sign') return;
    this.#lockDraft(record, this.#ground.catalog.market(record.market), 0);
    this.#become(record, 'expired');
  }

  submit(matching: Matching, account: number, pubkey: string, signatureValid: boolean): Result<WireOrder> {
    const record = this.find(account, pubkey);
    if (record === null) return refuse('not_found');
    if (record.status === 'expired') return refuse('program_call_has_expired');
    if (record.status !== 'waiting_to_sign') return refuse('invalid_program_call_status');
    if (!signatureValid) return badSignature();
    const market = this.#ground.catalog.market(record.market);
    const trading = must(market.trading, 'the book of an order');
    // What the draft locked is free for the order itself from here on: the balance cannot be short.
    this.#lockDraft(record, market, 0);
    if (!market.trades) {
      this.#become(record, 'failed');
      return refuse('order_market_not_open');
    }
    this.#work(matching, market, trading, record);
    return done(this.row(record));
  }

  #work(matching: Matching, market: Market, trading: Trading, record: OrderRecord): void {
    const { leg, price, amount, funds, account, id } = record;
    const bid = isBidLeg(leg);
    const last = ONE / trading.tick;
    // A market order goes as far as there is anybody.
    const yesPrice = price === null ? null : isYesLeg(leg) ? price : ONE - price;
    const limitTick = yesPrice === null ? (bid ? last : 0) : yesPrice / trading.tick;
    const purse = funds ?? Number.POSITIVE_INFINITY;
    const wanted = amount ?? NO_AMOUNT_LIMIT;
    const left = matching.take(this.#ground.nowMs, market, trading, account, leg, limitTick, wanted, purse, id);
    if (
      left === 0 ||
      (funds !== null && record.filledAmount > 0 && (matching.outOfFunds || record.filledFunds === funds))
    ) {
      this.#become(record, 'filled');
    } else if (record.type === 'limit' && !matching.metSelf) {
      record.handle = this.#pool.handleOf(matching.rest(market, trading, account, leg, limitTick, left, id));
      this.#become(record, record.filledAmount > 0 ? 'partially_filled' : 'open');
    } else {
      this.#become(record, record.filledAmount > 0 ? 'partially_filled_canceled' : 'canceled');
    }
  }

  filled(id: number, amount: number, price: number, cost: number, fee: number, isMaker: boolean): void {
    const record = this.record(id);
    record.filledAmount += amount;
    record.filledFunds += isBuyLeg(record.leg) ? cost + fee : cost - fee;
    if (isMaker) record.status = 'partially_filled';
    this.#keepTrade({
      id: this.#trades.length + 1,
      order: id,
      amount,
      price,
      fee,
      isMaker,
      timeMs: this.#ground.nowMs,
    });
  }

  #keepTrade(trade: OwnTrade): void {
    this.#trades.push(trade);
    this.#shelf(this.record(trade.order).account).trades.push(trade.id);
  }

  finished(id: number): void {
    const record = this.record(id);
    record.handle = 0;
    this.#become(record, 'filled');
  }

  draftCancel(account: number, pubkey: string): Result<WireDraft> {
    const ground = this.#ground;
    if (!ground.signingAvailable) return refuse('gringotts_unavailable');
    const record = this.find(account, pubkey);
    if (record === null) return refuse('not_found');
    if (!RESTING_STATUSES.includes(record.status)) return refuse('order_not_cancelable');
    const open = record.cancel;
    if (open !== null && !open.submitted && open.expiresMs > ground.nowMs)
      return done({ pubkey, message: open.message });
    const expiresMs = draftExpiryMs(ground);
    const terms: DraftTerms = { action: 'cancel-order', orderPubkey: pubkey };
    const market = ground.catalog.market(record.market);
    const message = draftText(ground, account, market, pubkey, expiresMs, terms);
    record.cancel = { message, expiresMs, submitted: false };
    return done({ pubkey, message });
  }

  submitCancel(matching: Matching, account: number, pubkey: string, signatureValid: boolean): Result<WireOrder> {
    const record = this.find(account, pubkey);
    if (record === null) return refuse('not_found');
    const draft = record.cancel;
    if (draft !== null && !draft.submitted && draft.expiresMs <= this.#ground.nowMs) {
      return refuse('program_call_has_expired');
    }
    if (draft === null || draft.submitted) return refuse('invalid_program_call_status');
    if (!signatureValid) return badSignature();
    if (!RESTING_STATUSES.includes(record.status)) return refuse('order_not_cancelable');
    draft.submitted = true;
    this.#cancel(matching, record);
    return done(this.row(record));
  }

  #cancel(matching: Matching, record: OrderRecord): void {
    const market = this.#ground.catalog.market(record.market);
    matching.cancel(market, must(market.trading, 'the book of an order'), this.#pool.slotOf(record.handle));
    record.handle = 0;
    this.#become(record, record.filledAmount > 0 ? 'partially_filled_canceled' : 'canceled');
  }

  /** The market has left `open`: nothing may rest on it, of anybody. */
  cancelAll(matching: Matching, market: Market, trading: Trading): void {
    for (const slot of trading.book.resting()) {
      const id = i32(this.#pool.record, slot);
      if (id === 0) matching.cancel(market, trading, slot);
      else this.#cancel(matching, this.record(id));
    }
  }

  record(id: number): OrderRecord {
    return must(this.#records[id - 1], `order ${id}`);
  }

  find(account: number, pubkey: string): OrderRecord | null {
    const id = this.#byPubkey.get(pubkey);
    if (id === undefined) return null;
    const record = this.record(id);
    return record.account === account ? record : null;
  }

  row(record: OrderRecord): WireOrder {
    return orderRow(record, this.#ground.catalog.market(record.market));
  }

  page(account: number, query: OrderQuery): Page<WireOrder> {
    const shelf = this.#shelf(account);
    const { statuses, marketConditionId, isYes, side } = query;
    const onlyActive = statuses?.every((status) => !isFinalOrder(status)) ?? false;
    const market = marketConditionId === undefined ? null : this.#ground.catalog.byId(marketConditionId);
    if (marketConditionId !== undefined && market === null) return { rows: [], nextBeforeId: null };
    return pageOf(
      onlyActive ? [...shelf.active] : shelf.orders,
      query,
      (id) => this.record(id),
      (record) =>
        (statuses === undefined || statuses.includes(record.status)) &&
        (market === null || record.market === market.index) &&
        (isYes === undefined || isYesLeg(record.leg) === isYes) &&
        (side === undefined || isBuyLeg(record.leg) === (side === 'buy')),
      (record) => this.row(record),
    );
  }

  trades(account: number, query: PageQuery): Page<WireOwnTrade> {
    const { marketConditionId } = query;
    const market = marketConditionId === undefined ? null : this.#ground.catalog.byId(marketConditionId);
    if (marketConditionId !== undefined && market === null) return { rows: [], nextBeforeId: null };
    return pageOf(
      this.#shelf(account).trades,
      query,
      (id) => must(this.#trades[id - 1], `trade ${id}`),
      (trade) => market === null || this.record(trade.order).market === market.index,
      (trade) => {
        const record = this.record(trade.order);
        const pubkey = nameOf(this.#ground.settings.seed, 'trade', trade.id);
        return ownTradeRow(trade, pubkey, record, this.#ground.catalog.market(record.market));
      },
    );
  }

  dump(): OrdersDump {
    return {
      records: this.#records.map((record) => ({
        ...record,
        cancel: record.cancel === null ? null : { ...record.cancel },
      })),
      trades: [...this.#trades],
    };
  }

  load(dump: OrdersDump): void {
    for (const record of dump.records)
      this.#keep({ ...record, cancel: record.cancel === null ? null : { ...record.cancel } });
    for (const trade of dump.trades) this.#keepTrade(trade);
    // Shares must have room for whoever may still trade.
    for (const record of this.#records) {
      if (!isFinalOrder(record.status)) this.#ground.catalog.market(record.market).shares.reserve(record.account);
    }
  }
}

export interface OrdersDump {
  readonly records: readonly OrderRecord[];
  readonly trades: readonly OwnTrade[];
}
