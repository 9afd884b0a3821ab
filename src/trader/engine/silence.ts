/** Whether the exchange answers at all, by the outcomes of all requests in the order in which they came. */

/** Outcomes in a row about which nothing is known, after which the exchange is not there. */
const SILENT_AFTER = 3;
/** A silence that is told lasts so long, ms: an exchange that answers one call and not another would be told twice a second. */
const TOLD_AFTER_MS = 1_000;

export class Silence {
  #unanswered = 0;
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
    if (!this.isOn || this.#isTold || nowMs - this.#sinceMs < TOLD_AFTER_MS) return false;
    this.#isTold = true;
    return true;
  }

  /** A request was answered. What ends by it: whether there was a silence, and whether somebody was told of it. */
  onAnswer(): { readonly wasOn: boolean; readonly wasTold: boolean } {
    const ended = { wasOn: this.isOn, wasTold: this.#isTold };
    this.#unanswered = 0;
    this.#isTold = false;
    return ended;
  }
}
