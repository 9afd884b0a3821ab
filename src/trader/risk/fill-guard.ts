/**
 * Too many fills in a short time mean that somebody knows more than we do, or that our prices are wrong: quoting stops,
 * over restarts, until a person resumes it with a reason. Fills are counted by the exchange's times, so that old fills
 * that a start reads at once are no burst. Its state is plain data that the engine keeps in the ledger.
 */

import type { RiskLimits } from './limits.js';

/** Plain data, stored as JSON in the transaction of the fill. */
export interface FillState {
  /** Unix seconds of the newest fills, ascending. */
  readonly timesS: readonly number[];
  /** Why quoting is halted, in one sentence; null while it is not. */
  readonly halted: string | null;
}

/** What control 11 compares. */
export interface FillFacts {
  /** Most fills within one window, among the newest fills. */
  readonly inWindow: number;
  readonly halted: string | null;
}

type FillLimits = Pick<RiskLimits, 'maxFills' | 'fillsWindowS'>;

export const NO_FILLS: FillState = { timesS: [], halted: null };

/** Fills are read newest first, page by page: this multiple of the limit is kept for sorting. */
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

  /** An operator resumes: the count begins again. */
  resume(): void {
    this.#state = NO_FILLS;
    this.#facts = { inWindow: 0, halted: null };
  }
}

/** Maximum number of these ascending times within `windowS` seconds; times are whole seconds, so both ends count. */
function fullest(timesS: readonly number[], windowS: number): number {
  let most = 0;
  let first = 0;
  for (const [last, timeS] of timesS.entries()) {
    while (timeS - (timesS[first] ?? timeS) >= windowS) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
