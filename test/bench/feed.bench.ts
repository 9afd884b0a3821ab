/**
 * Cost of telemetry per step of the trader: sixty markets, four readers over a real socket, two of which never read and
 * reconnect when dropped. Blocks with and without readers alternate, so both meet the same load.
 */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { ASK, BID } from '../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../src/exchange/core/core.js';
import { faultAnswer, type HandlerContext, type Reply, successText } from '../../src/exchange/service/answers.js';
import { passCall } from '../../src/exchange/service/handlers.js';
import { type Micros, micros } from '../../src/shared/base/micros.js';
import { Random } from '../../src/shared/base/random.js';
import { declarationOf, type EndpointName } from '../../src/shared/protocol/endpoints.js';
import type { Observation, Request } from '../../src/shared/protocol/seam.js';
import type { AccountStatus, ProcessStatus } from '../../src/shared/protocol/trader-status.js';
import { classify } from '../../src/shell/client/message.js';
import { loadShipped } from '../../src/shell/config/strategy-module.js';
import { TelemetryPublisher } from '../../src/shell/control/telemetry.js';
import { Wallet } from '../../src/shell/wallet/wallet.js';
import type { Trader } from '../../src/trader/engine/trader.js';
import { openMemoryLedger } from '../../src/trader/ledger/ledger.js';
import { settings } from '../exchange/core/venue.js';
import { contextOf, openAccount } from '../simulation/exchange-side.js';
import { paramsFor } from '../trader/strategy/fixtures.js';
import { type Bench, type BenchRow, percentile, sized } from './bench.js';
import { BENCH_PROFILE, benchTrader } from './bench-trader.js';

const MARKETS = sized(60, 5);
const BLOCKS = sized(16, 2);
const BEATS = sized(120, 10);
/** A beat is a tenth of a second of the trader's time. */
const BEATS_PER_S = 10;

/** They run in their own process. */
const READERS = `
const { connect } = require('node:net');
for (const reads of [true, true, false, false]) {
  const open = () => {
    const socket = connect(process.argv[1]);
    if (reads) socket.resume(); else socket.pause();
    socket.on('error', () => undefined);
    socket.on('close', () => setTimeout(open, 20));
  };
  open();
}`;

interface Figures {
  readonly steps: number[];
  /** Time of telemetry alone, ms. */
  telling: number;
  beats: number;
}

const none = (): Figures => ({ steps: [], telling: 0, beats: 0 });

async function run(): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-feed-'));
  const world = await World.open(MARKETS);
  const { clock, publisher } = publisherOf(world);
  let [cut, connected] = [0, 0];
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    if (publisher.subscribe(socket) !== null) return void socket.destroy();
    connected++;
    socket.on('close', () => cut++);
  });
  await new Promise<void>((resolve) => server.listen(join(folder, 's'), resolve));
  const readers = spawn(process.execPath, ['-e', READERS, join(folder, 's')], { stdio: 'ignore' });
  while (connected < 4) await turn();
  const [without, told] = [none(), none()];
  // The first blocks are warm-up and are not counted.
  for (let block = -1; block < BLOCKS; block++) {
    for (const figures of [without, told]) {
      for (let beat = 0; beat < BEATS; beat++) {
        beatOnce(world, clock, figures === told ? publisher : null, block < 0 ? none() : figures);
        await turn();
      }
    }
  }
  readers.kill('SIGKILL');
  server.close();
  publisher.close('', true);
  world.close();
  rmSync(folder, { recursive: true });
  return rowsOf(without, told, cut);
}

/** Virtual time between steps, real time within a step. */
function publisherOf(world: World) {
  const clock = { beganMs: 0 };
  const source = {
    process: () => ({ run: 'bench' }) as ProcessStatus, // The readers of a benchmark do not read fields.
    // A book of the usual size.
    account: (nowMs: number) =>
      ({ ...world.trader.account(nowMs), risk: world.trader.riskUse(nowMs) }) as unknown as AccountStatus,
    markets: (nowMs: number) => world.trader.watchMarkets(nowMs),
    mode: () => world.trader.mode,
    onFailure: (error: unknown) => {
      throw error;
    },
  };
  const steadyMs = () => world.nowMs + performance.now() - clock.beganMs;
  return { clock, publisher: new TelemetryPublisher(source, { steadyMs, nowMs: () => world.nowMs, cpuMs: steadyMs }) };
}

function beatOnce(world: World, clock: { beganMs: number }, publisher: TelemetryPublisher | null, figures: Figures) {
  figures.beats++;
  world.beat((_, step) => {
    clock.beganMs = performance.now();
    const beganMs = processorMs();
    step();
    const steppedMs = processorMs();
    publisher?.afterStep();
    const endedMs = processorMs();
    figures.steps.push(endedMs - beganMs);
    figures.telling += endedMs - steppedMs;
  });
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function rowsOf(without: Figures, told: Figures, cut: number): readonly BenchRow[] {
  for (const { steps } of [without, told]) steps.sort((a, b) => a - b);
  const spread = `${told.steps.length} steps`;
  const shares = Object.entries({ p50: 0.5, p99: 0.99, 'p99.9': 0.999 });
  const row = (name: string, figure: number, unit: string): BenchRow => ({ name, figure, unit, spread });
  return [
    ...shares.map(([name, share]) => row(`a step without readers, ${name}`, percentile(without.steps, share), 'ms')),
    ...shares.map(([name, share]) => row(`a step with four readers, ${name}`, percentile(told.steps, share), 'ms')),
    row('delay of a step by telemetry, p99.9', percentile(told.steps, 0.999) - percentile(without.steps, 0.999), 'ms'),
    row('the trader’s time that telemetry takes', (told.telling / ((told.beats / BEATS_PER_S) * 1000)) * 100, '%'),
    row('readers let go', cut, 'readers'),
  ];
}

const START_MS = Date.UTC(2026, 10, 21, 12);
const BEAT_MS = 100;
const TICK: Micros = micros(10_000);
const LEVELS = 10;
/** Probability per beat that a market moves by a tick. */
const MOVING = 0.005;

interface Book {
  readonly market: number;
  middle: number;
  handles: number[];
}

/** Called around each step of the trader. */
type Watch = (observation: Observation, step: () => void) => void;

/** The default parameters would not quote the bench's markets. */
const PARAMS = { half_spread_ticks: 2, improve_ticks: 1 };

/** The whole trader in one process with an exchange's core, in virtual time. */
class World {
  readonly trader: Trader;
  readonly core: ExchangeCore;
  nowMs = START_MS;
  readonly #ledger = openMemoryLedger();
  readonly #account: number;
  readonly #others: number;
  readonly #context: HandlerContext;
  readonly #random = Random.fromSeed(1, 'bench');
  readonly #books: Book[] = [];
  #waiting: Request[] = [];

  private constructor(core: ExchangeCore, account: number, others: number, trader: (world: World) => Trader) {
    this.core = core;
    this.#account = account;
    this.#others = others;
    this.#context = contextOf(core);
    this.trader = trader(this);
  }

  static async open(markets: number): Promise<World> {
    const wallet = new Wallet(new Uint8Array(32).fill(7));
    const core = new ExchangeCore({
      ...settings,
      serviceName: BENCH_PROFILE.service_name,
      draftLifetimeMs: BENCH_PROFILE.draft_lifetime_s * 1000,
      startingFunds: micros(1_000_000_000_000),
    });
    const { strategy } = await loadShipped('log-odds-maker');
    const params = paramsFor(strategy, PARAMS);
    const others = core.at(START_MS).identity.openInternal('others', { unlimited: true });
    const world = new World(core, openAccount(core, wallet.address, START_MS), others, (self) =>
      benchTrader({ wallet, ledger: self.#ledger, strategy, params, markets, nowMs: START_MS }),
    );
    for (let market = 0; market < markets; market++) world.#openMarket(market);
    return world;
  }

  /** One beat of the clock: other orders move the books, the trader takes a step, and all its requests are answered. */
  beat(watch: Watch): void {
    this.nowMs += BEAT_MS;
    this.core.advance(this.nowMs);
    for (const book of this.#books) if (this.#random.chance(MOVING)) this.#move(book);
    this.#step({ kind: 'time', nowMs: this.nowMs }, watch);
    const asked = this.#waiting;
    this.#waiting = [];
    for (const request of asked) this.#step(this.#answer(request), watch);
  }

  close(): void {
    this.#ledger.close();
  }

  #step(observation: Observation, watch: Watch): void {
    watch(observation, () => void this.#waiting.push(...this.trader.handle(observation)));
    this.trader.takeNotices();
  }

  #answer({ id, call }: Request): Observation {
    const declaration = declarationOf(call.endpoint);
    const asks = 'limit' in call.query ? call.query.limit : undefined;
    const limit = asks ?? declaration.page ?? 0;
    const body = declaration.body === null ? null : declaration.body.parse(call.body);
    const asked = { nowMs: this.nowMs, account: this.#account, params: call.params, query: call.query, body, limit };
    const reply = passCall(call.endpoint, asked, this.#context);
    const answer = answerOf(declaration.status, declaration.page === undefined ? null : limit, reply);
    return {
      kind: 'outcome',
      nowMs: this.nowMs,
      requestId: id,
      // As over the network, the text is parsed and checked; the exchange shares no memory.
      outcome: classify(declaration, answer.status, answer.text).outcome,
      sentMs: this.nowMs,
      venueTimeMs: this.nowMs - (this.nowMs % 1000),
      budget: null,
    };
  }

  #openMarket(number: number): void {
    const created = this.core.at(this.nowMs).markets.create({
      config: { kind: 'orderbook', price_precision: 2 },
      title: `Market ${number}`,
      resolution_date: START_MS / 1000 + 100 * 86_400,
    });
    if (!created.ok) throw new Error(JSON.stringify(created.fault));
    const book: Book = { market: created.value.index, middle: 30 + (number % 40), handles: [] };
    this.#books.push(book);
    this.#place(book);
  }

  /** Another trader takes part of the best price, usually our order; all other books move by a tick. */
  #move(book: Book): void {
    const [side, limit] = this.#random.chance(0.5)
      ? ([BID, book.middle + 9] as const)
      : ([ASK, book.middle - 9] as const);
    this.core.at(this.nowMs).internal.place(this.#others, book.market, side, micros(limit * TICK), TAKEN, true);
    for (const handle of book.handles) this.core.at(this.nowMs).internal.cancel(handle);
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
        const handle = this.core.at(this.nowMs).internal.place(this.#others, book.market, side, price, SHARES, false);
        if (handle > 0) book.handles.push(handle);
      }
    }
  }
}

const SHARES = micros(50_000_000);
const TAKEN = micros(5_000_000);

function answerOf(status: number, pageLimit: number | null, reply: Reply<EndpointName>) {
  if (!reply.ok) return faultAnswer(reply.fault);
  const meta = pageLimit === null ? {} : { limit: pageLimit, next_cursor: reply.nextCursor ?? null };
  return { status, text: successText(reply.value, meta) };
}

export const bench: Bench = { title: `feed: telemetry of ${MARKETS} markets, four readers`, run };
