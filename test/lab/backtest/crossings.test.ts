/** What a backtest says of our orders that the recorded other side came to, under both rules. */

import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { analyse } from '../../../src/lab/report/analysis/analyse.js';
import { bidder, plan } from './plans.js';
import { ASK, BID, end, FIRST_MS, level, type Row, source } from './recordings.js';

const ONE = 1_000_000;

/** An ask of four shares comes to 0.44, below our bid, and goes a second and a half later; then the market falls. */
const ROWS: readonly Row[] = [
  ...[level(0, BID, 0.4, 100), level(0, ASK, 0.6, 100)],
  ...[level(120_000, ASK, 0.44, 4), level(121_500, ASK, 0.44, 0)],
  ...[level(123_000, BID, 0.4, 0), level(123_000, BID, 0.3, 50), level(123_000, ASK, 0.6, 0)],
  ...[level(123_000, ASK, 0.5, 50), end(200_000)],
];

async function played(fillModel: string, rows: readonly Row[] = ROWS) {
  const given = plan([source(rows, { outcome: false })], {
    strategy: bidder({ price: 0.45, fairPrice: 0.5 }),
    params: {},
    fillModel,
  });
  const { session } = await runBacktest(given);
  const [market] = session.markets;
  if (market === undefined) throw new Error('no market was played');
  return { session, market, crossing: analyse(session).crossing };
}

describe('an amount that comes to our price', () => {
  it('fills us as far as it reaches, at our price, with the middle before it came', async () => {
    const { market, crossing } = await played('risk-averse');
    expect(market.fills).toMatchObject([
      { priceMicros: 450_000, amountMicros: 4 * ONE, isMaker: true, atCrossing: true, markMicros: 500_000 },
    ]);
    // What it was worth a second later is measured on the recorded book, in which the ask still stood.
    expect(market.fills[0]?.marksAfterMicros[0]).toBe(420_000);
    expect(crossing?.filled).toMatchObject({ fills: 1, sharesMicros: 4 * ONE });
    expect(crossing?.filled.markouts.map(({ markoutMicros }) => markoutMicros)).toEqual([
      -30_000, -50_000, -50_000, -450_000,
    ]);
  });

  it('fills nothing where recorded makers post only, and what stood crossed is told', async () => {
    const { session, market, crossing } = await played('posts-only');
    expect(market.fills).toEqual([]);
    expect(session.assumptions).toMatchObject({ fillModel: 'posts-only', postsOnly: true });
    expect(market.stoodCrossed).toMatchObject([
      { timeMs: FIRST_MS + 120_000, side: 'bid', priceMicros: 450_000, amountMicros: 10 * ONE, crossedMs: 1_500 },
    ]);
    expect(crossing?.filled).toMatchObject({ fills: 0, sharesMicros: 0 });
    expect(crossing?.unfilled).toMatchObject({
      orders: 1,
      sharesMicros: 10 * ONE,
      crossed: { count: 1, median: 1_500 },
    });
    expect(crossing?.unfilled.markouts.map(({ horizon, markoutMicros }) => [horizon, markoutMicros])).toEqual([
      [1_000, -30_000],
      [5_000, -50_000],
      [60_000, -50_000],
      ['settlement', -450_000],
    ]);
  });

  it('is no crossing where nothing came to our price', async () => {
    const quiet = ROWS.filter(([, , , price]) => price !== 0.44);
    for (const model of ['risk-averse', 'posts-only']) {
      const { market, crossing } = await played(model, quiet);
      expect(market.stoodCrossed).toEqual([]);
      expect(crossing?.unfilled).toMatchObject({ orders: 0, sharesMicros: 0, crossed: { median: null } });
    }
  });
});
