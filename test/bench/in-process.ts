/** The whole trader in one process with an exchange's core, in virtual time: for measuring the trader alone. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ASK, BID } from '../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../src/exchange/core/core.js';
import { BookTexts } from '../../src/exchange/service/book-texts.js';
import { faultAnswer, successText } from '../../src/exchange/service/envelope.js';
import type { HandlerContext, Reply, ServiceCall } from '../../src/exchange/service/handler-context.js';
import { HANDLERS } from '../../src/exchange/service/handlers.js';
import { WalletSignatures } from '../../src/exchange/service/wallet-signatures.js';
import { type Micros, micros } from '../../src/shared/base/micros.js';
import { Random } from '../../src/shared/base/random.js';
import { declarationOf, type EndpointName } from '../../src/shared/protocol/endpoints.js';
import type { Observation, Request } from '../../src/shared/protocol/seam.js';
import { classify } from '../../src/shell/client/classify.js';
import { loadShipped } from '../../src/shell/config/strategy-module.js';
import { Wallet } from '../../src/shell/wallet/wallet.js';
import type { Trader } from '../../src/trader/engine/trader.js';
import type { Ledger } from '../../src/trader/ledger/contract.js';
import { openLedger, openMemoryLedger } from '../../src/trader/ledger/ledger.js';
import { readParams } from '../../src/trader/strategy/read-params.js';
import { BENCH_PROFILE, benchTrader } from './bench-trader.js';

const START_MS = Date.UTC(2026, 10, 21, 12);
const BEAT_MS = 100;
const TICK: Micros = micros(10_000);
const LEVELS = 10;
/** Per beat: how many of the markets move by a tick. */
const MOVING = 0.005;

interface Book {
  readonly market: number;
  middle: number;
  handles: number[];
}

/** Where the ledger is: a commit in a file waits for the disk. */
export type LedgerKind = 'file' | 'memory';

/** What the bench sees of each step of the trader. */
export type Watch = (observation: Observation, request: Request | null, took: () => readonly Request[]) => void;

/** Where the defaults of a strategy would keep it from quoting the bench's markets. */
const PARAMS: Readonly<Record<string, unknown>> = { 'log-odds-maker': { half_spread_ticks: 2, improve_ticks: 1 } };

export class World {
  readonly trader: Trader;
  readonly core: ExchangeCore;
  /** Part of the markets that move by a tick in a beat. */
  moving = MOVING;
  /** Answered reads so far. */
  polls = 0;
  nowMs = START_MS;
  readonly #folder = mkdtempSync(join(tmpdir(), 'twinbook-bench-'));
  readonly #ledger: Ledger;
  readonly #account: number;
  readonly #others: number;
  readonly #context: HandlerContext;
  readonly #random = Random.fromSeed(1, 'bench');
  readonly #books: Book[] = [];
  #waiting: Request[] = [];

  private constructor(
    core: ExchangeCore,
    account: number,
    others: number,
    keeping: LedgerKind,
    trader: (world: World) => Trader,
  ) {
    this.core = core;
    const file = join(this.#folder, 'ledger.sqlite');
    this.#ledger =
      keeping === 'memory' ? openMemoryLedger() : openLedger(file, { pid: process.pid, startedMs: START_MS });
    this.#account = account;
    this.#others = others;
    this.#context = { core, books: new BookTexts(core), wallets: new WalletSignatures() };
    this.trader = trader(this);
  }

  static async open(markets: number, keeping: LedgerKind = 'file', name = 'log-odds-maker'): Promise<World> {
    const wallet = new Wallet(new Uint8Array(32).fill(7));
    const core = new ExchangeCore({
      serviceName: BENCH_PROFILE.service_name,
      draftLifetimeMs: BENCH_PROFILE.draft_lifetime_s * 1000,
      landingMs: 400,
      startingFunds: micros(1_000_000_000_000),
      challengeLifetimeMs: 600_000,
      seed: 1,
    });
    const { strategy } = await loadShipped(name);
    const { values: params } = readParams(strategy, PARAMS[name]);
    if (params === null) throw new Error('the parameters do not fit the strategy');
    const others = core.openInternalAccount(START_MS, 'others', { unlimited: true });
    const world = new World(core, accountOf(core, wallet), others, keeping, (self) =>
      benchTrader({ wallet, ledger: self.#ledger, strategy, params, markets, nowMs: START_MS }),
    );
    for (let market = 0; market < markets; market++) world.#openMarket(market);
    return world;
  }

  /** One beat of the clock: others move, the trader looks, and everything it asks is answered. */
  beat(watch: Watch): void {
    this.nowMs += BEAT_MS;
    this.core.advance(this.nowMs);
    for (const book of this.#books) if (this.#random.chance(this.moving)) this.#move(book);
    this.#step({ kind: 'time', nowMs: this.nowMs }, null, watch);
    const asked = this.#waiting;
    this.#waiting = [];
    for (const request of asked) this.#step(this.#answer(request), request, watch);
  }

  close(): void {
    this.#ledger.close();
    rmSync(this.#folder, { recursive: true });
  }

  #step(observation: Observation, request: Request | null, watch: Watch): void {
    watch(observation, request, () => {
      const requests = this.trader.handle(observation);
      this.#waiting.push(...requests);
      return requests;
    });
    this.trader.takeNotices();
  }

  #answer({ id, call }: Request): Observation {
    const declaration = declarationOf(call.endpoint);
    const asks = 'limit' in call.query ? call.query.limit : undefined;
    const limit = asks ?? declaration.page ?? 0;
    const body = declaration.body === null ? null : declaration.body.parse(call.body);
    const asked = { nowMs: this.nowMs, account: this.#account, params: call.params, query: call.query, body, limit };
    const reply = handle(call.endpoint, asked, this.#context);
    if (declaration.method === 'GET') this.polls += 1;
    const answer = answerOf(declaration.status, declaration.page === undefined ? null : limit, reply);
    return {
      kind: 'outcome',
      nowMs: this.nowMs,
      requestId: id,
      // As over the network: the text is read and judged, nothing is shared with the exchange's memory.
      outcome: classify(declaration, answer.status, answer.text).outcome,
      sentMs: this.nowMs,
      venueTimeMs: this.nowMs - (this.nowMs % 1000),
      budget: null,
    };
  }

  #openMarket(number: number): void {
    const created = this.core.createMarket(this.nowMs, {
      config: { kind: 'orderbook', price_precision: 2 },
      title: `Market ${number}`,
      resolution_date: START_MS / 1000 + 100 * 86_400,
    });
    if (!created.ok) throw new Error(JSON.stringify(created.fault));
    const book: Book = { market: created.value.index, middle: 30 + (number % 40), handles: [] };
    this.#books.push(book);
    this.#place(book);
  }

  /** Somebody takes a little of what is best, most likely ours, and everybody else's book goes up or down by a tick. */
  #move(book: Book): void {
    const [side, limit] = this.#random.chance(0.5)
      ? ([BID, book.middle + 9] as const)
      : ([ASK, book.middle - 9] as const);
    this.core.placeInternal(this.nowMs, this.#others, book.market, side, micros(limit * TICK), TAKEN, true);
    for (const handle of book.handles) this.core.cancelInternal(this.nowMs, handle);
    book.middle = Math.max(15, Math.min(85, book.middle + (this.#random.chance(0.5) ? 1 : -1)));
    this.#place(book);
  }

  #place(book: Book): void {
    book.handles = [];
    for (const [side, away] of [
      [BID, -1],
      [ASK, 1],
    ] as const) {
      for (let level = 3; level < 3 + LEVELS; level++) {
        const price = micros((book.middle + away * level) * TICK);
        const handle = this.core.placeInternal(this.nowMs, this.#others, book.market, side, price, SHARES, false);
        if (handle > 0) book.handles.push(handle);
      }
    }
  }
}

const SHARES = micros(50_000_000);
const TAKEN = micros(5_000_000);

/** Hands a call to its handler; its body was read above, and the trader writes queries as the declaration has them. */
function handle<N extends EndpointName>(name: N, call: object, context: HandlerContext): Reply<N> {
  return HANDLERS[name](call as ServiceCall<N>, context);
}

function answerOf(status: number, pageLimit: number | null, reply: Reply<EndpointName>) {
  if (!reply.ok) return faultAnswer(reply.fault);
  if ('text' in reply) return { status, text: reply.text };
  const meta = pageLimit === null ? {} : { limit: pageLimit, next_cursor: reply.nextCursor ?? null };
  return { status, text: successText(reply.data, meta) };
}

function accountOf(core: ExchangeCore, { address }: Wallet): number {
  const challenge = core.createChallenge(START_MS, address, 'nonce');
  if (!challenge.ok) throw new Error('no challenge');
  const { message, nonce } = challenge.value;
  core.createKey(START_MS, { wallet_address: address, message, nonce }, true, 'key', 'secret');
  const credential = core.credential('key');
  if (credential === null) throw new Error('no account');
  return credential.account;
}
