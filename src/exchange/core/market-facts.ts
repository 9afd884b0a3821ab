/**
 * Figures of markets. One object per market, made once: its getters read the market, so a list over thousands of
 * markets builds nothing and is never stale.
 */

import { parseDecimal } from '../../shared/base/decimal.js';
import { type Micros, ONE } from '../../shared/base/micros.js';
import type { CoreContext } from './core-context.js';
import type { Market } from './market.js';
import { asMicros } from './money.js';
import { volume24h } from './records/market-rows.js';

/**
 * Figures of a market, for the crowd and for lists: one object per market that always shows the present. Prices in YES
 * space; null without bids, asks and trades.
 */
export type MarketFacts = Readonly<ReturnType<typeof makeMarketFacts>>;

/** Makes the facts of a market; the core keeps them. */
export function makeMarketFacts(market: Market, context: CoreContext) {
  const { card, tape, orderbook: trading } = market;
  const event = context.catalog.event(card.eventIndex);
  const words = [card.title, card.description ?? '', event.title, event.description];
  return {
    index: market.index,
    conditionId: card.conditionId,
    eventIndex: card.eventIndex,
    kind: card.config.kind,
    category: card.category,
    sport: card.sport,
    league: card.league,
    title: card.title,
    description: card.description ?? '',
    /** Title and description of the market and its event, in lower case. */
    searchText: words.join('\n').toLowerCase(),
    createdMs: card.createdMs,
    /** Unix seconds. */
    resolutionDate: card.resolutionDate,
    tick: asMicros(trading?.tick ?? 0),
    lot: asMicros(trading?.lot ?? 0),
    marginEnabled: card.marginEnabled,
    /** 1 in a market without leverage. */
    maxLeverageYes: maxLeverage(market, 'max_leverage_yes'),
    maxLeverageNo: maxLeverage(market, 'max_leverage_no'),
    get state() {
      return market.state;
    },
    get paused() {
      return market.paused;
    },
    get outcome() {
      return market.outcome;
    },
    get markPrice() {
      const mark = market.markPrice;
      return mark === null ? null : asMicros(mark);
    },
    get lastTradePrice() {
      return tape.count === 0 ? null : asMicros(tape.lastPrice);
    },
    get lastTradeMs() {
      return tape.count === 0 ? null : tape.lastMs;
    },
    get tradeCount() {
      return tape.count;
    },
    get totalVolume() {
      return asMicros(tape.volume);
    },
    get volume24h() {
      return asMicros(volume24h(market, context.nowMs));
    },
    get setsOutstanding() {
      return asMicros(market.collateral);
    },
  };
}

function maxLeverage({ card: { config } }: Market, side: 'max_leverage_yes' | 'max_leverage_no'): Micros {
  return config.kind === 'orderbook' ? ONE : (parseDecimal(config[side]) ?? ONE);
}
