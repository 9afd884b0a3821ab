/** The console's read-only connection to the ledger: opened at its first use, and reopened after a failure. */

import type { LedgerReader } from '../../trader/ledger/contract.js';

export class LedgerConnection {
  readonly #open: () => LedgerReader;
  #ledger: LedgerReader | null = null;
  #opened = 0;

  /** @param open throws while no ledger exists */
  constructor(open: () => LedgerReader) {
    this.#open = open;
  }

  /** Number of openings: earlier reads may be of another file. */
  get opened(): number {
    return this.#opened;
  }

  /** Result of `work`; null while the ledger cannot be read. */
  read<T>(work: (ledger: LedgerReader) => T): T | null {
    try {
      if (this.#ledger === null) {
        this.#ledger = this.#open();
        this.#opened++;
      }
      return work(this.#ledger);
    } catch {
      // The file may have been replaced, or does not exist yet.
      this.close();
      return null;
    }
  }

  /** It is reopened at its next use. */
  close(): void {
    this.#ledger?.close();
    this.#ledger = null;
  }
}
