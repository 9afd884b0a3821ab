/** Detects an unreachable exchange from the outcomes of all requests, in order of arrival. */

/** Unknown outcomes in a row after which the exchange counts as unreachable. */
const SILENT_AFTER = 3;
/** Shortest silence that is reported, ms: an exchange that answers only some calls would cause two notices a second. */
const TOLD_AFTER_MS = 1_000;
/** Answers in a row that end a reported silence: otherwise each single answer would cause two notices. */
const BACK_AFTER = 3;

export class Silence {
  #unanswered = 0;
  #answered = 0;
  #sinceMs = 0;
  #isTold = false;

  /** The exchange is unreachable. */
  get isOn(): boolean {
    return this.#unanswered >= SILENT_AFTER;
  }

  /** The newest request was not answered. */
  get isSuspected(): boolean {
    return this.#unanswered > 0;
  }

  /** Takes in a request with an unknown outcome. Returns true when a notice is due: once per silence. */
  onUnknown(nowMs: number): boolean {
    // After a clock set back, the time begins again.
    this.#sinceMs = this.#unanswered === 0 ? nowMs : Math.min(this.#sinceMs, nowMs);
    this.#unanswered += 1;
    this.#answered = 0;
    if (!this.isOn || this.#isTold || nowMs - this.#sinceMs < TOLD_AFTER_MS) return false;
    this.#isTold = true;
    return true;
  }

  /**
   * Takes in an answer. Returns whether it ends a silence, and whether the end of a reported one is due for a notice.
   */
  onAnswer(): { readonly wasOn: boolean; readonly isBack: boolean } {
    const wasOn = this.isOn;
    this.#unanswered = 0;
    this.#answered += 1;
    const isBack = this.#isTold && this.#answered >= BACK_AFTER;
    if (isBack) this.#isTold = false;
    return { wasOn, isBack };
  }
}
