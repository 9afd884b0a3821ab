/** Whether the exchange answers at all, by the outcomes of all requests in the order in which they came. */

/** Outcomes in a row about which nothing is known, after which the exchange is not there. */
const SILENT_AFTER = 3;
/** A silence that is told lasts so long, ms: an exchange that answers one call and not another would be told twice a second. */
const TOLD_AFTER_MS = 1_000;
/** Answers in a row that end a silence which was told: of one that answers little, each answer would be told, and the next silence. */
const BACK_AFTER = 3;

export class Silence {
  #unanswered = 0;
  #answered = 0;
  #sinceMs = 0;
  #isTold = false;

  /** The exchange is not there. */
  get isOn(): boolean {
    return this.#unanswered >= SILENT_AFTER;
  }

  /** The newest request was not answered. */
  get isSuspected(): boolean {
    return this.#unanswered > 0;
  }

  /** A request of whose outcome nothing is known. Whether a person should be told now: once for each silence. */
  onUnknown(nowMs: number): boolean {
    // Where our clock was set back the time begins anew.
    this.#sinceMs = this.#unanswered === 0 ? nowMs : Math.min(this.#sinceMs, nowMs);
    this.#unanswered += 1;
    this.#answered = 0;
    if (!this.isOn || this.#isTold || nowMs - this.#sinceMs < TOLD_AFTER_MS) return false;
    this.#isTold = true;
    return true;
  }

  /** A request was answered: whether a silence ends by it, and whether a person who was told of one should hear that it is over. */
  onAnswer(): { readonly wasOn: boolean; readonly isBack: boolean } {
    const wasOn = this.isOn;
    this.#unanswered = 0;
    this.#answered += 1;
    const isBack = this.#isTold && this.#answered >= BACK_AFTER;
    if (isBack) this.#isTold = false;
    return { wasOn, isBack };
  }
}
