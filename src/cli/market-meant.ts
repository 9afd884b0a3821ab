/** Resolves the market, order or key from a prefix of its name, its form in a table, or words of its title. */

import { TwinbookError } from '../shared/base/errors.js';
import type { TraderConfig } from '../shell/config/config.js';
import type { LedgerReader } from '../trader/ledger/contract.js';
import { readLedger } from './ledger/ledger-reading.js';
import type { CliIo } from './output/io.js';

export const marketsNamed = (ledger: LedgerReader): readonly Named[] =>
  ledger.markets().map(({ conditionId, title }) => ({ id: conditionId, title }));

/**
 * Id of the named market; undefined without a name. An unknown name is taken literally and reported to `io` (null: not
 * reported). Throws `usage` when several match.
 */
export function marketMeant(typed: string | undefined, ledger: LedgerReader, io: CliIo | null): string | undefined {
  if (typed === undefined) return undefined;
  const found = findNamed(typed, marketsNamed(ledger), 'markets');
  if (found === null) io?.err(`no market in the ledger is named "${typed}"; \`twinbook markets\` lists them\n`);
  return found ?? typed;
}

/** The same for commands that ask the venue: without a readable ledger the name is taken literally. */
export async function marketAtVenue(typed: string, config: TraderConfig): Promise<string> {
  try {
    return await readLedger(config, (ledger) => marketMeant(typed, ledger, null) ?? typed);
  } catch (error) {
    if (error instanceof TwinbookError && error.code !== 'usage') return typed;
    throw error;
  }
}

export interface Named {
  readonly id: string;
  /** Empty without one. */
  readonly title: string;
}

const LISTED = 10;

/**
 * The whole name of the one candidate that is meant; null when none is. The exact name wins, then the beginning of one (or
 * `beginning…end`, as tables print it), then words of titles, each from its beginning, in any order and case. Throws
 * `usage`, with the candidates, when several are meant.
 */
export function findNamed(typed: string, candidates: readonly Named[], kind: string): string | null {
  if (candidates.some(({ id }) => id === typed)) return typed;
  const byName = candidates.filter(({ id }) => isShortFor(typed, id));
  const found = byName.length > 0 ? byName : candidates.filter(({ title }) => hasWords(typed, title));
  const [first, second] = found;
  if (first === undefined) return null;
  if (second === undefined) return first.id;
  const listed = found.slice(0, LISTED).map(({ id, title }) => (title === '' ? id : `${id}  ${title}`));
  const more = found.length > LISTED ? [`… and ${found.length - LISTED} more`] : [];
  throw new TwinbookError(
    'usage',
    `"${typed}" may be any of ${found.length} ${kind}:`,
    [...listed, ...more, 'Write more of the name, or other words of the title.'].join('\n  '),
  );
}

function isShortFor(typed: string, id: string): boolean {
  const [beginning = '', end = ''] = typed.split('…');
  return beginning !== '' && id.startsWith(beginning) && id.endsWith(end);
}

const splitWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function hasWords(typed: string, title: string): boolean {
  const words = splitWords(typed);
  const known = splitWords(title);
  return words.length > 0 && words.every((word) => known.some((one) => one.startsWith(word)));
}
