/** Polls of a whole trader: after an own fill, after a jump, and of the details of many markets. */

import { expect, it } from 'vitest';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { plan } from '../../lab/backtest/plans.js';
import { ASK, BID, end, FIRST_MS, level, source, trade } from '../../lab/backtest/recordings.js';
import { strategyWith, wish } from './played-trader.js';

/** The maximum of a strategy of the plan. */
const MARKETS = [...'ABCDEFGHJKMNPQRSTUVW'].map((letter) => letter.padEnd(44, '1'));
const FILLED_MS = 90_000;
/** Own trades are read every second, at a venue a few hundred milliseconds away. */
const KNOWN_AND_LOOKED_MS = 3_000;

/** A book that holds its prices. */
const BOOK = [level(0, BID, 0.45, 100), level(0, ASK, 0.55, 100)];
const bidder = strategyWith(() => wish(0.5, 0.48));

it('looks at a market within seconds of a fill there, however many others it has', async () => {
  const asked: { readonly endpoint: string; readonly call: string; readonly atMs: number }[] = [];
  const sources = MARKETS.map((conditionId, i) => {
    const takers = i % 8 === 0 ? [trade(FILLED_MS + 7_000 * i, ASK, 0.47, 4)] : [];
    return source([...BOOK, ...takers, end(300_000)], { conditionId });
  });
  const { session } = await runBacktest({
    ...plan(sources, { strategy: bidder, params: {} }),
    onSent: ({ call }, atMs) => asked.push({ endpoint: call.endpoint, call: JSON.stringify(call), atMs }),
  });
  const filled = session.markets.flatMap(({ conditionId, fills }) => fills.map((fill) => ({ conditionId, ...fill })));
  expect(filled.length).toBe(3);
  for (const { conditionId, timeMs } of filled) {
    const after = asked.filter(({ call, atMs }) => call.includes(conditionId) && atMs > timeMs);
    const look = after.find(({ endpoint }) => endpoint === 'markets.book');
    const place = after.find(({ endpoint }) => endpoint === 'orders.create');
    expect((look?.atMs ?? Number.POSITIVE_INFINITY) - timeMs).toBeLessThan(KNOWN_AND_LOOKED_MS);
    expect(place?.atMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(look?.atMs ?? Number.POSITIVE_INFINITY);
  }
  expect(filled[0]?.timeMs).toBeGreaterThan(FIRST_MS);
});

it('looks next at the other markets of an event in which one has jumped', async () => {
  const books: { readonly call: string; readonly atMs: number }[] = [];
  const [jumping = '', sibling = ''] = [MARKETS[3], MARKETS[16]];
  const sources = MARKETS.map((conditionId) => {
    const jump = [
      ...[level(FILLED_MS, ASK, 0.55, 0), level(FILLED_MS, ASK, 0.85, 100)],
      ...[level(FILLED_MS, BID, 0.45, 0), level(FILLED_MS, BID, 0.75, 100)],
    ];
    const rows = [...BOOK, ...(conditionId === jumping ? jump : [])];
    const eventTitle = conditionId === jumping || conditionId === sibling ? 'of two' : conditionId;
    return source([...rows, end(180_000)], { conditionId, eventTitle });
  });
  await runBacktest({
    ...plan(sources, { strategy: bidder, params: {}, latency: 'constant:150' }),
    onSent: ({ call }, atMs) => {
      if (call.endpoint === 'markets.book') books.push({ call: JSON.stringify(call), atMs });
    },
  });
  const seen = books.findIndex(({ call, atMs }) => call.includes(jumping) && atMs > FIRST_MS + FILLED_MS);
  expect(seen).toBeGreaterThan(0);
  // Requests while that answer is in flight cannot know it.
  const after = books.slice(seen).filter(({ atMs }) => atMs >= (books[seen]?.atMs ?? 0) + 300);
  expect(after[0]?.call).toContain(sibling);
});

const MINUTES = 5;

const sourcesOf = (letters: string) =>
  [...letters].map((letter, i) =>
    source([...BOOK, end((MINUTES - (i % 2)) * 60_000)], { conditionId: letter.padEnd(44, '1') }),
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
