import { assert, must } from '../../shared/base/errors.js';
import { type Micros, ONE } from '../../shared/base/micros.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { ServiceErrorSlug } from '../../shared/protocol/errors.js';
import { isFinalOrder, ORDER_STATUSES, type OrderStatus, RESTING_STATUSES } from '../../shared/protocol/states.js';
import { makeName } from './catalog.js';
import {
  type AccountSlot,
  BID,
  badSignature,
  invalid,
  type MarketIndex,
  type MatchingSide,
  type OrderRequest,
  offGrid,
  ok,
  outside,
  type PageQuery,
  REFUSED_BALANCE,
  REFUSED_GRID,
  REFUSED_MARKET,
  type Refusal,
  type Result,
  refuse,
  type Wire,
} from './contract.js';
import { type CoreContext, makeDraft, openDraft, seconds } from './core-context.js';
import type { Market, Trading } from './market.js';
import { legFor, Matching, RECORDED_ACCOUNT } from './matching/matching.js';
import { isBidLeg, isBuyLeg, isYesLeg, type LegCode, legOf } from './matching/order-pool.js';
import { asMicros, buyLock, f64, i32, text } from './money.js';
import type { Archived, RecordOfAccount } from './records/archive.js';
import { askedMarket, firstOf, NO_ROWS, Records } from './records/records.js';

type FillListener = ConstructorParameters<typeof Matching>[2];

/** Places and cancels orders of internal accounts, such as the crowd's. These orders have no drafts and no records. */
export class InternalOrders {
  /** Amount that the last `place` filled immediately, micros of shares. */
  lastFilled = asMicros(0);
  readonly #context: CoreContext;

  constructor(context: CoreContext) {
    this.#context = context;
  }

  /**
   * Places an order at a YES price. A bid sells available NO, else it buys YES. An ask sells available YES, else it
   * buys NO. The unfilled part of an `immediate` order is dropped. Returns the handle (> 0) of the resting part of the
   * order. Returns 0 if no part rests, and a `REFUSED_` number if the exchange refuses the order.
   */
  place(
    account: AccountSlot,
    index: MarketIndex,
    side: MatchingSide,
    price: Micros,
    amount: Micros,
    immediate: boolean,
  ): number {
    this.lastFilled = asMicros(0);
    const context = this.#context;
    const { matching } = context;
    const market = context.catalog.markets[index];
    assert(account > RECORDED_ACCOUNT && account < context.funds.count, 'the account of an order must exist');
    if (market === undefined || !market.isTradable || market.orderbook === null) return REFUSED_MARKET;
    const { orderbook: trading } = market;
    const { tick, lot, config } = trading;
    if (price < config.min_price || price > config.max_price || price % tick !== 0) return REFUSED_GRID;
    if (!(amount > 0) || amount > config.max_amount || amount % lot !== 0) return REFUSED_GRID;
    market.shares.ensureAccount(account);
    const leg = legFor(market, account, side === BID, amount);
    if (isBuyLeg(leg)) {
      const own = side === BID ? price : ONE - price;
      if (context.funds.available(account) < buyLock(own, amount, trading.lockRate)) return REFUSED_BALANCE;
    }
    const atTick = price / tick;
    const most = Number.POSITIVE_INFINITY;
    const left = matching.take(context.nowMs, trading, account, leg, atTick, amount, most, 0);
    this.lastFilled = asMicros(matching.filled);
    if (left === 0 || immediate || matching.metSelf) return 0;
    return context.pool.makeHandle(matching.rest(trading, account, leg, atTick, left, 0));
  }

  /** Cancels a resting internal order in constant time. Returns false if the order no longer rests. */
  cancel(handle: number): boolean {
    const { pool } = this.#context;
    const slot = pool.findSlot(handle);
    // API orders also have handles, but only a signed draft may cancel them.
    if (slot === 0 || i32(pool.record, slot) !== 0) return false;
    const { orderbook } = this.#context.catalog.market(i32(pool.market, slot));
    this.#context.matching.cancel(must(orderbook, 'the book of a resting order'), slot);
    return true;
  }

  /** Unfilled shares of an order; 0 if the order no longer rests. */
  remaining(handle: number): Micros {
    const { pool } = this.#context;
    const slot = pool.findSlot(handle);
    return asMicros(slot === 0 ? 0 : f64(pool.remaining, slot));
  }
}

/** An order of an API user; the record begins with the order's draft. Amounts, prices and funds are in micros. */
export interface PlacedOrder extends RecordOfAccount {
  readonly market: number;
  readonly leg: LegCode;
  readonly type: OrderRequest['order_type'];
  /** Price of the order's outcome; null for a market order. */
  readonly price: Micros | null;
  /** Number of shares to trade; null for a market buy. */
  readonly amount: Micros | null;
  /** Maximum currency that a market buy may spend, fees included; null for other orders. */
  readonly funds: Micros | null;
  /** Message of the order's draft; empty after the submit and after the expiry. */
  message: string;
  status: OrderStatus;
  filledAmount: number;
  /** Currency that the fills of a buy paid, fees included, or that the fills of a sell received, after fees; micros. */
  filledFunds: number;
  /** Handle of the order in the order pool; 0 unless the order rests. */
  handle: number;
  /** The order's newest cancel draft; null without a draft, and null after its cancel was executed. */
  cancel: { readonly message: string; readonly expiresMs: number; submitted: boolean } | null;
}

/** A fill of an API order, in micros. `price`: price of the order's outcome. A fill is archived at once. */
interface OwnTrade {
  readonly order: number;
  readonly amount: number;
  readonly price: number;
  readonly fee: number;
  readonly isMaker: boolean;
  readonly timeMs: number;
}

const sideOf = (leg: LegCode) => (isBuyLeg(leg) ? 'buy' : 'sell');

const FINAL_STATES: ReadonlySet<string> = new Set(ORDER_STATUSES.filter(isFinalOrder));

/** Handles API orders and their cancels, from the draft to the final state. */
export class Orders extends Records<PlacedOrder, Wire<'orderRow'>> implements FillListener {
  #lastTradeId = 0;
  /** The matching engine, which executes the trades and reports fills of API orders to this object. */
  readonly matching: Matching;

  constructor(context: CoreContext) {
    super(context, {
      recordKind: 'order',
      isFinal: (state) => FINAL_STATES.has(state),
      facets: ({ market, status: state, leg }) => ({ market, state, isYes: isYesLeg(leg), side: sideOf(leg) }),
      toRow: (record) => orderRow(record, context.catalog.market(record.market)),
    });
    this.matching = new Matching(context.pool, context.funds, this);
  }

  draft(account: number, request: OrderRequest): Result<Wire<'draft'>> {
    const context = this.context;
    if (!context.signingAvailable) return refuse('gringotts_unavailable');
    const named = context.catalog.requireMarket(request.market_condition_id);
    if (!named.ok) return named;
    const market = named.value;
    const { orderbook: trading } = market;
    // The venue refuses orders on margin-enabled markets, even if such a market has a book.
    if (trading === null || market.card.marginEnabled)
      return invalid('market_condition_id', 'Orders are accepted only on order-book markets without margin trading.');
    const checked = checkOrder(request, trading);
    if (!checked.ok) return checked;
    market.shares.ensureAccount(account);
    const obstacle = this.#obstacle(account, trading, checked.value);
    if (obstacle !== null) return refuse(obstacle);
    const order = checked.value;
    const id = this.nextId();
    const { pubkey, message } = openDraft(context, 'order', id, account, market, makeDraftTerms(order));
    this.keep({
      id,
      pubkey,
      account,
      market: market.index,
      leg: order.leg,
      type: request.order_type,
      price: order.price,
      amount: order.amount,
      funds: order.funds,
      message,
      status: 'waiting_to_sign',
      filledAmount: 0,
      filledFunds: 0,
      handle: 0,
      cancel: null,
    });
    return ok({ pubkey, message });
  }

  /** Returns the reason to refuse an order, or null. Called at draft and submit, because a draft locks nothing. */
  #obstacle(account: number, trading: Trading, order: CheckedOrder): ServiceErrorSlug | null {
    if (!trading.market.isTradable) return 'order_market_not_open';
    const needed = computeLock(order, trading);
    if (isBuyLeg(order.leg)) return this.context.funds.available(account) < needed ? 'order_insufficient_funds' : null;
    return trading.market.shares.available(account, isYesLeg(order.leg)) < needed ? 'order_insufficient_shares' : null;
  }

  #become(record: PlacedOrder, status: OrderStatus): void {
    record.status = status;
    record.message = '';
    if (!isFinalOrder(status)) return;
    // After the order's end, a submitted cancel draft is useless. It is dropped to free the memory of its message.
    if (record.cancel?.submitted === true) record.cancel = null;
    this.finish(record);
  }

  expire(id: number): void {
    const record = this.live(id);
    if (record?.status === 'waiting_to_sign') this.#become(record, 'expired');
  }

  /** Submits a draft. Order of the checks: found, not expired, still a draft, signature, market open, balance. */
  submit(account: number, pubkey: string, signatureValid: boolean): Result<Wire<'orderRow'>> {
    const record = this.find(account, pubkey);
    if (record === null) return refuse('not_found');
    if (record.status === 'expired') return refuse('program_call_has_expired');
    if (record.status !== 'waiting_to_sign') return refuse('invalid_program_call_status');
    if (!signatureValid) return badSignature();
    const trading = must(this.context.catalog.market(record.market).orderbook, 'the book of an order');
    const obstacle = this.#obstacle(account, trading, record);
    if (obstacle !== null) {
      this.#become(record, 'failed');
      return refuse(obstacle);
    }
    this.#match(trading, record);
    return ok(this.toRow(record));
  }

  #match(trading: Trading, record: PlacedOrder): void {
    const { matching } = this;
    const { leg, price, amount, funds, account, id } = record;
    const bid = isBidLeg(leg);
    const last = ONE / trading.tick;
    const yesPrice = price === null ? null : isYesLeg(leg) ? price : ONE - price;
    const limitTick = yesPrice === null ? (bid ? last : 0) : yesPrice / trading.tick;
    const purse = funds ?? Number.POSITIVE_INFINITY;
    const wanted = amount ?? Number.MAX_SAFE_INTEGER;
    const left = matching.take(this.context.nowMs, trading, account, leg, limitTick, wanted, purse, id);
    if (
      left === 0 ||
      (funds !== null && record.filledAmount > 0 && (matching.outOfFunds || record.filledFunds === funds))
    ) {
      this.#become(record, 'filled');
    } else if (record.type === 'limit' && !matching.metSelf) {
      record.handle = this.context.pool.makeHandle(matching.rest(trading, account, leg, limitTick, left, id));
      this.#become(record, record.filledAmount > 0 ? 'partially_filled' : 'open');
    } else {
      this.#become(record, record.filledAmount > 0 ? 'partially_filled_canceled' : 'canceled');
    }
  }

  readonly onFill: FillListener['onFill'] = (id, amount, price, cost, fee, isMaker, atCrossing) => {
    const record = this.requireLive(id);
    record.filledAmount += amount;
    record.filledFunds += isBuyLeg(record.leg) ? cost + fee : cost - fee;
    if (isMaker) record.status = 'partially_filled';
    const { nowMs: timeMs, settings } = this.context;
    const { account, market } = record;
    const trade: OwnTrade = { order: id, amount, price, fee, isMaker, timeMs };
    this.#lastTradeId += 1;
    // Fills never change, so they are archived at once. Archived fills have no pubkey, so lists filter them by market.
    const unnamed = { pubkey: '', state: 'done', isYes: null, side: null };
    this.context.archive.trade.put({ id: this.#lastTradeId, account, market, ...unnamed, record: trade });
    settings.observer?.onFill({
      timeMs,
      account,
      market,
      orderPubkey: record.pubkey,
      tradePubkey: makeName(settings.seed, 'trade', this.#lastTradeId),
      isYes: isYesLeg(record.leg),
      isBuy: isBuyLeg(record.leg),
      priceMicros: isYesLeg(record.leg) ? price : ONE - price,
      amountMicros: amount,
      costMicros: cost,
      feeMicros: fee,
      isMaker,
      atCrossing,
    });
  };

  onFinish(id: number): void {
    const record = this.requireLive(id);
    record.handle = 0;
    this.#become(record, 'filled');
  }

  draftCancel(account: number, pubkey: string): Result<Wire<'draft'>> {
    const context = this.context;
    if (!context.signingAvailable) return refuse('gringotts_unavailable');
    const record = this.find(account, pubkey);
    if (record === null) return refuse('not_found');
    if (!RESTING_STATUSES.includes(record.status)) return refuse('order_not_cancelable');
    const open = record.cancel;
    if (open !== null && !open.submitted && open.expiresMs > context.nowMs)
      return ok({ pubkey, message: open.message });
    const terms: DraftTerms = { action: 'cancel-order', orderPubkey: pubkey };
    const market = context.catalog.market(record.market);
    const { message, expiresMs } = makeDraft(context, account, market, pubkey, terms);
    record.cancel = { message, expiresMs, submitted: false };
    return ok({ pubkey, message });
  }

  submitCancel(account: number, pubkey: string, signatureValid: boolean): Result<Wire<'orderRow'>> {
    const record = this.find(account, pubkey);
    if (record === null) return refuse('not_found');
    const draft = record.cancel;
    if (draft !== null && !draft.submitted && draft.expiresMs <= this.context.nowMs)
      return refuse('program_call_has_expired');
    if (draft === null || draft.submitted) return refuse('invalid_program_call_status');
    if (!signatureValid) return badSignature();
    if (!RESTING_STATUSES.includes(record.status)) return refuse('order_not_cancelable');
    draft.submitted = true;
    this.#cancel(record);
    return ok(this.toRow(record));
  }

  #cancel(record: PlacedOrder): void {
    const { orderbook } = this.context.catalog.market(record.market);
    this.matching.cancel(must(orderbook, 'the book of an order'), this.context.pool.findSlot(record.handle));
    record.handle = 0;
    this.#become(record, record.filledAmount > 0 ? 'partially_filled_canceled' : 'canceled');
  }

  cancelAll(trading: Trading): void {
    for (const slot of trading.book.resting()) {
      const id = i32(this.context.pool.record, slot);
      if (id === 0) this.matching.cancel(trading, slot);
      else this.#cancel(this.requireLive(id));
    }
  }

  /** Recorded shares ahead of an account's resting order; null if the order does not rest. */
  ahead(account: number, pubkey: string): number | null {
    const handle = this.find(account, pubkey)?.handle ?? 0;
    return handle === 0 ? null : f64(this.context.pool.ahead, this.context.pool.findSlot(handle));
  }

  /** Lists the fills of an account's orders, each with the present state of its order. */
  trades(account: number, { limit, beforeId, market_condition_id }: PageQuery<'trades.list'>) {
    const { archive, catalog, settings } = this.context;
    const market = askedMarket(catalog, market_condition_id);
    if (market === null) return NO_ROWS;
    const found = archive.trade.list({ account, market, from: beforeId, limit: limit + 1 });
    const { rows, last } = firstOf(found, limit);
    // Orders are cached, because most fills of a page belong to a few orders.
    const orders = new Map<number, PlacedOrder>();
    const toTradeRow = ({ id, market, record }: Archived) => {
      // The cast is right: `onFill` has created all archived records of this kind.
      const trade = record as OwnTrade;
      const order = orders.get(trade.order) ?? must(this.get(trade.order), `order ${trade.order}`);
      orders.set(order.id, order);
      return ownTradeRow(trade, makeName(settings.seed, 'trade', id), order, catalog.market(market));
    };
    return { rows: rows.map(toTradeRow), nextBeforeId: last?.id ?? null };
  }

  override dump() {
    return { ...super.dump(), lastTradeId: this.#lastTradeId };
  }

  override load(dump: ReturnType<Orders['dump']>): void {
    super.load(dump);
    this.#lastTradeId = dump.lastTradeId;
    this.context.archive.trade.rewind(dump.lastTradeId, []);
  }
}

/** An order that fits its market's rules. Fields that its type does not use are null. */
type CheckedOrder = Pick<PlacedOrder, 'leg' | 'price' | 'amount' | 'funds'>;

type OrderField = 'price' | 'amount' | 'funds';

/** Reads an order request; refuses its first invalid field. */
function checkOrder(request: OrderRequest, trading: Trading): Result<CheckedOrder> {
  const buys = request.side === 'buy';
  const isLimit = request.order_type === 'limit';
  const wanted: readonly OrderField[] = isLimit ? ['price', 'amount'] : [buys ? 'funds' : 'amount'];
  for (const field of ['price', 'amount', 'funds'] as const) {
    const value = request[field];
    if (wanted.includes(field) !== (value !== undefined)) {
      const what = `a ${request.order_type} ${request.side}`;
      return invalid(field, value === undefined ? `This field is required for ${what}.` : `Not a field of ${what}.`);
    }
    if (value === undefined) continue;
    const fault = checkField(field, value, trading);
    if (fault !== null) return fault;
  }
  const leg = legOf(request.is_yes, buys);
  const { price = null, amount = null, funds = null } = request;
  return ok({ leg, price, amount, funds });
}

function checkField(field: OrderField, value: Micros, trading: Trading): Refusal | null {
  const { config } = trading;
  const [step, least, most] = {
    price: [trading.tick, config.min_price, config.max_price] as const,
    amount: [trading.lot, config.min_amount, config.max_amount] as const,
    funds: [trading.fundsStep, config.min_funds, config.max_funds] as const,
  }[field];
  // Even without a minimum, an order's size must not be 0.
  const positive = value > 0 ? null : invalid(field, 'Must be positive.');
  return offGrid(field, value, step) ?? outside(field, value, least, most) ?? positive;
}

/** Returns the amount that an order locks: currency for a buy (its funds for a market buy), shares for a sell. */
function computeLock(order: CheckedOrder, trading: Trading): number {
  if (order.funds !== null) return order.funds;
  const amount = must(order.amount, 'the amount of an order');
  if (!isBuyLeg(order.leg)) return amount;
  return buyLock(must(order.price, 'the price of a limit order'), amount, trading.lockRate);
}

function makeDraftTerms(order: CheckedOrder): DraftTerms {
  const action = 'place-order';
  const isYes = isYesLeg(order.leg);
  if (order.funds !== null) return { action, isYes, side: 'buy', type: 'market', funds: order.funds };
  const amount = must(order.amount, 'the amount of an order');
  if (order.price === null) return { action, isYes, side: 'sell', type: 'market', amount };
  return { action, isYes, side: sideOf(order.leg), type: 'limit', price: order.price, amount: asMicros(amount) };
}

/** An order in wire format. Limit orders and market sells have an amount, market buys have funds. */
function orderRow(record: PlacedOrder, market: Market): Wire<'orderRow'> {
  const { card } = market;
  const isYes = isYesLeg(record.leg);
  const isLimit = record.type === 'limit';
  const { price, amount, funds } = record;
  return {
    pubkey: record.pubkey,
    status: record.status,
    side: sideOf(record.leg),
    price: price === null ? null : text(price),
    amount: amount === null ? null : text(amount),
    remaining_amount: isLimit && amount !== null ? text(amount - record.filledAmount) : null,
    filled_amount: isLimit ? text(record.filledAmount) : null,
    funds: funds === null ? null : text(funds),
    remaining_funds: funds === null ? null : text(funds - record.filledFunds),
    filled_funds: isLimit ? null : text(record.filledFunds),
    market: { condition_id: card.conditionId, title: card.title },
    outcome: { is_yes: isYes, text: isYes ? card.yesLabel : card.noLabel },
  };
}

function ownTradeRow(trade: OwnTrade, pubkey: string, record: PlacedOrder, market: Market): Wire<'ownTradeRow'> {
  return {
    pubkey,
    market_condition_id: market.card.conditionId,
    amount: text(trade.amount),
    price: text(trade.price),
    timestamp: seconds(trade.timeMs),
    fee: text(trade.fee),
    is_maker: trade.isMaker,
    state: 'done',
    order: orderRow(record, market),
  };
}
