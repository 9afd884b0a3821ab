/** Plays feed values at the time at which each was known, never before. */

import type { RecordedFeedValue } from '../../../recording/contract.js';
import type { FeedValue } from '../../../shared/protocol/seam.js';

/** Values of one feed at one time: the newest per market. */
export interface FeedWord {
  readonly feed: string;
  readonly values: readonly FeedValue[];
}

const NOTHING: readonly FeedWord[] = [];

export interface FeedSource {
  readonly nextMs: number;
  take(nowMs: number): readonly FeedWord[];
}

export class FeedReplay implements FeedSource {
  readonly #values: readonly RecordedFeedValue[];
  #next = 0;

  constructor(values: readonly RecordedFeedValue[]) {
    this.#values = values;
  }

  get nextMs(): number {
    return this.#values[this.#next]?.timeMs ?? Number.POSITIVE_INFINITY;
  }

  take(nowMs: number): readonly FeedWord[] {
    if (this.nextMs > nowMs) return NOTHING;
    const words = new Map<string, Map<string, FeedValue>>();
    for (let one = this.#values[this.#next]; one !== undefined && one.timeMs <= nowMs; one = this.#values[this.#next]) {
      this.#next += 1;
      const { feed, value } = one;
      const newest = words.get(feed) ?? new Map<string, FeedValue>();
      words.set(feed, newest);
      const before = newest.get(value.conditionId);
      if (before === undefined || before.atMs <= value.atMs) newest.set(value.conditionId, value);
    }
    return Array.from(words, ([feed, newest]) => ({ feed, values: [...newest.values()] }));
  }
}
