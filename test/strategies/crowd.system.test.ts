/**
 * The shipped crowd-maker on the simulated crowd, in process and in virtual time: a book every 2.5 s, 150 ms from a
 * quote to the order. It only shows that market, strategy and file fit together and profit from this crowd.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ASK, BID } from '../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../src/exchange/core/core.js';
import { bookRow, detailRow, publicTradePage } from '../../src/exchange/core/records/market-rows.js';
import { Crowd } from '../../src/exchange/crowd/crowd.js';
import { type Micros, micros, ONE } from '../../src/shared/base/micros.js';
import { marketDetail, orderbook, publicTradeRow } from '../../src/shared/protocol/records.js';
import { MarketTracker } from '../../src/trader/market/market-tracker.js';
import type { BookSide, OwnMarketState, OwnOrder } from '../../src/trader/market/view.js';
import type { QuoteLevel, Quoter, Quotes } from '../../src/trader/strategy/contract.js';
import logOddsMaker from '../../strategies/log-odds-maker.js';
import { m, own } from '../trader/market/fixtures.js';
import { paramsFor } from '../trader/strategy/fixtures.js';

const FILE = join(import.meta.dirname, '../../config/strategies/crowd-maker.yaml');
const START_MS = 1_795_000_000_000;
const LOOK_MS = 2500;
const REACTION_MS = 150;
const MINUTES = 10;

interface Resting extends OwnOrder {
  readonly handle: number;
}

interface Job {
  readonly atMs: number;
  readonly run: () => void;
}

class World {
  readonly core: ExchangeCore;
  readonly crowd: Crowd;
  readonly account: number;
  readonly desks: readonly Desk[];
  nowMs = START_MS;
  #jobs: Job[] = [];

  constructor(seed: number, params: unknown) {
    this.core = new ExchangeCore({
      serviceName: 'SVC',
      draftLifetimeMs: 60_000,
      landingMs: 400,
      startingFunds: m(1000),
      challengeLifetimeMs: 600_000,
      seed,
    });
    this.crowd = new Crowd(this.core, { seed }, START_MS);
    this.account = this.core.at(START_MS).identity.openInternal('us', { unlimited: false, funds: m(1000) });
    this.desks = this.crowd.truths().map(({ index }, i) => {
      const desk = new Desk(this, index, params);
      this.at(START_MS + 500 + (i * LOOK_MS) / 4, () => desk.look());
      return desk;
    });
  }

  at(atMs: number, run: () => void): void {
    this.#jobs.push({ atMs, run });
  }

  runUntil(endMs: number): void {
    for (;;) {
      this.#jobs.sort((a, b) => a.atMs - b.atMs);
      if (this.#jobs[0] === undefined || this.#jobs[0].atMs > endMs) return;
      const [job] = this.#jobs.splice(0, 1);
      this.nowMs = job?.atMs ?? this.nowMs;
      this.crowd.tick(this.nowMs);
      job?.run();
    }
  }

  truth(market: number): number {
    return this.crowd.truths().find(({ index }) => index === market)?.probability ?? Number.NaN;
  }
}

/** One market: polls, calls the strategy, and places its quotes. */
class Desk {
  readonly #world: World;
  readonly #market: number;
  readonly #state: MarketTracker;
  readonly #quoter: Quoter;
  #orders: Resting[] = [];
  #looks = 0;
  twoSided = 0;
  net = 0;
  cash = 0;
  firstFillMs = Number.POSITIVE_INFINITY;

  constructor(world: World, market: number, params: unknown) {
    this.#world = world;
    this.#market = market;
    this.#state = new MarketTracker(world.core.marketFacts(market).conditionId);
    const at = { requestId: 0, sentMs: START_MS, seenMs: START_MS, venueTimeMs: START_MS };
    this.#state.onDetail(marketDetail.parse(detailRow(world.core.catalog, world.core.catalog.market(market))), at);
    if (this.#state.facts === null) throw new Error(`${this.#state.unsuitable}`);
    this.#quoter = logOddsMaker.create(paramsFor(logOddsMaker, params), this.#state.facts);
  }

  get uptime(): number {
    return this.twoSided / this.#looks;
  }

  look(): void {
    const { core, nowMs } = this.#world;
    this.#bookFills();
    this.#looks++;
    const at = { requestId: this.#looks, sentMs: nowMs, seenMs: nowMs, venueTimeMs: null };
    this.#state.onBook(orderbook.parse(bookRow(core.catalog.market(this.#market), true, 50)), at, this.#orders);
    const { rows } = publicTradePage(core.catalog.market(this.#market), { limit: 20 });
    this.#state.onTrades(
      rows.map((row) => publicTradeRow.parse(row)),
      at,
    );
    const view = this.#state.view(nowMs, this.#own());
    if (view === null) throw new Error('no view after a detail and a book');
    const quotes = this.#quoter.quote(view);
    if (quotes.bids.length > 0 && quotes.asks.length > 0) this.twoSided++;
    this.#world.at(nowMs + REACTION_MS, () => this.#bring(quotes));
    this.#world.at(nowMs + LOOK_MS, () => this.look());
  }

  #own(): OwnMarketState {
    const held = { yesMicros: m(Math.max(0, this.net)), noMicros: m(Math.max(0, -this.net)) };
    return own(this.#orders, { ...held, maxPositionMicros: m(200) });
  }

  #bookFills(): void {
    const { core, nowMs } = this.#world;
    for (const [i, order] of this.#orders.entries()) {
      const left = core.internal.remaining(order.handle);
      const amount = order.remainingMicros - left;
      if (amount === 0) continue;
      this.#takeIn(order.side, order.priceMicros, micros(amount));
      this.#orders[i] = { ...order, remainingMicros: left };
      this.firstFillMs = Math.min(this.firstFillMs, nowMs - START_MS);
    }
    this.#orders = this.#orders.filter(({ remainingMicros }) => remainingMicros > 0);
  }

  #takeIn(side: BookSide, priceMicros: Micros, amountMicros: Micros): void {
    const shares = (side === 'bid' ? 1 : -1) * (amountMicros / ONE);
    this.net += shares;
    this.cash -= shares * (priceMicros / ONE);
    this.#quoter.observe?.({
      kind: 'fill',
      nowMs: this.#world.nowMs,
      side,
      priceMicros,
      amountMicros,
      isMaker: true,
    });
  }

  #bring(quotes: Quotes): void {
    this.#bookFills();
    this.#bringSide('bid', quotes.bids[0], quotes);
    this.#bringSide('ask', quotes.asks[0], quotes);
  }

  /** One level a side: an order within the tolerance stays, any other is replaced. */
  #bringSide(side: BookSide, level: QuoteLevel | undefined, { keepWithinTicks, keepWithinSizeFraction }: Quotes): void {
    const { core, nowMs, account } = this.#world;
    const held = this.#orders.find((order) => order.side === side);
    const near = (order: Resting, to: QuoteLevel) =>
      Math.abs(order.priceMicros - to.priceMicros) <= keepWithinTicks * 10_000 &&
      Math.abs(order.remainingMicros / to.amountMicros - 1) <= keepWithinSizeFraction;
    if (held !== undefined && level !== undefined && near(held, level)) return;
    if (held !== undefined) {
      core.at(nowMs).internal.cancel(held.handle);
      this.#orders = this.#orders.filter((order) => order !== held);
    }
    if (level === undefined) return;
    const { priceMicros, amountMicros } = level;
    const where = side === 'bid' ? BID : ASK;
    const handle = core.at(nowMs).internal.place(account, this.#market, where, priceMicros, amountMicros, false);
    const filled = core.internal.lastFilled;
    if (handle >= 0 && filled > 0) this.#takeIn(side, priceMicros, filled);
    if (handle <= 0) return;
    const remainingMicros = micros(amountMicros - filled);
    const intentId = `${side}${handle}`;
    this.#orders.push({
      intentId,
      handle,
      side,
      priceMicros,
      remainingMicros,
      isYes: true,
      submittedMs: nowMs,
      acceptedMs: nowMs,
    });
  }

  /** Cash and shares at the hidden truth. */
  get result(): number {
    return this.cash + this.net * this.#world.truth(this.#market);
  }
}

test.each([1, 2])(
  'crowd-maker earns on the simulated crowd and is filled within 30 s (seed %d)',
  (seed) => {
    const file: unknown = parse(readFileSync(FILE, 'utf8'));
    const world = new World(seed, (file as { readonly params: unknown }).params);
    world.runUntil(START_MS + MINUTES * 60_000);
    const { desks } = world;
    expect(Math.min(...desks.map((desk) => desk.firstFillMs))).toBeLessThan(30_000);
    expect(Math.min(...desks.map((desk) => desk.uptime))).toBeGreaterThan(0.9);
    expect(Math.max(...desks.map((desk) => Math.abs(desk.net)))).toBeLessThanOrEqual(200);
    // About 20 in 10 minutes; a remaining position may cost some of it.
    expect(desks.reduce((sum, desk) => sum + desk.result, 0)).toBeGreaterThan(5);
  },
  30_000,
);
