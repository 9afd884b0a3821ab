/** What our own fills have told of a market: how many there were beside how many were expected, and what the price did after them. */

import { type Micros, ONE } from '../../../shared/base/micros.js';
import type { BookSide, PriceMotion } from '../../market/view.js';

/** After so long the price has done what the taker may have known. */
const HORIZON_MS = 30_000;
/** Half of what was measured is forgotten in an hour. */
const HALF_LIFE_MS = 3_600_000;
/** Fills that wait to be judged; more at once say nothing new. */
const MAX_WAITING = 100;
/** What is believed before, and of a market as of all of its category, counts as so many fills. */
const BELIEF_FILLS = 20;
/** Part of its distance that a fill is believed to lose by what the price does next. */
const USUAL_ADVERSE_PART = 0.3;

interface Waiting {
  readonly sign: 1 | -1;
  readonly filledMs: number;
  readonly fair: number;
  readonly distance: number;
  readonly stalePart: number;
}

/** A fill of ours; prices in YES space. */
export interface MeasuredFill {
  readonly side: BookSide;
  readonly priceMicros: Micros;
  /** The strategy's fair value when it came; null where it had none. */
  readonly fairMicros: Micros | null;
  /** Part of the distance that stale quotes were expected to lose of each fill here. */
  readonly stalePart: number;
  readonly nowMs: number;
}

/** Sums that decay with time. */
export interface Measured {
  readonly fills: number;
  /** That were expected while it was quoted. */
  readonly expected: number;
  readonly judged: number;
  /** Sums over the judged, price: what the price went against them beyond what stale quotes were expected to lose. */
  readonly adverse: number;
  readonly distance: number;
}

export class MarketMeasures {
  readonly #sums = { fills: 0, expected: 0, judged: 0, adverse: 0, distance: 0 };
  #atMs: number | null = null;
  #waiting: Waiting[] = [];

  /** As they are now. */
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

  /** What the newest book says; judges the fills whose time has come. */
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

  /** Time has passed in which so many fills a second were expected; 0 where nothing was quoted. */
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

  /** Our clock was set back: fills whose looks can no longer be told apart are not judged. */
  clockSetBack(): void {
    this.#waiting = [];
    this.#atMs = null;
  }
}

/** What to believe of a market. */
export interface Belief {
  /** Fills for each that its takers and its book let expect. */
  readonly fillRatio: number;
  /** Part of a fill's distance that is lost beyond what stale quotes lose; below 0 where those lose less than was expected. */
  readonly adversePart: number;
}

/** Before anything was measured. */
const NOTHING_KNOWN: Belief = { fillRatio: 1, adversePart: USUAL_ADVERSE_PART };

/** Moves a belief towards what was measured, by how much was. */
export const believe = (
  { fills, expected, judged, adverse, distance }: Measured,
  before: Belief = NOTHING_KNOWN,
): Belief => ({
  fillRatio: (fills + BELIEF_FILLS * before.fillRatio) / (expected + BELIEF_FILLS),
  adversePart:
    (judged * (distance > 0 ? adverse / distance : before.adversePart) + BELIEF_FILLS * before.adversePart) /
    (judged + BELIEF_FILLS),
});

/** Of all markets of a category together. */
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
