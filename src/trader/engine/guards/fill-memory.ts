/** Too many fills in a short time, over restarts. */

import type { Notes } from '../../ledger/contract.js';
import { type FillFacts, FillGuard, type FillState, NO_FILLS } from '../../risk/fill-guard.js';
import type { RiskLimits } from '../../risk/limits.js';

const NOTE = 'fill_guard';

export class FillMemory {
  readonly #notes: Notes;
  #limits: RiskLimits;
  readonly #guard: FillGuard;

  constructor(notes: Notes, limits: RiskLimits) {
    this.#notes = notes;
    this.#limits = limits;
    const text = notes.note(NOTE);
    // The note is written by this class alone; what it wrote it can read.
    this.#guard = new FillGuard(text === null ? NO_FILLS : (JSON.parse(text) as FillState), limits);
  }

  /** Other limits from now on; what was counted stays. */
  configure(limits: RiskLimits): void {
    this.#limits = limits;
  }

  get facts(): FillFacts {
    return this.#guard.facts;
  }

  get halted(): string | null {
    return this.#guard.state.halted;
  }

  /**
   * Takes in one booked fill; returns the reason when this very fill halts, else null.
   * @param timeS the exchange's time of the fill, Unix seconds
   */
  observe(timeS: number): string | null {
    return this.#guard.observe(timeS, this.#limits);
  }

  store(): void {
    this.#notes.setNote(NOTE, JSON.stringify(this.#guard.state));
  }

  resume(): void {
    this.#guard.resume();
  }
}
