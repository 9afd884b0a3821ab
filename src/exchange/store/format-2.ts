/**
 * From format 1 to 2. Format 1 kept every order, fill, conversion, redeem and key for ever in the snapshot; in format 2 the
 * snapshot holds what is alive and the archive the rest. The journal stays: its calls are replayed on what comes out here.
 *
 * This file is about a past format: it changes only when a later one needs something else from it.
 */

import type Database from 'better-sqlite3';
import { assert } from '../../shared/base/errors.js';
import { isFinalOrder } from '../../shared/protocol/states.js';
import { type Conversion, filingOf, isOver } from '../core/conversions.js';
import { revokedKey } from '../core/identity.js';
import { timesDown } from '../core/money.js';
import type { Archive } from '../core/records/archive.js';
import { Candles } from '../core/records/candles.js';
import { ORDER_FILING, type OrderRecord, type OwnTrade } from '../core/records/order-record.js';
import { archivedTrade } from '../core/records/own-trades.js';
import { archivedOf, type Filing, type RecordOfAccount } from '../core/records/records.js';
import { REDEEM_FILING, type Redeem } from '../core/redeems.js';
import { SqliteArchive } from './sqlite-archive.js';
import { Transactions } from './transactions.js';

interface Key {
  readonly apiKey: string;
  readonly secret: string;
  readonly account: number;
  readonly createdMs: number;
  readonly revokedMs: number | null;
}

interface Market {
  readonly card: object;
  readonly shares: readonly number[];
  readonly tape: Tape;
}

interface Tape {
  readonly count: number;
  readonly volume: number;
  readonly lastPrice: number;
  readonly lastMs: number;
  /** Time, price, amount, fees and outcome of each, newest first. */
  readonly trades: readonly number[];
}

/** What changed of a snapshot; all else is handed on as it is. */
interface Snapshot {
  readonly version: unknown;
  readonly catalog: { readonly markets: readonly Market[] };
  readonly identity: { readonly keys: readonly Key[] };
  readonly orders: {
    readonly records: readonly OrderRecord[];
    readonly trades: readonly (OwnTrade & { id: number })[];
  };
  readonly conversions: readonly Conversion[];
  readonly redeems: readonly Redeem[];
}

/** Rewrites the snapshot of a file inside the caller's transaction. */
export function toFormat2(db: Database.Database): void {
  const text = db.prepare('SELECT state FROM snapshot').pluck().get();
  if (typeof text !== 'string') return;
  const { settings, core }: { settings: unknown; core: Snapshot } = JSON.parse(text);
  assert(core.version === 1, 'a file of format 1 holds a snapshot of version 1');
  const archive = new SqliteArchive(db, new Transactions(db));
  const state = { settings, core: upgraded(core, archive) };
  archive.flush();
  db.prepare('UPDATE snapshot SET state = ?').run(JSON.stringify(state));
}

function upgraded(core: Snapshot, archive: Archive): object {
  const { catalog, identity, orders, conversions, redeems } = core;
  const orderOf = new Map(orders.records.map((order) => [order.id, order]));
  for (const { id, ...trade } of orders.trades) {
    const order = orderOf.get(trade.order);
    if (order !== undefined) archive.put('trade', archivedTrade(id, order, trade));
  }
  const isRedeemed = ({ state }: Redeem) => state !== 'waiting_to_sign';
  const keep = <R extends RecordOfAccount>(filing: Filing<R>, isFinal: (record: R) => boolean, records: readonly R[]) =>
    putFinal(archive, filing, isFinal, records);
  return {
    ...core,
    version: 2,
    catalog: { ...catalog, markets: catalog.markets.map(upgradedMarket) },
    identity: { ...identity, ...upgradedKeys(identity.keys, archive) },
    orders: {
      lastId: orders.records.length,
      lastTradeId: orders.trades.length,
      records: keep(ORDER_FILING, ({ status }) => isFinalOrder(status), orders.records),
    },
    conversions: {
      lastId: conversions.length,
      merges: keep(filingOf('merge'), ({ state }) => isOver(state), conversions.filter(isOfKind('merge'))),
      splits: keep(filingOf('split'), ({ state }) => isOver(state), conversions.filter(isOfKind('split'))),
    },
    redeems: { lastId: redeems.length, records: keep(REDEEM_FILING, isRedeemed, redeems) },
  };
}

/** Puts away what is final and gives the rest. */
function putFinal<R extends RecordOfAccount>(
  archive: Archive,
  filing: Filing<R>,
  isFinal: (record: R) => boolean,
  records: readonly R[],
): readonly R[] {
  for (const record of records) if (isFinal(record)) archive.put(filing.shelf, archivedOf(filing, record));
  return records.filter((record) => !isFinal(record));
}

const isOfKind = (kind: Conversion['kind']) => (record: Conversion) => record.kind === kind;

function upgradedKeys(keys: readonly Key[], archive: Archive): object {
  const live: object[] = [];
  for (const [index, { revokedMs, ...key }] of keys.entries()) {
    const numbered = { id: index + 1, ...key };
    if (revokedMs === null) live.push(numbered);
    else archive.put('key', revokedKey(numbered, revokedMs));
  }
  return { lastKeyId: keys.length, keys: live };
}

/** Markets had no sports, no bars, and no sums of what their shares brought. */
function upgradedMarket(market: Market): object {
  const candles = new Candles();
  const tape = upgradedTape(market.tape, candles);
  return {
    ...market,
    card: { sport: null, league: null, ...market.card },
    shares: { cells: market.shares, books: [] },
    tape,
    candles: candles.dump(),
  };
}

/** Trades lie oldest first now, each with the volume after it; the bars are made from those that were kept. */
function upgradedTape({ count, volume, lastPrice, lastMs, trades }: Tape, candles: Candles): object {
  const rows: (readonly [timeMs: number, yesPrice: number, notional: number, cells: readonly number[]])[] = [];
  let after = volume;
  for (let at = 0; at < trades.length; at += 6) {
    const [timeMs = 0, price = 0, amount = 0, makerFee = 0, takerFee = 0, isYes = 0] = trades.slice(at, at + 6);
    const yesPrice = isYes === 1 ? price : 1_000_000 - price;
    const yes = timesDown(yesPrice, amount);
    const notional = isYes === 1 ? yes : amount - yes;
    rows.push([timeMs, yesPrice, notional, [timeMs, price, amount, makerFee, takerFee, isYes, after]]);
    after -= notional;
  }
  rows.reverse();
  for (const [timeMs, yesPrice, notional] of rows) candles.write(timeMs, yesPrice, notional);
  return { count, volume, lastPrice, lastMs, trades: rows.flatMap(([, , , cells]) => cells) };
}
