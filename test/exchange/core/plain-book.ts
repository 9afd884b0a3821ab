/**
 * Both sides of a recorded book with real orders in it, share by share: two plain queues, and the rule for a recorded
 * amount at the price of a real order. Slow and obvious; the exchange core is compared with it.
 *
 * Prices are whole ticks from 1 to `TICKS`; amounts are whole shares. Bids and asks belong to two accounts, which
 * excludes self-trades.
 */

import { ASK, BID, type MatchingSide } from '../../../src/exchange/core/contract.js';

export const TICKS = 7;

/** One real order's fill: the order, by its index in joining order, and the tick. */
export interface PlainFill {
  readonly order: number;
  readonly tick: number;
}

export class PlainBook {
  readonly orders: (PlainOrder & { readonly side: MatchingSide; readonly tick: number })[] = [];
  readonly #queues: readonly [PlainQueue, PlainQueue];
  readonly #postsOnly: boolean;
  #isSnapshotShown = true;

  constructor(model: string) {
    const [first = '', ...rest] = model.split(':');
    this.#postsOnly = first === 'posts-only';
    const queue = this.#postsOnly ? rest.join(':') || 'risk-averse' : model;
    this.#queues = [new PlainQueue(queue), new PlainQueue(queue)];
  }

  /** Crossing shares trade at once, the rest joins the queue. Returns the traded shares. */
  join(side: MatchingSide, tick: number, amount: number): number {
    const other = side === BID ? ASK : BID;
    const taken = this.#queues[other].take(rankOf(other, tick), amount);
    this.orders.push(Object.assign(this.#queues[side].join(rankOf(side, tick), amount - taken), { side, tick }));
    return taken;
  }

  cancel(at: number): void {
    const order = this.orders[at];
    if (order !== undefined) this.#queues[order.side].cancel(order);
  }

  /** Sets the recorded level; returns the fills of the orders that it met, one share each. */
  level(side: MatchingSide, tick: number, total: number): PlainFill[] {
    const queue = this.#queues[side];
    const rank = rankOf(side, tick);
    this.#isSnapshotShown = true;
    queue.change(rank, total);
    const fills: PlainFill[] = [];
    while (!this.#postsOnly && queue.shown(rank) > 0) {
      const met = this.#bestOpposite(side, tick);
      if (met === undefined) break;
      met.left -= 1;
      met.filled += 1;
      queue.level(rank).eaten += 1;
      fills.push({ order: this.orders.indexOf(met), tick: met.tick });
    }
    return fills;
  }

  /** The real order of the other side that would trade with `side` at `tick`: best price first, then the oldest. */
  #bestOpposite(side: MatchingSide, tick: number) {
    const offers = this.orders.filter((order) => {
      if (order.left <= 0 || order.side === side) return false;
      return side === ASK ? order.tick >= tick : order.tick <= tick;
    });
    const ticks = offers.map((order) => order.tick);
    const best = side === ASK ? Math.max(...ticks) : Math.min(...ticks);
    return offers.find((order) => order.tick === best);
  }

  /** A `taker` of BID bought from the asks. */
  trade(taker: MatchingSide, tick: number, amount: number): void {
    const side = taker === BID ? ASK : BID;
    this.#queues[side].trade(rankOf(side, tick), amount);
  }

  clear(): void {
    for (const queue of this.#queues) queue.clear();
    this.#isSnapshotShown = false;
  }

  /** Advances the time: a snapshot that began after a clear is complete. */
  wait(): void {
    if (this.#isSnapshotShown) for (const queue of this.#queues) queue.forgetUnshown();
  }

  displayed(side: MatchingSide, tick: number): number {
    return this.#queues[side].displayed(rankOf(side, tick));
  }

  recorded(side: MatchingSide, tick: number): number {
    return this.#queues[side].level(rankOf(side, tick)).total;
  }
}

/** 0 is the best possible price of the side. */
const rankOf = (side: MatchingSide, tick: number): number => (side === BID ? TICKS - tick : tick - 1);

interface PlainOrder {
  readonly rank: number;
  left: number;
  filled: number;
  ahead: number;
}

interface PlainLevel {
  total: number;
  eaten: number;
  traded: number;
}

/** Probability that a canceled share was behind the order, with `f` shares ahead and `b` behind. */
type Curve = (f: number, b: number) => number;

const CURVES: Readonly<Record<string, (n: number) => Curve>> = {
  power: (n) => (f, b) => b ** n / (b ** n + f ** n),
  power2: (n) => (f, b) => b ** n / (b + f) ** n,
  power3: (n) => (f, b) => 1 - (f / (f + b)) ** n,
  log: () => (f, b) => Math.log(1 + b) / (Math.log(1 + b) + Math.log(1 + f)),
  log2: () => (f, b) => Math.log(1 + b) / Math.log(1 + b + f),
};

/** One side: the published formulas. Prices are ranks: 0 is the best; "beyond" a price is a higher rank. */
class PlainQueue {
  readonly orders: PlainOrder[] = [];
  readonly #kind: string;
  readonly #curve: Curve | null;
  readonly #levels = new Map<number, PlainLevel>();

  constructor(model: string) {
    const [kind = '', exponent = '3'] = model.split(':');
    this.#kind = kind;
    this.#curve = CURVES[kind]?.(Number(exponent)) ?? null;
  }

  level(rank: number): PlainLevel {
    const found = this.#levels.get(rank) ?? { total: 0, eaten: 0, traded: 0 };
    this.#levels.set(rank, found);
    return found;
  }

  shown(rank: number): number {
    const { total, eaten } = this.level(rank);
    return Math.max(0, total - eaten);
  }

  /** The amount that the book shows at a rank: recorded and real. */
  displayed(rank: number): number {
    return this.shown(rank) + this.#at(rank).reduce((sum, { left }) => sum + left, 0);
  }

  join(rank: number, amount: number): PlainOrder {
    const order = { rank, left: amount, filled: 0, ahead: this.#kind === 'optimistic' ? 0 : this.shown(rank) };
    this.orders.push(order);
    return order;
  }

  cancel(order: PlainOrder): void {
    order.left = 0;
  }

  change(rank: number, total: number): void {
    const level = this.level(rank);
    const before = this.shown(rank);
    level.total = total;
    level.eaten = Math.min(level.eaten, total);
    const after = this.shown(rank);
    for (const order of this.#at(rank)) order.ahead = this.#moved(order.ahead, before, after, level.traded);
    level.traded = 0;
  }

  #moved(front: number, previous: number, next: number, traded: number): number {
    if (this.#kind === 'optimistic') return 0;
    const change = previous - next - traded;
    if (this.#curve === null || change < 0 || front === 0) return Math.min(front, next);
    const back = Math.max(0, previous - front);
    const behind = this.#curve(front, back);
    const moved = front - (1 - behind) * change + Math.min(back - behind * change, 0);
    return Math.max(0, Math.min(front, next, Math.ceil(moved - 1e-6)));
  }

  /** A recorded trade, share by share. */
  trade(rank: number, amount: number): void {
    let shown = this.shown(rank);
    for (let share = 0; share < amount; share++) {
      const through = this.#resting().filter((order) => order.rank < rank);
      const best = Math.min(...through.map((order) => order.rank));
      const beyond = through.find((order) => order.rank === best);
      const first = this.#kind === 'trade-through' ? undefined : this.#at(rank)[0];
      if (beyond !== undefined) fill(beyond);
      else if (first !== undefined && Math.min(first.ahead, shown) === 0) fill(first);
      else {
        shown = Math.max(0, shown - 1);
        for (const order of this.#at(rank)) order.ahead = Math.max(0, order.ahead - 1);
      }
    }
    this.level(rank).traded += amount;
  }

  /** Another real order takes from the side down to a rank, share by share. Returns its filled shares. */
  take(lastRank: number, amount: number): number {
    let taken = 0;
    for (let rank = 0; rank <= lastRank; rank++) {
      while (taken < amount && this.displayed(rank) > 0) {
        this.#takeOne(rank);
        taken += 1;
      }
    }
    return taken;
  }

  #takeOne(rank: number): void {
    const first = this.#at(rank)[0];
    if (first !== undefined && Math.min(first.ahead, this.shown(rank)) === 0) {
      fill(first);
      return;
    }
    this.level(rank).eaten += 1;
    for (const order of this.#at(rank)) order.ahead = Math.max(0, order.ahead - 1);
  }

  /** Removes the recorded book. It keeps the shares consumed by real orders, as the recording may show them again. */
  clear(): void {
    for (const level of this.#levels.values()) {
      level.total = 0;
      level.traded = 0;
    }
  }

  /** A level missing in a snapshot is removed, together with its consumed part. */
  forgetUnshown(): void {
    for (const level of this.#levels.values()) if (level.total === 0) level.eaten = 0;
  }

  #resting(): PlainOrder[] {
    return this.orders.filter(({ left }) => left > 0);
  }

  #at(rank: number): PlainOrder[] {
    return this.#resting().filter((order) => order.rank === rank);
  }
}

function fill(order: PlainOrder): void {
  order.left -= 1;
  order.filled += 1;
}
