/** What a recording does not know: gaps are counted, and what was done within them is said. */

import { describe, expect, it } from 'vitest';
import type { EventSource } from '../../../src/lab/backtest/contract.js';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import type { RecordedGap } from '../../../src/recording/contract.js';
import { bidder, plan } from './plans.js';
import { ASK, BID, end, FIRST_MS, level, market, type Row, source } from './recordings.js';

/** Pays what is asked, once, from a moment on. */
const taker = (fromMs: number) => bidder({ price: 0.6, fairPrice: 0.65, fromMs });

const ROWS: readonly Row[] = [
  ...[level(0, BID, 0.4, 100), level(0, ASK, 0.6, 100)],
  ...[level(200_000, BID, 0.3, 50), end(240_000)],
];

function withGaps(gaps: readonly RecordedGap[]): EventSource {
  const events = { level: 3, trade: 0, clear: 0, end: 1 };
  const counts = { refused: 0, steppedBack: 0, bytes: 0 };
  return { ...source(ROWS), summary: { firstMs: FIRST_MS, lastMs: FIRST_MS + 240_000, events, gaps, ...counts } };
}

describe('a gap in a recording', () => {
  const gap = { fromMs: FIRST_MS + 100_000, toMs: FIRST_MS + 200_000, reason: 'the poll failed' };

  it('is counted, from the first event to the last', async () => {
    const { session } = await runBacktest(plan([withGaps([gap])]));
    expect(session.markets[0]?.coverage).toMatchObject({ spanMs: 240_000, gapMs: 100_000, gaps: 1 });
  });

  it('is counted as well where it was found while a raw recording was played', async () => {
    const { session } = await runBacktest(plan([{ ...source(ROWS), gaps: [gap] }]));
    expect(session.markets[0]?.coverage).toMatchObject({ spanMs: 240_000, gapMs: 100_000, gaps: 1 });
  });

  it('makes what was bought in it a matter to be told, and nothing else', async () => {
    for (const [fromMs, told] of [
      [FIRST_MS + 70_000, 0],
      [FIRST_MS + 120_000, 1],
    ] as const) {
      const { session } = await runBacktest(plan([withGaps([gap])], { strategy: taker(fromMs), params: {} }));
      expect(session.markets[0]?.fills.length).toBe(1);
      const loud = session.notices.filter(({ severity }) => severity === 'loud').map(({ text }) => text);
      expect(loud.length, `${loud}`).toBe(told);
      if (told > 0) expect(loud[0]).toMatch(/^1 fill lies in gaps of the recording of "Will it\?"/);
    }
  });
});

it('a market whose outcome nobody knows is called off when we hold nothing in it, and stays when we do', async () => {
  const rows: readonly Row[] = [level(0, BID, 0.4, 100), level(0, ASK, 0.6, 100), end(120_000)];
  const ends: string[] = [];
  for (const fromMs of [FIRST_MS + 60_000, FIRST_MS + 600_000]) {
    const given = plan([source(rows, { outcome: null })], { strategy: taker(fromMs), params: {} });
    const { session } = await runBacktest(given);
    ends.push(...session.notices.map(({ text }) => text).filter((text) => text.includes('is now')));
    expect(session.markets[0]?.outcome).toBeNull();
    expect(session.endCashMicros).toBe(fromMs > FIRST_MS + 120_000 ? 1_000_000_000 : 994_000_000);
  }
  expect(ends).toEqual([`"${market().title}" is now waiting_to_resolve`, `"${market().title}" is now canceled`]);
});
