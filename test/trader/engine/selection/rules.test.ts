/** A strategy's requirements for a market, beyond the facts of the list. */

import { expect, it } from 'vitest';
import { unwantedBecause, volumeOfDay } from '../../../../src/trader/engine/market-worth.js';
import type { MarketRules } from '../../../../src/trader/engine/settings.js';
import type { TapeTrade } from '../../../../src/trader/market/view.js';
import { m } from '../../market/fixtures.js';

const DAY_MS = 86_400_000;
const NOW_MS = 10 * DAY_MS;
const ANY: MarketRules = { minSpread: null, maxSpread: null, minVolumeDay: null, minDaysLeft: null, maxDaysLeft: null };

const trade = (agoMs: number, price: number, shares: number): TapeTrade => ({
  priceMicros: m(price),
  amountMicros: m(shares),
  taker: 'buy',
  venueTimeMs: NOW_MS - agoMs,
  seenMs: NOW_MS,
});

function verdict(
  rules: Partial<MarketRules>,
  seen: {
    spread?: number | null;
    days?: number | null;
    isQuoted?: boolean;
    trades?: TapeTrade[];
    tradesAgeMs?: number | null;
  },
) {
  const { spread = 0.02, days = 5, isQuoted = false, trades = [], tradesAgeMs = 1000 } = seen;
  const view = {
    estimates: { spread },
    timeToResolutionMs: days === null ? null : days * DAY_MS,
    trades,
    health: { tradesAgeMs },
  } as unknown as Parameters<typeof unwantedBecause>[1];
  return unwantedBecause({ ...ANY, ...rules }, view, isQuoted, NOW_MS);
}

it('names the rule that a market misses', () => {
  expect(verdict({}, {})).toBeNull();
  expect(verdict({ minSpread: 0.02, maxSpread: 0.02 }, {})).toBeNull();
  expect(verdict({ minSpread: 0.03 }, {})).toBe('the spread is 0.02, min_spread is 0.03');
  expect(verdict({ maxSpread: 0.01 }, {})).toBe('the spread is 0.02, max_spread is 0.01');
  expect(verdict({ maxSpread: 0.5 }, { spread: null })).toContain('a side of the book is empty');
  expect(verdict({ minSpread: 0.5 }, { spread: null })).toBeNull();
  expect(verdict({ minDaysLeft: 6 }, {})).toBe('the market resolves in 5 days, min_days_left is 6');
  expect(verdict({ maxDaysLeft: 4 }, {})).toBe('the market resolves in 5 days, max_days_left is 4');
  expect(verdict({ maxDaysLeft: 4 }, { days: null })).toContain('has no resolution date');
  expect(verdict({ minDaysLeft: 4 }, { days: null })).toBeNull();
  expect(verdict({ minVolumeDay: 10 }, { tradesAgeMs: null })).toContain('trades have not been read');
  expect(verdict({ minVolumeDay: 10 }, { trades: [trade(1000, 0.5, 10)] })).toContain('5 of currency traded');
  expect(verdict({ minVolumeDay: 5 }, { trades: [trade(1000, 0.5, 10)] })).toBeNull();
});

it('lets one that is quoted miss spread and volume by a quarter, and the days by nothing', () => {
  expect(verdict({ maxSpread: 0.017 }, { isQuoted: true })).toBeNull();
  expect(verdict({ maxSpread: 0.015 }, { isQuoted: true })).not.toBeNull();
  expect(verdict({ minSpread: 0.025 }, { isQuoted: true })).toBeNull();
  expect(verdict({ minSpread: 0.03 }, { isQuoted: true })).not.toBeNull();
  expect(verdict({ minVolumeDay: 6 }, { isQuoted: true, trades: [trade(1000, 0.5, 10)] })).toBeNull();
  expect(verdict({ minDaysLeft: 5.1 }, { isQuoted: true })).not.toBeNull();
});

it('reckons the volume of a day from the trades that are shown', () => {
  expect(volumeOfDay([trade(1000, 0.5, 10), trade(DAY_MS - 1, 0.2, 100), trade(DAY_MS + 1, 0.9, 1000)], NOW_MS)).toBe(
    25,
  );
  // A hundred, the oldest six hours ago: four times as many a day.
  const full = Array.from({ length: 100 }, (_, i) => trade((i + 1) * 216_000, 0.5, 2));
  expect(volumeOfDay(full, NOW_MS)).toBeCloseTo(400, 6);
});
