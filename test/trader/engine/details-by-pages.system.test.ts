/** Details of many markets come by pages of the search, and equal each market's own detail. */

import { expect, it } from 'vitest';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { plan } from '../../lab/backtest/plans.js';
import { ASK, BID, end, level, source } from '../../lab/backtest/recordings.js';

const MINUTES = 5;

const sourcesOf = (letters: string) =>
  [...letters].map((letter, i) =>
    source([level(0, BID, 0.45, 100), level(0, ASK, 0.55, 100), end((MINUTES - (i % 2)) * 60_000)], {
      conditionId: letter.padEnd(44, '1'),
    }),
  );

async function asked(letters: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  await runBacktest({
    ...plan(sourcesOf(letters)),
    onSent: ({ call: { endpoint } }) => counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1),
  });
  return counts;
}

it('is asked by pages for many markets, and one by one for few', async () => {
  const many = await asked('ABCDEFGHJKMNPQRS');
  // One each while the first page is in flight, and one each for closing markets.
  expect(many.get('markets.detail') ?? 0).toBeLessThan(3 * 16);
  expect(many.get('search.list')).toBeGreaterThanOrEqual(MINUTES - 1);
  expect(many.get('orders.create')).toBeGreaterThan(16);
  const few = await asked('AB');
  expect(few.get('search.list') ?? 0).toBe(0);
  expect(few.get('markets.detail')).toBeGreaterThan(2 * (MINUTES - 2));
});
