/**
 * Fills that cannot be of the orders that were signed, and settled trades that were taken back: ledger and exchange agree on
 * them, because both are the exchange's word, so only this keeps the trader from earning more of them. Only orders that reduce
 * may leave until a person has taken note, over restarts too.
 */

import type { Ledger } from '../../ledger/contract.js';

const NOTE = 'fill_alarm';

export class FillAlarm {
  readonly #notes: Pick<Ledger, 'note' | 'setNote'>;
  #isNew = false;

  constructor(notes: Pick<Ledger, 'note' | 'setNote'>) {
    this.#notes = notes;
  }

  /** Why only orders that reduce may leave; null while nobody has to look at anything. */
  get verdict(): string | null {
    const text = this.#notes.note(NOTE) ?? '';
    return text === '' ? null : text;
  }

  /** The first one stays: a person needs it, and `events` has the others. */
  raise(text: string): void {
    this.#isNew = true;
    if (this.verdict === null) this.#notes.setNote(NOTE, text);
  }

  /** Whether it was raised, for the first time or again, since this was last asked. */
  takeNew(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }

  /** A person has taken note. */
  clear(): void {
    if (this.verdict !== null) this.#notes.setNote(NOTE, '');
  }
}
