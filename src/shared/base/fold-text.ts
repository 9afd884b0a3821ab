/**
 * A text in several lines, none wider than a terminal: wrapped between words, and within a word that is wider itself.
 */

import { plainLine } from './plain-text.js';
import { measureText, splitText } from './text-width.js';

/** Lines of a text, at least one, without control characters. */
export function foldText(text: string, columns: number): readonly string[] {
  const plain = plainLine(text);
  if (measureText(plain) <= columns) return [plain];
  const words = plain.split(' ').flatMap((word) => splitText(word, columns));
  return fillLines(words, columns, ' ');
}

/** Parts side by side, wrapped onto further lines; a part wider than a line has its own. */
export function fillLines(parts: readonly string[], columns: number, gap: string): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && measureText(last) + gap.length + measureText(part) <= columns)
      lines[lines.length - 1] = `${last}${gap}${part}`;
    else lines.push(part);
  }
  return lines;
}
