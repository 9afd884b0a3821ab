/** Markets, events, books, trades and assets as the wire spells them. */

import { formatDecimal } from '../../base/decimal.js';
import { type Micros, mulDiv, ONE } from '../../base/micros.js';
import { isSettledMarket } from '../../protocol/states.js';
import type { Catalog } from './catalog.js';
import {
  ASK,
  BID,
  type BookSide,
  type EventFacts,
  type MarketFacts,
  type WireAsset,
  type WireBook,
  type WireDetail,
  type WireEvent,
  type WireListRow,
  type WirePrice,
  type WirePublicTrade,
  type WireStats,
  type WireSummary,
} from './contract.js';
import { seconds } from './ground.js';
import type { Market } from './market.js';
import { asMicros, timesDown } from './money.js';
import { payout } from './redeems.js';
import type { TapeTrade } from './tape.js';
import { NO_TICK } from './ticks.js';

const text = (value: number): string => formatDecimal(asMicros(value));

/** Best price of a side in YES space; null when it is empty. */
export function bestPrice(market: Market, side: BookSide): Micros | null {
  const { trading } = market;
  if (trading === null) return null;
  const tick = trading.book.best(side);
  return tick === NO_TICK ? null : asMicros(tick * trading.tick);
}

/** Middle of the book; without two sides the last trade, without a trade the one side. YES space. */
function markPrice(market: Market): number | null {
  const bid = bestPrice(market, BID);
  const ask = bestPrice(market, ASK);
  if (bid !== null && ask !== null) return Math.floor((bid + ask) / 2);
  return market.tape.count > 0 ? market.tape.lastPrice : (bid ?? ask);
}

export function priceRow(market: Market, isYes: boolean): WirePrice {
  const mark = markPrice(market);
  return {
    condition_id: market.card.conditionId,
    price: mark === null ? null : text(isYes ? mark : ONE - mark),
    price_kind: 'mid',
    is_yes: isYes,
  };
}

export function bookRow(market: Market, isYes: boolean, depth: number): WireBook {
  const side = (of: BookSide) => {
    const levels: { price: string; total_amount: string }[] = [];
    const { trading } = market;
    if (trading === null) return levels;
    const { book } = trading;
    for (let tick = book.best(of); tick !== NO_TICK && levels.length < depth; tick = book.nextShown(of, tick)) {
      const price = tick * trading.tick;
      levels.push({ price: text(isYes ? price : ONE - price), total_amount: text(book.displayed(of, tick)) });
    }
    return levels;
  };
  return { market: market.card.conditionId, is_yes: isYes, bid: side(isYes ? BID : ASK), ask: side(isYes ? ASK : BID) };
}

export function summaryRow(catalog: Catalog, market: Market): WireSummary {
  const { card } = market;
  const event = catalog.event(card.eventIndex);
  return {
    title: card.title,
    description: card.description,
    condition_id: card.conditionId,
    logo: card.logo,
    last_trade_price: market.tape.count === 0 ? null : text(market.tape.lastPrice),
    state: market.state,
    category: card.category,
    created: seconds(card.createdMs),
    creator: { username: 'paper', image: null, twitter_username: null },
    event: { title: event.title, condition_id: event.conditionId, logo: null },
    margin_enabled: card.marginEnabled,
  };
}

export function listRow(catalog: Catalog, market: Market): WireListRow {
  const { yesLabel, noLabel } = market.card;
  return {
    ...summaryRow(catalog, market),
    outcomes: [
      { is_yes: true, text: yesLabel },
      { is_yes: false, text: noLabel },
    ],
  };
}

export function detailRow(catalog: Catalog, market: Market): WireDetail {
  const { card, trading } = market;
  return {
    ...listRow(catalog, market),
    yes_outcome_label: card.yesLabel,
    no_outcome_label: card.noLabel,
    rules: [...card.rules],
    resolution_date: card.resolutionDate,
    maker_fee: trading === null ? null : text(trading.makerRate),
    taker_fee: trading === null ? null : text(trading.takerRate),
    config: configRow(market),
  };
}

function configRow(market: Market): WireDetail['config'] {
  const { config } = market.card;
  if (config.kind !== 'orderbook') return config;
  return {
    ...config,
    min_price: text(config.min_price),
    max_price: text(config.max_price),
    min_amount: text(config.min_amount),
    max_amount: text(config.max_amount),
    min_funds: text(config.min_funds),
    max_funds: text(config.max_funds),
    maker_fee_rate: text(config.maker_fee_rate),
    taker_fee_rate: text(config.taker_fee_rate),
  };
}

export function eventRow(catalog: Catalog, index: number, maxMarkets: number): WireEvent {
  const event = catalog.event(index);
  return {
    condition_id: event.conditionId,
    title: event.title,
    description: event.description,
    logo: null,
    video_url: null,
    category: event.category,
    created: seconds(event.createdMs),
    markets: event.markets.slice(0, maxMarkets).map((market) => summaryRow(catalog, catalog.market(market))),
  };
}

/** Volumes are currency at the takers' prices; market cap is what backs the shares that are out. */
export function statsRow(market: Market, nowMs: number): WireStats {
  return {
    total_volume: text(market.tape.volume),
    total_volume_24h: text(market.tape.volume24h(nowMs)),
    market_cap: text(market.collateral),
    trade_count: market.tape.count,
  };
}

export const publicTradeRow = (market: Market, trade: TapeTrade): WirePublicTrade => ({
  market_condition_id: market.card.conditionId,
  amount: text(trade.amount),
  price: text(trade.price),
  maker_fee: text(trade.makerFee),
  taker_fee: text(trade.takerFee),
  timestamp: seconds(trade.timeMs),
  state: 'done',
  is_yes: trade.isYes,
});

/** The balance of one outcome; null when the account holds none. */
export function assetRow(market: Market, account: number, isYes: boolean): WireAsset | null {
  const { card, shares } = market;
  shares.reserve(account);
  const total = shares.total(account, isYes);
  if (total === 0) return null;
  const locked = shares.locked(account, isYes);
  const bought = shares.bought(account, isYes);
  const mark = isSettledMarket(market.state) ? null : markPrice(market);
  const worth = isSettledMarket(market.state)
    ? payout(market.outcomeIsYes, isYes ? total : 0, isYes ? 0 : total)
    : mark === null
      ? null
      : timesDown(isYes ? mark : ONE - mark, total);
  return {
    asset_kind: 'share',
    amounts: { total: text(total), locked: text(locked), available: text(total - locked) },
    token: { symbol: `${card.conditionId}-${isYes ? 'LPT' : 'SPT'}`, address: null },
    value: { usdt: worth === null ? null : text(worth), basis: 'mark_to_market' },
    position: {
      market: {
        condition_id: card.conditionId,
        title: card.title,
        state: market.state,
        margin_enabled: card.marginEnabled,
      },
      is_yes: isYes,
      outcome_text: isYes ? card.yesLabel : card.noLabel,
      is_final: isSettledMarket(market.state),
      avg_trade_price: text(mulDiv(asMicros(bought.paid), ONE, asMicros(bought.amount), 'floor')),
    },
    created: null,
  };
}

export function marketFacts(market: Market): MarketFacts {
  const { card, tape, trading } = market;
  return {
    index: market.index,
    conditionId: card.conditionId,
    eventIndex: card.eventIndex,
    kind: card.config.kind,
    state: market.state,
    paused: market.paused,
    category: card.category,
    title: card.title,
    description: card.description ?? '',
    createdMs: card.createdMs,
    resolutionDate: card.resolutionDate,
    outcomeIsYes: market.outcomeIsYes,
    tick: asMicros(trading?.tick ?? 0),
    lot: asMicros(trading?.lot ?? 0),
    lastTradePrice: tape.count === 0 ? null : asMicros(tape.lastPrice),
    lastTradeMs: tape.count === 0 ? null : tape.lastMs,
    tradeCount: tape.count,
    totalVolume: asMicros(tape.volume),
    setsOutstanding: asMicros(market.collateral),
  };
}

export function eventFacts(catalog: Catalog, index: number): EventFacts {
  const { conditionId, title, category, createdMs, markets } = catalog.event(index);
  return { index, conditionId, title, category, createdMs, markets: [...markets] };
}
