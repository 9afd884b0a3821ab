/** Which configurations were in force, and what each was: an audit that the ledger keeps, and what a rollback goes back to. */

import type { Ledger } from '../../ledger/contract.js';

type Notes = Pick<Ledger, 'note' | 'setNote'>;

const HISTORY_NOTE = 'config.history';
const textNote = (hash: string): string => `config.text.${hash}`;

/** Newest entries that are kept. */
const MOST_ENTRIES = 200;
/** Newest configurations of which the text is kept. */
const MOST_TEXTS = 20;

/** One change of the configuration. */
export interface ConfigEntry {
  /** Our clock, ms. */
  readonly atMs: number;
  readonly hash: string;
  readonly by: 'start' | 'operator' | 'watch' | 'rollback';
  readonly reason: string;
  /** A sentence for each setting that differs from what was in force before. */
  readonly changes: readonly string[];
}

/** Oldest first. */
export function configHistory(ledger: Pick<Notes, 'note'>): readonly ConfigEntry[] {
  // Written by `rememberConfig` alone; what it wrote can be read.
  return JSON.parse(ledger.note(HISTORY_NOTE) ?? '[]') as ConfigEntry[];
}

/** What was in force under this hash, as JSON; null when it is not kept (any more). */
export const configText = (ledger: Pick<Notes, 'note'>, hash: string): string | null =>
  ledger.note(textNote(hash)) || null;

/** Within a transaction of the ledger. */
export function rememberConfig(
  ledger: Notes,
  { config, atMs, hash, by, reason, changes }: ConfigEntry & { readonly config: string },
): void {
  const history = [...configHistory(ledger), { atMs, hash, by, reason, changes }].slice(-MOST_ENTRIES);
  ledger.setNote(HISTORY_NOTE, JSON.stringify(history));
  ledger.setNote(textNote(hash), config);
  const kept = new Set(newestHashes(history));
  for (const { hash: old } of history)
    if (!kept.has(old) && configText(ledger, old) !== null) ledger.setNote(textNote(old), '');
}

/** A start with what was in force last is none of its own in the history. Within a transaction of the ledger. */
export function rememberStart(ledger: Notes, start: Omit<ConfigEntry, 'by'> & { readonly config: string }): void {
  if (configHistory(ledger).at(-1)?.hash !== start.hash) rememberConfig(ledger, { ...start, by: 'start' });
}

function newestHashes(history: readonly ConfigEntry[]): readonly string[] {
  return [...new Set(history.map(({ hash }) => hash).reverse())].slice(0, MOST_TEXTS);
}
