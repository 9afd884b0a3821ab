/** Value of a signed request, by the number left. A float, because nothing here is booked. */

const EVERY_MS = 5_000;
/** Target fraction of a burst to keep: the price rises below it and falls above it. */
const AIM = 1 / 2;
/** Step of its logarithm per call, for a whole burst. */
const STEP = 0.2;
/** Maximum of its logarithm: e^7, a thousand times the value while requests are plentiful. */
const MOST_RISE = 7;

/**
 * Follows use by dual ascent (Balseiro and Gur, "Learning in repeated auctions with budgets", 2019): it settles where
 * demand equals supply. Slow steps: changes within a minute meet one price.
 */
export class RequestPrice {
  #rise = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** Does the due work of a tick. */
  look(queue: { burstLeft(nowMs: number): number }, nowMs: number): void {
    if (Math.abs(nowMs - this.#lookedMs) < EVERY_MS) return;
    this.#lookedMs = nowMs;
    const rise = this.#rise + STEP * (AIM - queue.burstLeft(nowMs));
    this.#rise = Math.max(0, Math.min(MOST_RISE, rise));
  }

  /** Currency. @param least value while requests are plentiful */
  above(least: number): number {
    return least * Math.exp(this.#rise);
  }
}

/** Window of the mean: the newest order counts as one of this many. */
const ORDERS = 16;
/** An order decided by another run, or with a lost answer, is no sample. */
const LONGEST_S = 60;

export class ReactionPace {
  /** Mean of the latest orders, s. */
  seconds: number;

  /** @param usualS default before the first sample */
  constructor(usualS: number) {
    this.seconds = usualS;
  }

  note(decidedMs: number, restsMs: number): void {
    const seconds = (restsMs - decidedMs) / 1000;
    if (seconds >= 0 && seconds <= LONGEST_S) this.seconds += (seconds - this.seconds) / ORDERS;
  }
}
