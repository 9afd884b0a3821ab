/** Conclusions from past price bars about a market's volatility, and rejected bars. */

import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import type { Candle } from '../../../src/shared/protocol/records.js';
import { BAR_S, CANDLES_S, readCandles, SIGMA_FLOOR } from '../../../src/trader/market/estimators.js';

const TO_S = 1_700_000_100;
const SPAN = { fromS: TO_S - CANDLES_S, toS: TO_S };
const TICK = 0.01;

const bar = (index: number, close: number, changes: Partial<Candle> = {}): Candle => {
  const price = close.toFixed(2);
  const timestamp = SPAN.fromS + index * BAR_S;
  return { timestamp, open: price, high: price, low: price, close: price, volume: '1', is_yes: true, ...changes };
};

/** Closes of a price whose log-odds move by `sigma` per square root of a second, traded on both sides of a spread. */
function drawCloses(sigma: number, half: number, seed: number): readonly Candle[] {
  const random = Random.fromSeed(seed, 'closes');
  let logOdds = 0;
  return Array.from({ length: CANDLES_S / BAR_S }, (_, i) => {
    let step = -6;
    for (let n = 0; n < 12; n++) step += random.uniform();
    logOdds += sigma * Math.sqrt(BAR_S) * step;
    const middle = 1 / (1 + Math.exp(-logOdds));
    const price = middle + (random.chance(0.5) ? half : -half);
    return bar(i, Math.min(0.99, Math.max(0.01, Math.round(price / TICK) * TICK)));
  });
}

const sigmaOf = (rows: readonly Candle[], gridStep = TICK / 2): number | null => {
  const read = readCandles(rows, SPAN, gridStep);
  return read.ok ? (read.learned?.sigmaPerSqrtS ?? null) : expect.unreachable(read.because);
};

/** Over seeds, the mean of ln(estimate / truth). */
const bias = (sigma: number, half: number, gridStep: number): number => {
  const seeds = Array.from({ length: 4 }, (_, seed) =>
    Math.log((sigmaOf(drawCloses(sigma, half, seed), gridStep) ?? 0) / sigma),
  );
  return seeds.reduce((sum, each) => sum + each, 0) / seeds.length;
};

describe('two days of price bars', () => {
  it.each([0.0005, 0.002, 0.005])('tell a volatility of %f', (sigma) => {
    expect(Math.abs(bias(sigma, 0, TICK / 2))).toBeLessThan(0.35);
  });

  it('do not take the bounce between bid and ask for volatility where the grid is as wide as half of the spread', () => {
    expect(bias(0.0005, 0.02, TICK / 2)).toBeGreaterThan(0.9);
    expect(Math.abs(bias(0.0005, 0.02, 0.02))).toBeLessThan(0.6);
  });

  it('say the same whichever comes first, and nothing where there are fewer than two', () => {
    const rows = drawCloses(0.002, 0, 1);
    expect(sigmaOf(rows.toReversed())).toBe(sigmaOf(rows));
    expect(sigmaOf([])).toBeNull();
    expect(sigmaOf([bar(0, 0.5)])).toBeNull();
  });

  it('of a price that stood still are calm, and never below the floor', () => {
    const still = Array.from({ length: CANDLES_S / BAR_S }, (_, i) => bar(i, 0.5));
    expect(sigmaOf(still)).toBeLessThan(0.0003);
    expect(sigmaOf(still)).toBeGreaterThanOrEqual(SIGMA_FLOOR);
    expect(readCandles([bar(3, 0.5), bar(7, 0.5)], SPAN, TICK / 2)).toMatchObject({ learned: { spanS: 5 * BAR_S } });
  });

  it('have the mean of the newest close over time', () => {
    const read = readCandles([bar(3, 0.5), bar(7, 0.75)], SPAN, TICK / 2);
    expect(read).toMatchObject({ learned: { meanPrice: (4 * 0.5 + 0.75) / 5 } });
  });
});

describe('bars that make no sense', () => {
  const cases: readonly (readonly [string, Partial<Candle>])[] = [
    ['the bar is of NO', { is_yes: false }],
    ['do not begin at a multiple of', { timestamp: SPAN.fromS + 1 }],
    ['outside the requested time span', { timestamp: SPAN.toS }],
    ['outside the requested time span', { timestamp: SPAN.fromS - BAR_S }],
    ['appears twice', { timestamp: SPAN.fromS }],
    ['not between 0 and 1', { open: '1', high: '1', low: '1', close: '1' }],
    ['not between 0 and 1', { low: '0' }],
    ['not between 0 and 1', { low: '-0.5' }],
    ['outside its range from low to high', { close: '0.7' }],
    ['outside its range from low to high', { open: '0.2' }],
  ];
  it.each(cases)('are not believed, nor are those beside them: %s', (because, changes) => {
    const read = readCandles([bar(0, 0.5), bar(1, 0.5, changes), bar(2, 0.52)], SPAN, TICK / 2);
    expect(read).toMatchObject({ ok: false, because: expect.stringContaining(because) });
  });
});
