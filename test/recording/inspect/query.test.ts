import { describe, expect, it } from 'vitest';
import { queryRecordings } from '../../../src/recording/inspect/query.js';
import { collected } from '../../support/collected.js';
import { newFolder } from '../../support/folders.js';
import { market, openStore, put, shortLife } from '../store/writing.js';

/** Two markets of two days each; one id has a quote in it. */
async function recorded(): Promise<string> {
  const folder = newFolder();
  const store = await openStore(folder);
  shortLife(store.market(market()));
  const other = store.market(market({ conditionId: "it's" }));
  put(other, '0 clear', '10 level bid 0.3 1', '120000 end');
  await store.close();
  return folder;
}

async function ask(sql: string, path: string) {
  const { columns, rows, close } = await queryRecordings(sql, [path]);
  const all = (await collected(rows())).flat();
  close();
  return { columns, rows: all };
}

describe('SQL over recordings', () => {
  it('sees the rows of every market and day', async () => {
    const sql = 'select market, date::VARCHAR, count(*) from events group by all order by all';
    const { rows } = await ask(sql, await recorded());
    expect(rows).toEqual([
      ["it's", '2026-11-20', 2],
      ["it's", '2026-11-21', 3],
      ['market-1', '2026-11-20', 5],
      ['market-1', '2026-11-21', 5],
    ]);
  });

  it('names columns that are alike apart', async () =>
    expect((await ask('SELECT 1 AS a, 2 AS a', await recorded())).columns).toEqual(['a', 'a:1']));
});
