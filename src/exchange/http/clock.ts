/** The exchange's only clock: drafts, challenges, timestamps, fees, rate limits and the `Date` header. */

export class ExchangeClock {
  readonly #wallMs: () => number;
  #offsetMs = 0;
  #lastMs: number;

  /** `notBeforeMs`: latest time of this exchange in an earlier process. */
  constructor(notBeforeMs: number, wallMs: () => number = Date.now) {
    this.#wallMs = wallMs;
    this.#lastMs = notBeforeMs;
  }

  /** Unix ms; never goes back. When the wall clock does, this one continues. */
  nowMs(): number {
    const wallMs = this.#wallMs();
    if (wallMs + this.#offsetMs < this.#lastMs) this.#offsetMs = this.#lastMs - wallMs;
    this.#lastMs = wallMs + this.#offsetMs;
    return this.#lastMs;
  }

  advance(ms: number): void {
    this.#offsetMs += ms;
  }

  dateHeader(nowMs: number): string {
    return new Date(nowMs).toUTCString();
  }
}
