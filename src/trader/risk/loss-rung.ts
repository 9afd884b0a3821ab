/** The rungs of the kill ladder that a part of a loss limit leads to, before the limit itself halts everything. */

import { type Micros, mul, ZERO } from '../../shared/base/micros.js';
import { showFigure } from './figures.js';
import type { RiskLimits } from './limits.js';
import type { LossFacts } from './loss-guard.js';

/** Why quotes must keep away, and why only reducing orders may leave; null where the loss does not demand it. */
export interface LossRung {
  readonly widened: string | null;
  readonly reducing: string | null;
}

export const NO_LOSS_RUNG: LossRung = { widened: null, reducing: null };

type LossLimits = Pick<
  RiskLimits,
  'maxLossDayMicros' | 'maxDrawdownMicros' | 'widenAtLossMicros' | 'reduceAtLossMicros'
>;

/** Goes as it came: a loss that has shrunk leads back up. Only the halt at the whole limit stays until a person resumes. */
export const lossRung = (loss: LossFacts, limits: LossLimits): LossRung => ({
  widened: describeReached(loss, limits, limits.widenAtLossMicros),
  reducing: describeReached(loss, limits, limits.reduceAtLossMicros),
});

/** @param part of either limit: 0.5 is 500000 */
function describeReached(
  { dayLossMicros, drawdownMicros }: LossFacts,
  limits: LossLimits,
  part: Micros,
): string | null {
  const measures = [
    { what: 'lost today', loss: dayLossMicros, limit: limits.maxLossDayMicros },
    { what: 'below the high-water mark', loss: drawdownMicros, limit: limits.maxDrawdownMicros },
  ];
  const over = measures.find(({ loss, limit }) => loss > ZERO && loss >= mul(limit, part, 'ceil'));
  if (over === undefined) return null;
  return `${showFigure(over.loss)} ${over.what}, that is ${showFigure(part)} of the limit of ${showFigure(over.limit)} or more`;
}
