/** Time from the decision on an order until it is seen resting: its draft, its submit, and both waits for budget. */

/** Window of the mean: the newest order counts as one of this many. */
const ORDERS = 16;
/** An order decided by another run, or with a lost answer, is no sample. */
const LONGEST_S = 60;

export class ReactionPace {
  #seconds: number;

  /** @param usualS default before the first sample */
  constructor(usualS: number) {
    this.#seconds = usualS;
  }

  /** Mean of the latest orders, s. */
  get seconds(): number {
    return this.#seconds;
  }

  note(decidedMs: number, restsMs: number): void {
    const seconds = (restsMs - decidedMs) / 1000;
    if (seconds >= 0 && seconds <= LONGEST_S) this.#seconds += (seconds - this.#seconds) / ORDERS;
  }
}
