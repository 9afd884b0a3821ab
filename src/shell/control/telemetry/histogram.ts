/** Histogram: counts below bounds, and the sum. */

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
