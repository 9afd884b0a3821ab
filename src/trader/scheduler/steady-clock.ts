/**
 * A clock for the request budget that runs while ours does and stands still while ours jumps. Our clock may be set while
 * we run; a window of a minute measured on it would then be forgotten at once, or be full for as long as it stepped.
 */

/** The trader is told the time every second; a longer step is no passing of time that we could vouch for. */
const LONGEST_STEP_MS = 60_000;

export class SteadyClock {
  #ourMs: number | null = null;
  #steadyMs = 0;

  /** Takes in that ours shows `nowMs`. Milliseconds on this clock, never less than before. */
  advance(nowMs: number): number {
    const stepMs = nowMs - (this.#ourMs ?? nowMs);
    this.#steadyMs = this.peek(nowMs);
    // A small step back is waited out, so that going to and fro does not count twice.
    if (this.#ourMs === null || stepMs >= 0 || stepMs < -LONGEST_STEP_MS) this.#ourMs = nowMs;
    return this.#steadyMs;
  }

  /** The same for somebody who only looks: what comes after it is as if nobody had. */
  peek(nowMs: number): number {
    const stepMs = nowMs - (this.#ourMs ?? nowMs);
    return stepMs > 0 && stepMs <= LONGEST_STEP_MS ? this.#steadyMs + stepMs : this.#steadyMs;
  }
}
