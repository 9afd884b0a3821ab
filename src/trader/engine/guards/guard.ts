/** What every guard with a memory is: it restores itself from the ledger when it is made, so that one file holds all of it. */

import type { Ledger } from '../../ledger/contract.js';

/** Where guards keep what a restart must know. */
export type Notes = Pick<Ledger, 'note' | 'setNote'>;

export interface Guard<Facts> {
  /** What risk compares. */
  readonly facts: Facts;
  /** Why everything is stopped until a person resumes it with a reason; null while it is not. */
  readonly halted: string | null;
  /** Writes what a restart must know, within the ledger's open transaction. */
  store(): void;
  /** A person accepts what halted. */
  resume(): void;
}
