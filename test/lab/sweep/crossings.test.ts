/** Crossings of several backtests as the figures of one configuration. */

import { expect, it } from 'vitest';
import { sum } from '../../../src/lab/report/analysis/total.js';
import type { CrossingSums } from '../../../src/lab/sweep/contract.js';
import { combineCrossings, crossingSummary, roundedMean } from '../../../src/lab/sweep/results/crossings.js';

const SHARE = 1_000_000;
const of = (shares: number, gainMicros: number): CrossingSums => ({
  filledMicros: 3 * SHARE,
  unfilledMicros: shares * SHARE,
  unfilledOrders: shares,
  crossedMs: 100 * shares,
  shares5sMicros: shares * SHARE,
  gain5sMicros: gainMicros,
  shares60sMicros: 0,
  gain60sMicros: 0,
});

it('adds folds up, so that a share counts as a share in whatever fold it stood', () => {
  const both = combineCrossings([of(1, -50_000), of(9, 50_000)], sum);
  expect(both && crossingSummary(both)).toEqual({
    filledMicros: 6 * SHARE,
    unfilledMicros: 10 * SHARE,
    unfilledOrders: 10,
    meanCrossedMs: 100,
    markout5sMicros: 0,
    markout60sMicros: null,
  });
  const one = combineCrossings([of(1, -50_000), of(9, 50_000)], roundedMean);
  expect(one).toMatchObject({ unfilledMicros: 5 * SHARE, crossedMs: 500 });
});

it('knows nothing where one of them is not known', () => {
  expect(combineCrossings([of(1, 0), null], sum)).toBeNull();
});
