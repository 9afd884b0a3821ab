/** Writes measured figures into a document between two named marks; such figures are never typed by hand. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SAFETY = join(import.meta.dirname, '../../docs/safety.md');
export const SIMULATION = join(import.meta.dirname, '../../docs/lab/simulation.md');

const markOf = (name: string, which: 'begin' | 'end'): string => `<!-- figures ${name}: ${which} -->`;

/**
 * Replaces the text between the marks of these figures.
 * @param name as in `<!-- figures NAME: begin -->` and `<!-- figures NAME: end -->`; throws if they are missing
 * @param markdown a table or some lines, without the marks
 */
export function writeFigures(name: string, markdown: string, file = SAFETY): void {
  const text = readFileSync(file, 'utf8');
  const [begin, end] = [markOf(name, 'begin'), markOf(name, 'end')];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no marks for the figures "${name}"`);
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n${markdown.trim()}\n${text.slice(to)}`);
}
