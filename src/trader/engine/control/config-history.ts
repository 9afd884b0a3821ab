/** Which configurations were in force, by hash, with time and reason. The ledger holds no settings and no code. */

import type { Notes } from '../../ledger/contract.js';

export const HISTORY_NOTE = 'config.history';

/** Newest entries that are kept. */
const MOST_ENTRIES = 200;

/** One change of the configuration. */
export interface ConfigEntry {
  /** Our clock, ms. */
  readonly atMs: number;
  readonly hash: string;
  readonly by: 'start' | 'operator' | 'watch' | 'rollback';
  readonly reason: string;
  /** SHA-256 that names the copy of its files beside the ledger; empty when none was kept. */
  readonly copy: string;
  /** A sentence for each setting that differs from what was in force before. */
  readonly changes: readonly string[];
}

/** Oldest first. */
export function configHistory(ledger: Pick<Notes, 'note'>): readonly ConfigEntry[] {
  // Written by `rememberConfig` alone; what it wrote can be read.
  return JSON.parse(ledger.note(HISTORY_NOTE) ?? '[]') as ConfigEntry[];
}

/** Within a transaction of the ledger. */
export function rememberConfig(ledger: Notes, { atMs, hash, by, reason, copy, changes }: ConfigEntry): void {
  const history = [...configHistory(ledger), { atMs, hash, by, reason, copy, changes }].slice(-MOST_ENTRIES);
  ledger.setNote(HISTORY_NOTE, JSON.stringify(history));
}

/** A start with what was in force last is none of its own in the history. Within a transaction of the ledger. */
export function rememberStart(ledger: Notes, start: Omit<ConfigEntry, 'by'>): void {
  if (configHistory(ledger).at(-1)?.hash !== start.hash) rememberConfig(ledger, { ...start, by: 'start' });
}
