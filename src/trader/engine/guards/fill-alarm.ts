/**
 * Alarm for fills that cannot belong to the signed orders, and for settled trades that were reverted. Ledger and
 * exchange agree on such fills, since both repeat the exchange, so only this alarm stops the trader from quoting on.
 * Only reducing orders are allowed until an operator resumes, also after a restart.
 */

import type { Notes } from '../../ledger/contract.js';

const NOTE = 'fill_alarm';

export class FillAlarm {
  readonly #notes: Notes;
  /** Text of the note, cached: each step reads it several times. */
  #text: string;
  #isNew = false;

  constructor(notes: Notes) {
    this.#notes = notes;
    this.#text = notes.note(NOTE) ?? '';
  }

  /** Why only reducing orders are allowed; null without an alarm. */
  get verdict(): string | null {
    return this.#text === '' ? null : this.#text;
  }

  /** The first text stays for the operator; `events` lists the others. */
  raise(text: string): void {
    this.#isNew = true;
    if (this.verdict === null) this.#write(text);
  }

  /** True when it was raised since the last call, also if it already stood. */
  takeNew(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }

  /** An operator has acknowledged it. */
  clear(): void {
    if (this.verdict !== null) this.#write('');
  }

  #write(text: string): void {
    this.#notes.setNote(NOTE, text);
    this.#text = text;
  }
}
