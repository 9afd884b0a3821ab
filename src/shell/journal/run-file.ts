/** `run.json` in a run's folder: always complete, rewritten when more is known of the run. */

import { renameSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Observation } from '../../shared/protocol/seam.js';
import { hasNewerEntry, NEWEST_FORMAT, type RunDescription } from './contract.js';
import { RUN_FILE } from './journal.js';

export class RunFile {
  readonly #path: string;
  #description: RunDescription;

  /** Writes it. Throws the file system's errors. */
  constructor(folder: string, description: RunDescription) {
    this.#path = join(folder, RUN_FILE);
    this.#description = description;
    this.#write();
  }

  /** Whether a version that reads only its format could not read this. */
  lacks(observation: Observation): boolean {
    return this.#description.format !== NEWEST_FORMAT && hasNewerEntry(observation);
  }

  /** The copy of the ledger is complete. Throws the file system's errors. */
  hasLedger(): void {
    this.#description = { ...this.#description, ledgerMissing: null };
    this.#write();
  }

  /** In the background: the disk may hang. Rejects with the file system's errors. */
  async raiseFormat(): Promise<void> {
    this.#description = { ...this.#description, format: NEWEST_FORMAT };
    // Facts learned meanwhile must not be lost.
    for (let written: RunDescription | null = null; written !== this.#description; ) {
      written = this.#description;
      const temporary = `${this.#path}.raised.part`;
      await writeFile(temporary, formatRun(written));
      await rename(temporary, this.#path);
    }
  }

  #write(): void {
    const temporary = `${this.#path}.part`;
    writeFileSync(temporary, formatRun(this.#description));
    renameSync(temporary, this.#path);
  }
}

const formatRun = (description: RunDescription): string => `${JSON.stringify(description, null, 2)}\n`;
