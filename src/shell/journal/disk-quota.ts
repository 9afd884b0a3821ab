/** Disk space of one ledger's runs, and which of them are deleted when it is used up. */

import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LEDGER_COPY, RUN_FILE } from './contract.js';
import { listEntries, runField, runFolders } from './runs.js';

/** A folder without a description is from a killed start, unless it is recent. */
const STARTED_WITHIN_MS = 3_600_000;

/** Deletable space for a run. Scans the folders once, when created; no other run grows meanwhile. */
export class DiskQuota {
  /** Finished runs of this ledger, oldest first. */
  readonly #others: { readonly folder: string; readonly bytes: number }[];
  #othersBytes: number;

  /** Runs of another ledger are left alone: another trader may be writing them. */
  constructor(dir: string, own: string, ledgerPath: string) {
    this.#others = listRuns(dir, ledgerPath)
      .filter((folder) => folder !== own)
      .map((folder) => ({ folder, bytes: sumBytes(folder) }));
    this.#othersBytes = this.#others.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Removes the oldest runs until the others and `ownBytes` fit into `maxBytes`, and the disk has enough space, of
   * which `spareBytes` may still be used. Returns whether it is enough.
   */
  make(ownBytes: number, maxBytes: number, spareBytes: number): boolean {
    let over = Math.max(ownBytes + this.#othersBytes - maxBytes, -spareBytes);
    while (over > 0) {
      const oldest = this.#others.shift();
      if (oldest === undefined) return false;
      rmSync(oldest.folder, { recursive: true, force: true });
      this.#othersBytes -= oldest.bytes;
      over -= oldest.bytes;
    }
    return true;
  }
}

const listRuns = (dir: string, ledgerPath: string): readonly string[] =>
  runFolders(dir).filter((folder) => runField(folder, 'ledgerPath') === ledgerPath);

/** Removes leftovers of starts killed before their run began: only a copy of the ledger. */
export function removeUnbegun(dir: string, nowMs: number): void {
  for (const entry of listEntries(dir)) {
    const folder = join(dir, entry.name);
    if (entry.isDirectory() && isUnbegun(folder, nowMs)) rmSync(folder, { recursive: true, force: true });
  }
}

function isUnbegun(folder: string, nowMs: number): boolean {
  const names = listEntries(folder).map(({ name }) => name);
  const ours = (name: string) => name.startsWith(LEDGER_COPY) || name === `${RUN_FILE}.part`;
  return names.length > 0 && names.every(ours) && nowMs - statSync(folder).mtimeMs > STARTED_WITHIN_MS;
}

const sumBytes = (folder: string): number =>
  listEntries(folder).reduce((sum, entry) => sum + readSize(join(folder, entry.name)), 0);

function readSize(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0; // Just packed and removed.
  }
}
