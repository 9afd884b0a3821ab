/** The console's connection to the ledger, which can only read: opened when it is first asked, and anew after it failed. */

import type { LedgerReader } from '../../trader/ledger/contract.js';

export class LedgerConnection {
  readonly #open: () => LedgerReader;
  #ledger: LedgerReader | null = null;
  #opened = 0;

  /** @param open throws while there is no ledger yet */
  constructor(open: () => LedgerReader) {
    this.#open = open;
  }

  /** How often it was opened: what was read before may be of another file. */
  get opened(): number {
    return this.#opened;
  }

  /** What `work` gives; null while the ledger cannot be read. */
  read<T>(work: (ledger: LedgerReader) => T): T | null {
    try {
      if (this.#ledger === null) {
        this.#ledger = this.#open();
        this.#opened++;
      }
      return work(this.#ledger);
    } catch {
      // Another ledger may have taken its place, or none is there yet.
      this.close();
      return null;
    }
  }

  /** It is opened anew when it is next asked. */
  close(): void {
    this.#ledger?.close();
    this.#ledger = null;
  }
}
