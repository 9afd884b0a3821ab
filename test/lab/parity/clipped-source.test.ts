import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EventSource } from '../../../src/lab/backtest/contract.js';
import { BestPrices } from '../../../src/lab/parity/best-prices.js';
import { clipSource } from '../../../src/lab/parity/clipped-source.js';
import { EVENT } from '../../../src/recording/contract.js';
import { ASK, BID, end, FIRST_MS, level, type Row, source, trade, wanderingRows } from '../backtest/recordings.js';

const MINUTE_MS = 60_000;

async function rowsOf(opened: EventSource): Promise<number[][]> {
  const rows: number[][] = [];
  const stream = opened.open();
  for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) {
    const { timeMs, kind, side, priceMicros, amountMicros } = chunk;
    for (let i = 0; i < chunk.length; i++) {
      rows.push([timeMs[i] ?? 0, kind[i] ?? 0, side[i] ?? 0, priceMicros[i] ?? 0, amountMicros[i] ?? 0]);
    }
  }
  return rows;
}

it('a part of a recording has its book, its events, and ends once', async () => {
  const rows: Row[] = [
    level(0, BID, 0.4, 10),
    level(1_000, BID, 0.41, 5),
    level(2_000, ASK, 0.45, 7),
    level(3_000, BID, 0.41, 0),
    trade(5_000, BID, 0.45, 2),
    level(5_000, ASK, 0.45, 5),
    level(9_000, BID, 0.42, 1),
    end(9_000),
  ];
  const part = clipSource(source(rows), FIRST_MS + 4_000, FIRST_MS + 8_000);
  const at = (ms: number) => FIRST_MS + ms;
  expect(await rowsOf(part)).toEqual([
    [at(4_000), EVENT.level, BID, 400_000, 10_000_000],
    [at(4_000), EVENT.level, ASK, 450_000, 7_000_000],
    [at(5_000), EVENT.trade, BID, 450_000, 2_000_000],
    [at(5_000), EVENT.level, ASK, 450_000, 5_000_000],
    [at(68_000), EVENT.end, 0, 0, 0],
  ]);
  expect(part.market.openTimeMs).toBe(at(4_000));
});

it('a recording that ended before, or is empty, has no part at all', async () => {
  const rows = [level(0, BID, 0.4, 10), end(1_000)];
  expect(await rowsOf(clipSource(source(rows), FIRST_MS + 2_000, FIRST_MS + 3_000))).toEqual([]);
  expect(await rowsOf(clipSource(source([]), FIRST_MS, FIRST_MS + 1))).toEqual([]);
});

it.each([
  ['soon after the start stands there from the start', 4_000, 0],
  ['later comes later', 11_000, 11_000],
])('a book that was first seen %s', async (_, seenMs, playedMs) => {
  const rows = [level(seenMs, BID, 0.4, 10), level(seenMs, ASK, 0.5, 10), level(15_000, BID, 0.4, 9), end(16_000)];
  const times = (await rowsOf(clipSource(source(rows), FIRST_MS, FIRST_MS + 20_000))).map(([timeMs]) => timeMs);
  expect(times).toEqual([playedMs, playedMs, 15_000, 80_000].map((ms) => FIRST_MS + ms));
});

it('a part that begins within a gap does not begin with the book from before it', async () => {
  const rows = [level(0, BID, 0.4, 10), level(30_000, BID, 0.3, 10), end(40_000)];
  const gaps = [{ fromMs: FIRST_MS + 1_000, toMs: FIRST_MS + 30_000, reason: 'made up' }];
  const events = { level: 2, trade: 0, clear: 0, end: 1 };
  const summary = { firstMs: FIRST_MS, lastMs: FIRST_MS, events, gaps, refused: 0, steppedBack: 0, bytes: 0 };
  const part = clipSource({ ...source(rows), summary }, FIRST_MS + 5_000, FIRST_MS + 35_000);
  expect((await rowsOf(part)).map(([timeMs, , , price]) => [timeMs, price])).toEqual([
    [FIRST_MS + 30_000, 300_000],
    [FIRST_MS + 95_000, 0],
  ]);
  expect(part.warnings).toEqual([expect.stringMatching(/has 1 gap in this span$/)]);
});

it('at every moment of the part the best prices are those of the whole', async () => {
  const rows = wanderingRows(11, 3);
  const whole = await BestPrices.of(source(rows, {}, 97));
  // The first book is all there at once; what is moved is what comes before it.
  const moments = fc.integer({ min: 1_000, max: 3 * MINUTE_MS });
  const property = fc.asyncProperty(moments, moments, moments, async (a, b, c) => {
    const [fromMs = 0, atMs = 0, untilMs = 0] = [a, b, c].sort((x, y) => x - y).map((ms) => FIRST_MS + ms);
    const part = await BestPrices.of(clipSource(source(rows, {}, 97), fromMs, untilMs));
    const [there, here] = [whole.at(atMs), part.at(atMs)];
    expect({ bid: here.bidMicros, ask: here.askMicros }).toEqual({ bid: there.bidMicros, ask: there.askMicros });
  });
  await fc.assert(property, { numRuns: 30 });
});

it('the middle stays the last one while a side is empty, and is not known before there was one', async () => {
  const prices = await BestPrices.of(
    source([level(0, BID, 0.4, 1), level(1_000, ASK, 0.46, 1), level(2_000, BID, 0.4, 0), end(3_000)]),
  );
  expect(prices.at(FIRST_MS - 1)).toEqual({ bidMicros: null, askMicros: null, middleMicros: null });
  expect(prices.at(FIRST_MS)).toMatchObject({ bidMicros: 400_000, middleMicros: null });
  expect(prices.at(FIRST_MS + 1_000)).toMatchObject({ askMicros: 460_000, middleMicros: 430_000 });
  expect(prices.at(FIRST_MS + 9_000)).toEqual({ bidMicros: null, askMicros: 460_000, middleMicros: 430_000 });
});
