/** What happened to the positions of one market, for everybody to see: a ring of the newest. */

import type { MarginActivity } from '../../../shared/protocol/states.js';

export const ACTIVITY_KEPT = 1_000;

/** Something that happened to a position of the market and that everybody may see. */
export interface Activity {
  /** From 1, per market. */
  readonly id: number;
  readonly type: MarginActivity;
  readonly account: number;
  readonly isYes: boolean;
  readonly leverage: number;
  /** By how many shares the position changed. */
  readonly shares: number;
  /** In the space of the position's outcome. */
  readonly price: number;
  /** Null while nothing was realized. */
  readonly realizedPnl: number | null;
  readonly timeMs: number;
}

/** Keeps the newest activities of one market; older ones are forgotten. */
export class ActivityRing {
  #count = 0;
  /** Activity `id` lies at `id % ACTIVITY_KEPT`. */
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
