/** Losses over restarts: the guard that halts, and the rung for a partly used limit. */

import type { Micros } from '../../../shared/base/micros.js';
import type { Notes } from '../../ledger/contract.js';
import type { RiskLimits } from '../../risk/limits.js';
import { type DayResults, type LossFacts, LossGuard, type LossState } from '../../risk/loss-guard.js';
import { type LossRung, lossRung, NO_LOSS_RUNG } from '../../risk/loss-rung.js';
import type { HoldingsWorth } from '../own/valuation.js';

const NOTE = 'loss_guard';
/** No loss exists before the first valuation. Shares without a mark keep it so, and nothing is quoted. */
const NO_LOSS: LossFacts = { dayLossMicros: 0 as Micros, drawdownMicros: 0 as Micros, halted: null };

export class LossMemory {
  readonly #notes: Notes;
  #limits: RiskLimits;
  /** Null before the first valuation. */
  #guard: LossGuard | null;
  /** As stored in the ledger. */
  #stored: LossState | null;
  #rung: LossRung = NO_LOSS_RUNG;

  constructor(notes: Notes, limits: RiskLimits) {
    this.#notes = notes;
    this.#limits = limits;
    const text = notes.note(NOTE);
    // This class alone writes the note, so it parses.
    this.#stored = text === null ? null : (JSON.parse(text) as LossState);
    this.#guard = this.#stored === null ? null : LossGuard.restore(this.#stored);
  }

  /** Sets new limits; losses and a halt stay. */
  configure(limits: RiskLimits): void {
    this.#limits = limits;
    this.#rung = lossRung(this.facts, limits);
  }

  get facts(): LossFacts {
    return this.#guard?.facts ?? NO_LOSS;
  }

  /** Null before the first valuation. */
  get days(): DayResults | null {
    return this.#guard?.days ?? null;
  }

  get halted(): string | null {
    return this.#guard?.state.halted ?? null;
  }

  /** Rung for the used part of a limit. */
  get rung(): LossRung {
    return this.#rung;
  }

  /** Takes in the current worth. Returns the reason when this call halts, else null. */
  observe(nowMs: number, worth: HoldingsWorth): string | null {
    this.#guard ??= LossGuard.start(nowMs, worth.equityMicros);
    const halted = this.#guard.observe(nowMs, worth.equityMicros, this.#limits, worth.passingMicros);
    this.#rung = lossRung(this.#guard.facts, this.#limits);
    return halted;
  }

  /** True when the stored losses differ by more than allowed, so they must be stored. */
  get isDue(): boolean {
    if (this.#guard === null) return false;
    return this.#stored === null || this.#guard.hasMovedFrom(this.#stored, this.#limits);
  }

  /** True after the first valuation. */
  get isStarted(): boolean {
    return this.#guard !== null;
  }

  /** The configured capital differs from the ledger's. Without a valuation there is nothing to correct. */
  capitalMoved(amount: Micros): void {
    this.#guard?.capitalMoved(amount);
  }

  store(): void {
    if (this.#guard === null) return;
    this.#stored = this.#guard.state;
    this.#notes.setNote(NOTE, JSON.stringify(this.#guard.state));
  }

  /** @param isHeldBack whether a partly used limit holds the trader back; the operator accepts that loss too */
  resume(isHeldBack = false): void {
    this.#guard?.resume(isHeldBack);
    this.#rung = lossRung(this.facts, this.#limits);
  }
}
