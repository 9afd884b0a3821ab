/** One market for the page: in the list, and in detail with its ladder. */

import { formatDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';
import type { BookedFill } from '../../trader/ledger/contract.js';
import type { LevelFigures, MarketFigures, OrderFigures, TradeFigures } from '../control/telemetry/lines.js';
import { yesPrice } from './views/texts.js';

export const moneyText = (value: number | null): string => (value === null ? '' : formatDecimal(value as Micros)); // a trader writes whole millionths
const priceText = (value: number | null): string | null => (value === null ? null : moneyText(value));

export function marketRow(market: MarketFigures) {
  return {
    id: market.id,
    title: market.title,
    state: market.state,
    bid: priceText(bestOwn(market.orders, 'bid')),
    ask: priceText(bestOwn(market.orders, 'ask')),
    fair: priceText(market.fair_micros),
    yes: moneyText(market.yes_micros),
    no: moneyText(market.no_micros),
    net: moneyText(market.yes_micros - market.no_micros),
    open_orders: market.orders.length,
    best_bid: priceText(market.best_bid_micros),
    best_ask: priceText(market.best_ask_micros),
    book_seen: market.book_seen,
  };
}

/** Null without an order on that side. */
export function bestOwn(orders: readonly OrderFigures[], side: 'bid' | 'ask'): number | null {
  const prices = orders.filter((order) => order.side === side).map(({ price_micros: price }) => price);
  if (prices.length === 0) return null;
  return side === 'bid' ? Math.max(...prices) : Math.min(...prices);
}

/** @param fills own fills there, newest first */
export const marketDetail = (market: MarketFigures, fills: readonly BookedFill[]) => ({
  ...marketRow(market),
  strategy: market.strategy,
  note: market.note,
  resolves: market.resolves,
  ladder: makeLadder(market),
  factors: Object.entries(market.factors).map(([name, value]) => ({ name, value })),
  refusals: market.refusals,
  tape: market.trades === undefined ? null : makeTape(market.trades, fills),
});

/** Each fill matches one trade: the exchange reports both in whole seconds, with the same price and amount. */
function makeTape(trades: readonly TradeFigures[], fills: readonly BookedFill[]) {
  const left = [...fills];
  return trades.map(([timeMs, priceMicros, amountMicros, taker]) => {
    const at = left.findIndex(
      (fill) =>
        fill.timestampS === Math.floor(timeMs / 1000) &&
        fill.amountMicros === amountMicros &&
        yesPrice(fill.isYes, fill.priceMicros) === priceMicros,
    );
    if (at >= 0) left.splice(at, 1);
    return { time: timeMs, price: moneyText(priceMicros), amount: moneyText(amountMicros), taker, ours: at >= 0 };
  });
}

/** One price, YES space. Amounts in shares. */
export interface LadderRow {
  readonly price: string;
  readonly side: 'bid' | 'ask' | 'fair';
  readonly others: string;
  readonly ours: string;
  /** Others' shares ahead of ours, a risk-averse estimate. */
  readonly ahead: string;
}

/** From the highest price down; the fair value is a row between prices. */
function makeLadder({ bids = [], asks = [], orders, fair_micros: fair }: MarketFigures): readonly LadderRow[] {
  const rows = [...sideRows('ask', asks, orders), ...sideRows('bid', bids, orders)];
  if (fair !== null)
    rows.push({ micros: fair, row: { price: moneyText(fair), side: 'fair', others: '', ours: '', ahead: '' } });
  return rows.toSorted((a, b) => b.micros - a.micros || RANK[a.row.side] - RANK[b.row.side]).map(({ row }) => row);
}

/** At one price asks are above bids. */
const RANK = { ask: 0, fair: 1, bid: 2 } as const;

interface PricedRow {
  readonly micros: number;
  readonly row: LadderRow;
}

function sideRows(side: 'bid' | 'ask', levels: readonly LevelFigures[], orders: readonly OrderFigures[]): PricedRow[] {
  const others = new Map(levels);
  const own = orders.filter((order) => order.side === side);
  const prices = new Set([...others.keys(), ...own.map(({ price_micros: price }) => price)]);
  return Array.from(prices, (micros) => {
    const here = own.filter(({ price_micros: price }) => price === micros);
    const ours = here.reduce((sum, { remaining_micros: left }) => sum + left, 0);
    return {
      micros,
      row: {
        price: moneyText(micros),
        side,
        others: moneyText(others.get(micros) ?? null),
        ours: ours === 0 ? '' : moneyText(ours),
        ahead: moneyText(here[0]?.queue_ahead_micros ?? null),
      },
    };
  });
}
