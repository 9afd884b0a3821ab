/**
 * The exchange takes no request under our keys: they were revoked, or it has lost them. What rests may fill unseen, so everything
 * is to be canceled; and only a person knows why, so nothing is quoted until one resumes, over restarts too.
 */

import { refusesKey } from '../../../shared/protocol/errors.js';
import type { Outcome } from '../../../shared/protocol/seam.js';
import type { Notes } from './guard.js';

const NOTE = 'key_alarm';

export class KeyAlarm {
  readonly #notes: Notes;
  /** As the note says it, which nobody else writes: it is asked for several times in every step. */
  #text: string;

  constructor(notes: Notes) {
    this.#notes = notes;
    this.#text = notes.note(NOTE) ?? '';
  }

  /** Why everything is stopped until a person resumes it with a reason; null while it is not. */
  get halted(): string | null {
    return this.#text === '' ? null : this.#text;
  }

  /**
   * What is ours could not be read for some time, and this is the newest answer: the reason, when it is the key; else null. What
   * cannot be read under a key cannot be canceled under it either. Within the ledger's open transaction.
   */
  observe(outcome: Outcome): string | null {
    if (outcome.kind !== 'refused' || !refusesKey(outcome)) return null;
    const reason = `the exchange refuses our API key (${outcome.slug}: ${outcome.message})`;
    this.#write(reason);
    return reason;
  }

  /** A person accepts what halted. */
  resume(): void {
    if (this.#text !== '') this.#write('');
  }

  #write(text: string): void {
    this.#notes.setNote(NOTE, text);
    this.#text = text;
  }
}
