/** Losses, over restarts: the guard that halts on them, and the rung of the ladder that a part of a limit leads to. */

import type { Micros } from '../../../shared/base/micros.js';
import type { Notes } from '../../ledger/contract.js';
import type { RiskLimits } from '../../risk/limits.js';
import { type DayResults, type LossFacts, LossGuard, type LossState } from '../../risk/loss-guard.js';
import { type LossRung, lossRung, NO_LOSS_RUNG } from '../../risk/loss-rung.js';
import type { HoldingsWorth } from '../own/valuation.js';

const NOTE = 'loss_guard';
/** Before the first valuation nothing can be lost; shares without a mark keep it that way, and nothing quotes. */
const NO_LOSS: LossFacts = { dayLossMicros: 0 as Micros, drawdownMicros: 0 as Micros, halted: null };

export class LossMemory {
  readonly #notes: Notes;
  #limits: RiskLimits;
  /** Null before the first valuation. */
  #guard: LossGuard | null;
  /** As the ledger has it. */
  #stored: LossState | null;
  #rung: LossRung = NO_LOSS_RUNG;

  constructor(notes: Notes, limits: RiskLimits) {
    this.#notes = notes;
    this.#limits = limits;
    const text = notes.note(NOTE);
    // The note is written by this class alone; what it wrote it can read.
    this.#stored = text === null ? null : (JSON.parse(text) as LossState);
    this.#guard = this.#stored === null ? null : LossGuard.restore(this.#stored);
  }

  /** Other limits from now on: losses stay what they are, and so does a halt. */
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

  /** Where a part of a limit that is used up puts the trader. */
  get rung(): LossRung {
    return this.#rung;
  }

  /** Takes in what we are worth; returns the reason when this very look halts, else null. */
  observe(nowMs: number, worth: HoldingsWorth): string | null {
    this.#guard ??= LossGuard.start(nowMs, worth.equityMicros);
    const halted = this.#guard.observe(nowMs, worth.equityMicros, this.#limits, worth.passingMicros);
    this.#rung = lossRung(this.#guard.facts, this.#limits);
    return halted;
  }

  /** Whether the ledger would measure losses otherwise by more than may be: then it is time to store. */
  get isDue(): boolean {
    if (this.#guard === null) return false;
    return this.#stored === null || this.#guard.hasMovedFrom(this.#stored, this.#limits);
  }

  /** Whether there has been a valuation, so that there is something to store. */
  get isStarted(): boolean {
    return this.#guard !== null;
  }

  /** The configured capital differs from the ledger's. Before the first valuation there is nothing to correct. */
  capitalMoved(amount: Micros): void {
    this.#guard?.capitalMoved(amount);
  }

  store(): void {
    if (this.#guard === null) return;
    this.#stored = this.#guard.state;
    this.#notes.setNote(NOTE, JSON.stringify(this.#guard.state));
  }

  /** @param isHeldBack whether a part of a limit holds the trader back, and a person accepts that loss too */
  resume(isHeldBack = false): void {
    this.#guard?.resume(isHeldBack);
    this.#rung = lossRung(this.facts, this.#limits);
  }
}
