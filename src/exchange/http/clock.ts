/** The exchange's only clock: drafts, challenges, the timestamp check, fees, rate limits and the `Date` header. */

export class ExchangeClock {
  readonly #wallMs: () => number;
  #offsetMs = 0;
  #lastMs: number;
  #dateSecond = -1;
  #dateText = '';

  /** `notBeforeMs`: the latest moment that this exchange has seen in an earlier life. */
  constructor(notBeforeMs: number, wallMs: () => number = Date.now) {
    this.#wallMs = wallMs;
    this.#lastMs = notBeforeMs;
  }

  /** Unix ms; never goes back. When the wall clock does, this one goes on from where it was. */
  nowMs(): number {
    const wallMs = this.#wallMs();
    if (wallMs + this.#offsetMs < this.#lastMs) this.#offsetMs = this.#lastMs - wallMs;
    this.#lastMs = wallMs + this.#offsetMs;
    return this.#lastMs;
  }

  /** Moves the clock forward, ms. */
  advance(ms: number): void {
    this.#offsetMs += ms;
  }

  /** The `Date` header for this moment; made once a second. */
  dateHeader(nowMs: number): string {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#dateSecond) {
      this.#dateSecond = second;
      this.#dateText = new Date(second * 1000).toUTCString();
    }
    return this.#dateText;
  }
}
