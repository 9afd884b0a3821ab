/**
 * Markets that are paused until a person resumes, over restarts: by an operator, or because what the signer refused once it would be
 * asked again.
 */

import type { Notes } from '../guards/guard.js';

const NOTE = 'paused_markets';

interface Pause {
  readonly reason: string;
  /** An operator's own pause needs no reason to end. */
  readonly isOperators: boolean;
}

/** As it is stored; an operator's pause says so. */
type StoredPause = readonly [conditionId: string, reason: string, by?: 'operator'];

export class Pauses {
  readonly #notes: Notes;
  readonly #pauses: Map<string, Pause>;

  constructor(notes: Notes) {
    this.#notes = notes;
    // The note is written by this class alone; what it wrote it can read.
    const stored = JSON.parse(notes.note(NOTE) ?? '[]') as readonly StoredPause[];
    this.#pauses = new Map(stored.map(([id, reason, by]) => [id, { reason, isOperators: by === 'operator' }]));
  }

  /** Why nothing is quoted or converted in a market; undefined while it is not paused. */
  findReason(conditionId: string): string | undefined {
    return this.#pauses.get(conditionId)?.reason;
  }

  /** The first market that something other than an operator paused, and why, in words; null when none is. */
  get first(): string | null {
    for (const [id, { reason, isOperators }] of this.#pauses) if (!isOperators) return `market ${id}: ${reason}`;
    return null;
  }

  pause(conditionId: string, reason: string): void {
    this.#set(conditionId, { reason, isOperators: false });
  }

  /** What was paused for another reason stays so: it still needs one to end. */
  pauseByOperator(conditionId: string, reason: string): void {
    const before = this.#pauses.get(conditionId);
    if (before === undefined || before.isOperators) this.#set(conditionId, { reason, isOperators: true });
  }

  /** Why a person must say a reason to resume a market; null where none is needed. */
  whyReasonNeeded(conditionId: string): string | null {
    const pause = this.#pauses.get(conditionId);
    return pause === undefined || pause.isOperators ? null : pause.reason;
  }

  resume(conditionId: string): void {
    if (this.#pauses.delete(conditionId)) this.#store();
  }

  clear(): void {
    this.#pauses.clear();
    this.#store();
  }

  #set(conditionId: string, pause: Pause): void {
    this.#pauses.set(conditionId, pause);
    this.#store();
  }

  #store(): void {
    const stored = [...this.#pauses].map(
      ([id, { reason, isOperators }]): StoredPause => (isOperators ? [id, reason, 'operator'] : [id, reason]),
    );
    this.#notes.setNote(NOTE, JSON.stringify(stored));
  }
}
