/** One backtest under several fill models: whether they agree on the sign of the result. */

import { gain } from '../figures.js';
import type { Analysis, BracketVerdict } from './contract.js';

/** Reads analyses in the bracket's order, most pessimistic first. */
export function bracketVerdict(analyses: readonly Analysis[]): BracketVerdict {
  const results = analyses.map((analysis) => ({ model: modelOf(analysis), micros: analysis.result.resultMicros }));
  if (results.length < 2) return { signFlips: false, text: '' };
  const signFlips = results.some(({ micros }) => micros > 0) && results.some(({ micros }) => micros < 0);
  const range = results.map(({ model, micros }) => `${gain(micros)} (${model})`).join(', ');
  if (signFlips)
    return {
      signFlips,
      text: `The sign of the result flips with the fill model: ${range}. Whether this strategy makes money depends on how orders are assumed to fill, so this test does not show that it does.`,
    };
  return { signFlips, text: `${agreement(results.map(({ micros }) => micros))}: ${range}.` };
}

export const modelOf = ({ assumptions, kind }: Analysis): string =>
  assumptions.fillModel ?? (kind === 'live' ? 'live' : 'no model');

function agreement(results: readonly number[]): string {
  if (results.every((result) => result > 0)) return 'A gain under every fill model';
  if (results.every((result) => result < 0)) return 'A loss under every fill model';
  if (results.every((result) => result === 0)) return 'Neither gain nor loss under any fill model';
  return 'No fill model contradicts another, but not each of them shows a gain or loss';
}
