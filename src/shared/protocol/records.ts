/**
 * The records of the service, one schema each: the source of the OpenAPI document and of the tables in docs/service.md.
 * Currency, prices and amounts of shares are decimal strings, a price is currency for one share, times are Unix
 * seconds. `z.input` is the wire, `z.output` our Micros. A value that a venue may leave out reads as null.
 */

import { z } from 'zod';
import {
  CLOSE_TYPES,
  CONVERSION_STATES,
  MARGIN_ACTIVITIES,
  MARKET_STATES,
  ORDER_STATUSES,
  ORDER_TYPES,
  REDEEM_STATES,
  REQUEST_STATES,
  SETTLEMENT_STATES,
  SIDES,
  TP_SL_STATES,
  TP_SL_TRIGGERS,
  TRADE_STATES,
} from './states.js';
import { absent, amount, decimalText, given, money, price, rate, unixSeconds } from './wire.js';

export const credential = z
  .object({
    api_key: z.string().min(1).describe('Names the key in every signed request.'),
    secret: z.string().min(1).describe('The key of the HMAC, as UTF-8 bytes. Shown once.'),
  })
  .describe('A new API key.');

export const authChallenge = z
  .object({
    nonce: z.string().describe('Works once, for the wallet that asked.'),
    message: z.string().describe('The text to sign, as UTF-8 bytes, unchanged.'),
    expires_in_seconds: z.number().int().describe('How long it can be answered, seconds.'),
  })
  .describe('A challenge that proves the ownership of a wallet.');

export const apiKeyRow = z
  .object({
    key_id: z.string().describe('The same text as its `api_key`.'),
    created: unixSeconds.describe('When it was made, Unix seconds.'),
    revoked_at: absent(unixSeconds).describe('When it was revoked, Unix seconds; null while it works.'),
  })
  .describe('An API key, without its secret.');

/** Answer of every create-draft call: the record's pubkey and the text to sign. */
export const draft = z
  .object({
    pubkey: z
      .string()
      .describe('Permanent id of the record: base58 of 32 bytes. For a cancel: the pubkey of its order.'),
    message: z.string().describe('The text or bytes that the wallet signs; see the part on drafts.'),
  })
  .describe('The first step of a change: something to sign.');

export const conversionRow = z
  .object({
    pubkey: z.string().describe('Permanent id of the record: base58 of 32 bytes.'),
    message: absent(z.string()).describe(
      'The text or bytes that the wallet signs; see the part on drafts. Kept after signing; null when the draft could not be made.',
    ),
    market_condition_id: z.string().describe('Condition id of the market.'),
    state: z.enum(CONVERSION_STATES).describe('Its state.'),
    amount: amount.describe('Complete sets of shares that are converted: as many YES, as many NO, as much currency.'),
    onchain_amount: absent(amount).describe('The settled amounts; null unless the state is `done`.'),
    created: unixSeconds.describe('When it was made, Unix seconds.'),
  })
  .describe('A merge of shares into currency, or a split of currency into shares.');

export const orderRow = z
  .object({
    pubkey: given(z.string()).describe('Permanent id of the record: base58 of 32 bytes.'),
    status: given(z.enum(ORDER_STATUSES)).describe('Its state.'),
    side: z.enum(SIDES).describe('Whether it buys or sells shares of its outcome.'),
    price: absent(price).describe(
      'Worst price of a limit order, in the space of its outcome; null for a market order.',
    ),
    amount: absent(amount).describe('Shares that were asked for; null for a market buy.'),
    remaining_amount: absent(amount).describe('Shares still to trade; null for a market order.'),
    filled_amount: absent(amount).describe('Shares traded; null for a market order.'),
    funds: absent(amount).describe('Currency that a market buy may spend, fees included; null for every other order.'),
    remaining_funds: absent(amount).describe('Currency of it that was not spent; null for every other order.'),
    filled_funds: absent(amount).describe(
      'Currency that a market order has moved: spent with fees by a buy, received after fees by a sell; null for a limit order.',
    ),
    market: z
      .object({
        condition_id: z.string().describe('Condition id of the market.'),
        title: given(z.string()).describe('Its title.'),
      })
      .describe('The market, by name.'),
    outcome: z
      .object({
        is_yes: z.boolean().describe('True for YES.'),
        text: given(z.string()).describe('The label of the outcome.'),
      })
      .describe('What is traded.'),
  })
  .describe('An order. A limit order counts in shares, a market order in currency.');

/** One of our own fills. The price is in the space of the own order's outcome. */
export const ownTradeRow = z
  .object({
    pubkey: z.string().describe('Permanent id of the record: base58 of 32 bytes.'),
    market_condition_id: given(z.string()).describe('Condition id of the market.'),
    amount: amount.describe('Shares.'),
    price: price.describe('Currency for a share, in the space of the own order’s outcome.'),
    timestamp: unixSeconds.describe('When it happened, Unix seconds.'),
    fee: given(amount).describe('Currency that the caller paid on top or that was taken from his proceeds.'),
    is_maker: given(z.boolean()).describe('Whether the own order was the resting one.'),
    state: z.enum(TRADE_STATES).describe('How far it has settled.'),
    order: orderRow.describe('The own order, as it is now.'),
  })
  .describe('One of the caller’s own fills.');

export const redeemRow = z
  .object({
    pubkey: z.string().describe('Permanent id of the record: base58 of 32 bytes.'),
    market_condition_id: z.string().describe('Condition id of the market.'),
    state: z.enum(REDEEM_STATES).describe('Its state; `completed` and `done` are both success.'),
    funds: given(amount).describe('Currency that the shares pay.'),
    onchain_funds: given(amount).describe('Currency that was paid; `0` before.'),
    yes_shares: given(amount).describe('YES shares that are given up.'),
    no_shares: given(amount).describe('NO shares that are given up.'),
    message: absent(z.string()).describe('The text or bytes that the wallet signs; see the part on drafts.'),
    created: unixSeconds.describe('When it was made, Unix seconds.'),
  })
  .describe('A pay-out for the shares of a settled market.');

export const assetRow = z
  .object({
    asset_kind: z.string().describe('Always `share`.'),
    amounts: z
      .object({
        total: money.describe('All of them.'),
        locked: money.describe('Held by open orders, merges and redeems.'),
        available: money.describe('Free: total less locked.'),
      })
      .describe('Shares.'),
    token: z
      .object({
        symbol: z.string().describe('Condition id of the market with `-LPT` for YES or `-SPT` for NO.'),
        address: given(z.string()).describe('Its mint; null where none is configured.'),
      })
      .describe('The token on the chain.'),
    value: z
      .object({
        usdt: absent(decimalText).describe('Currency; `0` while the market has no price.'),
        basis: given(z.string()).describe('How it is valued: `mark_to_market`.'),
      })
      .describe('Current value of the shares.'),
    position: z
      .object({
        market: z
          .object({
            condition_id: z.string().describe('Condition id of the market.'),
            title: given(z.string()).describe('Its title.'),
            state: given(z.enum(MARKET_STATES)).describe('Its state.'),
            margin_enabled: given(z.boolean()).describe('Whether it is a margin market.'),
          })
          .describe('The market, by name.'),
        is_yes: z.boolean().describe('True for YES.'),
        outcome_text: given(z.string()).describe('The label of the outcome.'),
        is_final: given(z.boolean()).describe('Whether the market is settled.'),
        avg_trade_price: given(decimalText).describe('Average currency paid for a share.'),
      })
      .describe('The market and outcome of the shares.'),
    created: absent(unixSeconds).describe(
      'When the outcome was first held, Unix seconds; null when that is not known.',
    ),
  })
  .describe('Shares of one outcome that the caller holds.');

/** A public trade. `is_yes` is the taker's outcome, `price` is in that outcome's space. */
export const publicTradeRow = z
  .object({
    market_condition_id: given(z.string()).describe('Condition id of the market.'),
    amount: amount.describe('Shares.'),
    price: price.describe('Currency for a share, in the space of the outcome that `is_yes` names.'),
    maker_fee: given(decimalText).describe('Currency that the resting order’s owner paid.'),
    taker_fee: given(decimalText).describe('Currency that the incoming order’s owner paid.'),
    timestamp: unixSeconds.describe('When it happened, Unix seconds.'),
    state: z.enum(TRADE_STATES).describe('How far it has settled.'),
    is_yes: z.boolean().describe('The outcome of the incoming order.'),
  })
  .describe('A public trade.');

export const bookLevel = z
  .object({
    price: price.describe('Currency for a share.'),
    total_amount: amount.describe('Shares of all orders at this price.'),
  })
  .describe('Everything that rests at one price.');

export const orderbook = z
  .object({
    market: z.string().describe('Condition id of the market.'),
    is_yes: z.boolean().describe('Whose book it is.'),
    bid: z.array(bookLevel).describe('Who buys: the highest price first.'),
    ask: z.array(bookLevel).describe('Who sells: the lowest price first.'),
  })
  .describe('The order book of one outcome.');

export const marketStats = z
  .object({
    total_volume: decimalText.describe('Currency traded since it opened.'),
    total_volume_24h: decimalText.describe('Currency traded in the last 24 hours.'),
    market_cap: decimalText.describe('Currency that backs the shares that are out.'),
    trade_count: z.number().int().describe('Number of trades.'),
  })
  .describe('Figures of a market.');

export const marketPrice = z
  .object({
    condition_id: z.string().describe('Condition id of the market.'),
    price: absent(decimalText).describe('Currency for a share; null while it is unknown.'),
    price_kind: z.string().describe('How it is found: `mid`.'),
    is_yes: z.boolean().describe('Whose price it is.'),
  })
  .describe('The price of one outcome.');

/** The event of a margin record's market. */
const eventReference = z.object({ title: z.string(), condition_id: z.string(), logo: absent(z.string()) });

export const marketSummary = z
  .object({
    title: z.string().describe('The question.'),
    description: absent(z.string()).describe('More about it.'),
    condition_id: z.string().describe('Names the market everywhere.'),
    logo: absent(z.string()).describe('Address of a picture.'),
    last_trade_price: given(decimalText).describe('Price of the last trade, in YES space; `0` before the first.'),
    state: z.enum(MARKET_STATES).describe('State of the market; it trades while it is `open`.'),
    category: given(z.string()).describe('Its category.'),
    created: given(unixSeconds).describe('When it was made, Unix seconds.'),
    creator: given(
      z.object({
        username: absent(z.string()).describe('Shown to others.'),
        image: absent(z.string()).describe('Address of a picture.'),
        twitter_username: absent(z.string()).describe('Null when none is linked.'),
      }),
    ).describe('Who made it.'),
    event: given(
      z.object({
        title: z.string().describe('Its title.'),
        condition_id: z.string().describe('Names the event everywhere.'),
        logo: absent(z.string()).describe('Address of a picture.'),
      }),
    ).describe('The event that it belongs to, by name.'),
    margin_enabled: given(z.boolean()).describe(
      'True: traded with leverage, without an order book. False: with an order book.',
    ),
  })
  .describe('A market, in short.');

export const outcome = z
  .object({ is_yes: z.boolean().describe('True for YES.'), text: z.string().describe('Its label.') })
  .describe('An outcome of a market.');

export const marketListRow = marketSummary
  .extend({ outcomes: given(z.array(outcome)).describe('Its two outcomes with their labels.') })
  .describe('A market in the list of markets.');

const precision = z.number().int().min(0).max(6);

export const orderbookConfig = z
  .object({
    kind: z.literal('orderbook').describe('Always `orderbook`.'),
    min_price: price.describe('Lowest price of an order.'),
    max_price: price.describe('Highest price of an order.'),
    min_amount: money.describe('Fewest shares of an order.'),
    max_amount: money.describe('Most shares of an order.'),
    min_funds: money.describe('Least currency of a market buy.'),
    max_funds: money.describe('Most currency of a market buy.'),
    price_precision: precision.describe('Decimals of a price: the tick is 10 to the power of minus this.'),
    amount_precision: precision.describe('Decimals of an amount: the lot is 10 to the power of minus this.'),
    funds_precision: precision.describe('Decimals of the funds of a market buy.'),
    maker_fee_rate: rate.describe('Part of its notional that a resting order pays, 0.01 for one percent.'),
    taker_fee_rate: rate.describe('Part of its notional that an incoming order pays.'),
    default_slippage_rate: given(decimalText).describe(
      'Suggestion of a user interface for market orders; without an effect.',
    ),
  })
  .describe('The rules of a market with an order book.');

const marginConfigFields = {
  max_leverage_yes: decimalText.describe('Greatest leverage on YES.'),
  max_leverage_no: decimalText.describe('Greatest leverage on NO.'),
  opening_fee: decimalText.describe('Part of the own currency that opening a position costs.'),
  closing_fee: decimalText.describe('Part of the proceeds that a position costs which wins or is liquidated.'),
  annual_fee_rate: decimalText.describe('Part of the borrowed liquidity that a year costs.'),
};

export const marketConfig = z
  .discriminatedUnion('kind', [
    orderbookConfig,
    z.object({
      kind: z.literal('polymarket').describe('Backend of the market: an order book, or one of two margin backends.'),
      ...marginConfigFields,
      order_min_size: absent(decimalText).describe('Fewest shares of a position; may be absent.'),
      price_decimals: z.number().int().describe('Decimals of a price.'),
      shares_decimals: z.number().int().describe('Decimals of an amount of shares.'),
    }),
    z.object({
      kind: z.literal('hyperliquid').describe('Backend of the market: an order book, or one of two margin backends.'),
      ...marginConfigFields,
    }),
  ])
  .describe('The rules of a market; `kind` says which. The fees and leverages are those of the two margin kinds.');

export const marketDetail = marketListRow
  .extend({
    yes_outcome_label: given(z.string()).describe('Label of YES.'),
    no_outcome_label: given(z.string()).describe('Label of NO.'),
    rules: given(z.array(z.string())).describe('By which it is resolved, a text each.'),
    resolution_date: absent(unixSeconds).describe('When it should be resolved, Unix seconds; null when that is open.'),
    maker_fee: absent(decimalText).describe('Fee rate of a resting order; null on a margin market.'),
    taker_fee: absent(decimalText).describe('Fee rate of an incoming order; null on a margin market.'),
    config: marketConfig.describe('Grid, limits and fees.'),
  })
  .describe('A market with its rules.');

export const eventRow = z
  .object({
    condition_id: z.string().describe('Names the event everywhere.'),
    title: z.string().describe('What it is about.'),
    description: given(z.string()).describe('More about it.'),
    logo: absent(z.string()).describe('Address of a picture.'),
    video_url: absent(z.string()).describe('Address of a video; in the detail only.'),
    category: given(z.string()).describe('Its category.'),
    created: given(unixSeconds).describe('When it was made, Unix seconds.'),
    markets: z
      .array(marketSummary)
      .describe('Its markets in short: all of them in the detail, at most two in the list.'),
  })
  .describe('A group of markets.');

export const accountSummary = z
  .object({
    username: given(z.string()).describe('Shown to others.'),
    twitter_username: absent(z.string()).describe('Null when none is linked.'),
    joined_at: given(unixSeconds).describe('When the account was opened, Unix seconds.'),
  })
  .describe('Who the caller is.');

/** One bar of a price chart, in the space of the outcome that was asked for. */
export const candle = z
  .object({
    timestamp: unixSeconds.describe('Start of the bar, Unix seconds.'),
    open: decimalText.describe('First price.'),
    high: decimalText.describe('Highest price.'),
    low: decimalText.describe('Lowest price.'),
    close: decimalText.describe('Last price.'),
    volume: decimalText.describe('Currency traded.'),
    is_yes: z.boolean().describe('Whose prices these are.'),
  })
  .describe('One bar of a price chart, in the space of the outcome that was asked for.');

const person = z.object({
  username: absent(z.string()),
  profile_image: absent(z.string()).describe('Address of a picture.'),
  twitter_username: absent(z.string()),
});
const marketReference = z.object({
  condition_id: z.string().describe('Condition id of the market.'),
  title: given(z.string()).describe('Its title.'),
});
/** The market of a margin record, with the fields of a list. */
const marginMarket = z.object({
  title: given(z.string()).describe('Its title.'),
  condition_id: z.string().describe('Names the market everywhere.'),
  logo: absent(z.string()).describe('Address of a picture.'),
  last_trade_price: given(decimalText).describe('Price of the last trade, in YES space.'),
  event: given(eventReference).describe('The event of the market, by name.'),
});

export const marginActivityRow = z
  .object({
    activity_type: z.enum(MARGIN_ACTIVITIES).describe('What happened.'),
    user: given(person).describe('Whose position it is.'),
    market: marginMarket.describe('The market, in short.'),
    shares: given(decimalText).describe('Shares that were opened, added or closed.'),
    price: given(decimalText).describe('At which it happened, in the space of the position’s outcome.'),
    realized_pnl: absent(decimalText).describe('Currency won or lost by it; null while nothing is realized.'),
    leverage: given(decimalText).describe('Of the position.'),
    is_yes: z.boolean().describe('The side of the position.'),
    created: given(unixSeconds).describe('When it happened, Unix seconds.'),
  })
  .describe('An event of a margin position of any account.');

const named = z.object({ name: z.string(), slug: z.string() });
export const sportRow = z
  .object({
    name: named.shape.name.describe('Shown to readers.'),
    slug: named.shape.slug.describe('For the filter `sport`.'),
    leagues: z.array(named).describe('Each with the slug for the filter `league`.'),
  })
  .describe('A sport with its leagues.');

/** A search result: the market's whole detail. */
export const searchResult = z
  .discriminatedUnion('result_type', [
    z.object({
      result_type: z.literal('market').describe('What `summary` is.'),
      summary: marketDetail.describe('The whole detail of the market or event.'),
    }),
    z.object({
      result_type: z.literal('event').describe('What `summary` is.'),
      summary: eventRow.describe('The whole detail of the market or event.'),
    }),
  ])
  .describe('Something that a search has found.');

export const accountPnl = z
  .object({
    margin_position_settlements_pnl: decimalText.describe('Realized by margin positions.'),
    margin_positions_unrealized_pnl: decimalText.describe('Of open margin positions at present prices.'),
    redeems_funds: decimalText.describe('Paid out by redeems.'),
    active_assets_value: decimalText.describe(
      'Present value of the shares that are held; complete sets are worth 1 also while there is no price.',
    ),
    creator_fees: decimalText.describe('Earned with markets of one’s own.'),
    total_pnl: decimalText.describe('Everything that is there now and was received, less everything that was paid.'),
  })
  .describe('Profit and loss in currency, of the account or of the market or event that was asked for.');

export const tpSlRow = z
  .object({
    take_profit_price: absent(decimalText).describe('Closes when the outcome rises to it; null when not set.'),
    stop_loss_price: absent(decimalText).describe('Closes when the outcome falls to it; null when not set.'),
    state: z.enum(TP_SL_STATES).describe('Whether it waits, has closed the position, or was removed.'),
    trigger_type: absent(z.enum(TP_SL_TRIGGERS)).describe('Which of the two it was; null before.'),
    triggered_price: absent(decimalText).describe('The price that set it off; null before.'),
    triggered_at: absent(unixSeconds).describe('When, Unix seconds; null before.'),
  })
  .describe('The prices at which a position closes automatically.');

/** Prices are in the space of the position's own outcome. */
export const positionRow = z
  .object({
    pubkey: z.string().describe('Permanent id of the record: base58 of 32 bytes.'),
    position_request_pubkey: given(z.string()).describe('The request that it came from.'),
    market: marginMarket.describe('The market, in short.'),
    is_yes: z.boolean().describe('The side of the position.'),
    leverage: decimalText.describe('Total liquidity over own liquidity.'),
    total_shares: decimalText.describe('Shares that it holds.'),
    avg_entry_price: given(decimalText).describe('Average currency paid for a share.'),
    closing_price: absent(decimalText).describe('Average price at which it was closed; null while it is open.'),
    unrealized_pnl: absent(decimalText).describe(
      'Currency that closing now would win or lose, fees aside; null when closed.',
    ),
    realized_pnl: given(decimalText).describe('Currency won or lost until now.'),
    user_liquidity: decimalText.describe('Own currency in it.'),
    total_liquidity: decimalText.describe('Own and borrowed currency.'),
    liquidation_price: given(decimalText).describe('At which it is liquidated; `0` at leverage 1, where it never is.'),
    is_closed: z.boolean().describe('Whether nothing of it is left.'),
    is_liquidated: z.boolean().describe('Whether it ended because its loss was too large.'),
    is_claimed: z.boolean().describe('Whether its settlement has been paid.'),
    tp_sl: absent(tpSlRow).describe('Take profit and stop loss; null when never set.'),
    created: given(unixSeconds).describe('When it was opened, Unix seconds.'),
  })
  .describe('A leveraged position.');

export const settlementRow = z
  .object({
    position_pubkey: z.string().describe('The position.'),
    position: positionRow.describe('The position itself, as it is now.'),
    total_pnl: given(decimalText).describe('Currency won or lost by it, fees included.'),
    user_liquidity: decimalText.describe('Own currency that was in it.'),
    state: z.enum(SETTLEMENT_STATES).describe('Its state; it is claimed while `claimable`.'),
    created: given(unixSeconds).describe('When it was made, Unix seconds.'),
  })
  .describe('The payout of a closed position.');

export const closeResult = z
  .object({
    close_type: z.enum(CLOSE_TYPES).describe('`order`: its shares are being sold. `zero`: nothing was left to sell.'),
    position_pubkey: z.string().describe('The position.'),
    is_closed: z.boolean().describe('Whether it is closed already.'),
  })
  .describe('What became of the wish to close a position.');

export const claimResult = z
  .object({
    position_pubkey: z.string().describe('The position.'),
    state: z.enum(SETTLEMENT_STATES).describe('The state of its settlement now.'),
  })
  .describe('What became of a claim.');

export const requestRow = z
  .object({
    pubkey: z.string().describe('Permanent id of the record: base58 of 32 bytes.'),
    type: z.enum(ORDER_TYPES).describe('Opened now, or when the market reaches `price`.'),
    state: z.enum(REQUEST_STATES).describe('Its state.'),
    message: given(z.string()).describe('The text or bytes that the wallet signs; see the part on drafts.'),
    market: marginMarket.describe('The market, in short.'),
    is_yes: z.boolean().describe('The side of the position.'),
    leverage: decimalText.describe('Total liquidity over own liquidity.'),
    funds: given(decimalText).describe(
      'Own currency of the position: the amount spent by a market request, or needed for the price and shares of a limit request.',
    ),
    price: absent(decimalText).describe('Price of a limit request; null for a market request.'),
    shares: absent(decimalText).describe('Shares of a limit request; null for a market request.'),
    funding_txid: absent(z.string()).describe('The transaction that brought the currency in; null before.'),
    refund_txid: absent(z.string()).describe('The transaction that paid it back; null unless it was.'),
    take_profit_price: absent(decimalText).describe('For the position that comes of it; null when not set.'),
    stop_loss_price: absent(decimalText).describe('For the position that comes of it; null when not set.'),
    created: given(unixSeconds).describe('When it was made, Unix seconds.'),
    order_state: absent(z.string()).describe('State of the order behind it; null while there is none.'),
  })
  .describe('A request for a margin position, on its way from a draft to a position.');

/** The row after a cancel, which names its market only. */
export const cancelledRequestRow = requestRow
  .extend({ market: marketReference.describe('The market, by name.') })
  .describe('A request for a margin position that was canceled.');

/** Effect of opening a margin position now. `liquidation_price` is null at leverage 1. */
export const marginEstimate = z
  .object({
    average_price: given(decimalText).describe('Average currency for a share.'),
    total_shares: decimalText.describe('Shares of the position.'),
    total_cost: decimalText.describe('Currency for them, own and borrowed.'),
    best_ask: given(decimalText).describe('The first price that would be paid.'),
    worst_fill_price: given(decimalText).describe('The last price that would be paid.'),
    is_fully_filled: z.boolean().describe('Whether there is enough to buy.'),
    fee_amount: decimalText.describe('Currency that opening costs.'),
    user_funds_needed: decimalText.describe('Own currency that is needed, fee included.'),
    liquidation_price: absent(decimalText).describe('At which it would be liquidated; null at leverage 1.'),
  })
  .describe('What opening a margin position now would do.');

/** A merge or a split as read; amounts are Micros of complete sets. */
export type ConversionRow = z.output<typeof conversionRow>;
/** An order as read; amounts and funds are Micros, the price is in the space of the order's outcome. */
export type OrderRow = z.output<typeof orderRow>;
/** One of our own fills as read; amount and fee are Micros, the price is in the space of the order's outcome. */
export type OwnTradeRow = z.output<typeof ownTradeRow>;
/** A redeem as read; funds and shares are Micros. */
export type RedeemRow = z.output<typeof redeemRow>;
/** The shares that the caller holds of one market, as read. */
export type AssetRow = z.output<typeof assetRow>;
/** A public trade as read; the price is in the space of the taker's outcome. */
export type PublicTradeRow = z.output<typeof publicTradeRow>;
/** A bar of a price chart as read; prices are Micros in the space of the outcome that was asked for. */
export type Candle = z.output<typeof candle>;
/** The book of one outcome as read: price levels of bids and asks in Micros, own orders included. */
export type Orderbook = z.output<typeof orderbook>;
/** A market as read inside another record. */
export type MarketSummary = z.output<typeof marketSummary>;
/** All that the service says of one market, as read, its configuration included. */
export type MarketDetail = z.output<typeof marketDetail>;
/** The limits, grid and fee rates of a market with an order book, as read; rates are Micros of 1. */
export type OrderbookConfig = z.output<typeof orderbookConfig>;
/** A leveraged position as read; money and prices stay decimal text. */
export type PositionRow = z.output<typeof positionRow>;
/** Payment owed for an ended position, as read; money stays decimal text. */
export type SettlementRow = z.output<typeof settlementRow>;
/** A request to open a position as read; money and prices stay decimal text. */
export type RequestRow = z.output<typeof requestRow>;
