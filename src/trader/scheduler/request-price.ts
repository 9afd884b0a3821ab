/** Marginal price of a signed request, by the number left. Floats, because nothing here is booked. */

const EVERY_MS = 5_000;
/** Target fraction of the burst to keep free: the price rises below it and falls above it. */
const AIM = 1 / 2;
/** Step of the price's logarithm per update, for a whole burst. */
const STEP = 0.2;
/** Maximum of the price's logarithm: e^7 is a thousand times the minimum. */
const MOST_RISE = 7;

/**
 * Adapts the price by dual ascent until demand equals supply (Balseiro and Gur, "Learning in repeated auctions with
 * budgets", 2019). Small steps keep it nearly constant within a minute.
 */
export class RequestPrice {
  #rise = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** Updates the price when due; call it at every tick. */
  look(queue: { burstLeft(nowMs: number): number }, nowMs: number): void {
    if (Math.abs(nowMs - this.#lookedMs) < EVERY_MS) return;
    this.#lookedMs = nowMs;
    const rise = this.#rise + STEP * (AIM - queue.burstLeft(nowMs));
    this.#rise = Math.max(0, Math.min(MOST_RISE, rise));
  }

  /**
   * Price in currency.
   *
   * @param least price while requests are plentiful
   */
  above(least: number): number {
    return least * Math.exp(this.#rise);
  }
}

/** Weight of the mean: the newest order counts 1 / 16. */
const ORDERS = 16;
/** Longest accepted sample, s; longer ones were decided by another run or had a lost answer. */
const LONGEST_S = 60;

export class ReactionPace {
  /** Mean time from decision to resting order, s. */
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
