/** Figures about the requests of a run's steps: all, those rejected by rate limits, and the maximum age of books. */

import { SlidingMinute } from '../../src/shared/base/sliding-minute.js';
import { ENDPOINTS } from '../../src/shared/protocol/endpoints.js';
import type { Step } from '../../src/shell/journal/contract.js';

export interface TallyFigures {
  readonly requests: number;
  /** Answered with HTTP 429. */
  readonly throttled: number;
  readonly unknown: number;
  /** Markets whose book was polled, and markets in which an order was drafted. */
  readonly seen: number;
  readonly quoted: number;
  /** Gaps between two polls of one book, from the start to the end of the run, s, ascending. */
  readonly gapsS: readonly number[];
  /** Maximum requests within a minute. */
  readonly peaks: { readonly public: number; readonly signed: number };
}

export class RequestTally {
  readonly #minutes = { public: new SlidingMinute(), signed: new SlidingMinute() };
  readonly #peaks = { public: 0, signed: 0 };
  readonly #lookedMs = new Map<string, number>();
  readonly #quoted = new Set<string>();
  readonly #gapsS: number[] = [];
  #requests = 0;
  #throttled = 0;
  #unknown = 0;
  #startedMs: number | null = null;
  #nowMs = 0;

  take({ observation, requests }: Step): void {
    this.#nowMs = observation.nowMs;
    this.#startedMs ??= observation.nowMs;
    if (observation.kind === 'outcome') {
      const { outcome } = observation;
      if (outcome.kind === 'refused' && outcome.status === 429) this.#throttled += 1;
      if (outcome.kind === 'unknown') this.#unknown += 1;
    }
    for (const { call } of requests) {
      this.#requests += 1;
      this.#count(ENDPOINTS[call.endpoint].scope);
      if (call.endpoint === 'markets.book') this.#look(call.params.condition_id);
      if (call.endpoint === 'orders.create') this.#quoted.add(call.body.market_condition_id);
    }
  }

  end(): TallyFigures {
    for (const lookedMs of this.#lookedMs.values()) this.#gapsS.push((this.#nowMs - lookedMs) / 1000);
    return {
      requests: this.#requests,
      throttled: this.#throttled,
      unknown: this.#unknown,
      seen: this.#lookedMs.size,
      quoted: this.#quoted.size,
      gapsS: this.#gapsS.sort((a, b) => a - b),
      peaks: this.#peaks,
    };
  }

  #count(scope: string): void {
    if (scope !== 'public' && scope !== 'signed') return;
    const minute = this.#minutes[scope];
    minute.forget(this.#nowMs);
    minute.add(this.#nowMs);
    this.#peaks[scope] = Math.max(this.#peaks[scope], minute.countAt(this.#nowMs));
  }

  #look(conditionId: string): void {
    const before = this.#lookedMs.get(conditionId) ?? this.#startedMs ?? this.#nowMs;
    this.#gapsS.push((this.#nowMs - before) / 1000);
    this.#lookedMs.set(conditionId, this.#nowMs);
  }
}
