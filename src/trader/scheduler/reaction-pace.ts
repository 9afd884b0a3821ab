/** How long it takes from deciding on an order until it is seen to rest: its draft, its submit, and the places of both in the budget. */

/** The newest of so many orders counts as one of them. */
const ORDERS = 16;
/** An order that was decided by another run, or whose answer was lost, says nothing of the pace. */
const LONGEST_S = 60;

export class ReactionPace {
  #seconds: number;

  /** @param usualS before any order was seen to rest */
  constructor(usualS: number) {
    this.#seconds = usualS;
  }

  /** Mean of the latest orders, seconds. */
  get seconds(): number {
    return this.#seconds;
  }

  note(decidedMs: number, restsMs: number): void {
    const seconds = (restsMs - decidedMs) / 1000;
    if (seconds >= 0 && seconds <= LONGEST_S) this.#seconds += (seconds - this.#seconds) / ORDERS;
  }
}
