/** Notes on every call, parameter and error: the source of the OpenAPI document and of docs/service.md. */

import type { EndpointName } from './endpoints.js';
import type { ServiceErrorSlug } from './errors.js';

const MARKET = '8kQm3Vn1xw6Yb4ZrD2fTgH9sLcJpE5uA7oNiXeCvB1dR';
const PUBKEY = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM1';

type Example = string | number | boolean;

export const PARAMETER_NOTES: Readonly<Record<string, { readonly description: string; readonly example?: Example }>> = {
  condition_id: { description: 'Id of the market or event.', example: MARKET },
  pubkey: { description: 'Id of the record, returned by the call that drafted it.', example: PUBKEY },
  key_id: { description: 'Id of the API key, as in the list of keys.' },

  limit: { description: 'Maximum number of rows in the page.' },
  cursor: { description: 'Value of `next_cursor` in the previous page.' },
  sort: { description: 'Sort order of the list. A leading minus means descending.' },
  market_condition_id: { description: 'Id of the market. A list shows only rows of this market.', example: MARKET },
  event_condition_id: { description: 'Shows only rows of markets of this event.' },
  position_pubkey: { description: 'Shows only the settlement of the position with this id.' },
  status: { description: 'Shows only orders in these comma-separated statuses, in upper or lower case.' },
  state: { description: 'Shows only rows in this state. Some lists accept several comma-separated states.' },
  states: { description: 'Shows only rows in these comma-separated states, in upper or lower case.' },
  market_state: {
    description:
      'Shows only rows of markets in this state, in upper or lower case; `open` matches every unsettled market, `resolved` also canceled markets. Without a filter by position or market, only `open` and `resolved` are permitted.',
  },
  is_closed: { description: 'True shows only closed positions, false only open ones.' },
  is_yes: { description: 'True selects the YES outcome, false the NO outcome.', example: true },
  side: { description: 'Side of the order.', example: 'buy' },
  order_type: {
    description: 'Order type, in upper or lower case. A limit order can rest in the book, a market order cannot.',
  },
  type: { description: 'A `market` request opens the position at once, a `limit` request at `price`.' },
  price: { description: 'Price of a share of the outcome: above 0, below 1, a multiple of the tick.', example: '0.42' },
  amount: { description: 'Number of shares or complete sets: a positive multiple of the lot.', example: '10' },
  funds: { description: 'Currency that the order or position request may spend.', example: '25' },
  shares: { description: 'Number of shares of the position.', example: '100' },
  leverage: { description: 'Total currency / own currency in the position, 1 to the market’s maximum.', example: 2 },
  position_leverage: { description: 'Shows only settlements of positions with this leverage.' },
  take_profit_price: { description: 'The position closes at or above this price. Null clears it.', example: '0.8' },
  stop_loss_price: { description: 'The position closes at or below this price. Null clears it.', example: '0.2' },
  signature: { description: 'Ed25519 signature of the wallet: 128 hex characters. A leading `0x` is ignored.' },
  wallet_address: { description: 'Address of the wallet: base58 of its 32-byte ed25519 public key.' },
  message: { description: 'Message of the challenge, unchanged.' },
  nonce: { description: 'Nonce of the challenge.' },

  depth: { description: 'Maximum number of price levels on each side of the book.' },
  start_time: { description: 'Start of the chart, Unix seconds.', example: 1_714_300_000 },
  end_time: { description: 'Exclusive end of the chart, Unix seconds.', example: 1_714_386_400 },
  interval: { description: 'Length of one bar of the chart.' },
  activity_type: { description: 'Shows only changes of this kind, in upper or lower case.' },
  category: { description: 'Shows only rows of this category.' },
  sport: { description: 'Shows only rows of these sports, as comma-separated slugs.', example: 'soccer' },
  league: { description: 'Shows only rows of these leagues, as comma-separated slugs; requires `sport`.' },
  q: { description: 'Words to search for, at least 2 characters.', example: 'rain' },
  resolution_time_gt: { description: 'Shows only markets that resolve after this time, Unix seconds.' },
  resolution_time_lt: { description: 'Shows only markets that resolve before this time, Unix seconds.' },
  price_gte: { description: 'Shows only markets with at least this YES price.', example: '0.1' },
  price_lte: { description: 'Shows only markets with at most this YES price.', example: '0.9' },
  leveraged: { description: 'True shows only margin markets, false only markets with a book.' },
  max_leverage_yes_gte: { description: 'Shows only markets whose maximum YES leverage is at least this value.' },
  max_leverage_yes_lte: { description: 'Shows only markets whose maximum YES leverage is at most this value.' },
  max_leverage_no_gte: { description: 'Shows only markets whose maximum NO leverage is at least this value.' },
  max_leverage_no_lte: { description: 'Shows only markets whose maximum NO leverage is at most this value.' },
  result_type: { description: 'Shows only markets or only events.' },
};

const FIX = 'Correct the request.';
const REDRAFT = 'Make a new draft.';
const LATER = 'Wait, then repeat the request.';
const READ = 'Read the record: the request may have taken effect.';
const FINISH = 'Submit the open draft, or wait until the draft has ended.';

export const ERROR_NOTES: Readonly<Record<ServiceErrorSlug, { readonly when: string; readonly advice: string }>> = {
  invalid_request_params: {
    when: 'A parameter, the body, one of its fields, a cursor or a wallet’s signature is invalid. `details` names the invalid value.',
    advice: FIX,
  },
  authentication_failed: {
    when: 'One of the three headers is missing or empty, or the timestamp, key or signature is wrong. `message` names the cause.',
    advice: 'Check the clock, the key and the signed bytes, then sign again.',
  },
  not_authenticated: { when: 'A signed call has no authentication headers.', advice: 'Sign the request.' },
  permission_denied: { when: 'The call is not permitted. Web pages may not send requests to `/paper/…`.', advice: FIX },
  not_found: {
    when: 'The path or record is unknown, or the record belongs to another account.',
    advice: 'Check the path, its final slash and the id.',
  },
  method_not_allowed: { when: 'The path lacks this method. The header `Allow` lists its methods.', advice: FIX },
  throttled: { when: 'The rate limit of the address or key is reached.', advice: 'Wait for `Retry-After` seconds.' },
  unsupported_media_type: { when: 'The media type of the body is not `application/json`.', advice: FIX },
  request_too_large: { when: 'The body of the request exceeds 65,536 bytes.', advice: FIX },
  request_headers_too_large: {
    when: 'The request line and headers exceed 16,384 bytes. The exchange closes the connection.',
    advice: FIX,
  },
  internal_error: { when: 'The exchange failed, and the effect of the request is unknown.', advice: READ },
  gringotts_unavailable: { when: 'The signing service is down. The exchange made no draft.', advice: LATER },
  program_call_has_expired: { when: 'The draft expired, and its locked funds are free again.', advice: REDRAFT },
  invalid_program_call_status: { when: 'The draft was already submitted, has failed or is unknown.', advice: READ },
  order_insufficient_funds: {
    when: 'The free currency is below the cost of the order with its fee. A refused submit makes the order `failed`.',
    advice: 'Cancel other orders, or order less.',
  },
  order_insufficient_shares: {
    when: 'The free shares are below the amount of the order. A refused submit makes the order `failed`.',
    advice: 'Sell fewer shares.',
  },
  order_market_not_open: {
    when: 'The market is not `open`, or is paused. A refused submit makes the order `failed`.',
    advice: 'Read the state of the market.',
  },
  order_not_cancelable: { when: 'The order does not rest in the book.', advice: READ },
  share_conversion_market_not_eligible: { when: 'The market is a margin market.', advice: FIX },
  share_conversion_invalid_amount: { when: 'The amount is not a positive multiple of the market’s lot.', advice: FIX },
  share_conversion_market_not_open: { when: 'The market is not `open`.', advice: 'Redeem shares after settlement.' },
  share_conversion_market_paused: { when: 'The market is paused.', advice: LATER },
  share_merge_market_has_unbacked_collateral: {
    when: 'The market cannot pay for merges now. Splits are still possible.',
    advice: LATER,
  },
  share_merge_in_progress: { when: 'Another merge of the caller is open in this market.', advice: FINISH },
  share_split_in_progress: { when: 'Another split of the caller is open in this market.', advice: FINISH },
  share_conversion_not_found: {
    when: 'The merge or split does not exist, or belongs to another account.',
    advice: 'Check the `pubkey`.',
  },
  share_conversion_invalid_state: { when: 'The merge or split is not a draft that awaits a signature.', advice: READ },
  share_split_insufficient_funds: { when: 'The free currency is below the amount.', advice: 'Split a smaller amount.' },
  share_merge_insufficient_shares: {
    when: 'The free YES or NO shares are below the amount.',
    advice: 'Cancel orders, or merge a smaller amount.',
  },
  custodial_user_trading_not_allowed: { when: 'The account is custodial.', advice: 'Use an account with a wallet.' },
  hyperliquid_margin_tp_sl_not_supported: {
    when: 'A market of kind `hyperliquid` has neither take profit nor stop loss.',
    advice: 'Close the position.',
  },
};

/** Documentation of one call of the service. */
interface EndpointNote {
  readonly summary: string;
  readonly description?: string;
  /** Errors with which the call may answer, in addition to those of its scope, path and body. */
  readonly errors?: readonly ServiceErrorSlug[];
  readonly defaults?: Readonly<Record<string, Example>>;
  /** Complete example bodies by purpose, for calls with mutually exclusive body fields. */
  readonly bodies?: Readonly<Record<string, Readonly<Record<string, Example>>>>;
}

const YES = { market_condition_id: MARKET, is_yes: true } as const;

const NEWEST_FIRST = 'Newest rows come first.';
const SORTED = {
  description: 'Newest rows come first unless `sort` is given.',
  defaults: { sort: '-created' },
} as const;
const SUBMIT_ERRORS = ['program_call_has_expired', 'invalid_program_call_status'] as const;
const ORDER_ERRORS = ['order_market_not_open', 'order_insufficient_funds', 'order_insufficient_shares'] as const;
const NO_TP_SL = ['hyperliquid_margin_tp_sl_not_supported'] as const;
const CONVERSION_SUBMIT = {
  description:
    'Read the record until its state is `done` or `failed`. A merge or split fails if the market forbids it when the transaction executes.',
  errors: ['share_conversion_not_found', 'program_call_has_expired', 'share_conversion_invalid_state'],
} as const;
const CONVERSION_START_ERRORS = [
  'gringotts_unavailable',
  'custodial_user_trading_not_allowed',
  'share_conversion_market_not_eligible',
  'share_conversion_invalid_amount',
  'share_conversion_market_not_open',
  'share_conversion_market_paused',
] as const;

export const ENDPOINT_NOTES: Readonly<Record<EndpointName, EndpointNote>> = {
  'keys.challenge': {
    summary: 'Ask for a challenge',
    description: 'A challenge is the first step to an API key. Sign the challenge’s text unchanged.',
  },
  'keys.create': {
    summary: 'Create an API key',
    description:
      'Only this answer shows the secret. A challenge is valid once. The first key of a wallet opens its account.',
  },
  'keys.list': { summary: 'List API keys', description: 'The list includes revoked keys.' },
  'keys.revoke': {
    summary: 'Revoke an API key',
    description:
      'The exchange then refuses requests with this key. A key may revoke itself. A second revocation changes nothing.',
  },

  'events.list': {
    summary: 'List events',
    description: `${SORTED.description} Each event shows at most two of its markets.`,
  },
  'events.detail': { summary: 'Read an event', description: 'The answer has all markets of the event.' },
  'markets.list': { summary: 'List markets', description: SORTED.description },
  'markets.detail': {
    summary: 'Read a market',
    description:
      'The answer has the rules and fees of the market. Its `config` has the tick, the lot and the limits of orders.',
  },
  'markets.book': {
    summary: 'Read an order book',
    description: 'The answer is the book of one outcome. A NO bid at p is a YES ask at 1 - p.',
    defaults: { depth: 50, is_yes: true },
  },
  'markets.trades': { summary: 'List the trades of a market', description: NEWEST_FIRST },
  'markets.stats': { summary: 'Read the statistics of a market' },
  'markets.price': {
    summary: 'Read the price of a market',
    description: 'The price is midway between the best bid and the best ask.',
    defaults: { is_yes: true },
  },
  'markets.candles': {
    summary: 'Read a price chart',
    description:
      'The chart has bars of one outcome over at most 30 days, oldest first. Each NO price is 1 minus the YES price.',
    defaults: { is_yes: true },
  },
  'markets.marginActivity': { summary: 'List margin changes of all accounts', description: NEWEST_FIRST },
  'sports.list': { summary: 'List sports and leagues', description: 'The list is not divided into pages.' },
  'search.list': {
    summary: 'Search markets and events',
    description: 'At least one filter is required. Each result has the full detail of its market or event.',
  },

  'orders.list': { summary: 'List own orders', description: 'The list includes drafts, newest first.' },
  'orders.create': {
    summary: 'Draft an order',
    description:
      'A limit order has `price` and `amount`, a market buy only `funds`, a market sell only `amount`. A draft of an order locks no funds. Margin markets refuse orders.',
    errors: ['gringotts_unavailable', ...ORDER_ERRORS],
    bodies: {
      'limit order': { ...YES, side: 'buy', order_type: 'limit', price: '0.42', amount: '10' },
      'market buy': { ...YES, side: 'buy', order_type: 'market', funds: '25' },
      'market sell': { ...YES, side: 'sell', order_type: 'market', amount: '10' },
    },
  },
  'orders.submit': {
    summary: 'Submit a signed order',
    description:
      'The exchange checks market and balance again; a refused order becomes `failed`. An accepted order trades at once. The open part of a limit order rests; the open part of a market order is canceled.',
    errors: [...SUBMIT_ERRORS, ...ORDER_ERRORS],
  },
  'orders.detail': { summary: 'Read an order' },
  'orders.cancel': {
    summary: 'Draft a cancel',
    description:
      'The order rests until the signed cancel is submitted. A repeated call returns the same draft until it expires.',
    errors: ['gringotts_unavailable', 'order_not_cancelable'],
  },
  'orders.cancelSubmit': {
    summary: 'Submit a signed cancel',
    description: 'The exchange removes the open part of the order from the book.',
    errors: [...SUBMIT_ERRORS, 'order_not_cancelable'],
  },
  'trades.list': { summary: 'List own trades as maker and as taker', description: NEWEST_FIRST },

  'merges.list': { summary: 'List share merges', description: NEWEST_FIRST },
  'merges.create': {
    summary: 'Draft a merge of shares',
    description: 'The draft locks the shares. A repeated call with the same amount returns the same unsigned draft.',
    errors: [
      ...CONVERSION_START_ERRORS,
      ...(['share_merge_market_has_unbacked_collateral', 'share_merge_in_progress'] as const),
      'share_merge_insufficient_shares',
    ],
  },
  'merges.submit': { summary: 'Submit a signed merge', ...CONVERSION_SUBMIT },
  'merges.detail': { summary: 'Read a merge' },
  'splits.list': { summary: 'List share splits', description: NEWEST_FIRST },
  'splits.create': {
    summary: 'Draft a split of currency',
    description: 'The draft locks the currency. A repeated call with the same amount returns the same unsigned draft.',
    errors: [...CONVERSION_START_ERRORS, 'share_split_in_progress', 'share_split_insufficient_funds'],
  },
  'splits.submit': { summary: 'Submit a signed split', ...CONVERSION_SUBMIT },
  'splits.detail': { summary: 'Read a split' },
  'redeems.list': { summary: 'List redeems', description: NEWEST_FIRST },
  'redeems.create': {
    summary: 'Draft a redeem',
    description:
      'The draft locks all free shares of a resolved or canceled market, and the submit redeems them. A winning share pays 1, a losing share 0, a share of a canceled market 0.5. A repeated call returns the same unsigned draft.',
    errors: ['gringotts_unavailable'],
  },
  'redeems.submit': {
    summary: 'Submit a signed redeem',
    description: 'The redeem is paid at once, and its final state is `completed`.',
    errors: SUBMIT_ERRORS,
  },
  'redeems.detail': { summary: 'Read a redeem' },

  'account.detail': { summary: 'Read the account' },
  'account.assets': {
    summary: 'List own shares',
    description: 'The list has one row for each held outcome. The cursor also counts outcomes that are not held.',
  },
  'account.pnl': { summary: 'Read profit and loss of the account, a market or an event' },

  'positions.list': { summary: 'List margin positions', ...SORTED },
  'positions.estimate': {
    summary: 'Estimate a margin position',
    description: 'The answer estimates the effect of opening the position now. The call reserves nothing.',
    defaults: { is_yes: true, leverage: 1 },
  },
  'positions.detail': { summary: 'Read a margin position' },
  'positions.close': {
    summary: 'Close a margin position',
    description: 'Without `price` the position closes at once. With `price` it closes at this price or better.',
    errors: ['order_market_not_open'],
  },
  'positions.setTpSl': {
    summary: 'Set take profit and stop loss',
    description: 'A null clears a price; an absent field keeps its price. At least one field is required.',
    errors: NO_TP_SL,
  },
  'positions.deleteTpSl': {
    summary: 'Remove take profit and stop loss',
    description: 'The answer has the removed prices.',
    errors: NO_TP_SL,
  },
  'positions.claim': {
    summary: 'Claim the settlement of a position',
    description: 'A `claimable` settlement becomes `claim_pending`, and `done` when it is paid.',
  },
  'settlements.list': { summary: 'List margin settlements', ...SORTED },
  'requests.list': { summary: 'List position requests', ...SORTED },
  'requests.create': {
    summary: 'Draft a margin position request',
    description:
      'A market request has `funds`; a limit request has `price` and `shares`. The submit of the draft starts the funding.',
    errors: ['gringotts_unavailable', 'order_market_not_open', 'order_insufficient_funds', ...NO_TP_SL],
    defaults: { is_yes: true, leverage: 1 },
    bodies: {
      'market request': { ...YES, type: 'market', leverage: 2, funds: '100' },
      'limit request': { ...YES, type: 'limit', leverage: 2, price: '0.4', shares: '100', stop_loss_price: '0.2' },
    },
  },
  'requests.submit': {
    summary: 'Submit a signed position request',
    description: 'The submit starts the funding. Read the request until it is `completed`, `failed` or `cancelled`.',
    errors: [...SUBMIT_ERRORS, 'order_market_not_open'],
  },
  'requests.detail': { summary: 'Read a position request' },
  'requests.cancel': { summary: 'Cancel a position request', description: 'Only an unfunded request is canceled.' },
};
