/** Result of a query as a table, CSV or JSON. */

import type { QueryAnswer, SqlValue } from '../../recording/inspect/query.js';
import { csvLine } from '../../shared/base/csv.js';
import { plainJson } from '../../shared/base/plain-text.js';
import type { CliIo } from '../output/io.js';
import { type Column, table } from '../output/table.js';

/** A longer table scrolls off most terminals; CSV and JSON are complete. */
const TABLE_ROWS = 200;

export type AnswerFormat = 'table' | 'csv' | 'json';

export const formatOf = (isJson: boolean, csv: true | undefined): AnswerFormat =>
  isJson ? 'json' : csv === true ? 'csv' : 'table';

/** Writes and closes it. */
export async function writeAnswer(answer: QueryAnswer, format: AnswerFormat, io: CliIo): Promise<void> {
  try {
    if (format === 'table') io.out(await asTable(answer, io.columns));
    else if (format === 'csv') await writeCsv(answer, io);
    else await writeJson(answer, io);
  } finally {
    answer.close();
  }
}

async function asTable(answer: QueryAnswer, width: number | undefined): Promise<string> {
  const rows: (readonly SqlValue[])[] = [];
  for await (const batch of answer.rows()) {
    rows.push(...batch);
    if (rows.length > TABLE_ROWS) break;
  }
  const columns = answer.columns.map((title, at): Column<readonly SqlValue[]> => {
    const isNumber = rows.length > 0 && rows.every((row) => row[at] === null || typeof row[at] === 'number');
    return { title, cell: (row) => row[at] ?? null, ...(isNumber ? { right: true } : { gives: 'cut' }) };
  });
  const more = rows.length > TABLE_ROWS ? `… and more: --csv or --json shows all\n` : '';
  return table(rows.slice(0, TABLE_ROWS), columns, width) + more;
}

async function writeCsv(answer: QueryAnswer, io: CliIo): Promise<void> {
  io.out(csvLine(answer.columns));
  for await (const batch of answer.rows()) io.out(batch.map(csvLine).join(''));
}

/** An array with one object per line, never all in memory. */
async function writeJson(answer: QueryAnswer, io: CliIo): Promise<void> {
  let before = '[\n';
  for await (const batch of answer.rows()) {
    for (const row of batch) {
      const object = Object.fromEntries(answer.columns.map((name, at) => [name, row[at] ?? null]));
      io.out(`${before}${plainJson(JSON.stringify(object))}`);
      before = ',\n';
    }
  }
  io.out(before === '[\n' ? '[]\n' : '\n]\n');
}
