/** Notes on every call, parameter and error: the source of the OpenAPI document and of docs/service.md. */

import { declarationOf, type EndpointName } from './endpoints.js';
import type { ServiceErrorSlug } from './errors.js';

const MARKET = '8kQm3Vn1xw6Yb4ZrD2fTgH9sLcJpE5uA7oNiXeCvB1dR';
const PUBKEY = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM1';

interface ParameterNote {
  readonly description: string;
  readonly example?: string | number | boolean;
}

/** Notes by name of a parameter or of a body's field. */
export const PARAMETER_NOTES: Readonly<Record<string, ParameterNote>> = {
  condition_id: { description: 'Market or event.', example: MARKET },
  pubkey: { description: 'Record, by the pubkey of its draft.', example: PUBKEY },
  key_id: { description: 'API key, as in the list of keys.' },

  limit: { description: 'Maximum rows of the page.' },
  cursor: { description: '`next_cursor` of the previous page.' },
  sort: { description: 'Order of the list; a minus means descending.' },
  market_condition_id: { description: 'Market. In a list: only its rows.', example: MARKET },
  event_condition_id: { description: 'Only rows of this event’s markets.' },
  position_pubkey: { description: 'Only the settlement of this position.' },
  status: { description: 'Only orders in these statuses; comma-separated, in upper or lower case.' },
  state: { description: 'Only rows in this state; several are comma-separated where permitted.' },
  states: { description: 'Only rows in these states; comma-separated, in upper or lower case.' },
  market_state: {
    description:
      'Only rows of markets in this state, in upper or lower case. Without a position or market: `open` or `resolved`.',
  },
  is_closed: { description: 'True: only closed positions. False: only open ones.' },
  is_yes: { description: 'True: YES, or only its rows. False: NO.', example: true },
  side: { description: 'Side of the order.', example: 'buy' },
  order_type: { description: 'A limit order may rest, a market order never does. In upper or lower case.' },
  type: { description: '`market`: opens now. `limit`: opens at `price`.' },
  price: { description: 'Price in the space of the outcome: above 0, below 1, on the tick.', example: '0.42' },
  amount: { description: 'Shares or complete sets: a positive multiple of the lot.', example: '10' },
  funds: { description: 'Currency to spend.', example: '25' },
  shares: { description: 'Shares of the position.', example: '100' },
  leverage: { description: 'Total over own liquidity, from 1 to the market’s maximum.', example: 2 },
  position_leverage: { description: 'Only positions with this leverage.' },
  take_profit_price: { description: 'Closes the position at or above this price. Null clears it.', example: '0.8' },
  stop_loss_price: { description: 'Closes the position at or below this price. Null clears it.', example: '0.2' },
  signature: { description: 'The wallet’s ed25519 signature: 128 hex characters; a leading `0x` is ignored.' },
  wallet_address: { description: 'Wallet: base58 of its 32-byte ed25519 public key.' },
  message: { description: 'Message of the challenge.' },
  nonce: { description: 'Nonce of the challenge.' },

  depth: { description: 'Maximum levels of each side.' },
  start_time: { description: 'Start of the chart, Unix seconds.', example: 1_714_300_000 },
  end_time: { description: 'End of the chart, Unix seconds, exclusive.', example: 1_714_386_400 },
  interval: { description: 'Length of a bar.' },
  activity_type: { description: 'Only this kind of activity, in upper or lower case.' },
  category: { description: 'Only this category.' },
  sport: { description: 'Slugs of sports, comma-separated.', example: 'football' },
  league: { description: 'Slugs of leagues, comma-separated; only together with `sport`.' },
  q: { description: 'Searched words, at least 2 characters.', example: 'rain' },
  resolution_time_gt: { description: 'Only resolutions after this time, Unix seconds.' },
  resolution_time_lt: { description: 'Only resolutions before this time, Unix seconds.' },
  price_gte: { description: 'Minimum YES price.', example: '0.1' },
  price_lte: { description: 'Maximum YES price.', example: '0.9' },
  leveraged: { description: 'True: only margin markets. False: only others.' },
  max_leverage_yes_gte: { description: 'Lower limit of the market’s maximum leverage on YES.' },
  max_leverage_yes_lte: { description: 'Upper limit of the market’s maximum leverage on YES.' },
  max_leverage_no_gte: { description: 'Lower limit of the market’s maximum leverage on NO.' },
  max_leverage_no_lte: { description: 'Upper limit of the market’s maximum leverage on NO.' },
  result_type: { description: 'Only markets or only events.' },
};

const FIX = 'Correct the request.';
const REDRAFT = 'Make a new draft.';
const LATER = 'Wait, then repeat the call.';
const READ = 'Read the record: the call may have succeeded.';
const FINISH = 'Submit it, or wait for its end.';

export const ERROR_NOTES: Readonly<Record<ServiceErrorSlug, { readonly when: string; readonly advice: string }>> = {
  invalid_request_params: {
    when: 'A parameter, the body, one of its fields, a cursor or a wallet’s signature is invalid. `details` names it.',
    advice: FIX,
  },
  authentication_failed: {
    when: 'One of the three headers is missing or empty, or timestamp, key or signature is wrong. `message` names the cause.',
    advice: 'Check clock, key and signed bytes; sign again.',
  },
  not_authenticated: { when: 'A signed call has none of the three headers.', advice: 'Sign the request.' },
  permission_denied: { when: 'The caller may not do this, or a web page has called a control.', advice: FIX },
  not_found: {
    when: 'The path or record is unknown, or of another account.',
    advice: 'Check path, final slash and id.',
  },
  method_not_allowed: { when: 'The path has other methods; `Allow` lists them.', advice: FIX },
  throttled: { when: 'The rate limit of the address or key is reached.', advice: 'Wait for `Retry-After`, seconds.' },
  unsupported_media_type: { when: 'The type of the body is not `application/json`.', advice: FIX },
  request_too_large: { when: 'The body exceeds 65,536 bytes.', advice: FIX },
  request_headers_too_large: {
    when: 'Request line and headers exceed 16,384 bytes. The connection is closed.',
    advice: FIX,
  },
  internal_error: { when: 'The exchange has failed: the effect is unknown.', advice: READ },
  gringotts_unavailable: { when: 'The signing service is down. No draft was made.', advice: LATER },
  program_call_has_expired: { when: 'The draft has expired; its locks are released.', advice: REDRAFT },
  invalid_program_call_status: { when: 'The draft was submitted, has failed, or never existed.', advice: READ },
  order_insufficient_funds: {
    when: 'Free currency is below the cost with fee. A refused submit makes the order `failed`.',
    advice: 'Free currency, or order less.',
  },
  order_insufficient_shares: {
    when: 'Free shares are below the amount. A refused submit makes the order `failed`.',
    advice: 'Order fewer.',
  },
  order_market_not_open: {
    when: 'The market is not `open`, or is paused. A refused submit makes the order `failed`.',
    advice: 'Read the market.',
  },
  order_not_cancelable: { when: 'The order does not rest.', advice: READ },
  share_conversion_market_not_eligible: { when: 'The market is a margin market.', advice: FIX },
  share_conversion_invalid_amount: { when: 'The amount is no positive multiple of the market’s lot.', advice: FIX },
  share_conversion_market_not_open: { when: 'The market is not `open`.', advice: 'Redeem after the settlement.' },
  share_conversion_market_paused: { when: 'The market is paused.', advice: LATER },
  share_merge_market_has_unbacked_collateral: {
    when: 'The market cannot pay for merges now. Splits continue.',
    advice: LATER,
  },
  share_merge_in_progress: { when: 'Another merge of the caller on this market is open.', advice: FINISH },
  share_split_in_progress: { when: 'Another split of the caller on this market is open.', advice: FINISH },
  share_conversion_not_found: { when: 'The merge or split is not the caller’s.', advice: 'Check the pubkey.' },
  share_conversion_invalid_state: { when: 'The merge or split waits for no signature.', advice: READ },
  share_split_insufficient_funds: { when: 'Free currency is below the amount.', advice: 'Split less.' },
  share_merge_insufficient_shares: {
    when: 'Free YES or NO shares are below the amount.',
    advice: 'Cancel orders, or merge less.',
  },
  custodial_user_trading_not_allowed: { when: 'The account is custodial.', advice: 'Use an account with a wallet.' },
  hyperliquid_margin_tp_sl_not_supported: {
    when: 'Markets of the kind `hyperliquid` have neither take profit nor stop loss.',
    advice: 'Close the position.',
  },
};

/** Documentation of one call of the service. */
export interface EndpointNote {
  /** A few words, as a heading. */
  readonly summary: string;
  /** Facts for callers beyond the parameters. */
  readonly description?: string;
  /** Errors of this call alone, besides `commonErrors`. */
  readonly errors?: readonly ServiceErrorSlug[];
  /** Meaning of an absent parameter or field of the body; that of `limit` is declared with the call. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>;
  /** Complete example bodies by purpose, where fields exclude each other. */
  readonly bodies?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
}

const YES = { market_condition_id: MARKET, is_yes: true } as const;

const SORTED = { description: 'Newest first unless sorted.', defaults: { sort: '-created' } } as const;
const SUBMIT_ERRORS = ['program_call_has_expired', 'invalid_program_call_status'] as const;
const ORDER_ERRORS = ['order_market_not_open', 'order_insufficient_funds', 'order_insufficient_shares'] as const;
const NO_TP_SL = ['hyperliquid_margin_tp_sl_not_supported'] as const;
const CONVERSION_SUBMIT = {
  description:
    'The row is `in_process`; read it until it is `done` or `failed`. It fails when the market does not convert at the landing.',
  errors: ['share_conversion_not_found', 'program_call_has_expired', 'share_conversion_invalid_state'],
} as const;
const MERGE_ERRORS = [
  'share_merge_market_has_unbacked_collateral',
  'share_merge_in_progress',
  'share_merge_insufficient_shares',
] as const;
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
    description: 'First step to credentials. Sign the text unchanged.',
  },
  'keys.create': {
    summary: 'Create an API key',
    description: 'The secret is shown once. A challenge is valid once. The first key of a wallet opens its account.',
  },
  'keys.list': { summary: 'List API keys', description: 'All keys, also revoked ones.' },
  'keys.revoke': {
    summary: 'Revoke an API key',
    description:
      'Requests under this key are then refused. A key may revoke itself. A second revocation changes nothing.',
  },

  'events.list': { summary: 'List events', description: 'Newest first unless sorted; at most two markets each.' },
  'events.detail': { summary: 'Read an event', description: 'Shows all of its markets.' },
  'markets.list': { summary: 'List markets', description: 'Newest first unless sorted.' },
  'markets.detail': {
    summary: 'Read a market',
    description: 'Shows rules and fees, and in `config` the grid and limits of orders.',
  },
  'markets.book': {
    summary: 'Read an order book',
    description: 'Shows one outcome. A NO bid at p is a YES ask at 1 - p.',
    defaults: { depth: 50, is_yes: true },
  },
  'markets.trades': { summary: 'List the trades of a market', description: 'Newest first.' },
  'markets.stats': { summary: 'Read the statistics of a market' },
  'markets.price': {
    summary: 'Read the price of a market',
    description: 'The middle of the book.',
    defaults: { is_yes: true },
  },
  'markets.candles': {
    summary: 'Read a price chart',
    description: 'Bars of one outcome over at most 30 days, oldest first. The NO chart is the YES chart mirrored at 1.',
    defaults: { is_yes: true },
  },
  'markets.marginActivity': { summary: 'List events of margin positions', description: 'All accounts, newest first.' },
  'sports.list': { summary: 'List sports and leagues', description: 'All rows at once.' },
  'search.list': { summary: 'Search markets and events', description: 'Wants a filter. A hit has the whole detail.' },

  'orders.list': { summary: 'List own orders', description: 'Newest first, drafts included.' },
  'orders.create': {
    summary: 'Draft an order',
    description:
      'A limit order has `price` and `amount`, a market buy only `funds`, a market sell only `amount`. A draft locks nothing. Refused on margin markets.',
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
      'Checks market and balance again; a refused order becomes `failed`. Else the order trades at once. The rest of a limit order rests; the rest of a market order is canceled.',
    errors: [...SUBMIT_ERRORS, ...ORDER_ERRORS],
  },
  'orders.detail': { summary: 'Read an order' },
  'orders.cancel': {
    summary: 'Draft a cancel',
    description: 'The order rests until the cancel is submitted. An unexpired draft is answered again.',
    errors: ['gringotts_unavailable', 'order_not_cancelable'],
  },
  'orders.cancelSubmit': {
    summary: 'Submit a signed cancel',
    description: 'Removes the rest of the order from the book.',
    errors: [...SUBMIT_ERRORS, 'order_not_cancelable'],
  },
  'trades.list': { summary: 'List own trades', description: 'Newest first, as maker and as taker.' },

  'merges.list': { summary: 'List share merges', description: 'Newest first.' },
  'merges.create': {
    summary: 'Draft a merge of shares',
    description: 'Locks the shares. A repeated call with the same amount returns the same unsigned draft.',
    errors: [...CONVERSION_START_ERRORS, ...MERGE_ERRORS],
  },
  'merges.submit': { summary: 'Submit a signed merge', ...CONVERSION_SUBMIT },
  'merges.detail': { summary: 'Read a merge' },
  'splits.list': { summary: 'List share splits', description: 'Newest first.' },
  'splits.create': {
    summary: 'Draft a split of currency',
    description: 'Locks the currency. A repeated call with the same amount returns the same unsigned draft.',
    errors: [...CONVERSION_START_ERRORS, 'share_split_in_progress', 'share_split_insufficient_funds'],
  },
  'splits.submit': { summary: 'Submit a signed split', ...CONVERSION_SUBMIT },
  'splits.detail': { summary: 'Read a split' },
  'redeems.list': { summary: 'List redeems', description: 'Newest first.' },
  'redeems.create': {
    summary: 'Draft a redeem',
    description:
      'Redeems and locks all free shares of a resolved or canceled market. A winning share pays 1, a losing one 0, a share of a canceled market 0.5. A repeated call returns the same unsigned draft.',
    errors: ['gringotts_unavailable'],
  },
  'redeems.submit': {
    summary: 'Submit a signed redeem',
    description: 'The answer is final: the row is `completed` and paid.',
    errors: SUBMIT_ERRORS,
  },
  'redeems.detail': { summary: 'Read a redeem' },

  'account.detail': { summary: 'Read the account' },
  'account.assets': {
    summary: 'List own shares',
    description: 'One row for each held outcome. The cursor also counts outcomes that are not held.',
  },
  'account.pnl': { summary: 'Read profit and loss', description: 'For the account, one market or one event.' },

  'positions.list': { summary: 'List margin positions', ...SORTED },
  'positions.estimate': {
    summary: 'Estimate a margin position',
    description: 'Effect of opening this position now. Reserves nothing.',
    defaults: { is_yes: true, leverage: 1 },
  },
  'positions.detail': { summary: 'Read a margin position' },
  'positions.close': {
    summary: 'Close a margin position',
    description: 'At once, or with `price` at this price or better.',
    errors: ['order_market_not_open'],
  },
  'positions.setTpSl': {
    summary: 'Set take profit and stop loss',
    description: 'Null clears a price; an absent field keeps it. One field at least is required.',
    errors: NO_TP_SL,
  },
  'positions.deleteTpSl': {
    summary: 'Remove take profit and stop loss',
    description: 'Answers the removed prices.',
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
    description: 'A market request has `funds`, a limit request `price` and `shares`. The submit starts the funding.',
    errors: ['gringotts_unavailable', 'order_market_not_open', 'order_insufficient_funds', ...NO_TP_SL],
    defaults: { is_yes: true, leverage: 1 },
    bodies: {
      'market request': { ...YES, type: 'market', leverage: 2, funds: '100' },
      'limit request': { ...YES, type: 'limit', leverage: 2, price: '0.4', shares: '100', stop_loss_price: '0.2' },
    },
  },
  'requests.submit': {
    summary: 'Submit a signed position request',
    description: 'Starts the funding. Read the request until it is `completed`, `failed` or `cancelled`.',
    errors: [...SUBMIT_ERRORS, 'order_market_not_open'],
  },
  'requests.detail': { summary: 'Read a position request' },
  'requests.cancel': { summary: 'Cancel a position request', description: 'Only until it is funded.' },
};

/** Refusals of any call, by its scope, path and body. */
function commonErrors(name: EndpointName): readonly ServiceErrorSlug[] {
  const { scope, body, path } = declarationOf(name);
  const isConversion = ENDPOINT_NOTES[name].errors?.includes('share_conversion_not_found') ?? false;
  return [
    ...(path.includes('{') && !isConversion ? (['not_found'] as const) : []),
    ...(scope === 'signed' ? (['not_authenticated', 'authentication_failed', 'permission_denied'] as const) : []),
    ...(body === null ? [] : (['unsupported_media_type'] as const)),
    // An unexpected body is read too, because it is part of the signed text.
    ...(['request_too_large', 'request_headers_too_large'] as const),
    ...(['invalid_request_params', 'throttled', 'internal_error'] as const),
  ];
}

/** Returns all refusals of a call, common refusals first. */
export const listErrors = (name: EndpointName) => [...commonErrors(name), ...(ENDPOINT_NOTES[name].errors ?? [])];
