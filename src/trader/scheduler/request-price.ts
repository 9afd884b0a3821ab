/** What a signed request is worth by how many are left. A float, because nothing here is booked. */

const EVERY_MS = 5_000;
/** The part of a burst that is to be left: the price rises while less is, and falls while more is. */
const AIM = 1 / 2;
/** By which its logarithm follows in each step, for a whole burst. */
const STEP = 0.2;
/** It rises to e^7, a thousand times what it is worth while enough are left. */
const MOST_RISE = 7;

/**
 * Follows use by dual ascent (Balseiro and Gur, "Learning in repeated auctions with budgets", 2019): it settles where as many are wanted
 * as there are. Slowly: changes of one minute are then held against one price.
 */
export class RequestPrice {
  #rise = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** Due work of a tick. */
  look(queue: { burstLeft(nowMs: number): number }, nowMs: number): void {
    if (Math.abs(nowMs - this.#lookedMs) < EVERY_MS) return;
    this.#lookedMs = nowMs;
    const rise = this.#rise + STEP * (AIM - queue.burstLeft(nowMs));
    this.#rise = Math.max(0, Math.min(MOST_RISE, rise));
  }

  /** Currency. @param least while enough are left */
  above(least: number): number {
    return least * Math.exp(this.#rise);
  }
}

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
