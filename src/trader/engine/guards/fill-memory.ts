/** Counts fills in a short time, over restarts. */

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
    // This class alone writes the note, so it parses.
    this.#guard = new FillGuard(text === null ? NO_FILLS : (JSON.parse(text) as FillState), limits);
  }

  /** Sets new limits; the counts stay. */
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
   * Counts one booked fill. Returns the reason when this fill halts, else null.
   * @param timeS exchange time of the fill, Unix s
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
