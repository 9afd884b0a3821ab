/** A text in several lines, none wider than a terminal: broken between words, and within a word that alone is wider. */

import { plainLine } from './plain-text.js';
import { measureText, splitText } from './text-width.js';

/** Lines of a text, at least one, without what could steer a terminal. */
export function foldText(text: string, columns: number): readonly string[] {
  const plain = plainLine(text);
  if (measureText(plain) <= columns) return [plain];
  const words = plain.split(' ').flatMap((word) => splitText(word, columns));
  return fillLines(words, columns, ' ');
}

/** Parts side by side, and on another line where one has no room; a part that is wider than a line has one to itself. */
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
