/** Many runs beside their backtests: how far each fill model is off, and how far that lies apart from run to run. */

import { computeMoments } from '../../shared/statistics/moments.js';
import type { Parity, Side } from './contract.js';

/** `share`: the distance is a part of what was live; `currency`: it is millionths of the currency, model minus live. */
export type ErrorUnit = 'share' | 'currency';

/** One figure under one fill model, over the runs in which it is known live and in the backtest. */
export interface ErrorBand {
  readonly figure: string;
  readonly unit: ErrorUnit;
  readonly model: string;
  /** Runs that count: of a share only those in which there was something live. */
  readonly runs: number;
  readonly mean: number | null;
  /** Of the sample; null for fewer than two runs. */
  readonly deviation: number | null;
  readonly lowest: number | null;
  readonly highest: number | null;
  /** All runs as one: of a share the sums' distance, of currency the sum of the distances; null without a run. */
  readonly pooled: number | null;
}

export interface RunsParity {
  readonly runs: number;
  /** Runs in which something was filled live, and those of them whose fills lie within the band of the models. */
  readonly filledRuns: number;
  readonly heldRuns: number;
  /** By figure, then by model. */
  readonly bands: readonly ErrorBand[];
}

type Figure = readonly [name: string, unit: ErrorUnit, of: (side: Side) => number | null];

const FIGURES: readonly Figure[] = [
  ['fills', 'share', ({ fills }) => fills],
  ['shares filled', 'share', ({ sharesMicros }) => sharesMicros],
  ['result', 'currency', ({ resultMicros }) => resultMicros],
  ['spread earned', 'currency', ({ spreadMicros }) => spreadMicros],
  ['public requests', 'share', ({ publicRequests }) => publicRequests],
  ['signed requests', 'share', ({ signedRequests }) => signedRequests],
];

/** All of the same fill models, in the same order. */
export function overRuns(parities: readonly Parity[]): RunsParity {
  const models = parities[0]?.sides.slice(1).map(({ name }) => name) ?? [];
  const filled = parities.filter(({ band }) => band.liveSharesMicros > 0);
  return {
    runs: parities.length,
    filledRuns: filled.length,
    heldRuns: filled.filter(({ band }) => band.holds).length,
    bands: FIGURES.flatMap((figure) =>
      models.map((model, index) => computeErrorBand(figure, model, index + 1, parities)),
    ),
  };
}

function computeErrorBand(
  [figure, unit, of]: Figure,
  model: string,
  side: number,
  parities: readonly Parity[],
): ErrorBand {
  const pairs = parities.flatMap(({ sides }) => {
    const [live, tested] = [sides[0], sides[side]].map((found) => (found === undefined ? null : of(found)));
    if (typeof live !== 'number' || typeof tested !== 'number' || (unit === 'share' && live === 0)) return [];
    return [{ live, tested }];
  });
  const errors = pairs.map(({ live, tested }) => (unit === 'share' ? (tested - live) / live : tested - live));
  const [live, tested] = [sum(pairs.map((pair) => pair.live)), sum(pairs.map((pair) => pair.tested))];
  const { mean, standardDeviation } = computeMoments(errors);
  const [lowest, highest] = errors.length === 0 ? [null, null] : [Math.min(...errors), Math.max(...errors)];
  const pooled = unit === 'share' ? (tested - live) / live : tested - live;
  return {
    figure,
    unit,
    model,
    runs: pairs.length,
    mean,
    deviation: standardDeviation,
    lowest,
    highest,
    pooled: pairs.length === 0 ? null : pooled,
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
