/** Measures of own fills in a market: number of fills against the expected one, and the price move after them. */

import { type Micros, ONE } from '../../../shared/base/micros.js';
import type { BookSide, PriceMotion } from '../../market/view.js';

/** Time after a fill, ms, when the price contains the taker's information. */
const HORIZON_MS = 30_000;
/** Half-life of the measures, ms. */
const HALF_LIFE_MS = 3_600_000;
/** Maximum number of fills that wait for their markout; further fills are only counted. */
const MAX_WAITING = 100;
/** Weight of a prior, in fills. */
const BELIEF_FILLS = 20;
/** Prior fraction of a fill's distance that the next price move loses. */
const USUAL_ADVERSE_PART = 0.3;

interface Waiting {
  readonly sign: 1 | -1;
  readonly filledMs: number;
  readonly fair: number;
  readonly distance: number;
  readonly stalePart: number;
}

/** An own fill; prices in YES space. */
export interface MeasuredFill {
  readonly side: BookSide;
  readonly priceMicros: Micros;
  /** The strategy's fair price at the fill; null without one. */
  readonly fairMicros: Micros | null;
  /** Expected loss by stale quotes per fill, as a fraction of its distance. */
  readonly stalePart: number;
  readonly nowMs: number;
}

/** Decaying sums over own fills. */
export interface Measured {
  readonly fills: number;
  /** Expected number of fills while quoted. */
  readonly expected: number;
  readonly judged: number;
  /** Sum over judged fills of the adverse price move beyond the expected loss of stale quotes. */
  readonly adverse: number;
  readonly distance: number;
}

export class MarketMeasures {
  readonly #sums = { fills: 0, expected: 0, judged: 0, adverse: 0, distance: 0 };
  #atMs: number | null = null;
  #waiting: Waiting[] = [];

  /** The current sums, as one mutable object. */
  get sums(): Measured {
    return this.#sums;
  }

  onFill({ side, priceMicros, fairMicros, stalePart, nowMs }: MeasuredFill): void {
    this.#sums.fills += 1;
    if (fairMicros === null || this.#waiting.length >= MAX_WAITING) return;
    const sign = side === 'bid' ? 1 : -1;
    const distance = Math.max(0, (sign * (fairMicros - priceMicros)) / ONE);
    this.#waiting.push({ sign, filledMs: nowMs, fair: fairMicros / ONE, distance, stalePart });
  }

  /** Takes in the newest price and judges the fills that are due. */
  look(motion: PriceMotion | null): void {
    if (motion === null || this.#waiting.length === 0) return;
    const { price, seenMs } = motion;
    const left: Waiting[] = [];
    for (const fill of this.#waiting) {
      if (seenMs < fill.filledMs + HORIZON_MS) {
        left.push(fill);
        continue;
      }
      this.#sums.judged += 1;
      this.#sums.adverse += fill.sign * (fill.fair - price) - fill.stalePart * fill.distance;
      this.#sums.distance += fill.distance;
    }
    this.#waiting = left;
  }

  /** Adds the expected fills since the last call; 0 while nothing was quoted. */
  pass(nowMs: number, expectedPerS: number): void {
    const elapsedMs = Math.max(0, nowMs - (this.#atMs ?? nowMs));
    this.#atMs = nowMs;
    const kept = 2 ** (-elapsedMs / HALF_LIFE_MS);
    this.#sums.fills *= kept;
    this.#sums.expected = this.#sums.expected * kept + (expectedPerS * elapsedMs) / 1000;
    this.#sums.judged *= kept;
    this.#sums.adverse *= kept;
    this.#sums.distance *= kept;
  }

  /** Drops waiting fills after our clock was set back, because their age is unknown. */
  clockSetBack(): void {
    this.#waiting = [];
    this.#atMs = null;
  }
}

/** Estimates for a market from its own fills. */
export interface Belief {
  /** Observed fills per expected fill. */
  readonly fillRatio: number;
  /**
   * Fraction of a fill's distance that is lost beyond the loss of stale quotes; negative if less was lost than
   * expected.
   */
  readonly adversePart: number;
}

/** Estimates before anything was measured. */
const NOTHING_KNOWN: Belief = { fillRatio: 1, adversePart: USUAL_ADVERSE_PART };

/** Combines a prior estimate with measurements, by their weights. */
export const believe = (
  { fills, expected, judged, adverse, distance }: Measured,
  before: Belief = NOTHING_KNOWN,
): Belief => ({
  fillRatio: (fills + BELIEF_FILLS * before.fillRatio) / (expected + BELIEF_FILLS),
  adversePart:
    (judged * (distance > 0 ? adverse / distance : before.adversePart) + BELIEF_FILLS * before.adversePart) /
    (judged + BELIEF_FILLS),
});

/** Adds the measures of several markets. */
export const sumMeasured = (measured: readonly Measured[]): Measured =>
  measured.reduce(
    (sum, each) => ({
      fills: sum.fills + each.fills,
      expected: sum.expected + each.expected,
      judged: sum.judged + each.judged,
      adverse: sum.adverse + each.adverse,
      distance: sum.distance + each.distance,
    }),
    NONE,
  );

const NONE: Measured = { fills: 0, expected: 0, judged: 0, adverse: 0, distance: 0 };
