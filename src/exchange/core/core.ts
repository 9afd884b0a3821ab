/**
 * The paper exchange without network, disk and clock. The state can be restored from a snapshot and the journal of
 * later calls.
 *
 *     core.at(nowMs).orders.draft(account, request);
 *
 * `at` moves the core's clock and returns the core, whose parts are public. Calls that only read need no clock.
 * Submitted drafts are checked in this order: known and own record, expiry, state, signature, market state, balance.
 */

import { assert } from '../../shared/base/errors.js';
import type { MarketOutcome } from '../../shared/protocol/outcome.js';
import { isSettledMarket, MARKET_STATES, type MarketState } from '../../shared/protocol/states.js';
import { Funds } from './accounts.js';
import { Catalog } from './catalog.js';
import {
  type CoreSettings,
  type DraftKind,
  invalid,
  type MarketSpec,
  mapResult,
  ok,
  type Refusal,
  type Result,
  refuse,
  type Wire,
} from './contract.js';
import { Conversions, Redeems } from './conversions.js';
import type { CoreContext, Delays } from './core-context.js';
import { Identity } from './identity.js';
import { Margin } from './margin/margin.js';
import type { Market } from './market.js';
import { chosenModel } from './matching/fill-model.js';
import { type Matching, RECORDED_ACCOUNT } from './matching/matching.js';
import { isBidLeg, OrderPool } from './matching/order-pool.js';
import { RecordedFeed } from './matching/recorded-feed.js';
import { i32, u8 } from './money.js';
import { InternalOrders, Orders } from './orders.js';
import { type Archive, memoryArchive } from './records/archive.js';
import { detailRow } from './records/market-rows.js';
import { type Timer, TimerQueue } from './timer-queue.js';

/** Values of a resting order in a snapshot. The number of the order's pool slot precedes them. */
const COLUMNS = ['tick', 'account', 'record', 'leg', 'remaining', 'locked', 'ahead'] as const;

const dumpResting = (pool: OrderPool, market: Market): readonly number[] =>
  (market.orderbook?.book.resting() ?? []).flatMap((slot) => [slot, ...COLUMNS.map((name) => pool[name][slot] ?? 0)]);

/** Restores the orders of a snapshot in pool and book, in the same queue order. */
function loadResting(pool: OrderPool, market: Market, values: readonly number[]): void {
  for (let at = 0; at < values.length; at += 1 + COLUMNS.length) {
    const slot = values[at] ?? 0;
    pool.market[slot] = market.index;
    for (const [place, name] of COLUMNS.entries()) pool[name][slot] = values[at + 1 + place] ?? 0;
    market.shares.ensureAccount(i32(pool.account, slot));
    market.orderbook?.book.append(slot, i32(pool.tick, slot), isBidLeg(u8(pool.leg, slot)));
  }
}

/** Creates and changes markets. Each change returns the market's detail. */
class MarketControls {
  readonly #core: ExchangeCore;

  constructor(core: ExchangeCore) {
    this.#core = core;
  }

  create(spec: MarketSpec) {
    const { catalog, nowMs } = this.#core;
    return mapResult(catalog.create(nowMs, spec), ({ index, shares, card }) => {
      shares.ensureAccount(RECORDED_ACCOUNT);
      return { index, condition_id: card.conditionId };
    });
  }

  /** Changes the state of an unsettled market. A state other than `open` cancels all orders. Refuses `resolved`. */
  setState(conditionId: string, state: MarketState) {
    return this.#change(conditionId, (market) => {
      if (!MARKET_STATES.includes(state)) return invalid('state', `Must be one of: ${MARKET_STATES.join(', ')}.`);
      if (state === 'resolved') return invalid('state', 'Resolve the market with its outcome instead.');
      if (isSettledMarket(market.state)) return invalid('state', `The market is ${market.state}, which is final.`);
      // `canceled` is allowed here, because it needs no outcome.
      this.#move(market, state);
      return null;
    });
  }

  setPaused(conditionId: string, paused: boolean) {
    return this.#change(conditionId, (market) => {
      market.paused = paused;
      if (market.isTradable) this.#core.feed.onReopen(market);
      this.#core.margin.sweep(market);
      return null;
    });
  }

  setUnbacked(conditionId: string, unbacked: boolean) {
    return this.#change(conditionId, (market) => {
      market.unbacked = unbacked;
      return null;
    });
  }

  /** Resolves a market; a number as outcome cancels it at this value per YES share, null cancels it at 0.5. */
  resolve(conditionId: string, outcome: MarketOutcome | null) {
    return this.#change(conditionId, (market) => {
      if (isSettledMarket(market.state)) return invalid('is_yes', `The market is ${market.state} already.`);
      market.outcome = outcome;
      this.#move(market, typeof outcome === 'boolean' ? 'resolved' : 'canceled');
      return null;
    });
  }

  #change(conditionId: string, change: (market: Market) => Refusal | null): Result<Wire<'marketDetail'>> {
    const { catalog } = this.#core;
    const market = catalog.byId(conditionId);
    return market === null ? refuse('not_found') : (change(market) ?? ok(detailRow(catalog, market)));
  }

  #move(market: Market, state: MarketState): void {
    market.state = state;
    this.#core.margin.marketMoved(market, isSettledMarket(state));
    if (isSettledMarket(state)) market.tape.settle();
    const { orderbook: trading } = market;
    if (trading !== null && state !== 'open') this.#core.orders.cancelAll(trading);
  }
}

/** Names the calls of one part of the core, such as `orders.draft`. */
const callsOf = <P extends string, M extends string>(part: P, ...methods: readonly M[]) =>
  methods.map((method) => `${part}.${method}` as const);

export const MUTATORS = [
  ...['advance', 'setDelays', 'setSigningAvailable'],
  ...callsOf('conversions', 'draft', 'submit'),
  ...callsOf('feed', 'clear', 'level', 'setReplayStart', 'trade'),
  ...callsOf('identity', 'challenge', 'createKey', 'deposit', 'openInternal', 'revoke', 'setCustodial'),
  ...callsOf('internal', 'cancel', 'place'),
  ...callsOf('margin', 'claimSettlement', 'setReferencePrice'),
  ...callsOf('margin.positions', 'close', 'deleteTpSl', 'setTpSl'),
  ...callsOf('margin.requests', 'cancel', 'draft', 'submit'),
  ...callsOf('markets', 'create', 'resolve', 'setPaused', 'setState', 'setUnbacked'),
  ...callsOf('orders', 'draft', 'draftCancel', 'submit', 'submitCancel'),
  ...callsOf('redeems', 'draft', 'submit'),
] as const;

/** Path of one state-changing call, such as `orders.draft`. */
type Mutator = (typeof MUTATORS)[number];

/** A journal line: the time of a call, its path and its arguments, as plain JSON. */
export type Command = readonly [nowMs: number, path: Mutator, args: readonly unknown[]];

type Receiver = Record<string, (...args: readonly unknown[]) => unknown>;

/** Version of the core's snapshot format. Snapshots with another version are refused. */
const SNAPSHOT_VERSION = 2;

/** The whole exchange: its shared state and its parts. */
export class ExchangeCore implements CoreContext {
  readonly settings: CoreSettings;
  readonly archive: Archive;
  readonly catalog: Catalog;
  readonly funds = new Funds();
  readonly timers = new TimerQueue();
  readonly pool = new OrderPool();
  nowMs = 0;
  signingAvailable = true;
  delays: Delays = {};
  deposited = 0;
  readonly identity: Identity;
  readonly orders: Orders;
  readonly matching: Matching;
  readonly conversions: Conversions;
  readonly redeems: Redeems;
  readonly internal: InternalOrders;
  readonly margin: Margin;
  readonly feed: RecordedFeed;
  readonly markets: MarketControls;

  /**
   * Creates an exchange, or restores one from a snapshot and its archive. Throws RangeError for a snapshot with another
   * version. The snapshot's seed replaces the settings' seed, because the names of existing records depend on it.
   */
  constructor(settings: CoreSettings, snapshot?: unknown, archive: Archive = memoryArchive()) {
    const saved = snapshot === undefined ? null : readSnapshot(snapshot);
    this.settings = saved === null ? settings : { ...settings, seed: saved.seed };
    this.archive = archive;
    this.catalog = new Catalog(this.settings, this.pool, chosenModel(settings.fillModel ?? 'risk-averse'));
    this.identity = new Identity(this);
    this.orders = new Orders(this);
    this.matching = this.orders.matching;
    this.conversions = new Conversions(this);
    this.redeems = new Redeems(this);
    this.internal = new InternalOrders(this);
    this.margin = new Margin(this);
    this.feed = new RecordedFeed(this);
    this.markets = new MarketControls(this);
    if (saved !== null) {
      this.#load(saved);
      return;
    }
    const house = this.identity.openInternal('recorded', { unlimited: true });
    assert(house === RECORDED_ACCOUNT, 'the first account must belong to the recorded market');
  }

  /** Runs all timers due by this time, in time order, and sets the clock, which never goes back. */
  at(nowMs: number): this {
    if (this.timers.nextMs <= nowMs) this.#doAllDue(nowMs);
    if (nowMs > this.nowMs) this.nowMs = nowMs;
    return this;
  }

  /** Runs due timers and sets the clock, like `at`. Unlike `at`, this call is recorded in the journal. */
  advance(nowMs: number): void {
    this.at(nowMs);
  }

  setSigningAvailable(available: boolean): void {
    this.signingAvailable = available;
  }

  /** Replaces the delays. A change of delays does not affect delays that have already begun. */
  setDelays(delays: Delays): void {
    this.delays = delays;
  }

  /** Runs the call of a journal line. Throws for a call path that is not in `MUTATORS`. */
  apply([nowMs, path, args]: Command): unknown {
    const [receiver, method] = findCall(this, path);
    this.at(nowMs);
    return receiver[method]?.(...args);
  }

  /** Returns the `message` of an account's draft, which the wallet signs; null without such a draft. */
  draftMessage(kind: DraftKind, account: number, pubkey: string): string | null {
    if (kind === 'cancel') return this.orders.find(account, pubkey)?.cancel?.message ?? null;
    const { merge, split } = this.conversions.records;
    const records = { order: this.orders, merge, split, redeem: this.redeems, request: this.margin.requests }[kind];
    return records.find(account, pubkey)?.message || null; // The message of an order is empty after the submit.
  }

  #doAllDue(nowMs: number): void {
    for (let due = this.timers.take(nowMs); due !== null; due = this.timers.take(nowMs)) {
      this.nowMs = Math.max(this.nowMs, due.dueMs);
      this.#doDue[due.kind](due.id, due.dueMs);
    }
  }

  readonly #doDue: Readonly<Record<Timer['kind'], (id: number, dueMs: number) => void>> = {
    order: (id) => this.orders.expire(id),
    conversion: (id) => this.conversions.expire(id),
    landing: (id) => this.conversions.land(id),
    redeem: (id) => this.redeems.expire(id),
    request: (id, dueMs) => this.margin.requests.step(id, dueMs),
    settlement: (id) => this.margin.stepSettlement(id),
    position: (id, dueMs) => this.margin.positions.onCheckDue(id, dueMs),
    close: (id) => this.margin.positions.onCloseDue(id),
  };

  /** Returns the core's state as plain JSON with API secrets. A restore also needs the archive and the later calls. */
  snapshot() {
    const { catalog, pool } = this;
    return {
      version: SNAPSHOT_VERSION,
      seed: this.settings.seed,
      nowMs: this.nowMs,
      signingAvailable: this.signingAvailable,
      delays: this.delays,
      deposited: this.deposited,
      fees: this.matching.fees,
      funds: this.funds.dump(),
      pool: pool.dump(),
      due: this.timers.dump(),
      catalog: catalog.dump(),
      identity: this.identity.dump(),
      orders: this.orders.dump(),
      resting: catalog.markets.map((market) => dumpResting(pool, market)),
      conversions: this.conversions.dump(),
      redeems: this.redeems.dump(),
      margin: this.margin.dump(),
    };
  }

  #load(saved: CoreSnapshot): void {
    this.nowMs = saved.nowMs;
    this.signingAvailable = saved.signingAvailable;
    this.delays = saved.delays;
    this.deposited = saved.deposited;
    this.matching.fees = saved.fees;
    this.funds.load(saved.funds);
    this.pool.load(saved.pool);
    this.timers.load(saved.due);
    this.catalog.load(saved.catalog);
    this.identity.load(saved.identity);
    this.orders.load(saved.orders);
    for (const market of this.catalog.markets) loadResting(this.pool, market, saved.resting[market.index] ?? []);
    this.conversions.load(saved.conversions);
    this.redeems.load(saved.redeems);
    this.margin.load(saved.margin);
  }
}

/** State of a core, without the records that no longer change: these are in the archive. */
export type CoreSnapshot = ReturnType<ExchangeCore['snapshot']>;

function readSnapshot(snapshot: unknown): CoreSnapshot {
  if (typeof snapshot !== 'object' || snapshot === null || !('version' in snapshot))
    throw new RangeError('this is not a snapshot of the paper exchange');
  if (snapshot.version !== SNAPSHOT_VERSION)
    throw new RangeError(`snapshot has version ${String(snapshot.version)}, this exchange reads ${SNAPSHOT_VERSION}`);
  // The cast is right: a core of the same version wrote this object.
  return snapshot as CoreSnapshot;
}

/** Returns the part of the core that has the path's method, and the method's name. */
export function findCall(core: ExchangeCore, path: Mutator): readonly [receiver: Receiver, method: string] {
  assert(MUTATORS.includes(path), `unknown command of the exchange: ${path}`);
  const names = path.split('.');
  const method = names.pop() ?? '';
  // In every permitted path, the last name is a method; the names before it are parts of the core.
  const receiver = names.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], core);
  return [receiver as Receiver, method];
}
