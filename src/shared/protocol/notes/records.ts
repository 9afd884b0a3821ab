/**
 * Meaning and unit of every field of every record: the source of the descriptions in the OpenAPI document and of the
 * field tables in docs/service.md. A field without a note does not compile.
 */

import type { RecordNotes } from './record-note.js';
import { marginNotes } from './records-margin.js';
import { marketNotes } from './records-markets.js';

const PUBKEY = 'Names the record for good: base58 of 32 bytes.';
const MESSAGE = 'What the wallet signs; see the part on drafts.';
const CREATED = 'When it was made, Unix seconds.';
const MARKET = 'Condition id of the market.';

const marketNameNotes = {
  market: 'The market, by name.',
  'market.condition_id': MARKET,
  'market.title': 'Its title.',
} as const;

export const RECORD_NOTES: RecordNotes = {
  ...marketNotes,
  ...marginNotes,

  authChallenge: {
    about: 'A challenge that proves the ownership of a wallet.',
    fields: {
      nonce: 'Works once, for the wallet that asked.',
      message: 'The text to sign, as UTF-8 bytes, unchanged.',
      expires_in_seconds: 'How long it can be answered, seconds.',
    },
  },
  credential: {
    about: 'A new API key.',
    fields: {
      api_key: 'Names the key in every signed request.',
      secret: 'The key of the HMAC, as UTF-8 bytes. Shown once.',
    },
  },
  apiKeyRow: {
    about: 'An API key, without its secret.',
    fields: {
      key_id: 'The same text as its `api_key`.',
      created: CREATED,
      revoked_at: 'When it was revoked, Unix seconds; null while it works.',
    },
  },
  draft: {
    about: 'The first step of a change: something to sign.',
    fields: {
      pubkey: `${PUBKEY} Of a cancel: the pubkey of its order.`,
      message: MESSAGE,
    },
  },
  conversionRow: {
    about: 'A merge of shares into currency, or a split of currency into shares.',
    fields: {
      pubkey: PUBKEY,
      message: `${MESSAGE} Kept after signing; null when the draft could not be made.`,
      market_condition_id: MARKET,
      state: 'Where it stands.',
      amount: 'Complete sets of shares that are converted: as many YES, as many NO, as much currency.',
      onchain_amount: 'What was settled; null unless the state is `done`.',
      created: CREATED,
    },
  },
  orderRow: {
    about: 'An order. A limit order counts in shares, a market order in currency.',
    fields: {
      pubkey: PUBKEY,
      status: 'Where it stands.',
      side: 'Whether it buys or sells shares of its outcome.',
      price: 'Worst price of a limit order, in the space of its outcome; null for a market order.',
      amount: 'Shares that were asked for; null for a market buy.',
      remaining_amount: 'Shares still to trade; null for a market order.',
      filled_amount: 'Shares traded; null for a market order.',
      funds: 'Currency that a market buy may spend, fees included; null for every other order.',
      remaining_funds: 'Currency of it that was not spent; null for every other order.',
      filled_funds:
        'Currency that a market order has moved: spent with fees by a buy, received after fees by a sell; null for a limit order.',
      ...marketNameNotes,
      outcome: 'What is traded.',
      'outcome.is_yes': 'True for YES.',
      'outcome.text': 'The label of the outcome.',
    },
  },
  ownTradeRow: {
    about: 'One of the caller’s own fills.',
    fields: {
      pubkey: PUBKEY,
      market_condition_id: MARKET,
      amount: 'Shares.',
      price: 'Currency for a share, in the space of the own order’s outcome.',
      timestamp: 'When it happened, Unix seconds.',
      fee: 'Currency that the caller paid on top or that was taken from his proceeds.',
      is_maker: 'Whether the own order was the resting one.',
      state: 'How far it has settled.',
      order: 'The own order, as it is now.',
    },
  },
  redeemRow: {
    about: 'A pay-out for the shares of a settled market.',
    fields: {
      pubkey: PUBKEY,
      market_condition_id: MARKET,
      state: 'Where it stands; `completed` and `done` are both success.',
      funds: 'Currency that the shares pay.',
      onchain_funds: 'Currency that was paid; `0` before.',
      yes_shares: 'YES shares that are given up.',
      no_shares: 'NO shares that are given up.',
      message: MESSAGE,
      created: CREATED,
    },
  },
  assetRow: {
    about: 'Shares of one outcome that the caller holds.',
    fields: {
      asset_kind: 'Always `share`.',
      amounts: 'Shares.',
      'amounts.total': 'All of them.',
      'amounts.locked': 'Held by open orders, merges and redeems.',
      'amounts.available': 'Free: total less locked.',
      token: 'The token on the chain.',
      'token.symbol': 'Condition id of the market with `-LPT` for YES or `-SPT` for NO.',
      'token.address': 'Its mint; null where none is configured.',
      value: 'What the shares are worth now.',
      'value.usdt': 'Currency; `0` while the market has no price.',
      'value.basis': 'How it is valued: `mark_to_market`.',
      position: 'What the shares are of.',
      'position.market': 'The market, by name.',
      'position.market.condition_id': MARKET,
      'position.market.title': 'Its title.',
      'position.market.state': 'Its state.',
      'position.market.margin_enabled': 'Whether it is a margin market.',
      'position.is_yes': 'True for YES.',
      'position.outcome_text': 'The label of the outcome.',
      'position.is_final': 'Whether the market is settled.',
      'position.avg_trade_price': 'Average currency paid for a share.',
      created: 'When the outcome was first held, Unix seconds; null when that is not known.',
    },
  },
  accountSummary: {
    about: 'Who the caller is.',
    fields: {
      username: 'Shown to others.',
      twitter_username: 'Null when none is linked.',
      joined_at: 'When the account was opened, Unix seconds.',
    },
  },
  accountPnl: {
    about: 'Profit and loss in currency, of the account or of the market or event that was asked for.',
    fields: {
      margin_position_settlements_pnl: 'Realized by margin positions.',
      margin_positions_unrealized_pnl: 'Of open margin positions at present prices.',
      redeems_funds: 'Paid out by redeems.',
      active_assets_value:
        'Present value of the shares that are held; complete sets are worth 1 also while there is no price.',
      creator_fees: 'Earned with markets of one’s own.',
      total_pnl: 'Everything that is there now and was received, less everything that was paid.',
    },
  },
};
