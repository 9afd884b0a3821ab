/** History of the configurations by hash, with time and reason. The ledger holds no settings and no code. */

import type { Notes } from '../../ledger/contract.js';

export const HISTORY_NOTE = 'config.history';

/** Maximum entries kept; older ones are dropped. */
const MOST_ENTRIES = 200;

/** One change of the configuration. */
export interface ConfigEntry {
  /** Our clock, ms. */
  readonly atMs: number;
  readonly hash: string;
  readonly by: 'start' | 'operator' | 'watch' | 'rollback';
  readonly reason: string;
  /** SHA-256 of the copy of its files beside the ledger; empty without a copy. */
  readonly copy: string;
  /** One sentence for each setting that differs from the configuration before. */
  readonly changes: readonly string[];
}

/** Oldest first. */
export function configHistory(ledger: Pick<Notes, 'note'>): readonly ConfigEntry[] {
  // Only `rememberConfig` writes this note, so it parses.
  return JSON.parse(ledger.note(HISTORY_NOTE) ?? '[]') as ConfigEntry[];
}

/** Call within a ledger transaction. */
export function rememberConfig(ledger: Notes, { atMs, hash, by, reason, copy, changes }: ConfigEntry): void {
  const history = [...configHistory(ledger), { atMs, hash, by, reason, copy, changes }].slice(-MOST_ENTRIES);
  ledger.setNote(HISTORY_NOTE, JSON.stringify(history));
}

/** A start with the newest configuration adds no entry. Call within a ledger transaction. */
export function rememberStart(ledger: Notes, start: Omit<ConfigEntry, 'by'>): void {
  if (configHistory(ledger).at(-1)?.hash !== start.hash) rememberConfig(ledger, { ...start, by: 'start' });
}
