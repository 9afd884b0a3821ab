/** Rows as comma-separated values for spreadsheets: no cell of them is taken for a formula. */

export type CsvValue = string | number | null;

export const csvRow = (cells: readonly CsvValue[]): string => `${cells.map(csvText).join(',')}\r\n`;

/** Empty for what is not known. */
function csvText(value: CsvValue): string {
  const text = disarm(value === null ? '' : String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Titles come from the exchange, and a spreadsheet computes what begins like this; a plain number stays one. */
const disarm = (text: string): string => (/^[\s\p{C}]*[=+\-@]/u.test(text) && !NUMBER.test(text) ? `'${text}` : text);
