/** Value of a YES share per market, and the stored value for markets that no longer report one. */

import type { Micros } from '../../../shared/base/micros.js';
import type { LedgerReader, Notes } from '../../ledger/contract.js';

const NOTE = 'marks';
/** How long a start waits for a market's own mark, ms. */
const FRESH_MS = 60_000;

/** Stored marks of held YES shares, by market. */
export const storedMarks = (ledger: Pick<LedgerReader, 'note'>): Map<string, Micros> =>
  // `Marks` alone writes the note, so it parses.
  new Map(JSON.parse(ledger.note(NOTE) ?? '[]') as readonly (readonly [string, Micros])[]);

export class Marks extends Map<string, Micros> {
  readonly #ledger: Notes;
  readonly #stored: Map<string, Micros>;

  constructor(ledger: Notes) {
    super();
    this.#ledger = ledger;
    this.#stored = storedMarks(ledger);
  }

  /**
   * Uses the last mark of a market that cannot be valued, so that it does not stop quoting elsewhere.
   *
   * @param held by condition id
   * @param isOut whether observations of a market are ignored
   * @param ageMs age of the process
   */
  fill(held: ReadonlyMap<string, unknown>, isOut: (conditionId: string) => boolean, ageMs: number): void {
    let isNew = false;
    for (const conditionId of held.keys()) {
      const stored = this.#stored.get(conditionId);
      if (stored === undefined) isNew ||= this.has(conditionId);
      else if (!this.has(conditionId) && (ageMs > FRESH_MS || isOut(conditionId))) this.set(conditionId, stored);
    }
    if (isNew) this.save(held.keys());
  }

  /** @param held condition ids */
  save(held: Iterable<string>): void {
    this.#stored.clear();
    for (const conditionId of held) {
      const mark = this.get(conditionId);
      if (mark !== undefined) this.#stored.set(conditionId, mark);
    }
    this.#ledger.setNote(NOTE, JSON.stringify([...this.#stored]));
  }
}
