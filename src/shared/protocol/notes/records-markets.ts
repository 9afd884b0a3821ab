/** Meaning of the fields of public records; see records.ts. */

import type { RecordNotes } from './record-note.js';
import { marginMarketNotes } from './records-margin.js';

const summaryFields = {
  title: 'The question.',
  description: 'More about it.',
  condition_id: 'Names the market everywhere.',
  logo: 'Address of a picture.',
  last_trade_price: 'Price of the last trade, in YES space; `0` before the first.',
  state: 'Where the market stands; it trades while it is `open`.',
  category: 'Its category.',
  created: 'When it was made, Unix seconds.',
  creator: 'Who made it.',
  'creator.username': 'Shown to others.',
  'creator.image': 'Address of a picture.',
  'creator.twitter_username': 'Null when none is linked.',
  event: 'The event that it belongs to, by name.',
  'event.title': 'Its title.',
  'event.condition_id': 'Names the event everywhere.',
  'event.logo': 'Address of a picture.',
  margin_enabled: 'True: traded with leverage, without an order book. False: with an order book.',
} as const;

const listFields = {
  ...summaryFields,
  outcomes: 'Its two outcomes with their labels.',
} as const;

export const marketNotes: Pick<
  RecordNotes,
  | 'publicTradeRow'
  | 'bookLevel'
  | 'orderbook'
  | 'marketStats'
  | 'marketPrice'
  | 'marketSummary'
  | 'outcome'
  | 'marketListRow'
  | 'orderbookConfig'
  | 'marketConfig'
  | 'marketDetail'
  | 'eventRow'
  | 'candle'
  | 'marginActivityRow'
  | 'sportRow'
  | 'searchResult'
> = {
  publicTradeRow: {
    about: 'A trade of anybody.',
    fields: {
      market_condition_id: 'Condition id of the market.',
      amount: 'Shares.',
      price: 'Currency for a share, in the space of the outcome that `is_yes` names.',
      maker_fee: 'Currency that the resting order’s owner paid.',
      taker_fee: 'Currency that the incoming order’s owner paid.',
      timestamp: 'When it happened, Unix seconds.',
      state: 'How far it has settled.',
      is_yes: 'The outcome of the incoming order.',
    },
  },
  bookLevel: {
    about: 'Everything that rests at one price.',
    fields: { price: 'Currency for a share.', total_amount: 'Shares of all orders at this price.' },
  },
  orderbook: {
    about: 'The order book of one outcome.',
    fields: {
      market: 'Condition id of the market.',
      is_yes: 'Whose book it is.',
      bid: 'Who buys: the highest price first.',
      ask: 'Who sells: the lowest price first.',
    },
  },
  marketStats: {
    about: 'Figures of a market.',
    fields: {
      total_volume: 'Currency traded since it opened.',
      total_volume_24h: 'Currency traded in the last 24 hours.',
      market_cap: 'Currency that backs the shares that are out.',
      trade_count: 'Number of trades.',
    },
  },
  marketPrice: {
    about: 'The price of one outcome.',
    fields: {
      condition_id: 'Condition id of the market.',
      price: 'Currency for a share; null while there is nothing to tell it from.',
      price_kind: 'How it is found: `mid`.',
      is_yes: 'Whose price it is.',
    },
  },
  marketSummary: { about: 'A market, in short.', fields: summaryFields },
  outcome: { about: 'An outcome of a market.', fields: { is_yes: 'True for YES.', text: 'Its label.' } },
  marketListRow: { about: 'A market in the list of markets.', fields: listFields },
  orderbookConfig: {
    about: 'The rules of a market with an order book.',
    fields: {
      kind: 'Always `orderbook`.',
      min_price: 'Lowest price of an order.',
      max_price: 'Highest price of an order.',
      min_amount: 'Fewest shares of an order.',
      max_amount: 'Most shares of an order.',
      min_funds: 'Least currency of a market buy.',
      max_funds: 'Most currency of a market buy.',
      price_precision: 'Decimals of a price: the tick is 10 to the power of minus this.',
      amount_precision: 'Decimals of an amount: the lot is 10 to the power of minus this.',
      funds_precision: 'Decimals of the funds of a market buy.',
      maker_fee_rate: 'Part of its notional that a resting order pays, 0.01 for one percent.',
      taker_fee_rate: 'Part of its notional that an incoming order pays.',
      default_slippage_rate: 'What a user interface suggests for market orders; nothing is computed with it.',
    },
  },
  marketConfig: {
    about: 'The rules of a market; `kind` says which. The fees and leverages are those of the two margin kinds.',
    fields: {
      kind: 'What the market trades against: an order book, or one of two margin backends.',
      max_leverage_yes: 'Greatest leverage on YES.',
      max_leverage_no: 'Greatest leverage on NO.',
      opening_fee: 'Part of the own currency that opening a position costs.',
      closing_fee: 'Part of the proceeds that a position costs which wins or is liquidated.',
      annual_fee_rate: 'Part of the borrowed liquidity that a year costs.',
      order_min_size: 'Fewest shares of a position; may be absent.',
      price_decimals: 'Decimals of a price.',
      shares_decimals: 'Decimals of an amount of shares.',
      min_price: 'Of an order book, like the fields below: see OrderbookConfig.',
      max_price: 'See OrderbookConfig.',
      min_amount: 'See OrderbookConfig.',
      max_amount: 'See OrderbookConfig.',
      min_funds: 'See OrderbookConfig.',
      max_funds: 'See OrderbookConfig.',
      price_precision: 'See OrderbookConfig.',
      amount_precision: 'See OrderbookConfig.',
      funds_precision: 'See OrderbookConfig.',
      maker_fee_rate: 'See OrderbookConfig.',
      taker_fee_rate: 'See OrderbookConfig.',
      default_slippage_rate: 'See OrderbookConfig.',
    },
  },
  marketDetail: {
    about: 'A market with its rules.',
    fields: {
      ...listFields,
      yes_outcome_label: 'Label of YES.',
      no_outcome_label: 'Label of NO.',
      rules: 'By which it is resolved, a text each.',
      resolution_date: 'When it should be resolved, Unix seconds; null when that is open.',
      maker_fee: 'Fee rate of a resting order; null on a margin market.',
      taker_fee: 'Fee rate of an incoming order; null on a margin market.',
      config: 'Grid, limits and fees.',
    },
  },
  eventRow: {
    about: 'A group of markets.',
    fields: {
      condition_id: 'Names the event everywhere.',
      title: 'What it is about.',
      description: 'More about it.',
      logo: 'Address of a picture.',
      video_url: 'Address of a video; in the detail only.',
      category: 'Its category.',
      created: 'When it was made, Unix seconds.',
      markets: 'Its markets in short: all of them in the detail, at most two in the list.',
    },
  },
  candle: {
    about: 'One bar of a price chart, in the space of the outcome that was asked for.',
    fields: {
      timestamp: 'Start of the bar, Unix seconds.',
      open: 'First price.',
      high: 'Highest price.',
      low: 'Lowest price.',
      close: 'Last price.',
      volume: 'Currency traded.',
      is_yes: 'Whose prices these are.',
    },
  },
  marginActivityRow: {
    about: 'Something that happened to somebody’s margin position.',
    fields: {
      activity_type: 'What happened.',
      user: 'Whose position it is.',
      'user.profile_image': 'Address of a picture.',
      ...marginMarketNotes,
      shares: 'Shares that were opened, added or closed.',
      price: 'At which it happened, in the space of the position’s outcome.',
      realized_pnl: 'Currency won or lost by it; null while nothing is realized.',
      leverage: 'Of the position.',
      is_yes: 'The side of the position.',
      created: 'When it happened, Unix seconds.',
    },
  },
  sportRow: {
    about: 'A sport with its leagues.',
    fields: {
      name: 'Shown to readers.',
      slug: 'For the filter `sport`.',
      leagues: 'Each with the slug for the filter `league`.',
    },
  },
  searchResult: {
    about: 'Something that a search has found.',
    fields: { result_type: 'What `summary` is.', summary: 'The whole detail of the market or event.' },
  },
};
