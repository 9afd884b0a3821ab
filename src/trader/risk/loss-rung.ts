/** Rungs of the kill ladder for a partly used loss limit, before the whole limit halts everything. */

import { type Micros, mul, ZERO } from '../../shared/base/micros.js';
import { showFigure } from './figures.js';
import type { RiskLimits } from './limits.js';
import type { LossFacts } from './loss-guard.js';

/** Why quotes must widen, and why only reducing orders are allowed; null where neither applies. */
export interface LossRung {
  readonly widened: string | null;
  readonly reducing: string | null;
}

export const NO_LOSS_RUNG: LossRung = { widened: null, reducing: null };

type LossLimits = Pick<
  RiskLimits,
  'maxLossDayMicros' | 'maxDrawdownMicros' | 'widenAtLossMicros' | 'reduceAtLossMicros'
>;

/** Reversible: a smaller loss moves back up. Only the halt at the whole limit needs an operator. */
export function lossRung(loss: LossFacts, limits: LossLimits): LossRung {
  const widened = describeReached(loss, limits, limits.widenAtLossMicros);
  const reducing = describeReached(loss, limits, limits.reduceAtLossMicros);
  return widened === null && reducing === null ? NO_LOSS_RUNG : { widened, reducing };
}

/** @param part fraction of either limit: 0.5 is 500000 */
function describeReached(
  { dayLossMicros, drawdownMicros }: LossFacts,
  limits: LossLimits,
  part: Micros,
): string | null {
  const reached = (amount: Micros, limit: Micros) => amount > ZERO && amount >= mul(limit, part, 'ceil');
  const describe = (amount: Micros, what: string, limit: Micros) =>
    `${showFigure(amount)} ${what}, that is ${showFigure(part)} of the limit of ${showFigure(limit)} or more`;
  const { maxLossDayMicros, maxDrawdownMicros } = limits;
  if (reached(dayLossMicros, maxLossDayMicros)) return describe(dayLossMicros, 'lost today', maxLossDayMicros);
  if (!reached(drawdownMicros, maxDrawdownMicros)) return null;
  return describe(drawdownMicros, 'below the high-water mark', maxDrawdownMicros);
}
