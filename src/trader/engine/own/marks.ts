/** What a YES share of each market is worth, and what the ledger remembers of it for markets that no longer say. */

import type { Micros } from '../../../shared/base/micros.js';
import type { LedgerReader, Notes } from '../../ledger/contract.js';

const NOTE = 'marks';
/** How long a start waits for the market itself to say what shares there are worth, ms. */
const FRESH_MS = 60_000;

/** What a YES share of each market that is held was worth when the ledger was last told. */
export const storedMarks = (ledger: Pick<LedgerReader, 'note'>): Map<string, Micros> =>
  // The note is written by `Marks` alone; what it wrote it can read.
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
   * One market that cannot be valued must not keep all others from being quoted: its last mark stands in for it.
   *
   * @param held by condition id
   * @param isOut whether nothing that comes of a market is taken in
   * @param ageMs of the process
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
