/**
 * Alarm for rejected API keys: they were revoked or the exchange lost them. Resting orders may fill unseen, so
 * everything is canceled. Nothing is quoted until an operator resumes, also after a restart.
 */

import { refusesKey } from '../../../shared/protocol/errors.js';
import type { Outcome } from '../../../shared/protocol/seam.js';
import type { Notes } from '../../ledger/contract.js';

const NOTE = 'key_alarm';

/** Time of rejections after which a key counts as revoked; shorter sign-in failures of a venue heal. */
const HALTS_AFTER_MS = 20_000;

/** Own lists that are read under a key. */
type OwnList = 'orders' | 'fills';

export class KeyAlarm {
  readonly #notes: Notes;
  /** Text of the note, cached: each step reads it several times. */
  #text: string;
  /** Machine clock, ms, since every read of a list was rejected for its key. */
  readonly #sinceMs = new Map<OwnList, number>();

  constructor(notes: Notes) {
    this.#notes = notes;
    this.#text = notes.note(NOTE) ?? '';
  }

  /** Why everything is stopped until an operator resumes with a reason; null without a halt. */
  get halted(): string | null {
    return this.#text === '' ? null : this.#text;
  }

  /**
   * Takes in the outcome of a read of own orders or own trades. Returns the reason when it halts, else null. A list
   * that a key cannot read cannot be canceled under it either. Timeouts and other failures in between say nothing about
   * the key. Call within an open ledger transaction.
   */
  observe(list: OwnList, outcome: Outcome, nowMs: number): string | null {
    if (outcome.kind === 'answered') this.#sinceMs.delete(list);
    if (outcome.kind !== 'refused' || !refusesKey(outcome) || this.halted !== null) return null;
    // After a clock set back, the time begins again.
    const sinceMs = Math.min(this.#sinceMs.get(list) ?? nowMs, nowMs);
    this.#sinceMs.set(list, sinceMs);
    if (nowMs - sinceMs < HALTS_AFTER_MS) return null;
    const reason = `the exchange refuses our API key (${outcome.slug}: ${outcome.message})`;
    this.#write(reason);
    return reason;
  }

  /** An operator accepts the halt. */
  resume(): void {
    this.#sinceMs.clear();
    if (this.#text !== '') this.#write('');
  }

  #write(text: string): void {
    this.#notes.setNote(NOTE, text);
    this.#text = text;
  }
}
