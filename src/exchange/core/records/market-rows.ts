import { ONE } from '../../../shared/base/micros.js';
import type { CandleInterval } from '../../../shared/protocol/states.js';
import type { Catalog } from '../catalog.js';
import { ASK, BID, type MatchingSide, type PageQuery, type Wire } from '../contract.js';
import { seconds } from '../core-context.js';
import type { Market } from '../market.js';
import { NO_TICK } from '../matching/book.js';
import { text } from '../money.js';

/** Current price of an outcome in wire format. `price` is null if the market has no price yet. */
export function priceRow(market: Market, isYes: boolean): Wire<'marketPrice'> {
  const mark = market.markPrice;
  return {
    condition_id: market.card.conditionId,
    price: mark === null ? null : text(isYes ? mark : ONE - mark),
    price_kind: 'mid',
    is_yes: isYes,
  };
}

/**
 * The book of an outcome in wire format, with up to `depth` levels on each side; empty unless the market is open. A
 * replayed book may be crossed, because recorded orders do not always trade with the real orders that they cross.
 */
export function bookRow(market: Market, isYes: boolean, depth: number): Wire<'orderbook'> {
  const side = (of: MatchingSide) => {
    const levels: { price: string; total_amount: string }[] = [];
    const { orderbook: trading } = market;
    if (trading === null || market.state !== 'open') return levels;
    const { book } = trading;
    for (let tick = book.best(of); tick !== NO_TICK && levels.length < depth; tick = book.nextShown(of, tick)) {
      const price = tick * trading.tick;
      levels.push({ price: text(isYes ? price : ONE - price), total_amount: text(book.displayedAmount(of, tick)) });
    }
    return levels;
  };
  return { market: market.card.conditionId, is_yes: isYes, bid: side(isYes ? BID : ASK), ask: side(isYes ? ASK : BID) };
}

/** Summary of a market, in wire format. */
export function summaryRow(catalog: Catalog, market: Market): Wire<'marketSummary'> {
  const { card } = market;
  const event = catalog.event(card.eventIndex);
  return {
    title: card.title,
    description: card.description,
    condition_id: card.conditionId,
    logo: card.logo,
    // The venue's interface requires a string here, so the price is 0 before the first trade.
    last_trade_price: text(market.tape.lastPrice),
    state: market.state,
    category: card.category,
    created: seconds(card.createdMs),
    creator: { username: 'paper', image: null, twitter_username: null },
    event: { title: event.title, condition_id: event.conditionId, logo: null },
    margin_enabled: card.marginEnabled,
  };
}

/** A market in wire format, as a row of the list of markets. */
export function listRow(catalog: Catalog, market: Market): Wire<'marketListRow'> {
  const { yesLabel, noLabel } = market.card;
  return {
    ...summaryRow(catalog, market),
    outcomes: [
      { is_yes: true, text: yesLabel },
      { is_yes: false, text: noLabel },
    ],
  };
}

/** Returns a market in wire format with its configuration. */
export function detailRow(catalog: Catalog, market: Market): Wire<'marketDetail'> {
  const { card, orderbook: trading } = market;
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

function configRow(market: Market): Wire<'marketDetail'>['config'] {
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

/** An event in wire format, with all its market summaries and `video_url`, for the response about one event. */
export function eventRow(catalog: Catalog, index: number): Wire<'eventRow'> {
  return { ...eventListRow(catalog, index, Number.POSITIVE_INFINITY), video_url: null };
}

/** An event in wire format, as a row of a list: without `video_url`, and with at most `maxMarkets` summaries. */
export function eventListRow(catalog: Catalog, index: number, maxMarkets: number): Wire<'eventRow'> {
  const event = catalog.event(index);
  return {
    condition_id: event.conditionId,
    title: event.title,
    description: event.description,
    logo: null,
    category: event.category,
    created: seconds(event.createdMs),
    markets: event.markets.slice(0, maxMarkets).map((market) => summaryRow(catalog, catalog.market(market))),
  };
}

const DAY_MS = 86_400_000;

/** A market's volume of the last 24 hours: the sum of its trades, or of 5-minute bars if some trades were dropped. */
export const volume24h = (market: Market, nowMs: number): number =>
  market.tape.volumeSince(nowMs - DAY_MS) ?? market.tape.candles.volumeSince(nowMs - DAY_MS);

/** Volumes of a market at the takers' prices, and its market cap, which is the currency that backs its shares. */
export function statsRow(market: Market, nowMs: number): Wire<'marketStats'> {
  return {
    total_volume: text(market.tape.volume),
    total_volume_24h: text(volume24h(market, nowMs)),
    market_cap: text(market.collateral),
    trade_count: market.tape.count,
  };
}

/** Price bars of an outcome that begin in [`fromMs`, `toMs`), oldest first. NO's high is 1 − the low of YES. */
export function candleRows(market: Market, interval: CandleInterval, fromMs: number, toMs: number, isYes: boolean) {
  const own = (price: number): string => text(isYes ? price : ONE - price);
  return market.tape.candles.read(interval, fromMs, toMs).map((bar) => ({
    timestamp: seconds(bar.timeMs),
    open: own(bar.open),
    high: own(isYes ? bar.high : bar.low),
    low: own(isYes ? bar.low : bar.high),
    close: own(bar.close),
    volume: text(bar.volume),
    is_yes: isYes,
  }));
}

/** One page of a market's public trades, whose ids count from 1. A market keeps its newest 20,000 trades. */
export function publicTradePage(market: Market, { limit, beforeId }: PageQuery<'markets.trades'>) {
  const { tape } = market;
  const trades = tape.read(limit, beforeId ?? tape.count + 1);
  const last = trades.at(-1);
  return {
    rows: trades.map(
      (trade): Wire<'publicTradeRow'> => ({
        market_condition_id: market.card.conditionId,
        amount: text(trade.amount),
        price: text(trade.price),
        maker_fee: text(trade.makerFee),
        taker_fee: text(trade.takerFee),
        timestamp: seconds(trade.timeMs),
        state: 'done',
        is_yes: trade.isYes,
      }),
    ),
    nextBeforeId: last !== undefined && tape.hasBefore(last.id) ? last.id : null,
  };
}
