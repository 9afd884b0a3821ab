/** One backtest under several fill models: whether they agree on the sign of the result. */

import { count, formatGain, formatInterval, formatQuantity } from '../figures.js';
import type { Analysis } from './analyse.js';
import { computeEventFigures, type Interval, LEAST_EVENTS, shownInterval } from './events.js';
import { playedByAll } from './markets.js';
import { type BracketVerdict, judgeInterval, type RepeatedModel, repeatVerdict } from './repeats.js';
import { nameModel } from './session-figures.js';
import { sum } from './total.js';

/** One model's result over the markets that all models played. */
interface Compared {
  readonly model: string;
  readonly micros: number;
  readonly events: number;
  /** Null with too few events to have one. */
  readonly interval: Interval | null;
}

/** Reads analyses in the bracket's order, most pessimistic first. */
export function bracketVerdict(analyses: readonly Analysis[]): BracketVerdict {
  const repeated = repeatedModels(analyses);
  if (repeated.length > 0) return repeatVerdict(repeated);
  if (analyses.length < 2) return { signFlips: false, points: 'unclear', text: '' };
  const played = playedByAll(analyses);
  const models = analyses.map((analysis) => comparedOver(analysis, played));
  const over = overText(analyses, played);
  const range = models.map(({ model, micros }) => `${formatGain(micros)} (${model})`).join(', ');
  const signFlips = models.some(({ micros }) => micros > 0) && models.some(({ micros }) => micros < 0);
  if (signFlips)
    return {
      signFlips,
      points: 'unclear',
      text: `The sign of the result flips with the fill model: ${range}. Whether this strategy makes money depends on how orders are assumed to fill, so this test does not show that it does.${over}`,
    };
  const events = Math.max(...models.map((model) => model.events));
  if (models.every(({ micros }) => micros === 0) || events < LEAST_EVENTS) {
    const few = events < LEAST_EVENTS ? ` ${fewEvents(events)}` : '';
    return { signFlips, points: 'unclear', text: `${describeSigns(models)}: ${range}.${few}${over}` };
  }
  const directions = new Set(models.map(({ interval }) => judgeInterval(interval)));
  const [points = 'unclear'] = directions.size === 1 ? directions : [];
  return { signFlips, points, text: `${WORDS[points]}: ${models.map(intervalText).join('; ')}.${over}` };
}

function comparedOver(analysis: Analysis, played: ReadonlySet<string>): Compared {
  const markets = analysis.markets.filter(({ conditionId }) => played.has(conditionId));
  // The same figures where every market was played, which is the rule.
  const isWhole = markets.length === analysis.markets.length;
  const byEvent = isWhole ? analysis.byEvent : computeEventFigures(markets, analysis.assumptions.seed ?? 0);
  return {
    model: nameModel(analysis),
    micros: isWhole ? analysis.result.resultMicros : sum(markets.map(({ result }) => result.resultMicros)),
    events: byEvent.events,
    interval: shownInterval(byEvent),
  };
}

function overText(analyses: readonly Analysis[], played: ReadonlySet<string>): string {
  const all = Math.max(...analyses.map(({ markets }) => markets.length));
  if (played.size === all) return '';
  return ` Compared over the ${formatQuantity(played.size, 'market')} of ${count(all)} that every model played.`;
}

const intervalText = ({ model, micros, interval }: Compared): string =>
  interval === null
    ? `${formatGain(micros)} (${model})`
    : `${formatGain(micros)} (${model}, 95 % ${formatInterval(interval)})`;

/** Those of a backtest that was run more than once; empty where not all of them are. */
export function repeatedModels(analyses: readonly Analysis[]): readonly RepeatedModel[] {
  const models = analyses.flatMap((analysis) =>
    analysis.repeats === undefined ? [] : [{ model: nameModel(analysis), repeats: analysis.repeats }],
  );
  return models.length === analyses.length ? models : [];
}

const fewEvents = (events: number): string =>
  `It says little: ${formatQuantity(events, 'independent event')}, and fewer than ${LEAST_EVENTS} are anecdotes.`;

const WORDS = {
  gain: 'A gain under every fill model',
  loss: 'A loss under every fill model',
  unclear: 'Neither a gain nor a loss is shown, for not every interval leaves 0 out',
} as const;

function describeSigns(models: readonly Compared[]): string {
  if (models.every(({ micros }) => micros > 0)) return 'Above 0 under every fill model';
  if (models.every(({ micros }) => micros < 0)) return 'Below 0 under every fill model';
  if (models.every(({ micros }) => micros === 0)) return 'Neither gain nor loss under any fill model';
  return 'No fill model contradicts another, but not each of them is above or below 0';
}
