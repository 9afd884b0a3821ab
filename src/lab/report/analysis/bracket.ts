/** One backtest under several fill models: whether they agree on the sign of the result. */

import { formatGain, formatInterval, formatQuantity } from '../figures.js';
import type { Analysis } from './analyse.js';
import { computeEventFigures, type Interval, LEAST_EVENTS, playedByAll, shownInterval } from './markets.js';
import type { RepeatFigures } from './session-figures.js';
import { nameModel } from './session-figures.js';
import { sum } from './split.js';

/** Comparison of several fill models. */
export interface BracketVerdict {
  /** True when models disagree over the markets that all of them played. */
  readonly signFlips: boolean;
  /** Sign of all intervals; `unclear` when one contains 0, or with too few events. */
  readonly points: Direction;
  /** In words; empty for a single session. */
  readonly text: string;
}

type Direction = 'gain' | 'loss' | 'unclear';

/** One model's result over the markets that all models played. */
interface Compared {
  readonly model: string;
  readonly micros: number;
  /** Basis of a contradiction: sign of one result, or interval of repeats. */
  readonly sign: Direction;
  readonly events: number;
  /** Null with too few events. */
  readonly interval: Interval | null;
  /** In words; empty for a single run. */
  readonly spread: string;
}

export interface RepeatedModel {
  readonly model: string;
  readonly repeats: RepeatFigures;
}

/** Backtests with several runs; empty unless all are. */
export function repeatedModels(analyses: readonly Analysis[]): readonly RepeatedModel[] {
  const models = analyses.flatMap((analysis) =>
    analysis.repeats === undefined ? [] : [{ model: nameModel(analysis), repeats: analysis.repeats }],
  );
  return models.length === analyses.length ? models : [];
}

/** Reads analyses in the bracket's order, most pessimistic first. */
export function bracketVerdict(analyses: readonly Analysis[]): BracketVerdict {
  const repeated = repeatedModels(analyses);
  if (repeated.length > 0) return repeatVerdict(repeated);
  if (analyses.length < 2) return { signFlips: false, points: 'unclear', text: '' };
  const played = playedByAll(analyses);
  const markets = Math.max(...analyses.map((analysis) => analysis.markets.length));
  return judgeModels(
    analyses.map((analysis) => comparedOver(analysis, played)),
    played.size,
    markets,
  );
}

export function repeatVerdict(models: readonly RepeatedModel[]): BracketVerdict {
  const [over] = models.flatMap(({ repeats }) => repeats.compared ?? []);
  return judgeModels(models.map(comparedRepeats), over?.markets ?? 0, over?.ofMarkets ?? 0);
}

function judgeModels(models: readonly Compared[], played: number, markets: number): BracketVerdict {
  const over =
    played === markets
      ? ''
      : ` Compared over the ${formatQuantity(played, 'market')} of ${markets} that every model played.`;
  const signs = new Set(models.map(({ sign }) => sign));
  const figures = models.map(figureText).join('; ');
  if (signs.has('gain') && signs.has('loss')) {
    const text = `The sign of the result flips with the fill model: ${figures}. Whether this strategy makes money depends on how orders are assumed to fill, so this test does not show that it does.${over}`;
    return { signFlips: true, points: 'unclear', text };
  }
  const events = Math.max(...models.map((model) => model.events));
  if (models.every(({ micros }) => micros === 0) || events < LEAST_EVENTS) {
    const few =
      events < LEAST_EVENTS
        ? ` It says little: ${formatQuantity(events, 'independent event')}, and fewer than ${LEAST_EVENTS} are anecdotes.`
        : '';
    return { signFlips: false, points: 'unclear', text: `${describeSigns(models)}: ${figures}.${few}${over}` };
  }
  const directions = new Set(models.map(({ interval }) => judgeInterval(interval)));
  const [points = 'unclear'] = directions.size === 1 ? directions : [];
  return { signFlips: false, points, text: `${WORDS[points]}: ${figures}.${over}` };
}

function comparedOver(analysis: Analysis, played: ReadonlySet<string>): Compared {
  const markets = analysis.markets.filter(({ conditionId }) => played.has(conditionId));
  // The same figures where every market was played, which is the rule.
  const isWhole = markets.length === analysis.markets.length;
  const byEvent = isWhole ? analysis.byEvent : computeEventFigures(markets, analysis.assumptions.seed ?? 0);
  const micros = isWhole ? analysis.result.resultMicros : sum(markets.map(({ result }) => result.resultMicros));
  const { events } = byEvent;
  const sign = judgeInterval([micros, micros]);
  return { model: nameModel(analysis), micros, sign, events, interval: shownInterval(byEvent), spread: '' };
}

function comparedRepeats({ model, repeats }: RepeatedModel): Compared {
  const { resultMicros, intervalMicros: interval, events } = repeats.compared ?? repeats;
  const { mean, deviation, lowest, highest } = resultMicros;
  const apart = deviation === null ? '' : `, deviation ${formatGain(deviation).replace('+', '')}`;
  const spread = `, mean of ${formatQuantity(repeats.count, 'repeat')} from ${formatGain(lowest)} to ${formatGain(highest)}${apart}`;
  return { model, micros: mean ?? 0, sign: judgeInterval(interval), events, interval, spread };
}

/** `gain` or `loss` only where the whole interval lies on that side of 0. */
function judgeInterval(interval: Interval | null): Direction {
  if (interval === null) return 'unclear';
  if (interval[0] > 0) return 'gain';
  return interval[1] < 0 ? 'loss' : 'unclear';
}

function figureText({ model, micros, interval, spread }: Compared): string {
  const shown = interval === null ? '' : `, 95 % ${formatInterval(interval)}`;
  return `${formatGain(micros)} (${model}${spread}${shown})`;
}

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
