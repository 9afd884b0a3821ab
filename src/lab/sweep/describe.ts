/** Figures of a sweep as a person reads them, the same on the terminal and in the page. */

import { ONE } from '../../shared/base/micros.js';
import { count, formatGain, formatMoney, formatPercent, formatQuantity, ratio, UNKNOWN } from '../report/figures.js';
import { LEAST_EVENTS_FOR_SHARPE } from './bounds.js';
import type {
  Axis,
  ConfigurationResult,
  FreshMean,
  FreshResult,
  ModelJudgement,
  ModelResult,
  SharpePerEvent,
  SweepSubject,
} from './contract.js';

/** What a sweep's subject calls its parts. */
interface SweepTerms {
  readonly model: string;
  readonly models: string;
  readonly event: string;
  readonly result: string;
}

export const TERMS: Readonly<Record<SweepSubject, SweepTerms>> = {
  recordings: { model: 'fill model', models: 'fill models', event: 'event', result: 'result' },
  worlds: { model: 'world', models: 'worlds', event: 'seed', result: 'edge' },
};

export const capitalise = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

const withError = ({ mean, standardError }: FreshMean): string =>
  `${formatGain(Math.round(mean * ONE))}${standardError === null ? '' : ` ± ${formatMoney(Math.round(standardError * ONE))}`}`;

/** Rows of the table of fresh seeds: world, chosen, unchanged, difference, seeds below 0. */
export const FRESH_HEADS = ['World', 'Chosen', 'Unchanged', 'Chosen more', 'Below 0'] as const;

export const freshRows = ({ worlds, seeds }: FreshResult): readonly (readonly string[])[] =>
  worlds.map(({ world, chosen, unchanged, difference, belowZero }) => [
    world,
    ...[chosen, unchanged, difference].map(withError),
    `${count(belowZero)} of ${count(seeds)}`,
  ]);

/** What the fresh seeds are and whether they count. */
export function freshLead({ firstSeed, seeds, number, usedBefore }: FreshResult): string {
  const what = `Seeds ${firstSeed} to ${firstSeed + seeds - 1}: mean edge a seed of configuration ${number}, the best, and of the unchanged file.`;
  return usedBefore === 0
    ? `${what} This sweep and those before it in this folder chose nothing on them: this is what may be reported.`
    : `${what} ${usedBefore} of them were chosen on before: this is not to be reported.`;
}

/** Says why there is none: too few events, or results that never differ. */
export const sharpeText = (sharpe: SharpePerEvent | null, events: number): string => {
  if (sharpe !== null) return ratio(sharpe.sharpe);
  return events < LEAST_EVENTS_FOR_SHARPE ? `too few (${events})` : UNKNOWN;
};

export const deflatedText = (sharpe: SharpePerEvent | null): string => formatPercent(sharpe?.deflated ?? null);

export const overfittingText = (overfitting: ModelJudgement['overfitting']): string =>
  overfitting === null ? 'too few' : formatPercent(overfitting.probability);

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
  return [signFlips ? 'sign flips' : '', alarms > 0 ? formatQuantity(alarms, 'alarm') : '']
    .filter((text) => text !== '')
    .join(', ');
}

/** Of repeats the mean, with the deviation between them. */
export const resultText = ({ resultMicros, repeatDeviationMicros }: ModelResult): string =>
  repeatDeviationMicros === null
    ? formatGain(resultMicros)
    : `${formatGain(resultMicros)} ± ${formatMoney(repeatDeviationMicros)}`;
