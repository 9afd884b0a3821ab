/**
 * Every call of the interface as a method, under the call's own name: `orders.create` is `client.orders.create`.
 *
 * Lists take their filters, `limit` and `cursor`; `all…` walks every page. A method with a key is refused with
 * `not_found` where there is no such record. Micros are integers in millionths; "decimal text" is a string.
 */

import type { BodyOf, DataOf, EndpointName } from '../../shared/protocol/endpoints.js';
import type { Side } from '../../shared/protocol/states.js';
import type { CallInput, CallOptions, ListName, Page, QueryInput, RowOf } from './contract.js';
import type { TypedCalls } from './typed-call.js';

interface OrderHead {
  readonly market_condition_id: string;
  readonly is_yes: boolean;
}

/** An order as a caller writes it: decimal text, prices in the order's own outcome space. */
export type OrderInput =
  /** Rests in the book until it is filled or canceled. */
  | (OrderHead & {
      readonly order_type: 'limit';
      readonly side: Side;
      /** On the market's tick, within its `min_price` and `max_price`. */
      readonly price: string;
      /** Shares, on the market's lot. */
      readonly amount: string;
    })
  /** Buys at once for at most `funds` of currency, fee included; the rest is canceled. */
  | (OrderHead & { readonly order_type: 'market'; readonly side: 'buy'; readonly funds: string })
  /** Sells `amount` shares at once; what finds no buyer is canceled. */
  | (OrderHead & { readonly order_type: 'market'; readonly side: 'sell'; readonly amount: string });

/** How many complete sets, as decimal text: a positive multiple of the market's lot. */
export interface ConversionInput {
  readonly market_condition_id: string;
  readonly amount: string;
}

interface MarginHead {
  readonly market_condition_id: string;
  /** Default true. */
  readonly is_yes?: boolean;
  /** A number with at most six decimals, from 1 (the default) to the market's maximum. */
  readonly leverage?: number;
  /** Decimal text in the space of the own outcome; not signed. */
  readonly take_profit_price?: string | null;
  readonly stop_loss_price?: string | null;
}

/** Request for a margin position: all of `funds` now, or `shares` once the market reaches `price`. */
export type MarginInput =
  | (MarginHead & { readonly type: 'market'; readonly funds: string })
  | (MarginHead & { readonly type: 'limit'; readonly price: string; readonly shares: string });

/** A given price is set, null clears it, an absent one stays. At least one. */
export interface TpSlInput {
  readonly take_profit_price?: string | null;
  readonly stop_loss_price?: string | null;
}

type Walk<N extends ListName> = AsyncGenerator<RowOf<N>, void, undefined>;
type Methods = ReturnType<typeof makeMethods>;

/** Makers of methods, by the parts of a call. */
function makeMethods(calls: TypedCalls) {
  // The endpoint's declaration lists its parts; the methods below pass exactly these.
  const ask = <N extends EndpointName>(endpoint: N, input: unknown, options?: CallOptions): Promise<DataOf<N>> =>
    calls.ask(endpoint, input as CallInput<N>, options);
  const pageOf = <N extends ListName>(endpoint: N, input: unknown, options?: CallOptions): Promise<Page<RowOf<N>>> =>
    calls.page(endpoint, input as CallInput<N>, options);
  const walk = <N extends ListName>(endpoint: N, input: unknown, options?: CallOptions): Walk<N> =>
    calls.all(endpoint, input as CallInput<N>, options);

  const plain =
    <N extends EndpointName>(endpoint: N) =>
    (options?: CallOptions) =>
      ask(endpoint, {}, options);
  const list =
    <N extends ListName>(endpoint: N) =>
    (query?: QueryInput<N>, options?: CallOptions) =>
      pageOf(endpoint, { query }, options);
  const all =
    <N extends ListName>(endpoint: N) =>
    (query?: QueryInput<N>, options?: CallOptions) =>
      walk(endpoint, { query }, options);
  const send =
    <N extends EndpointName, B extends BodyOf<N> = BodyOf<N>>(endpoint: N) =>
    (body: B, options?: CallOptions) =>
      ask(endpoint, { body }, options);
  const byPubkey =
    <N extends EndpointName>(endpoint: N) =>
    (pubkey: string, options?: CallOptions) =>
      ask(endpoint, { params: { pubkey } }, options);
  const submit =
    <N extends EndpointName>(endpoint: N) =>
    (pubkey: string, signature: string, options?: CallOptions) =>
      ask(endpoint, { params: { pubkey }, body: { signature } }, options);
  const ofMarket =
    <N extends EndpointName>(endpoint: N) =>
    (conditionId: string, query?: QueryInput<N>, options?: CallOptions) =>
      ask(endpoint, { params: { condition_id: conditionId }, query }, options);
  const byCondition =
    <N extends EndpointName>(endpoint: N) =>
    (conditionId: string, options?: CallOptions) =>
      ask(endpoint, { params: { condition_id: conditionId } }, options);
  const listOfMarket =
    <N extends ListName>(endpoint: N) =>
    (conditionId: string, query?: QueryInput<N>, options?: CallOptions) =>
      pageOf(endpoint, { params: { condition_id: conditionId }, query }, options);
  const allOfMarket =
    <N extends ListName>(endpoint: N) =>
    (conditionId: string, query?: QueryInput<N>, options?: CallOptions) =>
      walk(endpoint, { params: { condition_id: conditionId }, query }, options);
  return { calls, plain, list, all, send, byPubkey, submit, ofMarket, byCondition, listOfMarket, allOfMarket };
}

const catalogCalls = ({ calls, plain, list, all, byCondition }: Methods) => ({
  /** Events and the markets in them. Public. */
  events: {
    /** Newest first unless sorted, each with two of its markets at most. `league` only with `sport`; 20 a page. */
    list: list('events.list'),
    /** With `sort` rows may move between pages meanwhile, which ends in a BrokenList. */
    all: all('events.list'),
    /** One event with all its markets. */
    detail: byCondition('events.detail'),
  },
  /** All sports and their leagues at once: the slugs that other calls filter by. Public. */
  sports: { list: plain('sports.list') },
  /** Markets and events by words and filters. At least one filter beside `limit`, `cursor` and `sort`. Public. */
  search: {
    /** A hit's `summary` is its whole detail; `result_type` names its kind. */
    list: (query: QueryInput<'search.list'>, options?: CallOptions) => calls.page('search.list', { query }, options),
    /** Rows may move between pages meanwhile, which ends in a BrokenList. */
    all: (query: QueryInput<'search.list'>, options?: CallOptions) => calls.all('search.list', { query }, options),
  },
});

const marketCalls = ({ calls, list, all, ofMarket, byCondition, listOfMarket, allOfMarket }: Methods) => ({
  /** Public. Prices are in YES space unless a call says otherwise. */
  markets: {
    /** Newest first unless sorted; 20 a page. */
    list: list('markets.list'),
    /** With `sort` rows may move between pages meanwhile, which ends in a BrokenList. */
    all: all('markets.list'),
    /** Everything about one market. `config` holds its grid and limits (Micros) and its fee rates, by `kind`. */
    detail: byCondition('markets.detail'),
    /** The order book of one outcome, best price first, Micros. `is_yes` false is the NO book, whose prices are 1 - p. */
    book: ofMarket('markets.book'),
    /** Trades of a market, newest first. `is_yes` is the taker's outcome and `price` is in its space (Micros). */
    trades: listOfMarket('markets.trades'),
    /** Trades have no id: a repeated row is not recognised. */
    allTrades: allOfMarket('markets.trades'),
    /** Volumes and capital in currency, decimal text. */
    stats: byCondition('markets.stats'),
    /** The middle of the book as decimal text; null while it has none. `is_yes` (default true) picks the outcome. */
    price: ofMarket('markets.price'),
    /** A price chart, oldest bar first, decimal text. From `start_time` to before `end_time`, at most 30 days apart. */
    candles: (conditionId: string, query: QueryInput<'markets.candles'>, options?: CallOptions) =>
      calls.ask('markets.candles', { params: { condition_id: conditionId }, query }, options),
    /** Public events of all margin positions in a market, newest first. */
    marginActivity: listOfMarket('markets.marginActivity'),
    /** Rows have no id: a repeated row is not recognised. */
    allMarginActivity: allOfMarket('markets.marginActivity'),
  },
});

const orderCalls = ({ list, all, send, byPubkey, submit }: Methods) => ({
  /** Own orders. One is a draft until its message is signed and submitted; `client.place` and `client.cancel` do it all. */
  orders: {
    /** Newest first, drafts included; Micros. */
    list: list('orders.list'),
    /** An order that changes its status meanwhile may be missing or appear twice. */
    all: all('orders.list'),
    /**
     * Drafts an order and returns the message to sign. Nothing trades or is locked yet. Refused with
     * `invalid_request_params` (grid, limits, market), `order_market_not_open`, `order_insufficient_funds`,
     * `order_insufficient_shares`, `gringotts_unavailable`.
     */
    create: send<'orders.create', OrderInput>('orders.create'),
    /**
     * Submits the signature (128 hex characters) over a draft's message: the order trades, the rest of a limit order
     * rests. Refused as `create`, and with `program_call_has_expired`, `invalid_program_call_status`.
     */
    submit: submit('orders.submit'),
    detail: byPubkey('orders.detail'),
    /**
     * Drafts a cancel; the order rests until the cancel is submitted. Refused with `order_not_cancelable`,
     * `gringotts_unavailable`.
     */
    cancel: byPubkey('orders.cancel'),
    /** Submits the signature over a cancel's message. Refused as `submit`, and with `order_not_cancelable`. */
    cancelSubmit: submit('orders.cancelSubmit'),
  },
  /** Own trades, newest first. `price` is in the space of the own order's outcome; Micros. */
  trades: { list: list('trades.list'), all: all('trades.list') },
});

const conversionCalls = ({ calls, list, all, send, byPubkey, submit }: Methods) => ({
  /** Turns a YES and a NO share into one unit of currency; `client.merge` does the whole change. */
  merges: {
    list: list('merges.list'),
    all: all('merges.list'),
    /**
     * Locks the shares and answers the message to sign; asked again for the amount of an unsigned draft, it answers that draft.
     * Refused with `share_merge_insufficient_shares`, `share_merge_in_progress`, `share_conversion_invalid_amount`,
     * `share_conversion_market_not_eligible`, `…_not_open`, `…_paused`, `share_merge_market_has_unbacked_collateral`,
     * `custodial_user_trading_not_allowed`, `gringotts_unavailable`.
     */
    create: send<'merges.create', ConversionInput>('merges.create'),
    /**
     * Returns the row `in_process`; read it until it is `done` or `failed`. Refused with `share_conversion_not_found`,
     * `share_conversion_invalid_state`, `program_call_has_expired`.
     */
    submit: submit('merges.submit'),
    detail: byPubkey('merges.detail'),
  },
  /** Turns one unit of currency into a YES and a NO share; `client.split` does the whole change. */
  splits: {
    list: list('splits.list'),
    all: all('splits.list'),
    /** Locks the currency. Refused as a merge is, but with `share_split_insufficient_funds` and `share_split_in_progress`. */
    create: send<'splits.create', ConversionInput>('splits.create'),
    /** As that of a merge. */
    submit: submit('splits.submit'),
    detail: byPubkey('splits.detail'),
  },
  /** Turns shares of a settled market into currency; `client.redeem` does the whole change. */
  redeems: {
    list: list('redeems.list'),
    all: all('redeems.list'),
    /** Drafts a redeem of all free shares. Refused with `invalid_request_params` (not settled, or nothing held), `gringotts_unavailable`. */
    create: (marketConditionId: string, options?: CallOptions) =>
      calls.ask('redeems.create', { body: { market_condition_id: marketConditionId } }, options),
    /** The row is `completed` with its funds. Refused as an order's submit. */
    submit: submit('redeems.submit'),
    detail: byPubkey('redeems.detail'),
  },
});

const accountCalls = ({ calls, plain, list, all, send }: Methods) => ({
  /** Credentials. `client.bootstrap(wallet)` makes the first two calls for you. */
  keys: {
    /**
     * Returns the text that proves control of a wallet (base58 of its public key). Sign it with `wallet.signChallenge`
     * and pass it on unchanged.
     */
    challenge: (walletAddress: string, options?: CallOptions) =>
      calls.ask('keys.challenge', { body: { wallet_address: walletAddress } }, options),
    /** Creates an API key. Only this answer contains its secret. */
    create: send('keys.create'),
    /** All keys of the account, revoked ones too. Times in Unix seconds. */
    list: plain('keys.list'),
    /** Revokes a key: requests with it are rejected from then on. */
    revoke: (keyId: string, options?: CallOptions) => calls.ask('keys.revoke', { params: { key_id: keyId } }, options),
  },
  /** The own account. No call shows the currency balance. */
  account: {
    /** Names and the time of joining, Unix seconds. */
    detail: plain('account.detail'),
    /** Own shares, one row per outcome, Micros; up to 200 a page. A page may be short although another follows. */
    assets: list('account.assets'),
    allAssets: all('account.assets'),
    /** Profit and loss in currency, decimal text: in total, of one market or of one event. */
    pnl: (query: QueryInput<'account.pnl'> = {}, options?: CallOptions) => calls.ask('account.pnl', { query }, options),
  },
});

const marginCalls = ({ calls, list, all, send, byPubkey, submit }: Methods) => ({
  /** Leveraged positions. Money, prices and leverages are decimal text, in the space of the position's own outcome. */
  positions: {
    /** Newest first unless sorted. */
    list: list('positions.list'),
    all: all('positions.list'),
    /** The effect of opening a position now; public, nothing is reserved. */
    estimate: (query: QueryInput<'positions.estimate'>, options?: CallOptions) =>
      calls.ask('positions.estimate', { query }, options),
    detail: byPubkey('positions.detail'),
    /**
     * Sells the position's shares: now, or with `price` once they sell at this price or better. Takes effect without a
     * signature. An OutcomeUnknown is settled by reading the position.
     */
    close: (pubkey: string, query: QueryInput<'positions.close'> = {}, options?: CallOptions) =>
      calls.ask('positions.close', { params: { pubkey }, query }, options),
    /** Sets take profit and stop loss. Some backends refuse it with `hyperliquid_margin_tp_sl_not_supported` (501). */
    setTpSl: (pubkey: string, prices: TpSlInput, options?: CallOptions) =>
      calls.ask('positions.setTpSl', { params: { pubkey }, body: prices }, options),
    /** Removes both; the answer still carries them. Refused as `setTpSl`. */
    deleteTpSl: byPubkey('positions.deleteTpSl'),
    /** Claims the payment of a `claimable` settlement; it becomes `claim_pending`. */
    claim: byPubkey('positions.claim'),
  },
  /** Payments of ended positions, newest first unless sorted. */
  settlements: { list: list('settlements.list'), all: all('settlements.list') },
  /** Requests that open positions. */
  requests: {
    /** Newest first unless sorted. */
    list: list('requests.list'),
    all: all('requests.list'),
    /**
     * Drafts a position request; sign the row's `message` and submit it. `client.openMargin` does all of it. Refused with
     * `invalid_request_params`, `order_market_not_open`, `order_insufficient_funds`,
     * `hyperliquid_margin_tp_sl_not_supported`, `gringotts_unavailable`.
     */
    create: send<'requests.create', MarginInput>('requests.create'),
    /**
     * Funding starts. Refused with `invalid_request_params` (the signature), `program_call_has_expired`,
     * `invalid_program_call_status`, and `order_market_not_open`, which fails it.
     */
    submit: submit('requests.submit'),
    detail: byPubkey('requests.detail'),
    /** Cancels a request whose funding has not completed. Takes effect without a signature. */
    cancel: byPubkey('requests.cancel'),
  },
});

/** Every group of calls. A method throws ServiceRefused or OutcomeUnknown; a walk also BrokenList. */
export function makeCalls(calls: TypedCalls) {
  const methods = makeMethods(calls);
  return {
    ...catalogCalls(methods),
    ...marketCalls(methods),
    ...orderCalls(methods),
    ...conversionCalls(methods),
    ...accountCalls(methods),
    ...marginCalls(methods),
  };
}

/** All groups of calls, as `ServiceClient` has them. */
export type Calls = ReturnType<typeof makeCalls>;
