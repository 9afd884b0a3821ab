/**
 * Slow average of each market's price, as a cap on share values. Prices that one quoter shows for minutes or hours then
 * move no limit.
 *
 * Holding a price away from its average lets purchases grow by a factor e^(t / averaging time). Seven days of averaging
 * keep one day of it below 1.16 times the day limit.
 */

import { type Micros, micros, ONE } from '../../shared/base/micros.js';

/** Averaging time, ms: a price held this long moves the average by 63 % of the distance. */
export const AVERAGING_MS = 7 * 86_400_000;
/** Maximum time that one observation counts, ms; one after a pause or restart weighs no more. */
const LONGEST_LOOK_MS = 300_000;
/** Time span of price bars that replaces the start at 0.5; an average observed as long is kept. */
const TRUSTED_BARS_MS = 86_400_000;
/** Maximum number of markets that are stored. */
const MOST_STORED = 1000;
/** Maximum number of markets in memory. */
const MOST_KEPT = 2 * MOST_STORED;

/** Averages of the YES price from 0.5 and the first price: `low` bounds the value of YES, `high` that of NO. */
interface Average {
  low: number;
  high: number;
  /** Time with observed prices, ms. */
  watchedMs: number;
  /** Our clock, ms, of the newest observation; null before the first of this process. */
  lookedMs: number | null;
}

type StoredAverage = readonly [conditionId: string, low: number, high: number, watchedMs: number];

/** Highest share values that limits may use, in currency. */
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

  /** Takes in the current YES price; null (no price) changes nothing. */
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

  /** Takes in the mean price of a market's bars over `spanMs`, unless observations reach as far back. */
  seed(conditionId: string, mean: number, spanMs: number): void {
    const known = this.#averages.get(conditionId) ?? { low: 0.5, high: 0.5, watchedMs: 0, lookedMs: null };
    if (known.watchedMs >= TRUSTED_BARS_MS) return;
    this.#averages.set(conditionId, known);
    const part = Math.min(1, spanMs / TRUSTED_BARS_MS);
    known.low += (mean - known.low) * part;
    known.high += (mean - known.high) * part;
    known.watchedMs = TRUSTED_BARS_MS;
  }

  /** Share values for limits, rounded down; 0.5 each for an unobserved market. */
  caps(conditionId: string): ShareCaps {
    const known = this.#averages.get(conditionId);
    if (known === undefined) return UNSEEN;
    return { yesMicros: micros(Math.floor(known.low * ONE)), noMicros: micros(Math.floor((1 - known.high) * ONE)) };
  }

  /** Drops the markets observed longest ago; their averages restart at the cautious side. */
  prune(): void {
    if (this.#averages.size <= MOST_KEPT) return;
    for (const [conditionId] of this.#newestFirst().slice(MOST_STORED)) this.#averages.delete(conditionId);
  }

  #newestFirst(): (readonly [string, Average])[] {
    return [...this.#averages].sort(([, a], [, b]) => (b.lookedMs ?? 0) - (a.lookedMs ?? 0));
  }

  /** Averages of the most recently observed markets, for the constructor. */
  get stored(): readonly StoredAverage[] {
    return this.#newestFirst()
      .slice(0, MOST_STORED)
      .map(([conditionId, { low, high, watchedMs }]) => [conditionId, roundPrice(low), roundPrice(high), watchedMs]);
  }
}

const roundPrice = (price: number): number => Math.round(price * 1e9) / 1e9;
