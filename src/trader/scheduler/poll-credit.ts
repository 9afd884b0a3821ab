/**
 * A token bucket for polls of markets: it fills with the budget up to its capacity, and each poll takes one token. It counts
 * in whole parts, so that its content does not depend on how often it was looked at: a shell that leaves out idle beats
 * polls at the same times as one that does not.
 */

/** Of the public budget polls may use nine tenths; the rest is for further pages and for looks that others ask. */
const PUBLIC_TENTHS = 9;
/** What a millisecond earns at one request a minute is this part of a poll, times the tenths. */
const PARTS = 10 * 60_000;

export class PollCredit {
  readonly #most: number;
  #parts: number;
  #perMinute = 0;
  #seenMs: number | null = null;

  /** @param most polls: there at the beginning, and never more */
  constructor(most: number) {
    this.#most = most * PARTS;
    this.#parts = this.#most;
  }

  /** Takes in the time; `perMinute` is the public budget since the last look. True when it was another one then. */
  earn(perMinute: number, nowMs: number): boolean {
    const changes = perMinute !== this.#perMinute;
    const elapsedMs = Math.max(0, nowMs - (this.#seenMs ?? nowMs));
    this.#parts = Math.min(this.#most, this.#parts + elapsedMs * perMinute * PUBLIC_TENTHS);
    this.#perMinute = perMinute;
    this.#seenMs = nowMs;
    return changes;
  }

  /** Whether there is a whole poll. */
  get suffices(): boolean {
    return this.#parts >= PARTS;
  }

  spend(): void {
    this.#parts -= PARTS;
  }

  /** From so many milliseconds after the newest look on there is a whole poll. */
  get missingMs(): number {
    return this.suffices ? 0 : Math.ceil((PARTS - this.#parts) / (this.#perMinute * PUBLIC_TENTHS));
  }
}
