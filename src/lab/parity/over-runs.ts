/** Many runs beside their backtests: how far each fill model is off, and how far that lies apart from run to run. */

import { computeMoments } from '../../shared/statistics/moments.js';
import type { Parity, Side } from './comparison.js';

export type RunsParity = ReturnType<typeof overRuns>;
/** One figure under one fill model, over the runs in which it is known live and in the backtest. */
export type ErrorBand = ReturnType<typeof computeErrorBand>;

/** `share`: the distance is a part of what was live; `currency`: it is millionths of the currency, model minus live. */
type ErrorUnit = 'share' | 'currency';
type Figure = readonly [name: string, unit: ErrorUnit, of: (side: Side) => number | null];

const FIGURES: readonly Figure[] = [
  ['fills', 'share', ({ fills }) => fills],
  ['shares filled', 'share', ({ sharesMicros }) => sharesMicros],
  ['result', 'currency', ({ resultMicros }) => resultMicros],
  ['spread earned', 'currency', ({ spreadMicros }) => spreadMicros],
  ['public requests', 'share', ({ publicRequests }) => publicRequests],
  ['signed requests', 'share', ({ signedRequests }) => signedRequests],
];

/**
 * All of the same fill models, in the same order. `filledRuns`: something was filled live; `heldRuns`: their fills lie
 * within the band of the models. Bands by figure, then by model.
 */
export function overRuns(parities: readonly Parity[]) {
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

/** Of a share only the runs count in which there was something live. `pooled`: all runs as one; null without a run. */
function computeErrorBand([figure, unit, of]: Figure, model: string, side: number, parities: readonly Parity[]) {
  const pairs = parities.flatMap(({ sides }) => {
    const [live, tested] = [sides[0], sides[side]].map((found) => (found === undefined ? null : of(found)));
    if (typeof live !== 'number' || typeof tested !== 'number' || (unit === 'share' && live === 0)) return [];
    return [{ live, tested }];
  });
  const distance = ({ live, tested }: (typeof pairs)[number]): number =>
    unit === 'share' ? (tested - live) / live : tested - live;
  const errors = pairs.map(distance);
  const sum = (name: 'live' | 'tested'): number => pairs.reduce((total, pair) => total + pair[name], 0);
  const { mean, standardDeviation } = computeMoments(errors);
  return {
    figure,
    unit,
    model,
    runs: pairs.length,
    mean,
    deviation: standardDeviation,
    lowest: errors.length === 0 ? null : Math.min(...errors),
    highest: errors.length === 0 ? null : Math.max(...errors),
    pooled: errors.length === 0 ? null : distance({ live: sum('live'), tested: sum('tested') }),
  };
}
