/** Reads a small table of comma-separated values, with quoted fields as RFC 4180 has them. */

export type CsvRow = ReadonlyMap<string, string>;

/** All rows after the header. Missing last columns are allowed; blank lines are skipped. */
export function csvRows(text: string): CsvRow[] {
  const [names = [], ...rows] = parseFields(text.replace(/^\uFEFF/, '')).filter((fields) => fields.join('') !== '');
  return rows.map((fields) => new Map(fields.map((field, at) => [(names[at] ?? '').trim(), field.trim()])));
}

const FIELD = /"((?:[^"]|"")*)"|([^,\r\n]*)/y;

function parseFields(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; at++) {
    FIELD.lastIndex = at;
    const [all = '', quoted, plain = ''] = FIELD.exec(text) ?? [];
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    at += all.length;
    if (text[at] === '\r') at++;
    if (text[at] === ',') continue;
    // End of a line or of the text; text behind a closing quote is skipped.
    while (at < text.length && text[at] !== '\n') at++;
    rows.push(row);
    row = [];
  }
  return rows;
}
