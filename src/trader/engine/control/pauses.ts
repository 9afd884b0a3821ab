/** Markets that are paused until a person resumes, over restarts: what the signer refused once it would be asked again. */

import type { Notes } from '../guards/guard.js';

const NOTE = 'paused_markets';

export class Pauses {
  readonly #notes: Notes;
  readonly #reasons: Map<string, string>;

  constructor(notes: Notes) {
    this.#notes = notes;
    // The note is written by this class alone; what it wrote it can read.
    this.#reasons = new Map(JSON.parse(notes.note(NOTE) ?? '[]') as readonly (readonly [string, string])[]);
  }

  /** Why nothing is quoted or converted in a market; undefined while it is not paused. */
  findReason(conditionId: string): string | undefined {
    return this.#reasons.get(conditionId);
  }

  /** The first market that was paused, and why, in words; null when none is. */
  get first(): string | null {
    const [paused] = this.#reasons;
    return paused === undefined ? null : `market ${paused[0]}: ${paused[1]}`;
  }

  pause(conditionId: string, reason: string): void {
    this.#reasons.set(conditionId, reason);
    this.#store();
  }

  clear(): void {
    this.#reasons.clear();
    this.#store();
  }

  #store(): void {
    this.#notes.setNote(NOTE, JSON.stringify([...this.#reasons]));
  }
}
