/**
 * Real orders in a recording, followed by size. If every change of a level is one order's arrival or end, and every
 * match one trade, then an order with a unique size at its level can be followed from arrival to end.
 */

import { EVENT, type EventChunk, SIDE } from '../../recording/contract.js';

/** Events of one level, in order. */
export interface LevelStep {
  readonly kind: 'trade' | 'change';
  /** Of a trade the traded amount; of a change the new total. Millionths of a share. */
  readonly amountMicros: number;
  /** Of a change: the earlier total. */
  readonly beforeMicros: number;
}

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
