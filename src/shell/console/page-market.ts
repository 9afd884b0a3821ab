/** One market for the page: in the list, and in detail with its ladder. */

import { formatDecimal, type Micros } from '../../shared/base/micros.js';
import { describeQuoting, type MarketStatus } from '../../shared/protocol/trader-status.js';
import type { BookedFill } from '../../trader/ledger/contract.js';
import { listMarketActions } from './actions.js';
import { groupRefusals } from './views/log-view.js';
import { yesPrice } from './views/texts.js';

export const moneyText = (value: number | null): string => (value === null ? '' : formatDecimal(value as Micros)); // whole millionths
const priceText = (value: number | null): string | null => (value === null ? null : moneyText(value));

/** Usual age of a book, ms, where its trader plans no interval between looks. */
const USUAL_AGE_MS = 10_000;
/** Looks that may fail before a book is old. */
const LOOKS = 3;

/** Age from which a book is older than usual, ms. */
const usualAgeOf = ({ worth }: MarketStatus): number =>
  worth === null ? USUAL_AGE_MS : Math.max(USUAL_AGE_MS, LOOKS * 1000 * worth.value.lookEveryS);

/** Decimals of a cent, and of the finest tick of any venue. */
const [FEWEST_PLACES, MOST_PLACES] = [2, 4];

/** Decimals of the tick, as far as the known prices show it. */
function tickPlaces({ bestBidMicros, bestAskMicros, orders, bids = [], asks = [] }: MarketStatus): number {
  const known = [bestBidMicros, bestAskMicros, ...orders.map(({ priceMicros: price }) => price)];
  const levels = [...bids, ...asks].map(([price]) => price);
  return [...known, ...levels].reduce<number>((most, price) => {
    if (price === null) return most;
    return Math.min(MOST_PLACES, Math.max(most, moneyText(price).split('.')[1]?.length ?? 0));
  }, FEWEST_PLACES);
}

export interface TraderFacts {
  readonly nowMs: number;
  /** Mode of a trader that quotes nothing or does not answer; null while it quotes. */
  readonly stopped: string | null;
  /** Condition ids of markets that are paused alone. */
  readonly paused: readonly string[];
}

export function marketRow(market: MarketStatus, { nowMs, stopped }: Pick<TraderFacts, 'nowMs' | 'stopped'>) {
  const { bookSeenMs: seen } = market;
  return {
    places: tickPlaces(market),
    is_old: seen === null || nowMs - seen > usualAgeOf(market),
    id: market.conditionId,
    title: market.title,
    state: stopped ?? describeQuoting(market),
    bid: priceText(market.bidMicros),
    ask: priceText(market.askMicros),
    fair: priceText(market.fairMicros),
    yes: moneyText(market.yesMicros),
    no: moneyText(market.noMicros),
    net: moneyText(market.yesMicros - market.noMicros),
    open_orders: market.orders.length,
    best_bid: priceText(market.bestBidMicros),
    best_ask: priceText(market.bestAskMicros),
    book_seen: market.bookSeenMs,
  };
}

/** @param fills own fills there, newest first */
export const marketDetail = (market: MarketStatus, fills: readonly BookedFill[], facts: TraderFacts) => ({
  ...marketRow(market, facts),
  actions: listMarketActions(
    facts.paused.includes(market.conditionId),
    market.yesMicros !== market.noMicros,
    facts.stopped !== null,
  ),
  strategy: market.strategies.join(', '),
  note: market.note,
  resolves: market.resolvesMs,
  ladder: makeLadder(market),
  factors: Object.entries(market.factors).map(([name, value]) => ({ name, value })),
  refusals: groupRefusals(market.refusals),
  tape: market.trades === undefined ? null : makeTape(market.trades, fills),
});

/** Each fill matches one trade: the exchange reports both in whole seconds, with the same price and amount. */
function makeTape(trades: NonNullable<MarketStatus['trades']>, fills: readonly BookedFill[]) {
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
function makeLadder({ bids = [], asks = [], orders, fairMicros: fair }: MarketStatus): readonly LadderRow[] {
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

function sideRows(
  side: 'bid' | 'ask',
  levels: NonNullable<MarketStatus['bids']>,
  orders: MarketStatus['orders'],
): PricedRow[] {
  const others = new Map(levels);
  const own = orders.filter((order) => order.side === side);
  const prices = new Set([...others.keys(), ...own.map(({ priceMicros: price }) => price)]);
  return Array.from(prices, (micros) => {
    const here = own.filter(({ priceMicros: price }) => price === micros);
    const ours = here.reduce((sum, { remainingMicros: left }) => sum + left, 0);
    return {
      micros,
      row: {
        price: moneyText(micros),
        side,
        others: moneyText(others.get(micros) ?? null),
        ours: ours === 0 ? '' : moneyText(ours),
        ahead: moneyText(here[0]?.queueAheadMicros ?? null),
      },
    };
  });
}
