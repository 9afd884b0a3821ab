/**
 * Averages each market's price slowly, as a cap on share values in risk limits. Prices that one account fakes for
 * minutes or hours therefore have little effect on the limits.
 *
 * While a price differs from its average for a time t, the purchases that limits allow grow by at most a factor e^(t /
 * averaging time). With an averaging time of seven days, purchases within one day stay below 1.16 times the day limit.
 */

import { type Micros, micros, ONE } from '../../shared/base/micros.js';

/** Averaging time, ms. Within this time, the average moves 63 % of its distance to a constant price. */
const AVERAGING_MS = 7 * 86_400_000;
/** Maximum time for which one price observation counts, ms, also after a pause or restart. */
const LONGEST_LOOK_MS = 300_000;
/** Time covered by price bars that fully replace the start value 0.5, ms. Averages observed this long ignore bars. */
const TRUSTED_BARS_MS = 86_400_000;
const MOST_STORED = 1000;
const MOST_KEPT = 2 * MOST_STORED;

/** YES price averages. `low`, from min(0.5, first price), caps YES; `high`, from max(0.5, first price), caps NO. */
interface Average {
  low: number;
  high: number;
  /** Total time with observed prices, ms. */
  watchedMs: number;
  /** Time of the newest price observation, our clock, ms; null before this process's first one. */
  lookedMs: number | null;
}

type StoredAverage = readonly [conditionId: string, low: number, high: number, watchedMs: number];

/** Highest values of a share that risk limits may assume, in currency. */
export interface ShareCaps {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
}

const HALF = micros(ONE / 2);
const UNSEEN: ShareCaps = { yesMicros: HALF, noMicros: HALF };

export class SlowAverages {
  readonly #averages = new Map<string, Average>();

  constructor(stored: readonly StoredAverage[] = []) {
    for (const [conditionId, low, high, watchedMs] of stored)
      this.#averages.set(conditionId, { low, high, watchedMs, lookedMs: null });
  }

  /** Updates the averages of a market by its current YES price. A null price changes only `lookedMs`. */
  look(conditionId: string, price: number | null, nowMs: number): void {
    const known = this.#averages.get(conditionId);
    if (known === undefined) {
      if (price === null) return;
      const [low, high] = [Math.min(0.5, price), Math.max(0.5, price)];
      this.#averages.set(conditionId, { low, high, watchedMs: 0, lookedMs: nowMs });
      return;
    }
    const sinceMs = Math.min(LONGEST_LOOK_MS, Math.max(0, nowMs - (known.lookedMs ?? nowMs)));
    known.lookedMs = nowMs;
    if (price === null || sinceMs === 0) return;
    known.watchedMs += sinceMs;
    const part = -Math.expm1(-sinceMs / AVERAGING_MS);
    known.low += (price - known.low) * part;
    known.high += (price - known.high) * part;
  }

  /** Updates the averages by the mean of price bars, counted for `coveredMs`, unless the averages already cover a day. */
  seed(conditionId: string, mean: number, coveredMs: number): void {
    const known = this.#averages.get(conditionId) ?? { low: 0.5, high: 0.5, watchedMs: 0, lookedMs: null };
    if (known.watchedMs >= TRUSTED_BARS_MS) return;
    this.#averages.set(conditionId, known);
    const part = Math.min(1, coveredMs / TRUSTED_BARS_MS);
    known.low += (mean - known.low) * part;
    known.high += (mean - known.high) * part;
    known.watchedMs = TRUSTED_BARS_MS;
  }

  /** Returns the share values for limits, rounded down; 0.5 each for a market that was never observed. */
  caps(conditionId: string): ShareCaps {
    const known = this.#averages.get(conditionId);
    if (known === undefined) return UNSEEN;
    return { yesMicros: micros(Math.floor(known.low * ONE)), noMicros: micros(Math.floor((1 - known.high) * ONE)) };
  }

  /** Drops the markets that were observed longest ago. A dropped market later starts with new averages. */
  prune(): void {
    if (this.#averages.size <= MOST_KEPT) return;
    for (const [conditionId] of this.#newestFirst().slice(MOST_STORED)) this.#averages.delete(conditionId);
  }

  #newestFirst(): (readonly [string, Average])[] {
    return [...this.#averages].sort(([, a], [, b]) => (b.lookedMs ?? 0) - (a.lookedMs ?? 0));
  }

  /** Averages of the most recently observed markets, in the form that the constructor takes. */
  get stored(): readonly StoredAverage[] {
    return this.#newestFirst()
      .slice(0, MOST_STORED)
      .map(([conditionId, { low, high, watchedMs }]) => [conditionId, roundPrice(low), roundPrice(high), watchedMs]);
  }
}

const roundPrice = (price: number): number => Math.round(price * 1e9) / 1e9;
