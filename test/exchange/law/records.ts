/**
 * The records of the service, transcribed only from the interface document and from the decisions that complete it, not
 * from the code. Where a document gives a type without "or null", null is wrong.
 */

import { z } from 'zod';
import {
  byField,
  decimal,
  decimals,
  flag,
  integer,
  listOf,
  nullOr,
  oneOf,
  pubkey,
  record,
  seconds,
  text,
} from './shapes.js';

export const category = oneOf('politics', 'sports', 'crypto', 'wtf', 'tech', 'finance');
export const nothingMore = record({});

export const errorObject = record({
  code: integer,
  slug: text,
  message: text,
  details: listOf(
    z
      .record(z.string(), z.string().min(1))
      .refine((detail) => Object.keys(detail).length === 1, 'a detail has one field and a text'),
  ),
});

// Credentials.
export const challenge = record({ nonce: text, message: text, expires_in_seconds: integer });
export const credential = record({ api_key: text, secret: text });
export const keyRow = record({ key_id: text, created: seconds, revoked_at: nullOr(seconds) });

// Drafts.
export const draft = record({ pubkey, message: text });

// Conversions.
export const conversionStates = ['waiting_to_sign', 'in_process', 'done', 'failed', 'expired'];
export const conversion = record({
  pubkey,
  message: nullOr(text),
  market_condition_id: pubkey,
  state: oneOf(...conversionStates),
  amount: decimal,
  onchain_amount: nullOr(decimal),
  created: seconds,
})
  .refine((row) => row['message'] !== null || row['state'] === 'failed', 'the message is null only when failed')
  .refine(
    (row) => (row['onchain_amount'] !== null) === (row['state'] === 'done'),
    'onchain_amount is null unless done',
  );

// Orders.
export const orderStatuses = [
  ...['open', 'partially_filled', 'filled', 'canceled', 'partially_filled_canceled'],
  ...['waiting_to_sign', 'expired', 'failed'],
];
export const order = record({
  pubkey: nullOr(pubkey),
  status: nullOr(oneOf(...orderStatuses)),
  side: oneOf('buy', 'sell'),
  price: nullOr(decimal),
  amount: nullOr(decimal),
  remaining_amount: nullOr(decimal),
  filled_amount: nullOr(decimal),
  funds: nullOr(decimal),
  remaining_funds: nullOr(decimal),
  filled_funds: nullOr(decimal),
  market: record({ condition_id: pubkey, title: text }),
  outcome: record({ is_yes: flag, text }),
});

const tradeState = oneOf('created', 'in_process', 'done', 'failed');
export const fill = record({
  pubkey,
  market_condition_id: pubkey,
  amount: decimal,
  price: decimal,
  timestamp: seconds,
  fee: nullOr(decimal),
  is_maker: flag,
  state: tradeState,
  order,
});

// Redeems.
export const redeemStates = ['created', 'waiting_to_sign', 'in_process', 'done', 'completed', 'failed', 'expired'];
const redeemFields = {
  pubkey,
  market_condition_id: pubkey,
  state: oneOf(...redeemStates),
  ...decimals('funds', 'yes_shares', 'no_shares'),
  message: text,
  created: seconds,
};
export const redeemed = record({ ...redeemFields, onchain_funds: decimal });
/** Decisions: a string, `"0"` before it is paid. */
export const redeem = redeemed.refine(
  (row) => row['onchain_funds'] === (row['state'] === 'completed' ? row['funds'] : '0'),
  'nothing is on chain before it is paid',
);

// Margin.
export const tpSl = record({
  take_profit_price: nullOr(decimal),
  stop_loss_price: nullOr(decimal),
  state: oneOf('active', 'triggered', 'cancelled'),
  trigger_type: nullOr(oneOf('take_profit', 'stop_loss')),
  triggered_price: nullOr(decimal),
  triggered_at: nullOr(seconds),
});
const eventName = record({ title: text, condition_id: pubkey, logo: nullOr(text) });
const marginMarket = record({
  title: text,
  condition_id: pubkey,
  logo: nullOr(text),
  last_trade_price: decimal,
  event: nullOr(eventName),
});
export const position = record({
  pubkey,
  position_request_pubkey: nullOr(pubkey),
  market: marginMarket,
  is_yes: flag,
  ...decimals('leverage', 'total_shares', 'avg_entry_price', 'realized_pnl'),
  ...decimals('user_liquidity', 'total_liquidity', 'liquidation_price'),
  closing_price: nullOr(decimal),
  unrealized_pnl: nullOr(decimal),
  is_closed: flag,
  is_liquidated: flag,
  is_claimed: flag,
  tp_sl: nullOr(tpSl),
  created: nullOr(seconds),
});
export const settlementStates = ['created', 'settlement_pending', 'claimable', 'claim_pending', 'done'];
export const settlement = record({
  position_pubkey: pubkey,
  position,
  total_pnl: decimal,
  user_liquidity: decimal,
  state: oneOf(...settlementStates),
  created: seconds,
});
export const closed = record({ close_type: oneOf('zero', 'order'), position_pubkey: pubkey, is_closed: flag });
export const claimed = record({ position_pubkey: pubkey, state: oneOf(...settlementStates) });

export const requestStates = [
  ...['created', 'funding_processing', 'processing', 'order_placed', 'completed'],
  ...['refund_processing', 'failed', 'cancelled'],
];
const requestFields = {
  pubkey,
  type: oneOf('market', 'limit'),
  state: oneOf(...requestStates),
  message: nullOr(text),
  is_yes: flag,
  leverage: decimal,
  funds: decimal,
  price: nullOr(decimal),
  shares: nullOr(decimal),
  funding_txid: nullOr(text),
  refund_txid: nullOr(text),
  take_profit_price: nullOr(decimal),
  stop_loss_price: nullOr(decimal),
  created: nullOr(seconds),
  order_state: nullOr(text),
};
export const positionRequest = record({ ...requestFields, market: marginMarket });
/** The interface: "Margin position request row (after cancel)". */
export const cancelledRequest = record({ ...requestFields, market: record({ condition_id: pubkey, title: text }) });
export const estimate = record({
  ...decimals('average_price', 'total_shares', 'total_cost', 'best_ask', 'worst_fill_price'),
  ...decimals('fee_amount', 'user_funds_needed'),
  is_fully_filled: flag,
  liquidation_price: nullOr(decimal),
});

// Account.
const marketStates = [
  ...['draft', 'waiting_to_open', 'open', 'answer_proposed', 'waiting_to_resolve', 'resolved', 'canceled'],
  'interrupted',
];
export const asset = record({
  asset_kind: oneOf('share'),
  amounts: record({ total: decimal, locked: decimal, available: decimal }),
  token: record({ symbol: text, address: nullOr(pubkey) }),
  value: record({ usdt: decimal, basis: oneOf('mark_to_market') }),
  position: record({
    market: record({ condition_id: pubkey, title: text, state: oneOf(...marketStates), margin_enabled: flag }),
    is_yes: flag,
    outcome_text: text,
    is_final: flag,
    avg_trade_price: decimal,
  }),
  created: nullOr(seconds),
});
export const account = record({ username: text, twitter_username: nullOr(text), joined_at: seconds });
export const pnl = record({
  ...decimals('margin_position_settlements_pnl', 'margin_positions_unrealized_pnl', 'redeems_funds'),
  ...decimals('active_assets_value', 'creator_fees', 'total_pnl'),
});

// Markets.
export const publicTrade = record({
  market_condition_id: nullOr(pubkey),
  ...decimals('amount', 'price', 'maker_fee', 'taker_fee'),
  timestamp: seconds,
  state: tradeState,
  is_yes: flag,
});
const levels = listOf(record({ price: decimal, total_amount: decimal }));
export const book = record({ market: pubkey, is_yes: flag, bid: levels, ask: levels });
export const stats = record({ ...decimals('total_volume', 'total_volume_24h', 'market_cap'), trade_count: integer });
export const price = record({ condition_id: pubkey, price: nullOr(decimal), price_kind: oneOf('mid'), is_yes: flag });
export const candle = record({
  timestamp: seconds,
  ...decimals('open', 'high', 'low', 'close', 'volume'),
  is_yes: flag,
});
export const activity = record({
  activity_type: oneOf('opened', 'increased', 'decreased', 'closed', 'liquidated'),
  user: record({ username: text, profile_image: nullOr(text), twitter_username: nullOr(text) }),
  market: marginMarket,
  shares: decimal,
  price: decimal,
  realized_pnl: nullOr(decimal),
  leverage: decimal,
  is_yes: flag,
  created: seconds,
});

const summaryFields = {
  title: text,
  description: nullOr(text),
  condition_id: pubkey,
  logo: nullOr(text),
  last_trade_price: decimal,
  state: oneOf(...marketStates),
  category,
  created: seconds,
  creator: record({ username: text, image: nullOr(text), twitter_username: nullOr(text) }),
  event: eventName,
  margin_enabled: flag,
};
const outcomes = listOf(record({ is_yes: flag, text }));
export const marketRow = record({ ...summaryFields, outcomes });

const marginConfig = {
  kind: text,
  ...decimals('max_leverage_yes', 'max_leverage_no', 'opening_fee', 'closing_fee', 'annual_fee_rate'),
};
const pairs = { price_decimals: integer, shares_decimals: integer };
const config = byField('kind', {
  orderbook: record({
    kind: text,
    ...decimals('min_price', 'max_price', 'min_amount', 'max_amount', 'min_funds', 'max_funds'),
    ...decimals('maker_fee_rate', 'taker_fee_rate', 'default_slippage_rate'),
    price_precision: integer,
    amount_precision: integer,
    funds_precision: integer,
  }),
  polymarket: record({ ...marginConfig, ...pairs }, decimals('order_min_size')),
  hyperliquid: record(marginConfig),
});
export const marketDetail = record({
  ...summaryFields,
  yes_outcome_label: text,
  no_outcome_label: text,
  outcomes,
  rules: listOf(text),
  resolution_date: nullOr(seconds),
  maker_fee: nullOr(decimal),
  taker_fee: nullOr(decimal),
  config,
});

// Events.
const eventFields = {
  condition_id: pubkey,
  title: text,
  description: text,
  logo: nullOr(text),
  category,
  created: nullOr(seconds),
  markets: listOf(record(summaryFields)),
};
/** The list includes at most two of an event's markets. */
export const eventRow = record(eventFields, { video_url: nullOr(text) }).refine(
  (row) => Array.isArray(row['markets']) && row['markets'].length <= 2,
  'a list shows at most two markets',
);
export const eventDetail = record({ ...eventFields, video_url: nullOr(text) });
export const found = byField('result_type', {
  market: record({ result_type: text, summary: marketDetail }),
  event: record({ result_type: text, summary: eventDetail }),
});
export const sport = record({ name: text, slug: text, leagues: listOf(record({ name: text, slug: text })) });
