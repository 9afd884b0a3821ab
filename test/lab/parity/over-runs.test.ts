/** Many runs: the band of each model's error. */

import { describe, expect, it } from 'vitest';
import { runsText } from '../../../src/cli/lab/parity.js';
import type { Parity, Side } from '../../../src/lab/parity/comparison.js';
import { overRuns } from '../../../src/lab/parity/over-runs.js';

const side = (name: string, changes: Partial<Side>): Side => ({
  name,
  fills: 0,
  sharesMicros: 0,
  resultMicros: 0,
  spreadMicros: null,
  driftMicros: null,
  feesMicros: 0,
  peakInventoryMicros: 0,
  twoSidedShare: null,
  oneSidedShare: null,
  ordersPlaced: 0,
  ordersCanceled: 0,
  publicRequests: null,
  signedRequests: null,
  ...changes,
});

function run(live: Partial<Side>, model: Partial<Side>, holds = false): Parity {
  const sides = [side('live', live), side('risk-averse', model)];
  const liveSharesMicros = live.sharesMicros ?? 0;
  const band = { liveFills: live.fills ?? 0, liveSharesMicros, errors: [], lowShare: null, highShare: null, holds };
  return { sides, band, markets: [], remarks: [] };
}

const RUNS = [
  run(
    { fills: 10, sharesMicros: 100, resultMicros: 5_000_000, spreadMicros: 1_000_000, publicRequests: 200 },
    { fills: 8, sharesMicros: 80, resultMicros: 4_000_000, spreadMicros: 2_000_000, publicRequests: 190 },
  ),
  run(
    { fills: 30, sharesMicros: 300, resultMicros: -1_000_000, spreadMicros: null, publicRequests: 400 },
    { fills: 36, sharesMicros: 360, resultMicros: 2_000_000, spreadMicros: 7_000_000, publicRequests: 400 },
    true,
  ),
  run({ resultMicros: 0 }, { fills: 3, sharesMicros: 30, resultMicros: -500_000 }),
];

const bandOf = (figure: string) => overRuns(RUNS).bands.find((band) => band.figure === figure);

describe('parity over several runs', () => {
  it('is off by parts of what was filled live, only where something was', () => {
    const fills = bandOf('fills');
    expect(fills).toMatchObject({ runs: 2, lowest: -0.2, highest: 0.2, pooled: 4 / 40 });
    expect(fills?.mean).toBeCloseTo(0, 12);
    expect(fills?.deviation).toBeCloseTo(Math.sqrt(0.08), 12);
    expect(bandOf('shares filled')).toMatchObject({ runs: 2, pooled: 40 / 400 });
  });

  it('is off by currency in result and spread, where both know it', () => {
    expect(bandOf('result')).toMatchObject({ runs: 3, lowest: -1_000_000, highest: 3_000_000, pooled: 1_500_000 });
    expect(bandOf('spread earned')).toMatchObject({ runs: 1, mean: 1_000_000, deviation: null });
    expect(bandOf('public requests')).toMatchObject({ runs: 2, lowest: -0.05, highest: 0 });
    expect(bandOf('signed requests')).toMatchObject({ runs: 0, mean: null, lowest: null, highest: null, pooled: null });
  });

  it('says in how many runs the live fills lie within the band of the models', () => {
    expect(overRuns(RUNS)).toMatchObject({ runs: 3, filledRuns: 2, heldRuns: 1 });
    const text = runsText(overRuns(RUNS));
    expect(text).toContain('In 1 of the 2 runs with fills');
    expect(text).toMatch(/^fills +risk-averse +2 +0\.0 % +28\.3 % +−20\.0 % +\+20\.0 % +\+10\.0 %$/m);
    expect(runsText(overRuns([run({}, {})]))).toContain('Nothing was filled live');
  });
});
