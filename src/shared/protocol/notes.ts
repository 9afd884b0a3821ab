/** Notes on every call, parameter and error: the source of the OpenAPI document and of docs/service.md. */

import type { z } from 'zod';
import { declarationOf, type Endpoint, type EndpointName, type ParamsOf } from './endpoints.js';
import type { ServiceErrorSlug } from './errors.js';

/** An object without fields is typed with any: it has no names. */
type KeysOf<T> = T extends unknown ? (string extends keyof T ? never : keyof T & string) : never;
type BodyFields<N extends EndpointName> = Endpoint<N>['body'] extends z.ZodObject
  ? KeysOf<z.input<NonNullable<Endpoint<N>['body']>>>
  : never;

/** Every parameter name. */
type ParameterName = {
  [N in EndpointName]: KeysOf<ParamsOf<N>> | KeysOf<z.input<Endpoint<N>['query']>> | BodyFields<N>;
}[EndpointName];

const MARKET = '8kQm3Vn1xw6Yb4ZrD2fTgH9sLcJpE5uA7oNiXeCvB1dR';
const PUBKEY = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM1';

export const PARAMETER_NOTES: Readonly<
  Record<ParameterName, { readonly description: string; readonly example?: string | number | boolean }>
> = {
  condition_id: { description: 'The market or event that the path is about.', example: MARKET },
  pubkey: { description: 'The record that the path is about, by the pubkey that its draft answered.', example: PUBKEY },
  key_id: { description: 'The API key, as the list of keys shows it.' },

  limit: { description: 'Most rows of the page. Out of range is refused, never cut.' },
  cursor: { description: '`next_cursor` of the page before, unchanged. Without it the list starts at its beginning.' },
  sort: { description: 'The order of the list; a leading minus means descending.' },
  market_condition_id: { description: 'A market. In a list: only rows of this market.', example: MARKET },
  event_condition_id: { description: 'Only records of this event’s markets.' },
  position_pubkey: { description: 'Only the settlement of this margin position.' },
  status: { description: 'Only orders in one of these statuses; comma-separated, in any case.' },
  state: { description: 'Only rows in this state; where several may be named they are comma-separated.' },
  states: { description: 'Only rows in one of these states; comma-separated, in any case.' },
  market_state: {
    description:
      'Only rows whose market is in this state, in any case. Without a position or a market only `open` and `resolved` are accepted.',
  },
  is_closed: { description: 'Only closed positions (true) or only those that are not (false).' },
  is_yes: { description: 'True: the YES outcome, or only its rows. False: NO.', example: true },
  side: { description: 'Whether shares are bought or sold.', example: 'buy' },
  order_type: { description: 'A limit order may rest in the book, a market order never does. In any case.' },
  type: { description: 'Whether the position is opened now or when the market reaches `price`.' },
  price: {
    description: 'Currency for one share, in the space of the outcome that is meant: above 0, below 1, on the tick.',
    example: '0.42',
  },
  amount: { description: 'Shares, or complete sets of shares: a positive multiple of the lot.', example: '10' },
  funds: { description: 'Currency to spend.', example: '25' },
  shares: { description: 'Shares of the position.', example: '100' },
  leverage: {
    description: 'Total liquidity over own liquidity, from 1 to the market’s maximum for the outcome.',
    example: 2,
  },
  position_leverage: { description: 'Only positions with this leverage.' },
  take_profit_price: {
    description: 'Close the position when its outcome rises to this price. Null clears it.',
    example: '0.8',
  },
  stop_loss_price: {
    description: 'Close the position when its outcome falls to this price. Null clears it.',
    example: '0.2',
  },
  signature: {
    description: 'ed25519 signature of the wallet in hex: 128 characters for 64 bytes; a leading `0x` is ignored.',
  },
  wallet_address: { description: 'The wallet: base58 of its 32-byte ed25519 public key.' },
  message: { description: 'The message of the challenge, unchanged.' },
  nonce: { description: 'The nonce of the challenge.' },

  depth: { description: 'Most levels of each side.' },
  start_time: { description: 'First moment of the chart, Unix seconds.', example: 1_714_300_000 },
  end_time: {
    description: 'End of the chart, Unix seconds, itself not included; at most 30 days after the start.',
    example: 1_714_386_400,
  },
  interval: { description: 'Length of a bar.' },
  activity_type: { description: 'Only this kind of activity, in any case.' },
  category: { description: 'Only this category.' },
  sport: { description: 'Slugs of sports, comma-separated.', example: 'football' },
  league: { description: 'Slugs of leagues, comma-separated; only together with `sport`.' },
  q: { description: 'Words to look for, 2 characters or more.', example: 'rain' },
  resolution_time_gt: { description: 'Only what resolves after this moment, Unix seconds.' },
  resolution_time_lt: { description: 'Only what resolves before this moment, Unix seconds.' },
  price_gte: { description: 'Only markets with a YES price of at least this.', example: '0.1' },
  price_lte: { description: 'Only markets with a YES price of at most this.', example: '0.9' },
  leveraged: { description: 'Only margin markets (true) or only others (false).' },
  max_leverage_yes_gte: { description: 'Only markets that allow at least this leverage on YES.' },
  max_leverage_yes_lte: { description: 'Only markets that allow at most this leverage on YES.' },
  max_leverage_no_gte: { description: 'Only markets that allow at least this leverage on NO.' },
  max_leverage_no_lte: { description: 'Only markets that allow at most this leverage on NO.' },
  result_type: { description: 'Only markets or only events.' },
};

const FIX = 'Mend the request; the same one is refused again.';
const ANEW = 'Start with a new draft.';
const LATER = 'Wait, then ask again.';

export const ERROR_NOTES: Readonly<Record<ServiceErrorSlug, { readonly when: string; readonly advice: string }>> = {
  invalid_request_params: {
    when: 'A parameter, a field of the body, the body as a whole, a cursor or a signature of a wallet is invalid. `details` names it.',
    advice: FIX,
  },
  authentication_failed: {
    when: 'Some of the three headers are missing or empty, the timestamp is too far from the exchange’s clock, the key is unknown or revoked, or the signature is not the one of this request. `message` says which.',
    advice: 'Compare clock, key and signed bytes; sign again.',
  },
  not_authenticated: { when: 'A signed call came without any of the three headers.', advice: 'Sign the request.' },
  permission_denied: {
    when: 'The caller is known and may not do this. On the paper exchange only: a control was called from a web page.',
    advice: FIX,
  },
  not_found: {
    when: 'The path does not exist, or the record is unknown or belongs to another account.',
    advice: 'Check the path with its final slash, and the name.',
  },
  method_not_allowed: { when: 'The path exists, but not with this method; `Allow` lists those that do.', advice: FIX },
  throttled: {
    when: 'The budget of the address or of the key is used up for now.',
    advice: 'Wait as many seconds as `Retry-After` says.',
  },
  unsupported_media_type: { when: 'A body came under another type than `application/json`.', advice: FIX },
  request_too_large: { when: 'The body has more than 65,536 bytes.', advice: FIX },
  request_headers_too_large: {
    when: 'Request line and headers have more than 16,384 bytes together. The connection is closed.',
    advice: FIX,
  },
  internal_error: {
    when: 'The exchange has failed, for instance because its disk is full.',
    advice: 'The effect is unknown: read the record first.',
  },
  gringotts_unavailable: { when: 'The service that makes drafts is down. No draft was made.', advice: LATER },
  program_call_has_expired: { when: 'The draft was not submitted in time; its locks are released.', advice: ANEW },
  invalid_program_call_status: {
    when: 'The draft was submitted before, has failed, or was never made.',
    advice: 'Read the record: the call may have succeeded.',
  },
  order_insufficient_funds: {
    when: 'Free currency is below what a buy may cost with its fee. An order refused at its submit has become `failed`.',
    advice: 'Free some, or order less.',
  },
  order_insufficient_shares: {
    when: 'Free shares are fewer than a sell wants to sell. An order refused at its submit has become `failed`.',
    advice: 'Order fewer.',
  },
  order_market_not_open: {
    when: 'The market is not in state `open`, or is paused. An order refused at its submit has become `failed`.',
    advice: 'Watch the market.',
  },
  order_not_cancelable: {
    when: 'The order does not rest in the book: it is filled, canceled, or was never submitted.',
    advice: 'Read the order.',
  },
  share_conversion_market_not_eligible: {
    when: 'The market is a margin market: there is nothing to merge or split.',
    advice: FIX,
  },
  share_conversion_invalid_amount: {
    when: 'The amount is not positive, or not a multiple of the market’s lot.',
    advice: FIX,
  },
  share_conversion_market_not_open: {
    when: 'The market is not in state `open`.',
    advice: 'After the market is settled, redeem instead.',
  },
  share_conversion_market_paused: { when: 'The market is paused on the chain.', advice: LATER },
  share_merge_market_has_unbacked_collateral: {
    when: 'The market cannot pay for merges at the moment. Splits continue.',
    advice: LATER,
  },
  share_merge_in_progress: {
    when: 'The caller has another merge on this market that is waiting to be signed or in process.',
    advice: 'Finish it, or wait for its end.',
  },
  share_split_in_progress: {
    when: 'The caller has another split on this market that is waiting to be signed or in process.',
    advice: 'Finish it, or wait for its end.',
  },
  share_conversion_not_found: {
    when: 'A submit names no merge (or split) of the caller. Reading one answers `not_found`.',
    advice: 'Check the pubkey.',
  },
  share_conversion_invalid_state: {
    when: 'The merge or split is not waiting for a signature any more.',
    advice: 'Read it: the call may have succeeded.',
  },
  share_split_insufficient_funds: { when: 'Free currency is below the amount.', advice: 'Split less.' },
  share_merge_insufficient_shares: {
    when: 'Free YES or free NO shares are fewer than the amount.',
    advice: 'Cancel orders that lock them, or merge less.',
  },
  custodial_user_trading_not_allowed: {
    when: 'The account is custodial: it may not merge or split.',
    advice: 'Use an account with its own wallet.',
  },
  hyperliquid_margin_tp_sl_not_supported: {
    when: 'The market is of the kind `hyperliquid`, which has no take profit and no stop loss.',
    advice: 'Close the position yourself.',
  },
};

/** Documentation of one call. */
export interface EndpointNote {
  /** A few words, as a heading. */
  readonly summary: string;
  /** Facts for callers beyond the parameters. */
  readonly description?: string;
  /** Its own errors, besides `commonErrors`. */
  readonly errors: readonly ServiceErrorSlug[];
  /** Meaning of an absent parameter or field of the body; that of `limit` is declared with the call. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>;
  /** Complete example bodies by purpose, where fields exclude each other. */
  readonly bodies?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
}

const YES = { market_condition_id: MARKET, is_yes: true } as const;

const SUBMIT_ERRORS = ['not_found', 'program_call_has_expired', 'invalid_program_call_status'] as const;
const CONVERSION_SUBMIT_ERRORS = [
  'share_conversion_not_found',
  'program_call_has_expired',
  'share_conversion_invalid_state',
] as const;
const CONVERSION_START_ERRORS = [
  'gringotts_unavailable',
  'custodial_user_trading_not_allowed',
  'share_conversion_market_not_eligible',
  'share_conversion_invalid_amount',
  'share_conversion_market_not_open',
  'share_conversion_market_paused',
] as const;

const OF_MARKET = ['not_found'] as const;

export const ENDPOINT_NOTES: Readonly<Record<EndpointName, EndpointNote>> = {
  'keys.challenge': {
    summary: 'Ask for a challenge',
    description: 'The first step to credentials: a text that only the owner of the wallet can sign. Sign it unchanged.',
    errors: [],
  },
  'keys.create': {
    summary: 'Create an API key',
    description:
      'Answers the key and its secret, the secret once and never again. A challenge works once. The first key of a wallet opens its account.',
    errors: [],
  },
  'keys.list': { summary: 'List API keys', description: 'All of them at once, revoked ones too.', errors: [] },
  'keys.revoke': {
    summary: 'Revoke an API key',
    description:
      'From then on requests under this key are not believed. A key may revoke itself; revoking twice changes nothing.',
    errors: ['not_found'],
  },

  'events.list': {
    summary: 'List events',
    description: 'Newest first unless sorted. A row shows at most two of its markets; the detail shows all.',
    errors: [],
  },
  'events.detail': { summary: 'Read an event', description: 'With all of its markets.', errors: OF_MARKET },
  'markets.list': { summary: 'List markets', description: 'Newest first unless sorted.', errors: [] },
  'markets.detail': {
    summary: 'Read a market',
    description: 'With its rules, its fees, and in `config` the grid and limits that orders must keep.',
    errors: OF_MARKET,
  },
  'markets.book': {
    summary: 'Read an order book',
    description:
      'One outcome at a time. The two books of a market are one book seen from two sides: a NO bid at p is a YES ask at 1 - p.',
    errors: OF_MARKET,
    defaults: { depth: 50, is_yes: true },
  },
  'markets.trades': { summary: 'List the trades of a market', description: 'Newest first.', errors: OF_MARKET },
  'markets.stats': { summary: 'Read the statistics of a market', errors: OF_MARKET },
  'markets.price': {
    summary: 'Read the price of a market',
    description: 'Midway between best bid and best ask; null while it is unknown.',
    errors: OF_MARKET,
    defaults: { is_yes: true },
  },
  'markets.candles': {
    summary: 'Read a price chart',
    description:
      'Bars of one outcome between two moments at most 30 days apart, oldest first. The NO chart is the YES chart mirrored at 1.',
    errors: OF_MARKET,
    defaults: { is_yes: true },
  },
  'markets.marginActivity': {
    summary: 'List events of margin positions',
    description: 'Everybody’s openings, increases, decreases, closings and liquidations in a market, newest first.',
    errors: OF_MARKET,
  },
  'sports.list': { summary: 'List sports and leagues', description: 'All of them at once.', errors: [] },
  'search.list': {
    summary: 'Search markets and events',
    description: 'At least one filter is required. A hit has the whole detail of the record.',
    errors: [],
  },

  'orders.list': { summary: 'List own orders', description: 'Newest first, drafts included.', errors: [] },
  'orders.create': {
    summary: 'Draft an order',
    description:
      'A limit order names `price` and `amount`, a market buy only `funds`, a market sell only `amount`. Nothing trades and nothing is locked before the draft is signed and submitted. Refused on margin markets.',
    errors: ['gringotts_unavailable', 'order_market_not_open', 'order_insufficient_funds', 'order_insufficient_shares'],
    bodies: {
      'limit order': { ...YES, side: 'buy', order_type: 'limit', price: '0.42', amount: '10' },
      'market buy': { ...YES, side: 'buy', order_type: 'market', funds: '25' },
      'market sell': { ...YES, side: 'sell', order_type: 'market', amount: '10' },
    },
  },
  'orders.submit': {
    summary: 'Submit a signed order',
    description:
      'Market and balance are looked at again; an order that they refuse here has become `failed`. Else it trades at once with whatever it meets; the rest of a limit order rests in the book, the rest of a market order is canceled.',
    errors: [...SUBMIT_ERRORS, 'order_market_not_open', 'order_insufficient_funds', 'order_insufficient_shares'],
  },
  'orders.detail': { summary: 'Read an order', errors: ['not_found'] },
  'orders.cancel': {
    summary: 'Draft a cancel',
    description:
      'Answers the pubkey of the order and the text to sign. The order stays in the book until the cancel is submitted. An unexpired draft is answered again.',
    errors: ['gringotts_unavailable', 'not_found', 'order_not_cancelable'],
  },
  'orders.cancelSubmit': {
    summary: 'Submit a signed cancel',
    description: 'Removes the rest of the order from the book.',
    errors: [...SUBMIT_ERRORS, 'order_not_cancelable'],
  },
  'trades.list': { summary: 'List own trades', description: 'Newest first, as maker and as taker.', errors: [] },

  'merges.list': { summary: 'List share merges', description: 'Newest first.', errors: [] },
  'merges.create': {
    summary: 'Draft a merge of shares',
    description:
      'Turns as many YES and NO shares back into the same amount of currency. The shares are locked from the draft on. Asking again for the amount of a draft that is not signed yet answers that draft.',
    errors: [
      ...CONVERSION_START_ERRORS,
      'share_merge_market_has_unbacked_collateral',
      'share_merge_in_progress',
      'share_merge_insufficient_shares',
    ],
  },
  'merges.submit': {
    summary: 'Submit a signed merge',
    description:
      'Answers the row in state `in_process`; read it again until it is `done` or `failed`. It fails when the market does not convert at the moment of landing.',
    errors: CONVERSION_SUBMIT_ERRORS,
  },
  'merges.detail': { summary: 'Read a merge', errors: ['not_found'] },
  'splits.list': { summary: 'List share splits', description: 'Newest first.', errors: [] },
  'splits.create': {
    summary: 'Draft a split of currency',
    description:
      'Turns currency into as many YES and NO shares. The currency is locked from the draft on. Asking again for the amount of a draft that is not signed yet answers that draft.',
    errors: [...CONVERSION_START_ERRORS, 'share_split_in_progress', 'share_split_insufficient_funds'],
  },
  'splits.submit': {
    summary: 'Submit a signed split',
    description:
      'Answers the row in state `in_process`; read it again until it is `done` or `failed`. It fails when the market does not convert at the moment of landing.',
    errors: CONVERSION_SUBMIT_ERRORS,
  },
  'splits.detail': { summary: 'Read a split', errors: ['not_found'] },
  'redeems.list': { summary: 'List redeems', description: 'Newest first.', errors: [] },
  'redeems.create': {
    summary: 'Draft a redeem',
    description:
      'Pays out all free shares of a resolved or canceled market: 1 for each winning share, 0 for each losing one, 0.5 for each share of a canceled market. The shares are locked from the draft on. Asking again while a draft of the market is not signed yet answers that draft.',
    errors: ['gringotts_unavailable'],
  },
  'redeems.submit': {
    summary: 'Submit a signed redeem',
    description: 'The answer is final: the row is `completed` and its funds are there.',
    errors: SUBMIT_ERRORS,
  },
  'redeems.detail': { summary: 'Read a redeem', errors: ['not_found'] },

  'account.detail': { summary: 'Read the own account', errors: [] },
  'account.assets': {
    summary: 'List own shares',
    description:
      'One row for each outcome that is held. The cursor counts the places that were looked at, held or not: it says nothing about how many rows there are.',
    errors: [],
  },
  'account.pnl': {
    summary: 'Read profit and loss',
    description: 'For the whole account, or for one market or event.',
    errors: [],
  },

  'positions.list': {
    summary: 'List margin positions',
    description: 'Newest first unless sorted.',
    errors: [],
    defaults: { sort: '-created' },
  },
  'positions.estimate': {
    summary: 'Estimate a margin position',
    description: 'What opening it now would do; nothing is reserved.',
    errors: [],
    defaults: { is_yes: true, leverage: 1 },
  },
  'positions.detail': { summary: 'Read a margin position', errors: ['not_found'] },
  'positions.close': {
    summary: 'Close a margin position',
    description:
      'Sells the shares of the position. With `price` it waits until they sell at this price or better; without, it sells now.',
    errors: ['not_found', 'order_market_not_open'],
  },
  'positions.setTpSl': {
    summary: 'Set take profit and stop loss',
    description:
      'A key that is present is written, null clears it, an absent one stays as it is. One at least must be there.',
    errors: ['not_found', 'hyperliquid_margin_tp_sl_not_supported'],
  },
  'positions.deleteTpSl': {
    summary: 'Remove take profit and stop loss',
    description: 'The answer still carries the prices that were removed.',
    errors: ['not_found', 'hyperliquid_margin_tp_sl_not_supported'],
  },
  'positions.claim': {
    summary: 'Claim the settlement of a position',
    description:
      'For a settlement in state `claimable`; it becomes `claim_pending`, and `done` when the money has arrived.',
    errors: ['not_found'],
  },
  'settlements.list': {
    summary: 'List margin settlements',
    description: 'Newest first unless sorted.',
    errors: [],
    defaults: { sort: '-created' },
  },
  'requests.list': {
    summary: 'List position requests',
    description: 'Newest first unless sorted.',
    errors: [],
    defaults: { sort: '-created' },
  },
  'requests.create': {
    summary: 'Draft a margin position request',
    description:
      'A market request names `funds`, a limit request `price` and `shares`. Sign `message` and submit it to have the request funded.',
    errors: [
      'gringotts_unavailable',
      'order_market_not_open',
      'order_insufficient_funds',
      'hyperliquid_margin_tp_sl_not_supported',
    ],
    defaults: { is_yes: true, leverage: 1 },
    bodies: {
      'market request': { ...YES, type: 'market', leverage: 2, funds: '100' },
      'limit request': { ...YES, type: 'limit', leverage: 2, price: '0.4', shares: '100', stop_loss_price: '0.2' },
    },
  },
  'requests.submit': {
    summary: 'Submit a signed position request',
    description: 'Funding starts; read the request again until it is `completed`, `failed` or `cancelled`.',
    errors: [...SUBMIT_ERRORS, 'order_market_not_open'],
  },
  'requests.detail': { summary: 'Read a position request', errors: ['not_found'] },
  'requests.cancel': {
    summary: 'Cancel a position request',
    description: 'Only before its funding has completed.',
    errors: ['not_found'],
  },
};

/** Refusals of any call, by its scope and body. */
function commonErrors(name: EndpointName): readonly ServiceErrorSlug[] {
  const { scope, body } = declarationOf(name);
  return [
    ...(scope === 'signed' ? (['not_authenticated', 'authentication_failed', 'permission_denied'] as const) : []),
    ...(body === null ? [] : (['unsupported_media_type'] as const)),
    // An unexpected body is read too, because it is part of the signed text.
    ...(['request_too_large', 'request_headers_too_large'] as const),
    ...(['invalid_request_params', 'throttled', 'internal_error'] as const),
  ];
}

/** Every refusal of a call, common ones first. */
export const listErrors = (name: EndpointName) => [...commonErrors(name), ...ENDPOINT_NOTES[name].errors];
