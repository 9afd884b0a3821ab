/** Formats text for people. East Asian letters and most emojis are two terminal columns wide. Marks have no width. */

/** Returns a time in UTC such as `2026-11-28 10:21:03`. @param ms Unix time, ms */
export const utcText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** Returns the most similar known word; null if more than a third of the letters of the longer word differ. */
export function closest(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(plain(word), plain(candidate));
    if (distance < bestDistance && distance <= Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3))) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

const plain = (word: string): string => word.toLowerCase().replaceAll('-', '_');

/** Maximum length of a word to compare, because comparing takes quadratic time; all known words are shorter. */
const MAX_LENGTH = 200;

/** Returns the number of inserted, deleted, replaced and swapped letters between two words. */
function editDistance(a: string, b: string): number {
  if (a.length > MAX_LENGTH) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}

export type CsvValue = string | number | boolean | null;

/** Returns a CSV row. Spreadsheets do not interpret any cell of the row as a formula. */
export const csvLine = (cells: readonly CsvValue[]): string => `${cells.map(csvCell).join(',')}\n`;

function csvCell(value: CsvValue): string {
  const text = typeof value === 'string' ? disarm(value) : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** Matches a cell that a spreadsheet may interpret as a formula, even if it skips the cell's first characters. */
const FORMULA = /^(?:[\t\r]|[\s\p{C}]*[=+\-@＝＋－＠])/u;

/** Puts an apostrophe before a text that looks like a formula, such as an exchange's title. Numbers stay unchanged. */
const disarm = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** Splits text into letters; created on first use, because the creation takes nine milliseconds. */
let graphemes: Intl.Segmenter | null = null;
const ASCII = /^[\x20-\x7e]*$/;
const PICTURE = /\p{Emoji_Presentation}|\ufe0f/u;
const ONLY_MARKS = /^[\p{Mn}\p{Me}]+$/u;

/** Ascending ranges of characters that are two terminal columns wide (East Asian Width: wide and fullwidth). */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
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

/** Returns the text without control characters, cut with `…` to at most `columns` columns. */
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

/** Cuts a text from `plainLine` into pieces of at most `columns` columns. A wider letter is a separate piece. */
function splitText(text: string, columns: number): readonly string[] {
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

/** Pads a text with spaces to `columns` columns, after the text or before it. */
export function padText(text: string, columns: number, side: 'behind' | 'before'): string {
  const spaces = ' '.repeat(Math.max(0, columns - measureText(text)));
  return side === 'behind' ? `${text}${spaces}` : `${spaces}${text}`;
}

/** Wraps a text into at least one line of at most `columns` columns, without control characters. */
export function foldText(text: string, columns: number): readonly string[] {
  const plain = plainLine(text);
  if (measureText(plain) <= columns) return [plain];
  const words = plain.split(' ').flatMap((word) => splitText(word, columns));
  return fillLines(words, columns, ' ');
}

/** Joins parts with `gap` into lines of at most `columns` columns. A part wider than `columns` has its own line. */
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

interface FittedColumn<Row> {
  readonly name: string;
  readonly cell: (row: Row) => string;
  /** True for a column of text, which is left-aligned. A column of figures is right-aligned. */
  readonly isText?: true;
  /** Cuts long text with `…`, or wraps it. Without `gives`, the column has its full width or is dropped. */
  readonly gives?: 'cut' | 'fold';
  /** Minimum width, terminal columns. If the table has less space, the column with the lowest `keep` is dropped. */
  readonly least?: number;
  /** Priority in a too wide table: the column with the lowest priority is dropped first; of equal columns, the last. */
  readonly keep: number;
}

export const GAP = '  ';
/** Default minimum widths. The start of a title identifies it, but a wrapped message needs several words per line. */
const LEAST = { cut: 12, fold: 20 } as const;

interface Sized<Row> {
  readonly column: FittedColumn<Row>;
  readonly least: number;
  readonly most: number;
}

/** Fits a table into `width` terminal columns; `width` may be infinite. */
export function fitTable<Row>(all: readonly FittedColumn<Row>[], rows: readonly Row[], width: number) {
  let sized = all.map((column) => sizeColumn(column, rows));
  while (sized.length > 1 && measureLeast(sized) > width) sized = withoutLeast(sized);
  const columns = sized.map(({ column }) => column);
  const widths = shareRoom(sized, width);
  const names = columns.map(({ name }) => name);
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  return { columns, lines: [names, ...cells].flatMap((texts) => fillRow(texts, columns, widths)) };
}

function sizeColumn<Row>(column: FittedColumn<Row>, rows: readonly Row[]): Sized<Row> {
  const { name, cell, gives } = column;
  const most = rows.reduce((widest, row) => Math.max(widest, measureText(cell(row))), measureText(name));
  if (gives === undefined) return { column, least: most, most };
  return { column, least: Math.min(most, Math.max(measureText(name), column.least ?? LEAST[gives])), most };
}

const measureLeast = (sized: readonly Sized<never>[]): number =>
  sized.reduce((sum, { least }) => sum + least, GAP.length * (sized.length - 1));

function withoutLeast<Row>(sized: readonly Sized<Row>[]): Sized<Row>[] {
  const least = Math.min(...sized.map(({ column }) => column.keep));
  const at = sized.findLastIndex(({ column }) => column.keep === least);
  return sized.filter((_, place) => place !== at);
}

/** Returns the width of each column. Width beyond the minimum widths goes to the first columns that need it. */
function shareRoom(sized: readonly Sized<never>[], width: number): readonly number[] {
  let room = Math.max(0, width - measureLeast(sized));
  return sized.map(({ least, most }) => {
    const more = Math.min(most - least, room);
    room -= more;
    return Math.max(0, Math.min(least + more, width));
  });
}

function fillRow<Row>(texts: readonly string[], columns: readonly FittedColumn<Row>[], widths: readonly number[]) {
  const folded = columns.map(({ gives }, place) => {
    const [text = '', width = 0] = [texts[place], widths[place]];
    return gives === 'fold' ? foldText(text, width) : [cutText(text, width)];
  });
  return Array.from({ length: Math.max(...folded.map((lines) => lines.length)) }, (_, line) =>
    columns.map(({ isText }, place) => {
      const text = folded[place]?.[line] ?? '';
      // A text in the last column of a table needs no padding.
      if (isText === true && place === columns.length - 1) return text;
      return padText(text, widths[place] ?? 0, isText === true ? 'behind' : 'before');
    }),
  );
}

const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const INVISIBLE_IN_TEXT = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu;

/** Replaces invisible characters and line breaks with `?`, so that the text is one line. */
export const plainLine = (text: string): string => text.replace(INVISIBLE, '?');

/** Replaces invisible characters with `?`, but keeps line breaks and tabs. */
export const plainText = (text: string): string => text.replace(INVISIBLE_IN_TEXT, '?');

/** Returns equivalent JSON in which invisible characters are escaped. Line breaks between JSON tokens stay. */
export const plainJson = (json: string): string =>
  json.replace(INVISIBLE_IN_TEXT, (one) =>
    [...Array(one.length).keys()].map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

/** Returns the value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
