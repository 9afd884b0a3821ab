/** The paper exchange without sockets and signatures; its answers are records, not text. */

import { isDeepStrictEqual } from 'node:util';
import type {
  AccountSlot,
  CoreObserver,
  CoreSettings,
  MarketIndex,
  OrderRequest,
  Result,
  Wire,
} from '../../exchange/core/contract.js';
import { ExchangeCore } from '../../exchange/core/core.js';
import { type Forgetting, memoryArchive } from '../../exchange/core/records/archive.js';
import { publicTradePage } from '../../exchange/core/records/market-rows.js';
import { openRateLimits } from '../../exchange/http/rate-guard.js';
import { type CursorList, cursorAt, type HandlerContext } from '../../exchange/service/answers.js';
import { passCall } from '../../exchange/service/handlers.js';
import { WalletSignatures } from '../../exchange/service/wallet-signatures.js';
import { assert, must } from '../../shared/base/errors.js';
import { type Micros, parseDecimal } from '../../shared/base/micros.js';
import { type BodyOf, type DataOf, declarationOf, type EndpointName } from '../../shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceFault } from '../../shared/protocol/errors.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { Orderbook } from '../../shared/protocol/records.js';
import type { AnyCall, BudgetReport, Outcome } from '../../shared/protocol/seam.js';
import { isFinalOrder, isSettledMarket, ORDER_STANDING, ORDER_STATUSES } from '../../shared/protocol/states.js';

// Frequent records have hand-written parsers, because schemas take ten times as long. A test compares both parsers.
const money = (text: string): Micros => must(parseDecimal(text), `a decimal, not ${text}`);
const moneyIfAny = (text: string | null | undefined) => (text === null || text === undefined ? null : money(text));

function readOrder(row: Wire<'orderRow'>): DataOf<'orders.detail'> {
  const { pubkey, status, side, market, outcome } = row;
  return {
    pubkey: pubkey ?? null,
    status: status ?? null,
    side,
    price: moneyIfAny(row.price),
    amount: moneyIfAny(row.amount),
    remaining_amount: moneyIfAny(row.remaining_amount),
    filled_amount: moneyIfAny(row.filled_amount),
    funds: moneyIfAny(row.funds),
    remaining_funds: moneyIfAny(row.remaining_funds),
    filled_funds: moneyIfAny(row.filled_funds),
    market: { condition_id: market.condition_id, title: market.title ?? null },
    outcome: { is_yes: outcome.is_yes, text: outcome.text ?? null },
  };
}

function readOwnTrade(row: Wire<'ownTradeRow'>): DataOf<'trades.list'>[number] {
  const { pubkey, timestamp, state } = row;
  return {
    pubkey,
    market_condition_id: row.market_condition_id ?? null,
    amount: money(row.amount),
    price: money(row.price),
    timestamp,
    fee: moneyIfAny(row.fee),
    is_maker: row.is_maker ?? null,
    state,
    order: readOrder(row.order),
  };
}

const readPublicTrade = (row: Wire<'publicTradeRow'>): DataOf<'markets.trades'>[number] => ({
  market_condition_id: row.market_condition_id ?? null,
  amount: money(row.amount),
  price: money(row.price),
  maker_fee: row.maker_fee ?? null,
  taker_fee: row.taker_fee ?? null,
  timestamp: row.timestamp,
  state: row.state,
  is_yes: row.is_yes,
});

const READERS: Readonly<Partial<Record<EndpointName, (record: never) => unknown>>> = {
  'orders.list': (record: readonly Wire<'orderRow'>[]) => record.map(readOrder),
  'orders.detail': readOrder,
  'trades.list': (record: readonly Wire<'ownTradeRow'>[]) => record.map(readOwnTrade),
  'markets.trades': (record: readonly Wire<'publicTradeRow'>[]) => record.map(readPublicTrade),
};

function readRecord(endpoint: EndpointName, record: unknown): Answered['data'] {
  const reader = READERS[endpoint];
  const data = reader === undefined ? declarationOf(endpoint).data.parse(record) : reader(record as never);
  return data as Answered['data'];
}

type Answered = Extract<Outcome, { kind: 'answered' }>;

/** Converts the body of an order draft for the exchange's core. The trader's types already guarantee valid fields. */
export const readOrderRequest = (body: BodyOf<'orders.create'>): OrderRequest => {
  const { price, amount, funds, ...said } = body as WrittenOrder;
  return {
    ...said,
    price: moneyIfAny(price) ?? undefined,
    amount: moneyIfAny(amount) ?? undefined,
    funds: moneyIfAny(funds) ?? undefined,
  };
};

type WrittenOrder = Omit<OrderRequest, 'price' | 'amount' | 'funds'> &
  Readonly<Partial<Record<'price' | 'amount' | 'funds', string | null>>>;

type OwnTrades = DataOf<'trades.list'>;
type PublicTrades = DataOf<'markets.trades'>;

const page = (list: CursorList, data: PublicTrades | OwnTrades, nextBeforeId: number | null): Outcome => ({
  kind: 'answered',
  data,
  nextCursor: nextBeforeId === null ? null : cursorAt(list, 'before_id', nextBeforeId),
});

/** Returns a market's newest public trades, as the service's handler does; an unchanged answer is the same object. */
function makePublicTradePage(core: ExchangeCore, index: MarketIndex, limit: number): () => Outcome {
  const market = core.catalog.market(index);
  let count = 0;
  let rows: PublicTrades = [];
  let answer: Outcome | null = null;
  return () => {
    const added = market.tape.count - count;
    if (answer !== null && added === 0) return answer;
    const fresh = publicTradePage(market, { limit: Math.min(limit, added) });
    rows = [...fresh.rows.map(readPublicTrade), ...rows].slice(0, limit);
    count += added;
    const oldest = count - rows.length + 1;
    answer = page('markets.trades', rows, rows.length === limit && oldest > 1 ? oldest : null);
    return answer;
  };
}

function makeOwnTradePage(core: ExchangeCore, account: AccountSlot) {
  const known = new Map<number, OwnTrades[number]>();
  /** By limit: the newest answer. `finalAt`: count of trades at which no row can change; -1 if a row can change. */
  const answers = new Map<number, { readonly rows: OwnTrades; readonly outcome: Outcome; readonly finalAt: number }>();
  let count = 0;
  /** Returns the row of a trade, as the same object until the row changes. A final order's row never changes. */
  const readRow = (id: number): OwnTrades[number] => {
    const before = known.get(id);
    if (before !== undefined && isFinalOrder(before.order.status)) return before;
    const { rows } = core.orders.trades(account, { limit: 1, beforeId: id + 1 });
    const fresh = readOwnTrade(must(rows[0], `own trade ${id}`));
    if (before !== undefined && isDeepStrictEqual(before, fresh)) return before;
    known.set(id, fresh);
    return fresh;
  };
  return {
    add: () => void known.delete(++count - LONGEST_PAGE),
    answer: (limit: number): Outcome => {
      const length = Math.min(limit, count);
      const last = answers.get(limit);
      if (last?.finalAt === count) return last.outcome;
      const rows: OwnTrades[number][] = [];
      for (let id = count; id > count - length; id--) rows.push(readRow(id));
      if (last?.rows.length === length && rows.every((row, at) => row === last.rows[at])) return last.outcome;
      const oldest = count - length + 1;
      const outcome = page('trades.list', rows, length === limit && oldest > 1 ? oldest : null);
      const isFinal = rows.every(({ order }) => isFinalOrder(order.status));
      answers.set(limit, { rows, outcome, finalAt: isFinal ? count : -1 });
      return outcome;
    },
  };
}

/** Public key of a wallet without secret key, because nothing is signed in a backtest. */
const WALLET = '11111111111111111111111111111112';

const LONGEST_PAGE = 100;

/** Maximum number of stored orders without a fill: more than a trader can place in half an hour. */
const UNFILLED_ORDERS: Forgetting = {
  passes: ({ state }) => UNFILLED.some((unfilled) => unfilled === state),
  keep: 5_000,
};
const UNFILLED = ORDER_STATUSES.filter((status) => {
  const { phase, filled } = ORDER_STANDING[status];
  return phase === 'over' && filled === 'nothing';
});

export class InProcessExchange {
  readonly core: ExchangeCore;
  readonly account: AccountSlot;
  readonly #context: HandlerContext;
  readonly #limits: ReturnType<typeof openRateLimits>;
  readonly #prices = new Int32Array(100);
  readonly #amounts = new Float64Array(100);
  readonly #publicTrades = new Map<MarketIndex, () => Outcome>();
  readonly #ownTrades: ReturnType<typeof makeOwnTradePage>;
  #orders: Outcome | null = null;
  #ordersQuery: object | null = null;
  #dueMs = Number.POSITIVE_INFINITY;
  /** Last answer of each endpoint: comparing two records is faster than parsing a record again. */
  readonly #lastRead = new Map<EndpointName, { record: unknown; nextCursor: string | null; outcome: Outcome }>();

  constructor(
    settings: CoreSettings,
    limits: VenueProfile['rate_limits'],
    nowMs: number,
    onFill: CoreObserver['onFill'],
  ) {
    const observer: CoreObserver = {
      onFill: (fill) => {
        this.#ownTrades.add();
        this.#orders = null;
        onFill(fill);
      },
    };
    this.core = new ExchangeCore({ ...settings, observer }, undefined, memoryArchive({ order: UNFILLED_ORDERS }));
    this.account = openAccount(this.core, nowMs);
    this.#ownTrades = makeOwnTradePage(this.core, this.account);
    this.#context = { core: this.core, wallets: new WalletSignatures() };
    this.#limits = openRateLimits(limits);
  }

  answer(call: AnyCall, nowMs: number) {
    const { scope } = declarationOf(call.endpoint);
    const { allowed, limit, remaining, resetMs } = this.#limits[scope].take('us', nowMs);
    // The exchange's time is in whole seconds here, as in the exchange's HTTP headers.
    const budget: BudgetReport = { scope, limit, remaining, resetMs: Math.ceil(resetMs / 1000) * 1000 };
    const outcome = allowed ? this.#serve(call, nowMs) : answerRefusal({ slug: 'throttled' });
    return { outcome, venueTimeMs: Math.floor(nowMs / 1000) * 1000, budget };
  }

  /** Drops a market's data. Cancels an unsettled market without shares of the trader, so that its polls end. */
  closeMarket(market: MarketIndex, nowMs: number): void {
    const { card, state, shares } = this.core.catalog.market(market);
    const { yes, no } = shares.read(this.account);
    if (!isSettledMarket(state) && yes === 0 && no === 0) this.core.at(nowMs).markets.resolve(card.conditionId, null);
    this.core.feed.end(market, LONGEST_PAGE + 1);
    this.#publicTrades.delete(market);
    this.#orders = null;
  }

  #serve(call: AnyCall, nowMs: number): Outcome {
    const { core, account } = this;
    core.advance(nowMs);
    const dueMs = core.timers.nextMs;
    // A timer of the core, such as a draft's expiry, or a call other than GET may have changed the cached orders.
    if (dueMs !== this.#dueMs || declarationOf(call.endpoint).method !== 'GET') this.#orders = null;
    this.#dueMs = dueMs;
    switch (call.endpoint) {
      case 'markets.trades':
        if (call.query.cursor !== undefined || call.query.limit !== LONGEST_PAGE) return this.#handleCall(call, nowMs);
        return this.#answerTrades(call.params.condition_id);
      case 'trades.list': {
        const { cursor, market_condition_id: market, limit = 0 } = call.query;
        const isFirstPage = cursor === undefined && market === undefined && limit > 0 && limit <= LONGEST_PAGE;
        return isFirstPage ? this.#ownTrades.answer(limit) : this.#handleCall(call, nowMs);
      }
      case 'orders.list':
        if (this.#orders === null || this.#ordersQuery !== call.query) {
          // Each poll of the trader makes a new query object, so the fields of the queries are compared.
          const isSame = JSON.stringify(call.query) === JSON.stringify(this.#ordersQuery);
          if (this.#orders === null || !isSame) this.#orders = this.#handleCall(call, nowMs);
          this.#ordersQuery = call.query;
        }
        return this.#orders;
      case 'markets.book':
        return this.#book(call.params.condition_id, call.query.is_yes !== false, call.query.depth ?? 50);
      case 'orders.create':
        return answerResult(core.orders.draft(account, readOrderRequest(call.body)), (draft) => draft);
      case 'orders.cancel':
        return answerResult(core.orders.draftCancel(account, call.params.pubkey), (draft) => draft);
      case 'orders.submit':
        return answerResult(core.orders.submit(account, call.params.pubkey, true), readOrder);
      case 'orders.cancelSubmit':
        return answerResult(core.orders.submitCancel(account, call.params.pubkey, true), readOrder);
      case 'merges.submit':
        return answerSubmit(call.endpoint, core.conversions.submit('merge', account, call.params.pubkey, true));
      case 'splits.submit':
        return answerSubmit(call.endpoint, core.conversions.submit('split', account, call.params.pubkey, true));
      case 'redeems.submit':
        return answerSubmit(call.endpoint, core.redeems.submit(account, call.params.pubkey, true));
      default:
        return this.#handleCall(call, nowMs);
    }
  }

  #answerTrades(conditionId: string): Outcome {
    const index = this.core.catalog.findIndex(conditionId);
    if (index === null) return answerRefusal({ slug: 'not_found' });
    let trades = this.#publicTrades.get(index);
    if (trades === undefined) {
      trades = makePublicTradePage(this.core, index, LONGEST_PAGE);
      this.#publicTrades.set(index, trades);
    }
    return trades();
  }

  #book(conditionId: string, isYes: boolean, depth: number): Outcome {
    const index = this.core.catalog.findIndex(conditionId);
    if (index === null) return answerRefusal({ slug: 'not_found' });
    assert(isYes, 'the trader must request YES books only');
    const [bid, ask] = [this.#side(index, 0, depth), this.#side(index, 1, depth)];
    return { kind: 'answered', data: { market: conditionId, is_yes: true, bid, ask }, nextCursor: null };
  }

  #side(index: MarketIndex, side: 0 | 1, depth: number): Orderbook['bid'] {
    const count = this.core.catalog.market(index).readLevels(side, depth, this.#prices, this.#amounts);
    const rows: Orderbook['bid'] = [];
    // The core's buffers contain integer micros, but the type of a typed array cannot express this.
    for (let i = 0; i < count; i++)
      rows.push({ price: this.#prices[i] as Micros, total_amount: this.#amounts[i] as Micros });
    return rows;
  }

  #handleCall(call: AnyCall, nowMs: number): Outcome {
    const declaration = declarationOf(call.endpoint);
    const body = declaration.body === null ? null : declaration.body.parse(call.body);
    const limit = 'limit' in call.query && call.query.limit !== undefined ? call.query.limit : (declaration.page ?? 0);
    const whole = { nowMs, account: this.account, params: call.params, query: call.query, body, limit };
    const reply = passCall(call.endpoint, whole, this.#context);
    if (!reply.ok) return answerRefusal(reply.fault);
    return this.#readAgain(call.endpoint, reply.value, reply.nextCursor ?? null);
  }

  #readAgain(endpoint: EndpointName, record: unknown, nextCursor: string | null): Outcome {
    const last = this.#lastRead.get(endpoint);
    // A record that is the same object may have changed since the last answer, so it is parsed again.
    const isSame = last !== undefined && last.record !== record && last.nextCursor === nextCursor;
    if (isSame && isDeepStrictEqual(last.record, record)) return last.outcome;
    const outcome: Outcome = { kind: 'answered', data: readRecord(endpoint, record), nextCursor };
    if (!(endpoint in READERS)) this.#lastRead.set(endpoint, { record, nextCursor, outcome });
    return outcome;
  }
}

const answerResult = <T>(result: Result<T>, read: (value: T) => Answered['data']): Outcome =>
  result.ok ? { kind: 'answered', data: read(result.value), nextCursor: null } : answerRefusal(result.fault);

const answerSubmit = (endpoint: EndpointName, result: Result<unknown>): Outcome =>
  answerResult(result, (record) => readRecord(endpoint, record));

function answerRefusal({ slug, message, details }: ServiceFault): Outcome {
  const usual = SERVICE_ERRORS[slug];
  return { kind: 'refused', status: usual.status, slug, message: message ?? usual.message, details: details ?? [] };
}

function openAccount(core: ExchangeCore, nowMs: number): AccountSlot {
  const challenge = core.at(nowMs).identity.challenge(WALLET, 'nonce');
  assert(challenge.ok, 'a new exchange must give a challenge');
  const { message, nonce } = challenge.value;
  core.at(nowMs).identity.createKey({ wallet_address: WALLET, message, nonce }, true, 'key', 'secret');
  const credential = core.identity.credential('key');
  assert(credential !== null, 'a new exchange must open an account');
  return credential.account;
}
