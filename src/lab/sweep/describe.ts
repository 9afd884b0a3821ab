/** Figures of a sweep as a person reads them, the same on the terminal and in the page. */

import { counted, gain, money, percent, ratio, UNKNOWN } from '../report/figures.js';
import { LEAST_EVENTS_FOR_SHARPE } from './bounds.js';
import type { Axis, ConfigurationResult, ModelJudgement, ModelResult, SharpePerEvent } from './contract.js';

/** Says why there is none: too few events, or results that never differ. */
export const sharpeText = (sharpe: SharpePerEvent | null, events: number): string => {
  if (sharpe !== null) return ratio(sharpe.sharpe);
  return events < LEAST_EVENTS_FOR_SHARPE ? `too few (${events})` : UNKNOWN;
};

export const deflatedText = (sharpe: SharpePerEvent | null): string => percent(sharpe?.deflated ?? null);

export const overfittingText = (overfitting: ModelJudgement['overfitting']): string =>
  overfitting === null ? 'too few' : percent(overfitting.probability);

/** Without the strategy's name where there is only one. */
export function axisName(axes: readonly Axis[], index: number): string {
  const { name = '', strategy = '' } = axes[index] ?? {};
  const isOnly = axes.every((axis) => axis.strategy === strategy);
  return isOnly ? name.slice(strategy.length + 1) : name;
}

/** Why a configuration is not what its figures seem to say; empty when there is nothing to be said. */
export function remark({ status, error, signFlips, models }: ConfigurationResult): string {
  if (status !== 'done') return error === '' ? status : `${status}: ${error}`;
  const alarms = models.reduce((sum, model) => sum + model.alarms, 0);
  return [signFlips ? 'sign flips' : '', alarms > 0 ? counted(alarms, 'alarm') : '']
    .filter((text) => text !== '')
    .join(', ');
}

/** Of repeats the mean, with the deviation between them. */
export const resultText = ({ resultMicros, repeatDeviationMicros }: ModelResult): string =>
  repeatDeviationMicros === null ? gain(resultMicros) : `${gain(resultMicros)} ± ${money(repeatDeviationMicros)}`;
