import { describe, expect, it } from 'vitest';
import { SlowAverages } from '../../../src/trader/risk/slow-average.js';

const AVERAGING_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Observes one price with a poll each minute. */
function show(averages: SlowAverages, price: number, fromMs: number, lastsMs: number): number {
  for (let nowMs = fromMs; nowMs <= fromMs + lastsMs; nowMs += 60_000) averages.look('a', price, nowMs);
  return fromMs + lastsMs;
}

/** Returns the averages of a market whose price has been 0.5 since its start. */
function settled(): SlowAverages {
  const averages = new SlowAverages();
  averages.look('a', 0.5, 0);
  return averages;
}

describe('the slow average of a price', () => {
  it('moves by 63 % of the way in its averaging time, on both sides alike', () => {
    const averages = settled();
    show(averages, 0.9, 0, AVERAGING_MS);
    expect(averages.caps('a').yesMicros / 1e6).toBeCloseTo(0.5 + 0.4 * (1 - Math.exp(-1)), 3);
    const falling = settled();
    show(falling, 0.1, 0, AVERAGING_MS);
    expect(falling.caps('a').noMicros).toBe(averages.caps('a').yesMicros);
  });

  it('moves by less than a seventh of the way in a whole day', () => {
    const averages = settled();
    show(averages, 0.84, 0, DAY_MS);
    expect(averages.caps('a').yesMicros).toBeLessThan((0.5 + 0.34 / 7) * 1e6);
  });

  it.each([
    { hours: 1, most: 50.4 },
    { hours: 6, most: 51.9 },
    { hours: 24, most: 57.8 },
  ])('lets a price that is held for $hours h cost at most $most with a day limit of 50', ({ hours, most }) => {
    const averages = settled();
    let [bought, lost] = [0, 0];
    for (let nowMs = 0; nowMs <= hours * HOUR_MS; nowMs += 60_000) {
      averages.look('a', 0.84, nowMs);
      const perShare = 0.84 - averages.caps('a').yesMicros / 1e6;
      // The quoter sells as much as control 22 still allows.
      bought = Math.max(bought, 50 / perShare);
      lost = bought * (0.84 - 0.5);
    }
    expect(lost).toBeGreaterThan(50);
    expect(lost).toBeLessThan(most);
  });

  it.each([
    { first: 0.84, yes: 500_000, no: 160_000 },
    { first: 0.1, yes: 100_000, no: 500_000 },
    { first: null, yes: 500_000, no: 500_000 },
  ])('lets no share count for more than half after a first price of $first', ({ first, yes, no }) => {
    const averages = new SlowAverages();
    averages.look('a', first, 0);
    expect(averages.caps('a')).toEqual({ yesMicros: yes, noMicros: no });
  });

  it.each([
    ['a pause of a week', 7 * DAY_MS],
    ['a clock that was set back', -7 * DAY_MS],
  ])('moves no further over %s than in five minutes', (_, byMs) => {
    const averages = settled();
    averages.look('a', 0.84, byMs);
    expect(averages.caps('a').yesMicros).toBeLessThan(500_000 + 340_000 * (300_000 / AVERAGING_MS) + 1);
  });

  it('does not move while others show no price', () => {
    const averages = settled();
    show(averages, 0.84, 0, HOUR_MS);
    const before = averages.caps('a');
    for (let nowMs = HOUR_MS; nowMs < DAY_MS; nowMs += 60_000) averages.look('a', null, nowMs);
    averages.look('a', 0.84, DAY_MS);
    expect(averages.caps('a').yesMicros - before.yesMicros).toBeLessThan(100);
  });

  it('keeps the markets looked at last when there are too many', () => {
    const averages = new SlowAverages();
    for (let market = 0; market < 2_001; market++) averages.look(`market ${market}`, 0.3, market);
    const before = averages.caps('market 2000');
    averages.prune();
    expect(averages.caps('market 2000')).toEqual(before);
    expect(averages.caps('market 0')).toEqual(new SlowAverages().caps('never seen'));
    expect(averages.stored).toHaveLength(1_000);
  });

  it('goes on after a restart where it was, without weight for the time between', () => {
    const averages = settled();
    const untilMs = show(averages, 0.6, 0, DAY_MS);
    const restarted = new SlowAverages(JSON.parse(JSON.stringify(averages.stored)));
    expect(restarted.caps('a')).toEqual(averages.caps('a'));
    restarted.look('a', 0.99, untilMs + 7 * DAY_MS);
    expect(restarted.caps('a')).toEqual(averages.caps('a'));
  });

  it('takes the mean of a day of price bars in place of its start, and never again', () => {
    const averages = new SlowAverages();
    averages.look('a', 0.95, 0);
    averages.seed('a', 0.93, 2 * DAY_MS);
    expect(averages.caps('a')).toEqual({ yesMicros: 930_000, noMicros: 69_999 });
    averages.seed('a', 0.2, 2 * DAY_MS);
    expect(averages.caps('a').yesMicros).toBe(930_000);
  });

  it('takes bars of some hours for as large a part of a day', () => {
    const averages = new SlowAverages();
    averages.look('a', 0.9, 0);
    averages.seed('a', 0.9, 6 * HOUR_MS);
    expect(averages.caps('a').yesMicros).toBe(600_000);
  });
});
