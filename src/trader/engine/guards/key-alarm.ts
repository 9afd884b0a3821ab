/**
 * The exchange takes no request under our keys: they were revoked, or it has lost them. What rests may fill unseen, so everything
 * is to be canceled; and only a person knows why, so nothing is quoted until one resumes, over restarts too.
 */

import { refusesKey } from '../../../shared/protocol/errors.js';
import type { Outcome } from '../../../shared/protocol/seam.js';
import type { Notes } from '../../ledger/contract.js';

const NOTE = 'key_alarm';

/** Refused for so long a key was revoked; a venue whose sign-in fails for some seconds takes it again by itself. */
const HALTS_AFTER_MS = 20_000;

/** What is ours and read under a key. */
type OwnList = 'orders' | 'fills';

export class KeyAlarm {
  readonly #notes: Notes;
  /** As the note says it, which nobody else writes: it is asked for several times in every step. */
  #text: string;
  /** Since when every look at a list was refused for its key, by the machine's clock, ms. */
  readonly #sinceMs = new Map<OwnList, number>();

  constructor(notes: Notes) {
    this.#notes = notes;
    this.#text = notes.note(NOTE) ?? '';
  }

  /** Why everything is stopped until a person resumes it with a reason; null while it is not. */
  get halted(): string | null {
    return this.#text === '' ? null : this.#text;
  }

  /**
   * A look at own orders or own trades has come back: the reason, when it halts; else null. What cannot be read under a key cannot
   * be canceled under it either. Silence and other failures in between tell nothing of the key. Within the ledger's open
   * transaction.
   */
  observe(list: OwnList, outcome: Outcome, nowMs: number): string | null {
    if (outcome.kind === 'answered') this.#sinceMs.delete(list);
    if (outcome.kind !== 'refused' || !refusesKey(outcome) || this.halted !== null) return null;
    // Where our clock was set back the time begins anew.
    const sinceMs = Math.min(this.#sinceMs.get(list) ?? nowMs, nowMs);
    this.#sinceMs.set(list, sinceMs);
    if (nowMs - sinceMs < HALTS_AFTER_MS) return null;
    const reason = `the exchange refuses our API key (${outcome.slug}: ${outcome.message})`;
    this.#write(reason);
    return reason;
  }

  /** A person accepts what halted. */
  resume(): void {
    this.#sinceMs.clear();
    if (this.#text !== '') this.#write('');
  }

  #write(text: string): void {
    this.#notes.setNote(NOTE, text);
    this.#text = text;
  }
}
