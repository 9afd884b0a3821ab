/**
 * Width of a text from `plainLine` in terminal columns: East Asian letters and most pictures take two, combining marks
 * none.
 */

import { plainLine } from './plain-text.js';

/** Created for the first text that needs it: it takes nine milliseconds. */
let graphemes: Intl.Segmenter | null = null;
const ASCII = /^[\x20-\x7e]*$/;
const PICTURE = /\p{Emoji_Presentation}|\ufe0f/u;
const ONLY_MARKS = /^[\p{Mn}\p{Me}]+$/u;

/** Ranges of characters with two columns (Unicode's East Asian Width: wide and fullwidth), ascending. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];

function segmentLetters(text: string): Intl.Segments {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return graphemes.segment(text);
}

/** Columns that a line of text takes. */
export function measureText(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentLetters(plainLine(text))) width += measureLetter(segment);
  return width;
}

function measureLetter(letter: string): number {
  if (ONLY_MARKS.test(letter)) return 0;
  const code = letter.codePointAt(0) ?? 0;
  return PICTURE.test(letter) || WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** The text without control characters, cut with `…` to this many columns. */
export function cutText(text: string, columns: number): string {
  const plain = plainLine(text);
  if (measureText(plain) <= columns) return plain;
  let cut = '';
  let width = 1;
  for (const { segment } of segmentLetters(plain)) {
    width += measureLetter(segment);
    if (width > columns) break;
    cut += segment;
  }
  return columns < 1 ? '' : `${cut}…`;
}

/**
 * Cuts a text from `plainLine` into pieces of at most this many columns (a wider letter is its own piece); at least one
 * piece.
 */
export function splitText(text: string, columns: number): readonly string[] {
  const pieces = [''];
  let width = 0;
  for (const { segment } of measureText(text) <= columns ? [{ segment: text }] : segmentLetters(text)) {
    width += measureText(segment);
    if (width > columns && pieces.at(-1) !== '') {
      pieces.push('');
      width = measureText(segment);
    }
    pieces[pieces.length - 1] += segment;
  }
  return pieces;
}

/** Pads with spaces to this many columns, behind the text or before it. */
export function padText(text: string, columns: number, side: 'behind' | 'before'): string {
  const spaces = ' '.repeat(Math.max(0, columns - measureText(text)));
  return side === 'behind' ? `${text}${spaces}` : `${spaces}${text}`;
}
