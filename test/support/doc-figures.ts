/** Writes measured figures and declared tables into a document between two named marks; they are never typed by hand. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FAULTS = join(import.meta.dirname, '../../docs/lab/faults.md');
export const SIMULATION = join(import.meta.dirname, '../../docs/lab/simulation.md');

/**
 * The text with these figures between their marks.
 * @param name as in `<!-- figures NAME: begin -->` and `<!-- figures NAME: end -->`; throws if they are missing
 * @param markdown a table or some lines, without the marks
 */
export function withFigures(text: string, name: string, markdown: string): string {
  const [begin, end] = [`<!-- figures ${name}: begin -->`, `<!-- figures ${name}: end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the document has no marks for the figures "${name}"`);
  return `${text.slice(0, from + begin.length)}\n${markdown.trim()}\n${text.slice(to)}`;
}

/** Replaces these figures of the document. */
export function writeFigures(name: string, markdown: string, file = FAULTS): void {
  writeFileSync(file, withFigures(readFileSync(file, 'utf8'), name, markdown));
}
