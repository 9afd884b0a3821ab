/**
 * How much of the trader's time telemetry may take. What it costs is measured as it goes; more than its share, or a share that
 * is felt in a loop whose beats come late, slows it down a level at a time, and calm speeds it up again.
 */

import { summarize } from './durations.js';

/** Looked at anew after each span of so long, ms. */
const SPAN_MS = 10_000;
const MOST_SHARE = 0.005;
/** A loop is not late because of less. */
const FELT_SHARE = 0.001;
const MOST_LATE_MS = 5;
/** Calm spans before a level is given back: what has just been too much would be again. */
const CALM_SPANS = 3;

export interface BrakeLevel {
  /** Between two sweeps over all markets, ms. */
  readonly periodMs: number;
  readonly hasLadders: boolean;
  readonly hasMarkets: boolean;
}

/** From the fullest down. The last still tells the account, or a reader would take the trader for one that hangs. */
export const BRAKE_LEVELS: readonly [BrakeLevel, ...BrakeLevel[]] = [
  { periodMs: 500, hasLadders: true, hasMarkets: true },
  { periodMs: 1_000, hasLadders: true, hasMarkets: true },
  { periodMs: 2_000, hasLadders: true, hasMarkets: true },
  { periodMs: 2_000, hasLadders: false, hasMarkets: true },
  { periodMs: 2_000, hasLadders: false, hasMarkets: false },
];
/** A loop that is late for other reasons is spared, not silenced. */
const WORST_FOR_LATENESS = 3;

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

  /** Of the last whole span, ms. */
  get lateP99Ms(): number {
    return this.#lateP99Ms;
  }

  /** How late a beat of the loop came, ms. */
  noteBeat(lateMs: number): void {
    this.#late.push(lateMs);
  }

  /** What telemetry took of a step, ms. */
  noteUse(tookMs: number): void {
    this.#usedMs += tookMs;
  }

  /** Ends a span that is over. True when the level is another one now. */
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
