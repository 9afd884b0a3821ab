/** Which market, order or key a person means who typed the beginning of its name, what a table shows of it, or words of its title. */

import { TwinbookError } from '../shared/base/errors.js';

export interface Named {
  readonly id: string;
  /** Empty where there is none. */
  readonly title: string;
}

/** Candidates that an error lists at most. */
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
