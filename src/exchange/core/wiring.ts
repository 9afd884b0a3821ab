/** The wired subsystems of one exchange, and their state as one object for snapshots. */

import { unreachable } from '../../shared/base/errors.js';
import { Funds } from './accounts.js';
import { Catalog } from './catalog.js';
import type { CoreSettings } from './contract.js';
import { Conversions } from './conversions.js';
import type { CoreContext } from './core-context.js';
import { Identity } from './identity.js';
import { InternalOrders } from './internal-orders.js';
import { Margin } from './margin/margin.js';
import type { Market } from './market.js';
import { chosenModel } from './matching/fill-model.js';
import { Matching } from './matching/matching.js';
import { isBidLeg, OrderPool } from './matching/order-pool.js';
import { RecordedFeed } from './matching/recorded-feed.js';
import { Orders } from './orders.js';
import type { Archive } from './records/archive.js';
import { Redeems } from './redeems.js';
import { type Timer, TimerQueue } from './timer-queue.js';
import { f64, i32, u8 } from './typed-arrays.js';

/** The parts of one core, wired to each other. */
export interface CoreSubsystems {
  readonly context: CoreContext;
  readonly pool: OrderPool;
  readonly identity: Identity;
  readonly orders: Orders;
  readonly matching: Matching;
  readonly conversions: Conversions;
  readonly redeems: Redeems;
  readonly margin: Margin;
  readonly internal: InternalOrders;
  readonly feed: RecordedFeed;
}

/** New parts, or those of a snapshot (RangeError for another version). */
export function wireSubsystems(settings: CoreSettings, archive: Archive, snapshot?: unknown): CoreSubsystems {
  if (snapshot === undefined) return freshParts(settings, archive);
  const saved = readSnapshot(snapshot);
  // Names derive from the seed: another one would rename existing trades.
  const parts = freshParts({ ...settings, seed: saved.seed }, archive);
  loadParts(parts, saved);
  return parts;
}

function freshParts(settings: CoreSettings, archive: Archive): CoreSubsystems {
  const pool = new OrderPool();
  const context: CoreContext = {
    settings,
    catalog: new Catalog(settings, pool, chosenModel(settings.fillModel ?? 'risk-averse')),
    funds: new Funds(),
    timers: new TimerQueue(),
    archive,
    readWallet: (account) => identity.account(account).wallet,
    nowMs: 0,
    signingAvailable: true,
    delays: {},
    deposited: 0,
  };
  const identity = new Identity(context);
  const orders = new Orders(context, pool);
  const matching = new Matching(pool, context.funds, orders);
  const conversions = new Conversions(context, identity);
  const redeems = new Redeems(context);
  const internal = new InternalOrders({ context, matching, pool });
  const feed = new RecordedFeed(context, matching, (nowMs) => advanceTo(parts, nowMs));
  const margin = new Margin(context, matching);
  const parts = { context, pool, identity, orders, matching, conversions, redeems, margin, internal, feed };
  return parts;
}

/** Incremented whenever the meaning of a snapshot changes: older ones are refused. */
const SNAPSHOT_VERSION = 2;

/** All state of the core as plain JSON; a restored core continues identically. */
export function dumpSubsystems(parts: CoreSubsystems) {
  const { context, pool, identity, orders, matching, conversions, redeems, margin } = parts;
  return {
    version: SNAPSHOT_VERSION,
    seed: context.settings.seed,
    nowMs: context.nowMs,
    signingAvailable: context.signingAvailable,
    delays: context.delays,
    deposited: context.deposited,
    fees: matching.fees,
    funds: context.funds.dump(),
    pool: pool.dump(),
    due: context.timers.dump(),
    catalog: context.catalog.dump(),
    identity: identity.dump(),
    orders: orders.dump(),
    resting: context.catalog.markets.map((market) => dumpResting(pool, market)),
    conversions: conversions.dump(),
    redeems: redeems.dump(),
    margin: margin.dump(),
  };
}

/** Live state; final records are in the archive. */
export type Snapshot = ReturnType<typeof dumpSubsystems>;

function readSnapshot(snapshot: unknown): Snapshot {
  if (typeof snapshot !== 'object' || snapshot === null || !('version' in snapshot)) {
    throw new RangeError('not a snapshot of the paper exchange');
  }
  if (snapshot.version !== SNAPSHOT_VERSION) {
    throw new RangeError(`snapshot version ${String(snapshot.version)}, this exchange reads ${SNAPSHOT_VERSION}`);
  }
  // Written by dumpSubsystems of the same version.
  return snapshot as Snapshot;
}

function loadParts(parts: CoreSubsystems, saved: Snapshot): void {
  const { context, pool, identity, orders, matching, conversions, redeems, margin } = parts;
  context.nowMs = saved.nowMs;
  context.signingAvailable = saved.signingAvailable;
  context.delays = saved.delays;
  context.deposited = saved.deposited;
  matching.fees = saved.fees;
  context.funds.load(saved.funds);
  pool.load(saved.pool);
  context.timers.load(saved.due);
  context.catalog.load(saved.catalog);
  identity.load(saved.identity);
  orders.load(saved.orders);
  for (const market of context.catalog.markets) {
    loadResting(pool, market, saved.resting[market.index] ?? []);
    // Linking the resting orders counted as changes: the book's version is restored last.
    if (market.orderbook !== null) market.orderbook.book.version = saved.catalog.markets[market.index]?.version ?? 0;
  }
  conversions.load(saved.conversions);
  redeems.load(saved.redeems);
  margin.load(saved.margin);
}

const VALUES = 8;

/** Every resting order of a market as numbers, in queue order. */
function dumpResting(pool: OrderPool, market: Market): readonly number[] {
  return (market.orderbook?.book.resting() ?? []).flatMap((slot) => [
    slot,
    i32(pool.tick, slot),
    i32(pool.account, slot),
    i32(pool.record, slot),
    u8(pool.leg, slot),
    f64(pool.remaining, slot),
    f64(pool.locked, slot),
    f64(pool.ahead, slot),
  ]);
}

/** Restores dumped orders into pool and book, in the same queues. */
function loadResting(pool: OrderPool, market: Market, values: readonly number[]): void {
  for (let at = 0; at < values.length; at += VALUES) {
    const row = values.slice(at, at + VALUES);
    const [slot = 0, tick = 0, account = 0, record = 0, leg = 0, remaining = 0, locked = 0, ahead = 0] = row;
    pool.place(slot, { tick, market: market.index, account, record, leg, remaining, locked, ahead });
    market.shares.ensureAccount(account);
    market.orderbook?.book.append(slot, tick, isBidLeg(leg));
  }
}

/** Advances time: all due work in order of time. An earlier time counts as now. */
export function advanceTo(parts: CoreSubsystems, nowMs: number): void {
  const { context } = parts;
  if (context.timers.nextMs <= nowMs) doAllDue(parts, nowMs);
  if (nowMs > context.nowMs) context.nowMs = nowMs;
}

function doAllDue(parts: CoreSubsystems, nowMs: number): void {
  const { context } = parts;
  for (let due = context.timers.take(nowMs); due !== null; due = context.timers.take(nowMs)) {
    context.nowMs = Math.max(context.nowMs, due.dueMs);
    doDue(parts, due);
  }
}

function doDue({ orders, conversions, redeems, margin }: CoreSubsystems, { kind, id, dueMs }: Timer): void {
  switch (kind) {
    case 'order':
      return orders.expire(id);
    case 'conversion':
      return conversions.expire(id);
    case 'landing':
      return conversions.land(id);
    case 'redeem':
      return redeems.expire(id);
    case 'request':
      return margin.requests.step(id, dueMs);
    case 'settlement':
      return margin.stepSettlement(id);
    case 'position':
      return margin.positions.onWatchDue(id, dueMs);
    case 'close':
      return margin.positions.closeDue(id);
    default:
      unreachable(kind, 'what is due');
  }
}
