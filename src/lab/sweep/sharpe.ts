/** The Sharpe ratio per event and what is left of it once it is known how many configurations were tried. */

import { deflatedSharpe, observedSharpe, type Trials } from '../../shared/statistics/deflated-sharpe.js';
import { LEAST_EVENTS_FOR_SHARPE } from './bounds.js';
import type { SharpePerEvent } from './contract.js';

/** `results` by event, 0 where nothing was done. Null for too few events and for results that never differ. */
export function computeSharpe(results: ArrayLike<number>, trials: Trials | null): SharpePerEvent | null {
  if (results.length < LEAST_EVENTS_FOR_SHARPE) return null;
  const observed = observedSharpe(results);
  if (observed === null) return null;
  const { sharpe, samples, skewness, kurtosis } = observed;
  const deflated = trials === null ? null : deflatedSharpe(observed, trials);
  return { sharpe, events: samples, skewness, kurtosis, deflated };
}
