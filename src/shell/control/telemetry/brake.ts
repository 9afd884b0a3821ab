/**
 * Limits the trader's processor time for telemetry. Exceeding its share, or a noticeable share while the loop's beats
 * are late, lowers it one level at a time, and calm raises it again. Every level sends each market's prices, orders and
 * age: a busy machine must not show old figures.
 */

import { summarize } from './request-timings.js';

const SPAN_MS = 10_000;
const MOST_SHARE = 0.005;
/** A smaller share does not make a loop late. */
const FELT_SHARE = 0.001;
const MOST_LATE_MS = 5;
const CALM_SPANS = 3;

export interface BrakeLevel {
  /** Between two sweeps over all markets, ms. */
  readonly periodMs: number;
  /** Others' levels and public trades. */
  readonly hasLadders: boolean;
}

/** From the fullest down. */
export const BRAKE_LEVELS: readonly [BrakeLevel, ...BrakeLevel[]] = [
  { periodMs: 500, hasLadders: true },
  { periodMs: 1_000, hasLadders: true },
  { periodMs: 1_500, hasLadders: true },
  { periodMs: 1_500, hasLadders: false },
];

/** A late loop has other causes too, so lateness drops no ladders. */
const WORST_FOR_LATENESS = 2;

export class Brake {
  #level = 0;
  #spanMs: number;
  #usedMs = 0;
  #late: number[] = [];
  #calm = 0;
  #lateP99Ms = 0;

  /** @param steadyMs a clock that never steps, ms */
  constructor(steadyMs: number) {
    this.#spanMs = steadyMs;
  }

  get level(): number {
    return this.#level;
  }

  get settings(): BrakeLevel {
    return BRAKE_LEVELS[this.#level] ?? BRAKE_LEVELS[0];
  }

  /** Of the last complete span, ms. */
  get lateP99Ms(): number {
    return this.#lateP99Ms;
  }

  /** Delay of a beat of the loop, ms. */
  noteBeat(lateMs: number): void {
    this.#late.push(lateMs);
  }

  /** Processor time of telemetry within a step, ms. */
  noteUse(tookMs: number): void {
    this.#usedMs += tookMs;
  }

  /** Ends a completed span. True when the level has changed. */
  look(steadyMs: number): boolean {
    const tookMs = steadyMs - this.#spanMs;
    if (tookMs < SPAN_MS) return false;
    this.#lateP99Ms = summarize(this.#late).p99;
    const share = this.#usedMs / tookMs;
    const isCostly = share > MOST_SHARE;
    const isLate = share > FELT_SHARE && this.#lateP99Ms > MOST_LATE_MS;
    this.#spanMs = steadyMs;
    this.#usedMs = 0;
    this.#late = [];
    return this.#turn(isCostly, isLate);
  }

  #turn(isCostly: boolean, isLate: boolean): boolean {
    const before = this.#level;
    this.#calm = isCostly || isLate ? 0 : this.#calm + 1;
    if (isCostly) this.#level = Math.min(before + 1, BRAKE_LEVELS.length - 1);
    else if (isLate && before < WORST_FOR_LATENESS) this.#level = before + 1;
    else if (this.#calm >= CALM_SPANS && before > 0) {
      this.#level = before - 1;
      this.#calm = 0;
    }
    return this.#level !== before;
  }
}
