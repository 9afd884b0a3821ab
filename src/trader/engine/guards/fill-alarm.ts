/**
 * Fills that cannot be of the orders that were signed, and settled trades that were taken back: ledger and exchange agree on
 * them, because both are the exchange's word, so only this keeps the trader from earning more of them. Only orders that reduce
 * may leave until a person has taken note, over restarts too.
 */

import type { Notes } from '../../ledger/contract.js';

const NOTE = 'fill_alarm';

export class FillAlarm {
  readonly #notes: Notes;
  /** As the note says it, which nobody else writes: it is asked for several times in every step. */
  #text: string;
  #isNew = false;

  constructor(notes: Notes) {
    this.#notes = notes;
    this.#text = notes.note(NOTE) ?? '';
  }

  /** Why only orders that reduce may leave; null while nobody has to look at anything. */
  get verdict(): string | null {
    return this.#text === '' ? null : this.#text;
  }

  /** The first one stays: a person needs it, and `events` has the others. */
  raise(text: string): void {
    this.#isNew = true;
    if (this.verdict === null) this.#write(text);
  }

  /** Whether it was raised, for the first time or again, since this was last asked. */
  takeNew(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }

  /** A person has taken note. */
  clear(): void {
    if (this.verdict !== null) this.#write('');
  }

  #write(text: string): void {
    this.#notes.setNote(NOTE, text);
    this.#text = text;
  }
}
