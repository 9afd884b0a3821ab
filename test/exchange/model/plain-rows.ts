/** Records of the plain model in the service's format, and the texts that its wallets sign. */

import { payoutOf } from './plain-conversions.js';
import type { PlainConversion, PlainOrder, PlainOwnTrade, PlainRedeem, PlainState, PlainTrade } from './plain-state.js';
import { ONE } from './plain-state.js';

/** Converts 420000 to `0.42`. */
export function decimal(micros: number): string {
  const size = Math.abs(micros);
  const digits = String(size % ONE)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const sign = micros < 0 ? '-' : '';
  return `${sign}${Math.floor(size / ONE)}${digits === '' ? '' : `.${digits}`}`;
}

const maybe = (micros: number | null): string | null => (micros === null ? null : decimal(micros));
const seconds = (ms: number): number => Math.floor(ms / 1000);

export function orderRow(state: PlainState, order: PlainOrder): object {
  const isLimit = order.price !== null;
  return {
    pubkey: order.pubkey,
    status: order.status,
    side: order.buys ? 'buy' : 'sell',
    price: maybe(order.price),
    amount: maybe(order.amount),
    remaining_amount: isLimit ? decimal((order.amount ?? 0) - order.filled) : null,
    filled_amount: isLimit ? decimal(order.filled) : null,
    funds: maybe(order.funds),
    remaining_funds: order.funds === null ? null : decimal(order.funds - order.moved),
    filled_funds: isLimit ? null : decimal(order.moved),
    market: { condition_id: state.market(order.market).id, title: titleOf(order.market) },
    outcome: { is_yes: order.isYes, text: order.isYes ? 'Yes' : 'No' },
  };
}

export const titleOf = (market: number): string => `Market ${market + 1}`;

export const ownTradeRow = (state: PlainState, trade: PlainOwnTrade): object => ({
  market_condition_id: state.market(trade.order.market).id,
  amount: decimal(trade.amount),
  price: decimal(trade.price),
  timestamp: seconds(trade.timeMs),
  fee: decimal(trade.fee),
  is_maker: trade.isMaker,
  state: 'done',
  order: orderRow(state, trade.order),
});

export const tradeRow = (id: string, trade: PlainTrade): object => ({
  market_condition_id: id,
  amount: decimal(trade.amount),
  price: decimal(trade.price),
  maker_fee: decimal(trade.makerFee),
  taker_fee: decimal(trade.takerFee),
  timestamp: seconds(trade.timeMs),
  state: 'done',
  is_yes: trade.isYes,
});

export const conversionRow = (state: PlainState, record: PlainConversion): object => ({
  pubkey: record.pubkey,
  message: conversionText(state, record),
  market_condition_id: state.market(record.market).id,
  state: record.state,
  amount: decimal(record.amount),
  onchain_amount: record.state === 'done' ? decimal(record.amount) : null,
  created: seconds(record.createdMs),
});

export function redeemRow(state: PlainState, record: PlainRedeem): object {
  const funds = decimal(payoutOf(state.market(record.market), record));
  return {
    pubkey: record.pubkey,
    market_condition_id: state.market(record.market).id,
    state: record.state,
    funds,
    onchain_funds: record.state === 'completed' ? funds : '0',
    yes_shares: decimal(record.yes),
    no_shares: decimal(record.no),
    message: redeemText(state, record),
    created: seconds(record.createdMs),
  };
}

/** Levels of one side in the space of an outcome, best first. */
export function levels(state: PlainState, market: number, isYes: boolean, bids: boolean): object[] {
  const sums = new Map<number, number>();
  for (const order of state.resting(market)) {
    // A buyer of this outcome and a seller of the other one are both bids.
    if (((order.isYes === isYes) === order.buys) !== bids) continue;
    const price = order.isYes === isYes ? (order.price ?? 0) : ONE - (order.price ?? 0);
    sums.set(price, (sums.get(price) ?? 0) + (order.amount ?? 0) - order.filled);
  }
  return [...sums]
    .sort(([a], [b]) => (bids ? b - a : a - b))
    .map(([price, amount]) => ({ price: decimal(price), total_amount: decimal(amount) }));
}

function draft(state: PlainState, market: number, action: string, terms: string, pubkey: string, expiresMs: number) {
  const { id } = state.market(market);
  return `SVC draft v1 | ${action} | Market: ${id} | ${terms} | Draft: ${pubkey} | Expires: ${seconds(expiresMs)}`;
}

export function orderText(state: PlainState, order: PlainOrder): string {
  const head = `Outcome: ${order.isYes ? 'YES' : 'NO'}, Side: ${order.buys ? 'buy' : 'sell'}`;
  const kind = order.price === null ? 'Type: market' : `Type: limit, Price: ${decimal(order.price)}`;
  const size = order.funds === null ? `Amount: ${decimal(order.amount ?? 0)}` : `Funds: ${decimal(order.funds)}`;
  return draft(state, order.market, 'place-order', `${head}, ${kind}, ${size}`, order.pubkey, order.expiresMs);
}

export function cancelText(state: PlainState, order: PlainOrder): string {
  const { pubkey, market, cancel } = order;
  return draft(state, market, 'cancel-order', `Order: ${pubkey}`, pubkey, cancel?.expiresMs ?? 0);
}

export function conversionText(state: PlainState, record: PlainConversion): string {
  const terms = `Amount: ${decimal(record.amount)}`;
  return draft(state, record.market, `${record.kind}-shares`, terms, record.pubkey, record.expiresMs);
}

export function redeemText(state: PlainState, record: PlainRedeem): string {
  const terms = `Yes: ${decimal(record.yes)}, No: ${decimal(record.no)}`;
  return draft(state, record.market, 'redeem-shares', terms, record.pubkey, record.expiresMs);
}
