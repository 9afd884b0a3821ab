/** History of configurations by hash, with time and reason; it contains no settings and no code. */

import type { Notes } from '../../ledger/contract.js';

export const HISTORY_NOTE = 'config.history';

/** Maximum number of entries; older ones are dropped. */
const MOST_ENTRIES = 200;

/** One change of the configuration. */
export interface ConfigEntry {
  /** Time of the change, our clock, ms. */
  readonly atMs: number;
  readonly hash: string;
  readonly by: 'start' | 'operator' | 'watch' | 'rollback';
  readonly reason: string;
  /** SHA-256 of the copy of the configuration's files beside the ledger; empty without a copy. */
  readonly copy: string;
  /** One sentence per setting that differs from the previous configuration. */
  readonly changes: readonly string[];
}

/** Reads the history from the ledger, oldest first. */
export function configHistory(ledger: Pick<Notes, 'note'>): readonly ConfigEntry[] {
  // Only `rememberConfig` writes this note, so it is valid JSON.
  return JSON.parse(ledger.note(HISTORY_NOTE) ?? '[]') as ConfigEntry[];
}

/** Adds an entry. Call it inside a ledger transaction. */
export function rememberConfig(ledger: Notes, { atMs, hash, by, reason, copy, changes }: ConfigEntry): void {
  const history = [...configHistory(ledger), { atMs, hash, by, reason, copy, changes }].slice(-MOST_ENTRIES);
  ledger.setNote(HISTORY_NOTE, JSON.stringify(history));
}

/** Adds an entry for a start, unless its configuration equals the newest. Call it inside a ledger transaction. */
export function rememberStart(ledger: Notes, start: Omit<ConfigEntry, 'by'>): void {
  if (configHistory(ledger).at(-1)?.hash !== start.hash) rememberConfig(ledger, { ...start, by: 'start' });
}
