/**
 * One side of a recorded book with orders in its queues, share by share: slow, obvious, and with the published formulas
 * written down as they are printed. What the exchange core does with typed arrays is compared with this.
 *
 * Prices are ranks: 0 is the best; a trade "beyond" a price has a higher rank. Amounts are whole shares.
 */

export interface PlainOrder {
  readonly rank: number;
  left: number;
  filled: number;
  /** Recorded shares before it. */
  ahead: number;
}

interface PlainLevel {
  total: number;
  eaten: number;
  traded: number;
}

/** Probability that a share which left stood behind, of `f` ahead and `b` behind. */
type Curve = (f: number, b: number) => number;

const CURVES: Readonly<Record<string, (n: number) => Curve>> = {
  power: (n) => (f, b) => b ** n / (b ** n + f ** n),
  power2: (n) => (f, b) => b ** n / (b + f) ** n,
  power3: (n) => (f, b) => 1 - (f / (f + b)) ** n,
  log: () => (f, b) => Math.log(1 + b) / (Math.log(1 + b) + Math.log(1 + f)),
  log2: () => (f, b) => Math.log(1 + b) / Math.log(1 + b + f),
};

export class PlainQueue {
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

  /** What the book shows at a rank: recorded and real. */
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

  /** A real order of somebody else takes from the side down to a rank, share by share. Returns what it got. */
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

  /** Nothing is recorded any more. What real orders ate is remembered: the recording may show it again. */
  clear(): void {
    for (const level of this.#levels.values()) {
      level.total = 0;
      level.traded = 0;
    }
  }

  /** What a snapshot did not show has gone, with what was eaten of it. */
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
