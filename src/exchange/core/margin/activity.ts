/** Public events of one market's positions: a ring of the newest. */

import type { MarginActivity } from '../../../shared/protocol/states.js';

export const ACTIVITY_KEPT = 1_000;

/** A public event of a position. */
export interface Activity {
  /** From 1, per market. */
  readonly id: number;
  readonly type: MarginActivity;
  readonly account: number;
  readonly isYes: boolean;
  readonly leverage: number;
  /** Change of the position, in shares. */
  readonly shares: number;
  /** In the position's outcome space. */
  readonly price: number;
  /** Null while nothing is realized. */
  readonly realizedPnl: number | null;
  readonly timeMs: number;
}

/** Keeps the newest activities of one market; older ones are dropped. */
export class ActivityRing {
  #count = 0;
  /** Activity `id` is at `id % ACTIVITY_KEPT`. */
  readonly #ring: Activity[] = [];

  add(activity: Omit<Activity, 'id'>): void {
    this.#count += 1;
    this.#ring[this.#count % ACTIVITY_KEPT] = { id: this.#count, ...activity };
  }

  /** Those below `beforeId`, newest first. */
  *before(beforeId = Number.POSITIVE_INFINITY): Generator<Activity> {
    const oldest = Math.max(1, this.#count - ACTIVITY_KEPT + 1);
    for (let id = Math.min(beforeId - 1, this.#count); id >= oldest; id--) {
      const activity = this.#ring[id % ACTIVITY_KEPT];
      if (activity !== undefined) yield activity;
    }
  }

  /** Oldest first. */
  dump(): readonly Activity[] {
    return [...this.before()].reverse();
  }

  load(dump: readonly Activity[]): void {
    for (const activity of dump) {
      this.#count = activity.id;
      this.#ring[activity.id % ACTIVITY_KEPT] = activity;
    }
  }
}
