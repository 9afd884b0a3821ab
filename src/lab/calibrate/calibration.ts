/** Compares fill models with real orders: each is played as ours, from its real arrival to its real end. */

import { type FillModel, fillModel } from '../../exchange/core/matching/fill-model.js';
import { EVENT, type EventChunk, type Recording, SIDE } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { stepOfPrecision } from '../../shared/base/micros.js';

/** Events of one level, in order. */
export interface LevelStep {
  readonly kind: 'trade' | 'change';
  /** The traded amount of a trade, the new total of a change. Millionths of a share. */
  readonly amountMicros: number;
  /** For a change: the earlier total. */
  readonly beforeMicros: number;
}

/**
 * A real order, followed by size. If every change of a level is one order's arrival or end, and every match one trade,
 * an order with a unique size at its level can be followed from arrival to end.
 */
export interface FollowedOrder {
  readonly sizeMicros: number;
  readonly end: 'filled' | 'cancelled';
  /** Steps of its level, with the indexes of its arrival and end. */
  readonly steps: readonly LevelStep[];
  readonly arrival: number;
  readonly last: number;
}

/** Steps of each level of a market, by side and price. */
export class LevelHistory {
  readonly #levels = new Map<string, { total: number; steps: LevelStep[] }>();

  add({ length, kind, side, priceMicros, amountMicros }: EventChunk): void {
    for (let at = 0; at < length; at++) {
      const [what, price, amount] = [kind[at], priceMicros[at] ?? 0, amountMicros[at] ?? 0];
      if (what === EVENT.clear) for (const [key, { total }] of this.#levels) this.#change(key, total, 0);
      // A taker meets the other side.
      if (what === EVENT.trade)
        this.#step(`${side[at] === SIDE.bid ? SIDE.ask : SIDE.bid} ${price}`, 'trade', amount, 0);
      if (what !== EVENT.level) continue;
      const key = `${side[at]} ${price}`;
      this.#change(key, this.#levels.get(key)?.total ?? 0, amount);
    }
  }

  #change(key: string, before: number, total: number): void {
    if (before === total) return;
    this.#step(key, 'change', total, before);
    const level = this.#levels.get(key);
    if (level !== undefined) level.total = total;
  }

  #step(key: string, kind: LevelStep['kind'], amountMicros: number, beforeMicros: number): void {
    const level = this.#levels.get(key) ?? { total: 0, steps: [] };
    this.#levels.set(key, level);
    level.steps.push({ kind, amountMicros, beforeMicros });
  }

  /** Followable orders by level. */
  orders(): readonly (readonly FollowedOrder[])[] {
    return [...this.#levels.values()].map(({ steps }) => ordersIn(steps));
  }
}

interface Departure {
  readonly at: number;
  readonly end: FollowedOrder['end'];
}

/** Whether both rested at their level at one time, `older` first. */
export const stoodBehind = (order: FollowedOrder, older: FollowedOrder): boolean =>
  older.arrival < order.arrival && order.arrival < older.last;

/** Orders whose size arrived at this level once and left it once, later. */
function ordersIn(steps: readonly LevelStep[]): FollowedOrder[] {
  const came = new Map<number, number[]>();
  const left = new Map<number, Departure[]>();
  let traded: number[] = [];
  for (const [at, { kind, amountMicros, beforeMicros }] of steps.entries()) {
    if (kind === 'trade') {
      traded.push(amountMicros);
      continue;
    }
    const change = amountMicros - beforeMicros;
    if (change > 0) came.set(change, [...(came.get(change) ?? []), at]);
    else {
      const isMatch = traded.length === 1 && traded[0] === -change;
      // A change partly explained by trades belongs to several orders, or to part of one.
      const end = isMatch ? 'filled' : traded.length === 0 ? 'cancelled' : null;
      if (end !== null) left.set(-change, [...(left.get(-change) ?? []), { at, end }]);
    }
    traded = [];
  }
  return [...came].flatMap(([sizeMicros, [arrival, ...others]]): FollowedOrder[] => {
    const [departure, ...more] = left.get(sizeMicros) ?? [];
    if (arrival === undefined || departure === undefined || others.length + more.length > 0) return [];
    if (departure.at <= arrival) return [];
    return [{ sizeMicros, end: departure.end, steps, arrival, last: departure.at }];
  });
}

/** The compared models; they differ only in the queue. */
const CALIBRATED_MODELS = [
  ...['risk-averse', 'power:1', 'power:2', 'power:3', 'power2:1', 'power2:2', 'power2:3', 'power3:3'],
  ...['log', 'log2', 'optimistic'],
] as const;

/** Minimum number of filled orders for a result. */
const LEAST_FILLED = 50;

export type Calibration = ReturnType<Tally['result']>;

/** Throws TwinbookError `recording_invalid` when no order can be followed. */
export async function calibrate(
  recordings: readonly Recording[],
  progress?: (done: number, ticker: string) => void,
): Promise<Calibration> {
  const tally = new Tally();
  for (const [done, recording] of recordings.entries()) {
    progress?.(done, recording.market.source.ticker);
    const history = new LevelHistory();
    for await (const chunk of recording.chunks()) history.add(chunk);
    const lot = stepOfPrecision(recording.market.amountPrecision);
    for (const orders of history.orders()) tally.add(orders, lot);
  }
  const result = tally.result();
  if (result.filledOrders + result.cancelledOrders === 0) {
    const hint = 'Give recordings that hold every change of every level, such as those of Kalshi.';
    throw new TwinbookError('recording_invalid', 'no order can be followed through these recordings', hint);
  }
  return result;
}

class Tally {
  /** With the shares that each fills of really filled and of really canceled orders. */
  readonly #models = CALIBRATED_MODELS.map((name) => ({ model: fillModel(name), filled: 0, cancelled: 0 }));
  /** `leftOut`: canceled ones that even the most careful model fills: they were misidentified. */
  #orders = { filled: 0, cancelled: 0, leftOut: 0 };
  #shares = { filled: 0, cancelled: 0 };
  /**
   * How far the others can be trusted: an exchange fills the oldest of a level first, so that of two that stood there
   * together and were both followed, the newer one is never filled before the older one has gone. `orders`: filled ones
   * that stood behind a followed one; `broken`: of those, filled before it had gone: one of the two is not what it seems.
   */
  #priority = { orders: 0, broken: 0 };

  /** The orders of one level. */
  add(orders: readonly FollowedOrder[], lot: number): void {
    const kept = orders.filter((order) => this.#play(order, lot));
    for (const order of kept.filter(({ end }) => end === 'filled')) {
      const older = kept.filter((each) => stoodBehind(order, each));
      if (older.length > 0) this.#priority.orders++;
      if (older.some(({ last }) => last > order.last)) this.#priority.broken++;
    }
  }

  /** False for a left-out one. */
  #play(order: FollowedOrder, lot: number): boolean {
    const { end, sizeMicros } = order;
    const played = this.#models.map(({ model }) => filledBy(model, order, lot));
    if (end === 'cancelled' && (played[0] ?? 0) > 0) {
      this.#orders.leftOut++;
      return false;
    }
    this.#orders[end]++;
    this.#shares[end] += sizeMicros;
    for (const [at, sums] of this.#models.entries()) sums[end] += played[at] ?? 0;
    return true;
  }

  result() {
    const { filled, cancelled } = this.#shares;
    const part = (shares: number, all: number): number => (all === 0 ? 0 : shares / all);
    const fits = this.#models.map(({ model: { name }, filled: late, cancelled: early }) => ({
      model: name,
      // Fraction of the really filled shares that the model fills by then.
      filledShare: part(late, filled),
      // Fraction of the really canceled shares that the model fills before.
      cancelledShare: part(early, cancelled),
      // Shares filled by the model per really filled share.
      ratio: part(late + early, filled),
    }));
    const [nearest] = [...fits].sort((a, b) => Math.abs(a.ratio - 1) - Math.abs(b.ratio - 1));
    return {
      filledOrders: this.#orders.filled,
      filledMicros: filled,
      cancelledOrders: this.#orders.cancelled,
      cancelledMicros: cancelled,
      leftOut: this.#orders.leftOut,
      priority: this.#priority,
      fits,
      // The model with the ratio nearest to 1; null with too few filled orders.
      best: this.#orders.filled < LEAST_FILLED ? null : (nearest?.model ?? null),
    };
  }
}

/** Part of the order that the model would have filled by its real end, had it been ours beside the recorded one. */
export function filledBy(
  model: FillModel,
  { steps, arrival, last, end, sizeMicros }: FollowedOrder,
  lot: number,
): number {
  let ahead = model.aheadOnJoin(steps[arrival]?.beforeMicros ?? 0);
  let [filled, traded] = [0, 0];
  // The end of a canceled one is its own removal, not one ahead of it.
  for (const step of steps.slice(arrival + 1, end === 'filled' ? last + 1 : last)) {
    const { kind, amountMicros, beforeMicros } = step;
    if (kind === 'change') {
      ahead = model.aheadAfterChange(ahead, beforeMicros, amountMicros, traded, lot);
      traded = 0;
      continue;
    }
    traded += amountMicros;
    const taken = Math.min(ahead, amountMicros);
    ahead -= taken;
    filled += Math.min(sizeMicros - filled, amountMicros - taken);
  }
  return filled;
}
