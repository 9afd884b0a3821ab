/** SQL over recordings: one SELECT, within bounds. */

import { describe, expect, it } from 'vitest';
import { NO_BOUNDS, type QueryBounds, queryRecordings } from '../../../src/recording/inspect/query.js';
import { newFolder } from '../../support/folders.js';
import { at, market, openStore, START_MS, shortLife } from '../store/writing.js';

/** Two markets of two days each; one id has a quote in it. */
async function recorded(): Promise<string> {
  const folder = newFolder();
  const store = await openStore(folder);
  shortLife(store.market(market()));
  const other = store.market(market({ conditionId: "it's" }));
  other.clear(at(0));
  other.level(at(10), 0, 300_000, 1_000_000);
  other.end(at(120_000));
  await store.close();
  return folder;
}

async function ask(sql: string, path: string, bounds: Partial<QueryBounds> = {}): Promise<unknown[]> {
  const answer = await queryRecordings(sql, [path], { ...NO_BOUNDS, ...bounds });
  const rows: unknown[] = [];
  for await (const batch of answer.rows()) rows.push(...batch);
  answer.close();
  return rows;
}

describe('SQL over recordings', () => {
  it('sees the rows within its bounds', async () => {
    const folder = await recorded();
    const cases: readonly Partial<QueryBounds>[] = [
      { markets: ["it's"], fromMs: Date.parse('2026-11-21') },
      { markets: ['market'], toMs: Date.parse('2026-11-21') },
      { fromMs: START_MS + 60_000, toMs: START_MS + 120_001 },
      { markets: ['market-1', "it's"] },
    ];
    const sql = 'select market, time_ms, kind from events order by all';
    const everything = (await ask(sql, folder)) as [string, number, string][];
    for (const some of cases) {
      const { markets, fromMs, toMs } = { ...NO_BOUNDS, ...some };
      const inside = everything.filter(
        ([id, timeMs]) =>
          (markets.length === 0 || markets.some((name) => id.startsWith(name))) &&
          timeMs >= (fromMs ?? 0) &&
          timeMs < (toMs ?? Number.POSITIVE_INFINITY),
      );
      expect(inside.length, JSON.stringify(some)).toBeGreaterThan(0);
      expect(await ask(sql, folder, some)).toEqual(inside);
    }
    expect(await ask('select count(*) from markets', folder, { markets: ['market-1'] })).toEqual([[1]]);
    await expect(ask(sql, folder, { markets: ['nobody'] })).rejects.toThrow(
      'no market of these recordings is named "nobody"',
    );
  });
});
