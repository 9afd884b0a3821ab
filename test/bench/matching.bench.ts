/**
 * The matching engine beside `nodejs-order-book` on one stream: about 61 % adds, 26 % cancels, 13 % crossing orders
 * that meet two or three resting ones. Ours uses the public `placeInternal` / `cancelInternal`: grid checks, balances,
 * locks, fees, minted and transferred shares, the public trade row. The other engine matches and keeps ids, without
 * accounts. Both must end with the same book.
 */
import { OrderBook, Side } from 'nodejs-order-book';
import { ASK, BID, type MatchingSide } from '../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../src/exchange/core/core.js';
import { micros } from '../../src/shared/base/micros.js';
import { Random } from '../../src/shared/base/random.js';
import { type Bench, type BenchRow, rate, sized } from './bench.js';

const OPS = sized(200_000, 2_000);
const TICK = 100; // 0.0001
const MIDDLE = 5_000;
const SPAN = 200; // ticks a side
const MAKERS = 16;

const ADD = 0;
const CANCEL = 1;
const CROSS = 2;

interface Stream {
  readonly kind: Uint8Array;
  readonly side: Uint8Array;
  readonly tick: Int32Array;
  readonly shares: Int32Array;
  readonly account: Int32Array;
  /** For a cancel: the operation that placed the order. */
  readonly target: Int32Array;
  /** Operations before the timed ones, which fill the book. */
  readonly warm: number;
}

function exchange() {
  const core = new ExchangeCore({
    serviceName: 'SVC',
    draftLifetimeMs: 60_000,
    landingMs: 400,
    startingFunds: micros(0),
    challengeLifetimeMs: 600_000,
    seed: 1,
  });
  const made = core.at(0).markets.create({ config: { kind: 'orderbook', price_precision: 4 } });
  if (!made.ok) throw new Error('no market');
  const funds = { unlimited: false, funds: micros(1e13) };
  const accounts = Array.from({ length: MAKERS + 2 }, (_, i) => core.at(0).identity.openInternal(`maker ${i}`, funds));
  return { core, market: made.value.index, accounts };
}

type Venue = ReturnType<typeof exchange>;

const place = ({ core, market, accounts }: Venue, stream: Stream, i: number): number =>
  core.at(i).internal.place(
    accounts[stream.account[i] ?? 0] ?? 0,
    market,
    (stream.side[i] ?? 0) as MatchingSide,
    // Products of ticks and whole shares are safe integers.
    micros((stream.tick[i] ?? 0) * TICK),
    micros((stream.shares[i] ?? 0) * 1_000_000),
    stream.kind[i] === CROSS,
  );

/** Draws operations on a running exchange, so that cancels name resting orders and the depth stays near the target. */
function draw(resting: number): Stream {
  const random = Random.fromSeed(7, `matching ${resting}`);
  const size = OPS + 2 * resting;
  const column = () => new Int32Array(size);
  const stream = {
    kind: new Uint8Array(size),
    side: new Uint8Array(size),
    tick: column(),
    shares: column(),
    account: column(),
    target: column(),
    warm: 2 * resting,
  };
  const venue = exchange();
  let live: { op: number; handle: number }[] = [];
  for (let i = 0; i < size; i++) {
    if (i % 64 === 0) live = live.filter((order) => venue.core.internal.remaining(order.handle) > 0);
    const dice = random.uniform();
    const kind = live.length < resting && (i < stream.warm || dice < 0.9) ? ADD : dice < 0.8 ? CANCEL : CROSS;
    const side = random.chance(0.5) ? BID : ASK;
    stream.kind[i] = kind;
    stream.side[i] = side;
    if (kind === CANCEL) {
      const at = random.below(live.length);
      const chosen = live[at];
      const last = live.pop();
      if (chosen === undefined || last === undefined) throw new Error('nothing rests');
      if (at < live.length) live[at] = last;
      stream.target[i] = chosen.op;
      venue.core.at(i).internal.cancel(chosen.handle);
      continue;
    }
    const depth = 1 + random.below(SPAN);
    // A crossing order may go through the whole other side.
    if (kind === ADD) stream.tick[i] = MIDDLE + (side === BID ? -depth : depth);
    else stream.tick[i] = MIDDLE + (side === BID ? SPAN : -SPAN);
    stream.shares[i] = kind === ADD ? 5 + random.below(20) : 20 + random.below(40);
    stream.account[i] = kind === ADD ? random.below(MAKERS) : MAKERS + side;
    const handle = place(venue, stream, i);
    if (handle > 0) live.push({ op: i, handle });
  }
  return stream;
}

/** Runs the stream; returns operations per second of the timed part and the remaining levels. */
function ours(stream: Stream) {
  const venue = exchange();
  const handles = new Float64Array(stream.kind.length);
  const run = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      if (stream.kind[i] === CANCEL) venue.core.at(i).internal.cancel(handles[stream.target[i] ?? 0] ?? 0);
      else handles[i] = place(venue, stream, i);
    }
  };
  run(0, stream.warm);
  const started = performance.now();
  run(stream.warm, stream.kind.length);
  const perSecond = (1000 * OPS) / (performance.now() - started);
  const levels = new Map<number, number>();
  for (let tick = MIDDLE - SPAN; tick <= MIDDLE + SPAN; tick++) {
    const side = tick < MIDDLE ? BID : ASK;
    const amount = venue.core.catalog.market(venue.market).levelAmount(side, micros(tick * TICK));
    if (amount > 0) levels.set(tick, amount / 1_000_000);
  }
  return { perSecond, levels };
}

function theirs(stream: Stream) {
  const book = new OrderBook();
  const ids = Array.from(stream.kind, (_, i) => `o${i}`);
  const run = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const kind = stream.kind[i];
      if (kind === CANCEL) {
        book.cancel(ids[stream.target[i] ?? 0] ?? '');
        continue;
      }
      const side = stream.side[i] === BID ? Side.BUY : Side.SELL;
      const size = stream.shares[i] ?? 0;
      if (kind === CROSS) book.market({ side, size });
      else book.limit({ id: ids[i] ?? '', side, size, price: stream.tick[i] ?? 0 });
    }
  };
  run(0, stream.warm);
  const started = performance.now();
  run(stream.warm, stream.kind.length);
  const perSecond = (1000 * OPS) / (performance.now() - started);
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
