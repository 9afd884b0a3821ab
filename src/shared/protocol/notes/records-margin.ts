/** Meaning of the fields of margin records; see records.ts. Prices are in the space of the position's own outcome. */

import type { RecordNotes } from './record-note.js';

const PUBKEY = 'Names the record for good: base58 of 32 bytes.';

/** The market of a margin record. */
export const marginMarketNotes = {
  market: 'The market, in short.',
  'market.title': 'Its title.',
  'market.condition_id': 'Names the market everywhere.',
  'market.logo': 'Address of a picture.',
  'market.last_trade_price': 'Price of the last trade, in YES space.',
  'market.event': 'The event of the market, by name.',
} as const;

/** For any state of a request. */
const requestNotes = {
  pubkey: PUBKEY,
  type: 'Opened now, or when the market reaches `price`.',
  state: 'Where it stands.',
  message: 'What the wallet signs; see the part on drafts.',
  is_yes: 'The side of the position.',
  leverage: 'Total liquidity over own liquidity.',
  funds:
    'Own currency of the position: what a market request spends, what the price and shares of a limit request take.',
  price: 'Price of a limit request; null for a market request.',
  shares: 'Shares of a limit request; null for a market request.',
  funding_txid: 'The transaction that brought the currency in; null before.',
  refund_txid: 'The transaction that paid it back; null unless it was.',
  take_profit_price: 'For the position that comes of it; null when not set.',
  stop_loss_price: 'For the position that comes of it; null when not set.',
  created: 'When it was made, Unix seconds.',
  order_state: 'State of the order behind it; null while there is none.',
} as const;

export const marginNotes: Pick<
  RecordNotes,
  | 'tpSlRow'
  | 'positionRow'
  | 'settlementRow'
  | 'closeResult'
  | 'claimResult'
  | 'requestRow'
  | 'cancelledRequestRow'
  | 'marginEstimate'
> = {
  tpSlRow: {
    about: 'The prices at which a position closes by itself.',
    fields: {
      take_profit_price: 'Closes when the outcome rises to it; null when not set.',
      stop_loss_price: 'Closes when the outcome falls to it; null when not set.',
      state: 'Whether it waits, has closed the position, or was removed.',
      trigger_type: 'Which of the two it was; null before.',
      triggered_price: 'The price that set it off; null before.',
      triggered_at: 'When, Unix seconds; null before.',
    },
  },
  positionRow: {
    about: 'A leveraged position.',
    fields: {
      pubkey: PUBKEY,
      position_request_pubkey: 'The request that it came from.',
      ...marginMarketNotes,
      is_yes: 'The side of the position.',
      leverage: 'Total liquidity over own liquidity.',
      total_shares: 'Shares that it holds.',
      avg_entry_price: 'Average currency paid for a share.',
      closing_price: 'Average price at which it was closed; null while it is open.',
      unrealized_pnl: 'Currency that closing now would win or lose, fees aside; null when closed.',
      realized_pnl: 'Currency won or lost so far.',
      user_liquidity: 'Own currency in it.',
      total_liquidity: 'Own and borrowed currency.',
      liquidation_price: 'At which it is liquidated; `0` at leverage 1, where it never is.',
      is_closed: 'Whether nothing of it is left.',
      is_liquidated: 'Whether it ended because its loss was too large.',
      is_claimed: 'Whether its settlement has been paid.',
      tp_sl: 'Take profit and stop loss; null when never set.',
      created: 'When it was opened, Unix seconds.',
    },
  },
  settlementRow: {
    about: 'What a closed position pays.',
    fields: {
      position_pubkey: 'The position.',
      position: 'The position itself, as it is now.',
      total_pnl: 'Currency won or lost by it, fees included.',
      user_liquidity: 'Own currency that was in it.',
      state: 'Where it stands; it is claimed while `claimable`.',
      created: 'When it was made, Unix seconds.',
    },
  },
  closeResult: {
    about: 'What became of the wish to close a position.',
    fields: {
      close_type: '`order`: its shares are being sold. `zero`: nothing was left to sell.',
      position_pubkey: 'The position.',
      is_closed: 'Whether it is closed already.',
    },
  },
  claimResult: {
    about: 'What became of a claim.',
    fields: { position_pubkey: 'The position.', state: 'The state of its settlement now.' },
  },
  requestRow: {
    about: 'A request for a margin position, on its way from a draft to a position.',
    fields: { ...marginMarketNotes, ...requestNotes },
  },
  cancelledRequestRow: {
    about: 'A request for a margin position that was canceled.',
    fields: {
      ...requestNotes,
      market: 'The market, by name.',
      'market.condition_id': 'Condition id of the market.',
      'market.title': 'Its title.',
    },
  },
  marginEstimate: {
    about: 'What opening a margin position now would do.',
    fields: {
      average_price: 'Average currency for a share.',
      total_shares: 'Shares of the position.',
      total_cost: 'Currency for them, own and borrowed.',
      best_ask: 'The first price that would be paid.',
      worst_fill_price: 'The last price that would be paid.',
      is_fully_filled: 'Whether there is enough to buy.',
      fee_amount: 'Currency that opening costs.',
      user_funds_needed: 'Own currency that is needed, fee included.',
      liquidation_price: 'At which it would be liquidated; null at leverage 1.',
    },
  },
};
