import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brierScore, type Forecast, logLoss, reliability } from '../../../src/shared/statistics/calibration.js';
import { close } from './fixtures.js';

const forecast = fc.record({
  probability: fc.integer({ min: 0, max: 1_000_000 }).map((micros) => micros / 1e6),
  outcome: fc.constantFrom(0 as const, 1 as const),
  weight: fc.integer({ min: 1, max: 50 }),
});

test('Brier score and log loss of a worked example', () => {
  const forecasts: Forecast[] = [
    { probability: 0.9, outcome: 1 },
    { probability: 0.3, outcome: 0 },
    { probability: 0.6, outcome: 0, weight: 2 },
  ];
  close(brierScore(forecasts), (0.01 + 0.09 + 2 * 0.36) / 4);
  close(logLoss(forecasts), -(Math.log(0.9) + Math.log(0.7) + 2 * Math.log(0.4)) / 4);
});

test('saying always one half scores a quarter and ln 2, whatever happens', () => {
  fc.assert(
    fc.property(fc.array(forecast, { minLength: 1 }), (forecasts) => {
      const halves = forecasts.map((each) => ({ ...each, probability: 0.5 }));
      close(brierScore(halves), 0.25);
      close(logLoss(halves), Math.LN2);
    }),
  );
});

test('a weight counts as so many forecasts', () => {
  fc.assert(
    fc.property(fc.array(forecast, { minLength: 1, maxLength: 10 }), (forecasts) => {
      const repeated = forecasts.flatMap(({ weight, ...rest }) => Array.from({ length: weight }, () => rest));
      close(brierScore(forecasts), brierScore(repeated));
      close(logLoss(forecasts), logLoss(repeated));
    }),
  );
});

test('a certain error costs as much as the smallest price step says, never infinity', () => {
  close(logLoss([{ probability: 1, outcome: 0 }]), -Math.log(1e-6));
  close(logLoss([{ probability: 0, outcome: 1 }], 0.01), -Math.log(0.01));
  expect(brierScore([{ probability: 1, outcome: 0 }])).toBe(1);
});

test('every forecast lies in the one bucket whose bounds hold it', () => {
  fc.assert(
    fc.property(fc.array(forecast), fc.integer({ min: 1, max: 100 }), (forecasts, count) => {
      const buckets = reliability(forecasts, count);
      expect(buckets.map(({ count: inside }) => inside)).toEqual(
        buckets.map(
          ({ low, high }) =>
            forecasts.filter(({ probability: p }) => p >= low && (p < high || (high === 1 && p === 1))).length,
        ),
      );
    }),
  );
});

test('a forecast on a bound, or next to it, lies where the printed bounds put it', () => {
  for (let count = 1; count <= 100; count++) {
    for (let i = 0; i < count; i++) {
      const bound = i / count;
      const inside = (probability: number) =>
        reliability([{ probability, outcome: 1 }], count).findIndex((bucket) => bucket.count === 1);
      expect(inside(bound)).toBe(i);
      if (i > 0) expect(inside(bound * (1 - 2 ** -53))).toBe(i - 1);
    }
  }
});

test('a bucket says what was forecast and what happened, and nothing when it is empty', () => {
  const buckets = reliability(
    [
      { probability: 0.29, outcome: 1 },
      { probability: 0.21, outcome: 0, weight: 3 },
    ],
    5,
  );
  expect(buckets[1]).toMatchObject({ low: 0.2, high: 0.4, count: 2, observedRate: 0.25 });
  close(buckets[1]?.meanForecast ?? null, 0.23);
  expect(buckets[0]).toEqual({ low: 0, high: 0.2, count: 0, meanForecast: null, observedRate: null });
});

test('without forecasts, or without weight, there is no score', () => {
  for (const forecasts of [[], [{ probability: 0.5, outcome: 1 as const, weight: 0 }]]) {
    expect([brierScore(forecasts), logLoss(forecasts)]).toEqual([null, null]);
  }
});

test('what is no probability, weight, floor or number of buckets is refused', () => {
  for (const probability of [-0.1, 1.1, Number.NaN]) {
    expect(() => brierScore([{ probability, outcome: 1 }])).toThrow(`got ${probability}`);
    expect(() => reliability([{ probability, outcome: 1 }])).toThrow(`got ${probability}`);
  }
  expect(() => logLoss([{ probability: 0.5, outcome: 1, weight: -1 }])).toThrow('got -1');
  expect(() => logLoss([], 0)).toThrow('got 0');
  expect(() => reliability([], 0)).toThrow('got 0');
});
