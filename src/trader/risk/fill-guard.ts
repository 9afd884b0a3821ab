/**
 * Halts quoting after too many fills in a short time: the prices may be wrong, or takers may know more. The halt lasts,
 * over restarts, until an operator resumes with a reason. Fills count by exchange time, so old fills read at a start
 * are no burst.
 */

import type { RiskLimits } from './limits.js';

/** State of the guard; stored as JSON in the transaction of the fill. */
export interface FillState {
  /** Unix seconds of the newest fills, ascending. */
  readonly timesS: readonly number[];
  /** Why quoting is halted, in one sentence; null while it is not. */
  readonly halted: string | null;
}

/** Figures that risk control 11 compares with its limits. */
export interface FillFacts {
  /** Largest number of fills within one window, among the newest fills. */
  readonly inWindow: number;
  readonly halted: string | null;
}

type FillLimits = Pick<RiskLimits, 'maxFills' | 'fillsWindowS'>;

export const NO_FILLS: FillState = { timesS: [], halted: null };

/** Fill times are kept up to this multiple of the limit, because pages list the newest fills first. */
const KEPT_TIMES = 4;

export class FillGuard {
  #state: FillState;
  #facts: FillFacts;

  constructor(state: FillState, limits: FillLimits) {
    this.#state = state;
    this.#facts = { inWindow: fullest(state.timesS, limits.fillsWindowS), halted: state.halted };
  }

  get state(): FillState {
    return this.#state;
  }

  get facts(): FillFacts {
    return this.#facts;
  }

  /**
   * Counts one booked fill. Returns the reason when this fill halts quoting, else null.
   * @param timeS exchange time of the fill, Unix s
   */
  observe(timeS: number, limits: FillLimits): string | null {
    const before = this.#state.halted;
    const timesS = [...this.#state.timesS, timeS].sort((a, b) => a - b).slice(-KEPT_TIMES * (limits.maxFills + 1));
    const inWindow = fullest(timesS, limits.fillsWindowS);
    const burst = `${inWindow} fills within ${limits.fillsWindowS} s, the limit is ${limits.maxFills}`;
    const halted = before ?? (inWindow > limits.maxFills ? burst : null);
    this.#state = { timesS, halted };
    this.#facts = { inWindow, halted };
    return before === null ? halted : null;
  }

  /** Clears the halt and restarts the count, after an operator's resume. */
  resume(): void {
    this.#state = NO_FILLS;
    this.#facts = { inWindow: 0, halted: null };
  }
}

/** Maximum number of ascending times within `windowS` seconds. */
function fullest(timesS: readonly number[], windowS: number): number {
  let most = 0;
  let first = 0;
  for (const [last, timeS] of timesS.entries()) {
    while (timeS - (timesS[first] ?? timeS) >= windowS) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
