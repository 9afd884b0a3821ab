/** Orders in the plain model: draft, submit, match, cancel. An error is the text `slug` or `slug field`. */

import {
  buyLock,
  ceilTimes,
  floorTimes,
  isTrading,
  ONE,
  type PlainMarket,
  type PlainOrder,
  type PlainRules,
  type PlainState,
} from './plain-state.js';

export interface PlainRequest {
  readonly market: number | null;
  readonly isYes: boolean;
  readonly buys: boolean;
  readonly isLimit: boolean;
  readonly price?: number | undefined;
  readonly amount?: number | undefined;
  readonly funds?: number | undefined;
}

export const DRAFT_MS = 60_000;

/** In YES space, buying YES and selling NO are the same side of the book. */
const isBid = (order: { isYes: boolean; buys: boolean }): boolean => order.isYes === order.buys;
const yesPrice = (order: PlainOrder): number => (order.isYes ? (order.price ?? 0) : ONE - (order.price ?? 0));

export function draftOrder(state: PlainState, account: number, request: PlainRequest): PlainOrder | string {
  if (!state.signing) return 'gringotts_unavailable';
  if (request.market === null) return 'invalid_request_params market_condition_id';
  const market = state.market(request.market);
  if (market.rules === null || market.hasMargin) return 'invalid_request_params market_condition_id';
  const field = wrongField(request, market.rules);
  if (field !== null) return `invalid_request_params ${field}`;
  const order = newOrder(state, account, request, request.market);
  const obstacle = whyNot(state, order);
  if (obstacle !== null) return obstacle;
  state.orders.push(order);
  return order;
}

/** Checks of the draft, repeated at the submit, because a draft locks nothing. */
function whyNot(state: PlainState, order: PlainOrder): string | null {
  const { account, market, isYes } = order;
  if (!isTrading(state.market(market))) return 'order_market_not_open';
  const funds = neededFunds(state.rulesOf(market), order);
  if (order.buys) return state.availableFunds(account) < funds ? 'order_insufficient_funds' : null;
  return state.availableShares(account, market, isYes) < (order.amount ?? 0) ? 'order_insufficient_shares' : null;
}

const neededFunds = (rules: PlainRules, order: PlainOrder): number =>
  order.funds ?? buyLock(rules, order.price ?? 0, order.amount ?? 0);

function newOrder(state: PlainState, account: number, request: PlainRequest, market: number): PlainOrder {
  return {
    pubkey: '',
    account,
    market,
    isYes: request.isYes,
    buys: request.buys,
    price: request.price ?? null,
    amount: request.amount ?? null,
    funds: request.funds ?? null,
    expiresMs: state.nowMs + DRAFT_MS,
    status: 'waiting_to_sign',
    filled: 0,
    moved: 0,
    place: null,
    lockable: Number.POSITIVE_INFINITY,
    cancel: null,
  };
}

/** The first field that is missing, too large, off the grid or out of the limits. */
function wrongField(request: PlainRequest, rules: PlainRules): string | null {
  const { isLimit, buys } = request;
  const wanted = isLimit ? ['price', 'amount'] : buys ? ['funds'] : ['amount'];
  const steps = { price: rules.tick, amount: rules.lot, funds: rules.fundsStep };
  for (const field of ['price', 'amount', 'funds'] as const) {
    const value = request[field];
    if ((value !== undefined) !== wanted.includes(field)) return field;
    if (value === undefined) continue;
    const [least, most] = rules[field];
    if (value % steps[field] !== 0 || value < least || value > most || value <= 0) return field;
  }
  return null;
}

export function submitOrder(
  state: PlainState,
  account: number,
  order: PlainOrder | null,
  valid: boolean,
): PlainOrder | string {
  if (order === null || order.account !== account) return 'not_found';
  if (order.status === 'expired') return 'program_call_has_expired';
  if (order.status !== 'waiting_to_sign') return 'invalid_program_call_status';
  if (!valid) return 'invalid_request_params signature';
  const obstacle = whyNot(state, order);
  if (obstacle !== null) {
    order.status = 'failed';
    return obstacle;
  }
  order.status = statusAfter(state, order, work(state, order, state.market(order.market)));
  state.seen(`order ${order.status}`);
  return order;
}

/** The reason why matching of an order ended. */
type Ending = 'self' | 'purse' | 'nobody';

function statusAfter(state: PlainState, order: PlainOrder, ending: Ending): string {
  const some = order.filled > 0;
  if (order.filled === order.amount) return 'filled';
  if (order.funds !== null && some && (ending === 'purse' || order.moved === order.funds)) return 'filled';
  if (order.price === null || ending === 'self') return some ? 'partially_filled_canceled' : 'canceled';
  rest(state, order);
  return some ? 'partially_filled' : 'open';
}

/** Roundings of earlier fills may have used a few millionths of the amount to lock. */
function rest(state: PlainState, order: PlainOrder): void {
  order.lockable = state.availableFunds(order.account);
  state.arrivals += 1;
  order.place = state.arrivals;
}

/** Best price first, oldest first at equal prices. */
function facing(state: PlainState, order: PlainOrder): PlainOrder[] {
  const bid = isBid(order);
  const reaches = (other: PlainOrder) =>
    order.price === null || (bid ? yesPrice(other) <= yesPrice(order) : yesPrice(other) >= yesPrice(order));
  return state
    .resting(order.market)
    .filter((other) => isBid(other) !== bid && reaches(other))
    .sort((a, b) => (bid ? 1 : -1) * (yesPrice(a) - yesPrice(b)) || (a.place ?? 0) - (b.place ?? 0));
}

function work(state: PlainState, order: PlainOrder, market: PlainMarket): Ending {
  for (const other of facing(state, order)) {
    const left = order.amount === null ? Number.MAX_SAFE_INTEGER : order.amount - order.filled;
    if (left === 0) break;
    if (other.account === order.account) {
      state.seen('stopped at its own order');
      return 'self';
    }
    const wanted = Math.min(left, (other.amount ?? 0) - other.filled);
    const amount = affordable(state.rulesOf(order.market), order, other, wanted);
    if (amount > 0) trade(state, market, order, other, amount);
    if (amount < wanted) {
      state.seen('stopped by its purse');
      return 'purse';
    }
  }
  return 'nobody';
}

/** All of `wanted`, or the lots that the rest of a market buy's funds pays for, fee included. */
function affordable(rules: PlainRules, order: PlainOrder, other: PlainOrder, wanted: number): number {
  if (order.funds === null) return wanted;
  const purse = order.funds - order.moved;
  const price = yesPrice(other);
  const pays = (amount: number) => {
    const yes = floorTimes(price, amount);
    const cost = order.isYes ? yes : amount - yes;
    return cost + ceilTimes(rules.takerRate, cost) <= purse;
  };
  if (pays(wanted)) return wanted;
  let lots = 0;
  for (let step = 2 ** Math.ceil(Math.log2(wanted / rules.lot + 1)); step >= 1; step /= 2)
    if ((lots + step) * rules.lot <= wanted && pays((lots + step) * rules.lot)) lots += step;
  return lots * rules.lot;
}

/** Trades at the resting order's price. */
function trade(state: PlainState, market: PlainMarket, taker: PlainOrder, maker: PlainOrder, amount: number): void {
  const rules = state.rulesOf(taker.market);
  const price = yesPrice(maker);
  const yes = floorTimes(price, amount);
  maker.filled += amount;
  if (maker.filled === maker.amount) maker.place = null;
  maker.status = maker.place === null ? 'filled' : 'partially_filled';
  const makerFee = settle(state, market, maker, amount, yes, rules.makerRate);
  taker.filled += amount;
  const takerFee = settle(state, market, taker, amount, yes, rules.takerRate);
  market.volume += taker.isYes ? yes : amount - yes;
  const own = taker.isYes ? price : ONE - price;
  market.trades.push({ amount, price: own, makerFee, takerFee, timeMs: state.nowMs, isYes: taker.isYes });
  for (const [order, fee] of [
    [maker, makerFee],
    [taker, takerFee],
  ] as const) {
    if (order.pubkey === '') continue;
    const at = order.isYes ? price : ONE - price;
    state.ownTrades.push({ order, amount, price: at, fee, isMaker: order === maker, timeMs: state.nowMs });
  }
  state.seen(taker.buys === maker.buys ? (taker.buys ? 'mint' : 'burn') : `transfer of ${taker.isYes ? 'YES' : 'NO'}`);
}

/** One side of a trade: its currency, its shares, its fee. */
function settle(
  state: PlainState,
  market: PlainMarket,
  order: PlainOrder,
  amount: number,
  yes: number,
  rate: number,
): number {
  const own = state.account(order.account);
  const shares = order.isYes ? own.yes : own.no;
  const cost = order.isYes ? yes : amount - yes;
  const sign = order.buys ? 1 : -1;
  const fee = order.buys ? buyersFee(state, order.account, cost, ceilTimes(rate, cost)) : ceilTimes(rate, cost);
  own.funds -= sign * cost + fee;
  shares[order.market] = state.held(order.account, order.market, order.isYes) + sign * amount;
  market.collateral += sign * cost;
  order.moved += sign * (sign * cost + fee);
  state.fees += fee;
  return fee;
}

/** Rounding of single fills can exceed the whole order's lock: the exchange pays the rest, even by a negative fee. */
function buyersFee(state: PlainState, account: number, cost: number, fee: number): number {
  const spare = state.availableFunds(account) - cost;
  if (spare < fee) state.seen(spare < 0 ? 'fee below zero' : 'fee cut');
  return Math.min(fee, spare);
}

export function draftCancel(state: PlainState, account: number, order: PlainOrder | null): PlainOrder | string {
  if (!state.signing) return 'gringotts_unavailable';
  if (order === null || order.account !== account) return 'not_found';
  if (order.place === null) return 'order_not_cancelable';
  const open = order.cancel;
  if (open === null || open.submitted || open.expiresMs <= state.nowMs) {
    order.cancel = { expiresMs: state.nowMs + DRAFT_MS, submitted: false };
  } else state.seen('cancel draft answered again');
  return order;
}

export function submitCancel(
  state: PlainState,
  account: number,
  order: PlainOrder | null,
  valid: boolean,
): PlainOrder | string {
  if (order === null || order.account !== account) return 'not_found';
  const draft = order.cancel;
  if (draft === null || draft.submitted) return 'invalid_program_call_status';
  if (draft.expiresMs <= state.nowMs) return 'program_call_has_expired';
  if (!valid) return 'invalid_request_params signature';
  if (order.place === null) return 'order_not_cancelable';
  draft.submitted = true;
  withdraw(order);
  return order;
}

export function withdraw(order: PlainOrder): void {
  order.place = null;
  order.status = order.filled > 0 ? 'partially_filled_canceled' : 'canceled';
}

/** An order of an internal account: sells its shares, or buys the other outcome without them. */
export function placeInternal(
  state: PlainState,
  account: number,
  market: number,
  bid: boolean,
  price: number,
  amount: number,
  immediate: boolean,
): PlainOrder | string {
  const found = state.market(market);
  if (found.rules === null || !isTrading(found)) return 'market';
  const { tick, lot, price: range, amount: amounts } = found.rules;
  if (price % tick !== 0 || price < range[0] || price > range[1]) return 'grid';
  if (amount % lot !== 0 || amount <= 0 || amount > amounts[1]) return 'grid';
  const sells = state.availableShares(account, market, !bid) >= amount;
  const isYes = bid !== sells;
  const own = isYes ? price : ONE - price;
  if (!sells && state.availableFunds(account) < buyLock(found.rules, own, amount)) return 'balance';
  const request = { market, isYes, buys: !sells, isLimit: true, price: own, amount };
  const order = { ...newOrder(state, account, request, market), status: 'open' };
  const ending = work(state, order, found);
  if (order.filled < amount && !immediate && ending !== 'self') {
    state.orders.push(order);
    rest(state, order);
  }
  return order;
}
