import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queryRecordings } from '../../src/recording/inspect/query.js';
import { fetchRows, withConnection } from '../../src/recording/store/duckdb.js';
import { COLUMNS } from '../../src/recording/store/layout.js';
import { collected } from '../support/collected.js';
import { SAMPLE } from './make-sample.js';

const root = resolve(import.meta.dirname, '../..');
const docs = readFileSync(resolve(root, 'docs/recordings.md'), 'utf8');

/** The text under a heading. */
const section = (heading: string): string => docs.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';

describe('docs/recordings.md', () => {
  it.each(Object.entries(COLUMNS))('lists the columns of %s in their order, with their types', (table, columns) => {
    const listed = [...section(table).matchAll(/^\| (`[^|]*`) \| ([A-Z, ]+) \|/gm)].flatMap(
      ([, names = '', types = '']) => {
        const typed = types.split(', ');
        return [...names.matchAll(/`(\w+)`/g)].map(([, name = ''], at) => [name, typed[at] ?? typed[0]]);
      },
    );
    expect(listed).toEqual(Object.entries(columns));
  });

  it('names every column of the view markets', async () => {
    const answer = await queryRecordings('select * from markets', [SAMPLE]);
    for (const column of answer.columns) expect(section('Reading them elsewhere')).toContain(`\`${column}\``);
    answer.close();
  });

  it('has examples of SQL that run', async () => {
    const [asked = ''] = /(?<=data query ")[^"]+(?=" data\/sample\n\nDuckDB)/.exec(docs) ?? [];
    const answer = await queryRecordings(asked, [SAMPLE]);
    const rows = (await collected(answer.rows())).flat();
    answer.close();
    expect(rows).toHaveLength(3);

    const duckdb = docs.split('\nDuckDB:\n')[1]?.split('\npandas')[0] ?? '';
    const statements = duckdb.split(';').filter((statement) => statement.includes('select'));
    expect(statements).toHaveLength(2);
    for (const statement of statements) {
      const here = statement.replaceAll("'data/sample", `'${root}/data/sample`);
      const found = await withConnection((connection) => fetchRows(connection, here));
      expect(found.length).toBeGreaterThan(2);
    }
  });
});
