/** Compares fill models with real orders: each is played as ours, from its real arrival to its real end. */

import { type FillModel, fillModel } from '../../exchange/core/matching/fill-model.js';
import type { Recording } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { stepOfPrecision } from '../../shared/base/micros.js';
import { type FollowedOrder, LevelHistory, stoodBehind } from './followed-orders.js';

/** The compared models; they differ only in the queue. */
export const CALIBRATED_MODELS = [
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
  const models = CALIBRATED_MODELS.map((name) => fillModel(name));
  const tally = new Tally(models);
  for (const [done, recording] of recordings.entries()) {
    progress?.(done, recording.market.source.ticker);
    const history = new LevelHistory();
    for await (const chunk of recording.chunks()) history.add(chunk);
    const lot = stepOfPrecision(recording.market.amountPrecision);
    for (const orders of history.orders()) tally.add(orders, lot);
  }
  if (tally.isEmpty) {
    const hint = 'Give recordings that hold every change of every level, such as those of Kalshi.';
    throw new TwinbookError('recording_invalid', 'no order can be followed through these recordings', hint);
  }
  return tally.result();
}

class Tally {
  readonly #models: readonly FillModel[];
  readonly #filled: number[];
  readonly #early: number[];
  /** `leftOut`: canceled ones that even the most careful model fills: they were misidentified. */
  #orders = { filled: 0, cancelled: 0, leftOut: 0 };
  #shares = { filled: 0, cancelled: 0 };
  /**
   * How far the others can be trusted: an exchange fills the oldest of a level first, so that of two that stood there
   * together and were both followed, the newer one is never filled before the older one has gone. `orders`: filled ones
   * that stood behind a followed one; `broken`: of those, filled before it had gone: one of the two is not what it seems.
   */
  #priority = { orders: 0, broken: 0 };

  constructor(models: readonly FillModel[]) {
    this.#models = models;
    this.#filled = models.map(() => 0);
    this.#early = models.map(() => 0);
  }

  get isEmpty(): boolean {
    return this.#orders.filled + this.#orders.cancelled === 0;
  }

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
    const played = this.#models.map((model) => filledBy(model, order, lot));
    if (end === 'cancelled' && (played[0] ?? 0) > 0) {
      this.#orders.leftOut++;
      return false;
    }
    this.#orders[end]++;
    this.#shares[end] += sizeMicros;
    const sums = end === 'filled' ? this.#filled : this.#early;
    for (const [at, shares] of played.entries()) sums[at] = (sums[at] ?? 0) + shares;
    return true;
  }

  result() {
    const { filled, cancelled } = this.#shares;
    const part = (shares: number, all: number): number => (all === 0 ? 0 : shares / all);
    const fits = this.#models.map(({ name }, at) => {
      const [late = 0, early = 0] = [this.#filled[at], this.#early[at]];
      return {
        model: name,
        // Fraction of the really filled shares that the model fills by then.
        filledShare: part(late, filled),
        // Fraction of the really canceled shares that the model fills before.
        cancelledShare: part(early, cancelled),
        // Shares filled by the model per really filled share.
        ratio: part(late + early, filled),
      };
    });
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
