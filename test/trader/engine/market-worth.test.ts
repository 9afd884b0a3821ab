/** Which markets a strategy may quote, and what quoting one is worth. */

import { describe, expect, it } from 'vitest';
import {
  believe,
  isWanted,
  MarketMeasures,
  makeOffer,
  sumMeasured,
  unwantedBecause,
  volumeOfDay,
} from '../../../src/trader/engine/market-worth.js';
import type { MarketFilter, MarketSelection } from '../../../src/trader/engine/settings.js';
import type { PriceMotion, TapeTrade } from '../../../src/trader/market/view.js';
import { PricedOffer } from '../../../src/trader/scheduler/market-choice.js';
import type { Quotes } from '../../../src/trader/strategy/contract.js';
import { m } from '../market/fixtures.js';
import { VIEW } from '../strategy/fixtures.js';

const market = { conditionId: 'M', title: 'Will the Senate pass the bill?', category: 'politics' };

it.each<[string, Partial<MarketFilter>, boolean, object?]>([
  ['everything', {}, true],
  ['its category', { categories: ['sports', 'politics'] }, true],
  ['another category', { categories: ['sports'] }, false],
  ['a word of its title, in any case', { words: ['budget', 'senate'] }, true],
  ['words that it does not have', { words: ['budget'] }, false],
  ['none with a word that it has', { withoutWords: ['BILL'] }, false],
  ['none with words that it does not have', { withoutWords: ['recount'] }, true],
  ['a word that it has but not the market', { words: ['senate'], except: ['M'] }, false],
  ['another market left out', { except: ['N'] }, true],
  ['a category that is not known', { categories: ['politics'] }, false, { category: null }],
])('a filter for %s', (_, filter, wanted, changes = {}) => {
  expect(isWanted({ categories: [], ...filter }, { ...market, ...changes })).toBe(wanted);
});

const DAY_MS = 86_400_000;
const NOW_MS = 10 * DAY_MS;
const ANY: NonNullable<MarketSelection['rules']> = {
  minSpread: null,
  maxSpread: null,
  minVolumeDay: null,
  minDaysLeft: null,
  maxDaysLeft: null,
};

const trade = (agoMs: number, price: number, shares: number): TapeTrade => ({
  priceMicros: m(price),
  amountMicros: m(shares),
  taker: 'buy',
  venueTimeMs: NOW_MS - agoMs,
  seenMs: NOW_MS,
});

interface Seen {
  readonly spread?: number | null;
  readonly days?: number | null;
  readonly isQuoted?: boolean;
  readonly trades?: TapeTrade[];
  readonly tradesAgeMs?: number | null;
}

function verdict(rules: Partial<typeof ANY>, seen: Seen = {}) {
  const { spread = 0.02, days = 5, isQuoted = false, trades = [], tradesAgeMs = 1000 } = seen;
  const view = {
    estimates: { spread },
    timeToResolutionMs: days === null ? null : days * DAY_MS,
    trades,
    health: { tradesAgeMs },
  } as unknown as Parameters<typeof unwantedBecause>[1];
  return unwantedBecause({ ...ANY, ...rules }, view, isQuoted, NOW_MS);
}

it('the rules name the one that a market misses', () => {
  expect(verdict({}, {})).toBeNull();
  expect(verdict({ minSpread: 0.02, maxSpread: 0.02 })).toBeNull();
  expect(verdict({ minSpread: 0.03 })).toBe('the spread is 0.02, min_spread is 0.03');
  expect(verdict({ maxSpread: 0.01 })).toBe('the spread is 0.02, max_spread is 0.01');
  expect(verdict({ maxSpread: 0.5 }, { spread: null })).toContain('a side of the book is empty');
  expect(verdict({ minSpread: 0.5 }, { spread: null })).toBeNull();
  expect(verdict({ minDaysLeft: 6 })).toBe('the market resolves in 5 days, min_days_left is 6');
  expect(verdict({ maxDaysLeft: 4 })).toBe('the market resolves in 5 days, max_days_left is 4');
  expect(verdict({ maxDaysLeft: 4 }, { days: null })).toContain('has no resolution date');
  expect(verdict({ minDaysLeft: 4 }, { days: null })).toBeNull();
  expect(verdict({ minVolumeDay: 10 }, { tradesAgeMs: null })).toContain('trades have not been read');
  expect(verdict({ minVolumeDay: 10 }, { trades: [trade(1000, 0.5, 10)] })).toContain('5 of currency was traded');
  expect(verdict({ minVolumeDay: 5 }, { trades: [trade(1000, 0.5, 10)] })).toBeNull();
});

it('the rules let a quoted market miss spread and volume by a quarter, and the days by nothing', () => {
  expect(verdict({ maxSpread: 0.017 }, { isQuoted: true })).toBeNull();
  expect(verdict({ maxSpread: 0.015 }, { isQuoted: true })).not.toBeNull();
  expect(verdict({ minSpread: 0.025 }, { isQuoted: true })).toBeNull();
  expect(verdict({ minSpread: 0.03 }, { isQuoted: true })).not.toBeNull();
  expect(verdict({ minVolumeDay: 6 }, { isQuoted: true, trades: [trade(1000, 0.5, 10)] })).toBeNull();
  expect(verdict({ minDaysLeft: 5.1 }, { isQuoted: true })).not.toBeNull();
});

it('the volume of a day counts the trades that are shown', () => {
  const trades = [trade(1000, 0.5, 10), trade(DAY_MS - 1, 0.2, 100), trade(DAY_MS + 1, 0.9, 1000)];
  expect(volumeOfDay(trades, NOW_MS)).toBe(25);
  // A hundred, the oldest six hours ago: four times as many a day.
  const full = Array.from({ length: 100 }, (_, i) => trade((i + 1) * 216_000, 0.5, 2));
  expect(volumeOfDay(full, NOW_MS)).toBeCloseTo(400, 6);
  // A burst of seconds counts like an hour.
  const burst = Array.from({ length: 100 }, (_, i) => trade(i, 0.5, 2));
  expect(volumeOfDay(burst, NOW_MS)).toBeCloseTo(2400, 6);
});

const CALM = { halfSpread: 0.01, sigmaPerSqrtS: 0.001, jumpsPerS: 0, markMove: 0, takersPerS: 0.01 };
const seen = (seenMs: number, price: number): PriceMotion => ({ seenMs, price, ...CALM });

const fill = {
  side: 'bid',
  priceMicros: m(0.48),
  fairMicros: m(0.5),
  tickMicros: m(0.01),
  stalePart: 0.25,
  nowMs: 1000,
} as const;

it('a fill is judged half a minute later, by its loss beyond the expected loss of stale quotes', () => {
  const measures = new MarketMeasures();
  measures.onFill(fill);
  measures.onFill({ ...fill, side: 'ask', priceMicros: m(0.53) });
  measures.look(seen(30_999, 0.3));
  expect(measures.sums).toMatchObject({ fills: 2, judged: 0 });
  measures.look(seen(31_000, 0.49));
  // The bid lost 0.01 and the ask gained it; a quarter of 0.02 and of 0.03 was expected.
  expect(measures.sums.judged).toBe(2);
  expect(measures.sums.distance).toBeCloseTo(0.05, 12);
  expect(measures.sums.adverse).toBeCloseTo(-0.0125, 12);
  measures.look(seen(90_000, 0.2));
  expect(measures.sums.judged).toBe(2);
});

it('one fill near the fair price proves little, however far the price moves afterwards', () => {
  const measures = new MarketMeasures();
  measures.onFill({ ...fill, fairMicros: m(0.4805) });
  measures.look(seen(31_000, 0.4));
  expect(believe(measures.sums).adversePart).toBeCloseTo((5 - 0.25 + 20 * 0.3) / 21, 12);
});

it('a fill without a fair value is counted and not judged', () => {
  const measures = new MarketMeasures();
  measures.onFill({ ...fill, fairMicros: null });
  measures.look(seen(60_000, 0.4));
  expect(measures.sums).toMatchObject({ fills: 1, judged: 0 });
});

it('measures fade by half in an hour, and drop unjudged fills when our clock is set back', () => {
  const measures = new MarketMeasures();
  measures.pass(0, 0.01);
  measures.onFill(fill);
  measures.clockSetBack();
  measures.look(seen(60_000, 0.4));
  expect(measures.sums.judged).toBe(0);
  measures.pass(0, 0);
  measures.pass(3_600_000, 0.01);
  expect(measures.sums.fills).toBeCloseTo(0.5, 12);
  expect(measures.sums.expected).toBeCloseTo(36, 12);
});

it('measures weigh by their number, and those of a market after those of its category', () => {
  expect(believe(sumMeasured([]))).toEqual({ fillRatio: 1, adversePart: 0.3 });
  const measured = { fills: 40, expected: 20, judged: 20, adverse: 0.36, distance: 0.4 };
  const category = believe(measured);
  expect(category.fillRatio).toBeCloseTo(1.5, 12);
  expect(category.adversePart).toBeCloseTo(0.6, 12);
  expect(believe(sumMeasured([]), category).adversePart).toBeCloseTo(0.6, 12);
  expect(believe(sumMeasured([measured, measured])).adversePart).toBeCloseTo(0.7, 12);
});

const level = (price: number) => ({ priceMicros: m(price), amountMicros: m(10) });
const QUOTES: Quotes = {
  fairMicros: m(0.5),
  bids: [level(0.48), level(0.46)],
  asks: [level(0.53)],
  keepWithinTicks: 3,
  keepWithinSizeFraction: 0.2,
  note: '',
  factors: {},
};
const offer = (changes: Partial<Quotes> = {}) => {
  const motion = { sigmaPerSqrtS: 0.001, jumpsPerS: 0 };
  const made = makeOffer({ ...QUOTES, ...changes }, VIEW, motion, { fillRatio: 1, adversePart: 0.3 });
  if (made === null) return expect.unreachable('levels make an offer');
  return made;
};
const distances = (changes: Partial<Quotes> = {}) => offer(changes).sides.map(({ distance }) => distance);

describe('the worth of quotes', () => {
  it('goes by the fair value, or by the edge that the quotes name, further levels by as much more', () => {
    for (const [i, wanted] of [0.02, 0.04, 0.03].entries()) expect(distances()[i]).toBeCloseTo(wanted, 12);
    const named = distances({ edge: { bid: 0.005, ask: 0.001 } });
    for (const [i, wanted] of [0.005, 0.025, 0.001].entries()) expect(named[i]).toBeCloseTo(wanted, 12);
  });

  it('has quotes of a smaller edge lose more to those who see the price move', () => {
    const prices = { look: 0, request: 0, currencyPerS: 0 };
    const at = (changes: Partial<Quotes>) => new PricedOffer(offer(changes)).at({ ...prices, look: 0.001 });
    expect(at({ edge: { bid: 0.002, ask: 0.002 } }).stale).toBeGreaterThan(at({}).stale);
    expect(at({ edge: { bid: 0.02, ask: 0.03 } })).toEqual(at({}));
  });

  it('moves exact quotes however dear requests are', () => {
    const dear = { look: 0, request: 1, currencyPerS: 0 };
    const [kept, exact] = [offer(), offer({ exact: true })].map((each) => new PricedOffer(each).at(dear).movesPerS);
    expect(exact).toBeGreaterThan(4 * (kept ?? 0));
  });
});
