/** Requests of this run by endpoint and outcome, with durations: requests of steps matched with their outcomes. */

import type { Observation, Request } from '../../../shared/protocol/seam.js';
import type { AccountStatus } from '../../../shared/protocol/trader-status.js';

interface EndpointCounts {
  answered: number;
  refused: number;
  unknown: number;
  readonly took: Histogram;
}

export class RequestTimings {
  readonly #underWay = new Map<number, string>();
  readonly #counts = new Map<string, EndpointCounts>();

  note(observation: Observation, requests: readonly Request[]): void {
    for (const { id, call } of requests) this.#underWay.set(id, call.endpoint);
    if (observation.kind !== 'outcome') return;
    const endpoint = this.#underWay.get(observation.requestId);
    if (endpoint === undefined) return;
    this.#underWay.delete(observation.requestId);
    const counts = this.#openCounts(endpoint);
    counts[observation.outcome.kind]++;
    // After a clock set back in between the duration is unknown.
    counts.took.add(Math.max(0, observation.nowMs - observation.sentMs) / 1000);
  }

  get figures(): AccountStatus['health']['requests'] {
    return Array.from(this.#counts, ([endpoint, { answered, refused, unknown, took }]) => ({
      endpoint,
      answered,
      refused,
      unknown,
      seconds: took.figures,
    }));
  }

  #openCounts(endpoint: string): EndpointCounts {
    const known = this.#counts.get(endpoint);
    if (known !== undefined) return known;
    const made = { answered: 0, refused: 0, unknown: 0, took: new Histogram(REQUEST_BUCKETS) };
    this.#counts.set(endpoint, made);
    return made;
  }
}

export interface DurationSummary {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Zeros of nothing. */
export function summarize(values: readonly number[]): DurationSummary {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}

export class RecentDurations {
  readonly #values: number[] = [];
  readonly #size: number;
  #next = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % this.#size;
  }

  get summary(): DurationSummary {
    return summarize(this.#values);
  }
}

/** Upper bounds for steps of the trader and for its requests, seconds. */
export const STEP_BUCKETS: readonly number[] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
export const REQUEST_BUCKETS: readonly number[] = [0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 30];

export interface HistogramFigures {
  /** Values per bucket, up to its bound; the last: above all bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds upper bounds, inclusive, ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = [...bounds, 0].map(() => 0);
  }

  add(value: number): void {
    let place = 0;
    while (place < this.#bounds.length && value > (this.#bounds[place] ?? 0)) place++;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#sum += value;
  }

  get figures(): HistogramFigures {
    return { counts: this.#counts, sum: this.#sum };
  }
}
