/**
 * The matching engine beside `nodejs-order-book` on one stream: about 61 % adds, 26 % cancels, 13 % crossing orders
 * that meet two or three resting ones. Ours uses the public `placeInternal` / `cancelInternal`: grid checks, balances,
 * locks, fees, minted and transferred shares, the public trade row. The other engine matches and keeps ids, without
 * accounts. Both must end with the same book.
 */
import { OrderBook, Side } from 'nodejs-order-book';
import { ASK, BID, type MatchingSide } from '../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../src/exchange/core/core.js';
import { must } from '../../src/shared/base/errors.js';
import { micros } from '../../src/shared/base/micros.js';
import { Random } from '../../src/shared/base/random.js';
import { levelAmount, settings } from '../exchange/core/venue.js';
import { type Bench, type BenchRow, rate, sized } from './bench.js';

const OPS = sized(200_000, 2_000);
const TICK = 100; // 0.0001
const MIDDLE = 5_000;
const SPAN = 200; // ticks a side
const MAKERS = 16;

const ADD = 0;
const CANCEL = 1;
const CROSS = 2;

interface Operation {
  readonly kind: typeof ADD | typeof CANCEL | typeof CROSS;
  readonly side: MatchingSide;
  readonly tick: number;
  readonly shares: number;
  readonly account: number;
  /** For a cancel: the operation that placed the order. */
  readonly target: number;
}

interface Stream {
  readonly operations: readonly Operation[];
  /** Operations before the timed ones, which fill the book. */
  readonly warm: number;
}

function exchange() {
  const core = new ExchangeCore({ ...settings, startingFunds: micros(0) });
  const made = core.at(0).markets.create({ config: { kind: 'orderbook', price_precision: 4 } });
  if (!made.ok) throw new Error('no market');
  const funds = { unlimited: false, funds: micros(1e13) };
  const accounts = Array.from({ length: MAKERS + 2 }, (_, i) => core.at(0).identity.openInternal(`maker ${i}`, funds));
  return { core, market: made.value.index, accounts };
}

type Venue = ReturnType<typeof exchange>;

/** Products of ticks and whole shares are safe integers. */
const place = (venue: Venue, { kind, side, tick, shares, account }: Operation, nowMs: number): number => {
  const [price, amount] = [micros(tick * TICK), micros(shares * 1_000_000)];
  const owner = venue.accounts[account] ?? 0;
  return venue.core.at(nowMs).internal.place(owner, venue.market, side, price, amount, kind === CROSS);
};

/** Draws operations on a running exchange, so that cancels name resting orders and the depth stays near the target. */
function draw(resting: number): Stream {
  const random = Random.fromSeed(7, `matching ${resting}`);
  const warm = 2 * resting;
  const operations: Operation[] = [];
  const venue = exchange();
  let live: { op: number; handle: number }[] = [];
  for (let i = 0; i < OPS + warm; i++) {
    if (i % 64 === 0) live = live.filter((order) => venue.core.internal.remaining(order.handle) > 0);
    const dice = random.uniform();
    const kind = live.length < resting && (i < warm || dice < 0.9) ? ADD : dice < 0.8 ? CANCEL : CROSS;
    const side = random.chance(0.5) ? BID : ASK;
    if (kind === CANCEL) {
      const at = random.below(live.length);
      const [chosen, last] = [must(live[at], 'a resting order'), must(live.pop(), 'a resting order')];
      if (at < live.length) live[at] = last;
      operations.push({ kind, side, tick: 0, shares: 0, account: 0, target: chosen.op });
      venue.core.at(i).internal.cancel(chosen.handle);
      continue;
    }
    // A crossing order may go through the whole other side.
    const depth = kind === ADD ? -1 - random.below(SPAN) : SPAN;
    const shares = kind === ADD ? 5 + random.below(20) : 20 + random.below(40);
    const account = kind === ADD ? random.below(MAKERS) : MAKERS + side;
    const tick = MIDDLE + (side === BID ? depth : -depth);
    const operation: Operation = { kind, side, tick, shares, account, target: 0 };
    operations.push(operation);
    const handle = place(venue, operation, i);
    if (handle > 0) live.push({ op: i, handle });
  }
  return { operations, warm };
}

/** Runs the stream; returns operations per second of the timed part. */
function timed({ operations, warm }: Stream, run: (operation: Operation, i: number) => void): number {
  for (const [i, operation] of operations.slice(0, warm).entries()) run(operation, i);
  const startedMs = performance.now();
  for (let i = warm; i < operations.length; i++) run(operations[i] as Operation, i);
  return (1000 * OPS) / (performance.now() - startedMs);
}

function ours(stream: Stream) {
  const venue = exchange();
  const handles = new Float64Array(stream.operations.length);
  const perSecond = timed(stream, (operation, i) => {
    if (operation.kind === CANCEL) venue.core.at(i).internal.cancel(handles[operation.target] ?? 0);
    else handles[i] = place(venue, operation, i);
  });
  const levels = new Map<number, number>();
  for (let tick = MIDDLE - SPAN; tick <= MIDDLE + SPAN; tick++) {
    const amount = levelAmount(venue.core.catalog.market(venue.market), tick < MIDDLE ? BID : ASK, micros(tick * TICK));
    if (amount > 0) levels.set(tick, amount / 1_000_000);
  }
  return { perSecond, levels };
}

function theirs(stream: Stream) {
  const book = new OrderBook();
  const ids = stream.operations.map((_, i) => `o${i}`);
  const perSecond = timed(stream, ({ kind, side: ofUs, shares: size, tick: price, target }, i) => {
    const side = ofUs === BID ? Side.BUY : Side.SELL;
    if (kind === CANCEL) book.cancel(ids[target] ?? '');
    else if (kind === CROSS) book.market({ side, size });
    else book.limit({ id: ids[i] ?? '', side, size, price });
  });
  const [asks, bids] = book.depth();
  return { perSecond, levels: new Map([...asks, ...bids]) };
}

function sameBook(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): boolean {
  return a.size === b.size && [...a].every(([tick, amount]) => b.get(tick) === amount);
}

export const bench: Bench = {
  title: 'matching engine',
  async run() {
    const rows: BenchRow[] = [];
    for (const resting of [500, 5_000]) {
      const stream = draw(resting);
      const [mine, other] = [ours(stream), theirs(stream)];
      if (!sameBook(mine.levels, other.levels)) throw new Error(`the two engines differ at ${resting} resting orders`);
      const name = `at ${resting.toLocaleString('en-US')} resting orders`;
      rows.push(rate(`matching with accounts, locks and fees, ${name}`, 'ops/s', 7, () => ours(stream).perSecond));
      rows.push(rate(`nodejs-order-book (no accounts), ${name}`, 'ops/s', 5, () => theirs(stream).perSecond));
    }
    return rows;
  },
};
