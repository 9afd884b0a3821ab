/** Rows as comma-separated values, for spreadsheets and programs. No cell is taken for a formula. */

export type CsvValue = string | number | boolean | null;

export const csvLine = (cells: readonly CsvValue[]): string => `${cells.map(csvCell).join(',')}\n`;

/** Empty for null. */
function csvCell(value: CsvValue): string {
  const text = typeof value === 'string' ? disarm(value) : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** A spreadsheet computes such a cell, or drops its first characters and computes the rest. */
const FORMULA = /^(?:[\t\r]|[\s\p{C}]*[=+\-@＝＋－＠])/u;

/** Titles come from an exchange. Plain numbers stay. */
const disarm = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
