/** Durations over a window of the newest ones, so that a run of weeks needs no more memory than a minute. */

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

/** The newest values, up to a maximum number. */
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
