/**
 * Slow average of each market's price. Limits never value a share above it, so a price that one quoter shows for minutes
 * or hours moves no limit.
 *
 * A quoter who holds a price at a distance from its average lets purchases grow by a factor e^(t / averaging time):
 * `LOSS / distance` shares pass the purchase limit, and the distance shrinks by that factor. Seven days keep a whole day
 * of it below 1.16 times the day limit.
 */

import { type Micros, micros, ONE } from '../../shared/base/micros.js';

/** Averaging time: a price that lasts so long moves the average by 63 % of the way. */
export const AVERAGING_MS = 7 * 86_400_000;
/** Longest time that one look counts for: no look after a pause or a restart weighs more. */
const LONGEST_LOOK_MS = 300_000;
/** Price bars over so long replace the start at 0.5; an average that has watched for as long keeps its own. */
const TRUSTED_BARS_MS = 86_400_000;
/** Maximum number of markets that are stored. */
const MOST_STORED = 1000;
/** Maximum number of markets in memory. */
const MOST_KEPT = 2 * MOST_STORED;

/**
 * Two averages of the YES price: `low` bounds the value of YES, `high` that of NO. They start at the first price and at
 * 0.5, each on its cautious side, and approach each other.
 */
interface Average {
  low: number;
  high: number;
  /** Time that it has seen prices for. */
  watchedMs: number;
  /** Our clock, ms, of the newest look; null before the first of this process. */
  lookedMs: number | null;
}

type StoredAverage = readonly [conditionId: string, low: number, high: number, watchedMs: number];

/** Highest values that limits may give a share, in currency. */
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

  /** Takes in the YES price that others show now; null, which is no price, moves nothing. */
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

  /** Takes in the mean price of a market's bars over `spanMs`, unless its own looks go back as far. */
  seed(conditionId: string, mean: number, spanMs: number): void {
    const known = this.#averages.get(conditionId) ?? { low: 0.5, high: 0.5, watchedMs: 0, lookedMs: null };
    if (known.watchedMs >= TRUSTED_BARS_MS) return;
    this.#averages.set(conditionId, known);
    const part = Math.min(1, spanMs / TRUSTED_BARS_MS);
    known.low += (mean - known.low) * part;
    known.high += (mean - known.high) * part;
    known.watchedMs = TRUSTED_BARS_MS;
  }

  /** Rounded against us; half each for a market without a look. */
  caps(conditionId: string): ShareCaps {
    const known = this.#averages.get(conditionId);
    if (known === undefined) return UNSEEN;
    return {
      yesMicros: micros(Math.floor(known.low * ONE)),
      noMicros: micros(Math.floor((1 - known.high) * ONE)),
    };
  }

  /** Drops the markets that were not looked at for longest. A dropped one begins again on the cautious side. */
  prune(): void {
    if (this.#averages.size <= MOST_KEPT) return;
    for (const [conditionId] of this.#newestFirst().slice(MOST_STORED)) this.#averages.delete(conditionId);
  }

  #newestFirst(): (readonly [string, Average])[] {
    return [...this.#averages].sort(([, a], [, b]) => (b.lookedMs ?? 0) - (a.lookedMs ?? 0));
  }

  /** As the constructor takes it: the markets looked at last. */
  get stored(): readonly StoredAverage[] {
    return this.#newestFirst()
      .slice(0, MOST_STORED)
      .map(([conditionId, { low, high, watchedMs }]) => [conditionId, roundPrice(low), roundPrice(high), watchedMs]);
  }
}

const roundPrice = (price: number): number => Math.round(price * 1e9) / 1e9;
