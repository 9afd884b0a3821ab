/** One backtest under several fill models: whether they agree on the sign of the result. */

import { counted, gain } from '../figures.js';
import type { Analysis, BracketVerdict } from './contract.js';
import { LEAST_EVENTS } from './events.js';
import { type RepeatedModel, repeatVerdict } from './repeats.js';

/** Reads analyses in the bracket's order, most pessimistic first. */
export function bracketVerdict(analyses: readonly Analysis[]): BracketVerdict {
  const results = analyses.map((analysis) => ({ model: modelOf(analysis), micros: analysis.result.resultMicros }));
  const repeated = repeatedModels(analyses);
  if (repeated.length > 0) return repeatVerdict(repeated);
  if (results.length < 2) return { signFlips: false, points: 'unclear', text: '' };
  const signFlips = results.some(({ micros }) => micros > 0) && results.some(({ micros }) => micros < 0);
  const range = results.map(({ model, micros }) => `${gain(micros)} (${model})`).join(', ');
  if (signFlips)
    return {
      signFlips,
      points: 'unclear',
      text: `The sign of the result flips with the fill model: ${range}. Whether this strategy makes money depends on how orders are assumed to fill, so this test does not show that it does.`,
    };
  const text = `${agreement(results.map(({ micros }) => micros))}: ${range}.`;
  const events = Math.max(...analyses.map(({ byEvent }) => byEvent.events));
  if (events < LEAST_EVENTS) return { signFlips, points: 'unclear', text: `${text} ${fewEvents(events)}` };
  return { signFlips, points: directionOf(results.map(({ micros }) => micros)), text };
}

/** Those of a backtest that was run more than once; empty where not all of them are. */
export function repeatedModels(analyses: readonly Analysis[]): readonly RepeatedModel[] {
  const models = analyses.flatMap((analysis) =>
    analysis.repeats === undefined ? [] : [{ model: modelOf(analysis), repeats: analysis.repeats }],
  );
  return models.length === analyses.length ? models : [];
}

const fewEvents = (events: number): string =>
  `It says little: ${counted(events, 'independent event')}, and fewer than ${LEAST_EVENTS} are anecdotes.`;

function directionOf(results: readonly number[]): BracketVerdict['points'] {
  if (results.every((result) => result > 0)) return 'gain';
  return results.every((result) => result < 0) ? 'loss' : 'unclear';
}

export const modelOf = ({ assumptions, kind }: Analysis): string =>
  assumptions.fillModel ?? (kind === 'live' ? 'live' : 'no model');

function agreement(results: readonly number[]): string {
  if (results.every((result) => result > 0)) return 'A gain under every fill model';
  if (results.every((result) => result < 0)) return 'A loss under every fill model';
  if (results.every((result) => result === 0)) return 'Neither gain nor loss under any fill model';
  return 'No fill model contradicts another, but not each of them shows a gain or loss';
}
