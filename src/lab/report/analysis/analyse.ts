/** Analyses session records: all figures of a report, warnings about them, and the verdict over several fill models. */

import { must } from '../../../shared/base/errors.js';
import { utcText } from '../../../shared/base/text.js';
import type { CountedRefusal, HaltRecord, MarketSession, SessionRecord } from '../../session/contract.js';
import {
  count,
  exactGain,
  formatDuration,
  formatGain,
  formatInterval,
  formatMoney,
  formatPercent,
  formatQuantity,
  formatShares,
} from '../figures.js';
import {
  computeEventFigures,
  FEW_EVENTS,
  LEAST_EVENTS,
  type MarketAnalysis,
  playedByAll,
  shownInterval,
} from './markets.js';
import { computeFigures, nameModel, type RepeatFigures } from './session-figures.js';
import { groupBy, sum } from './split.js';

type Figures = ReturnType<typeof computeFigures>;

/** Comparison of several fill models. */
interface BracketVerdict {
  /** True if some fill models show a gain and others a loss, over the markets that all of them played. */
  readonly signFlips: boolean;
  /** Common sign of all confidence intervals; `unclear` if signs differ, any contains 0, or events are too few. */
  readonly points: Direction;
  /** The comparison of models in words; empty for a single session. */
  readonly text: string;
}

type Direction = 'gain' | 'loss' | 'unclear';

type ComparedModel = ReturnType<typeof comparedOver>;

type RepeatedModel = Readonly<{ model: string; repeats: RepeatFigures }>;

export function repeatedModels(analyses: readonly Analysis[]): readonly RepeatedModel[] {
  const models = analyses.flatMap((analysis) =>
    analysis.repeats === undefined ? [] : [{ model: nameModel(analysis), repeats: analysis.repeats }],
  );
  return models.length === analyses.length ? models : [];
}

/** Compares the results of several fill models. The most pessimistic model must be the first. */
export function bracketVerdict(analyses: readonly Analysis[]): BracketVerdict {
  const repeated = repeatedModels(analyses);
  if (repeated.length > 0) return repeatVerdict(repeated);
  if (analyses.length < 2) return { signFlips: false, points: 'unclear', text: '' };
  const played = playedByAll(analyses);
  const markets = Math.max(...analyses.map((analysis) => analysis.markets.length));
  const models = analyses.map((analysis) => comparedOver(analysis, played));
  return judgeModels(models, played.size, markets);
}

export function repeatVerdict(models: readonly RepeatedModel[]): BracketVerdict {
  const [over] = models.flatMap(({ repeats }) => repeats.compared ?? []);
  return judgeModels(models.map(comparedRepeats), over?.markets ?? 0, over?.ofMarkets ?? 0);
}

function judgeModels(models: readonly ComparedModel[], played: number, markets: number): BracketVerdict {
  const cover = ` The comparison uses the ${formatQuantity(played, 'market')} of ${markets} that every fill model played.`;
  const over = played === markets ? '' : cover;
  const signs = new Set(models.map(({ sign }) => sign));
  const each = models.map(({ micros, model, interval }) => {
    const shown = interval === null ? '' : `, 95 % ${formatInterval(interval)}`;
    return `${formatGain(micros)} (${model}${shown})`;
  });
  const figures = each.join('; ');
  if (signs.has('gain') && signs.has('loss')) {
    const text = `The sign of the result depends on the fill model: ${figures}. Whether this strategy makes money depends on how orders are assumed to fill, so this test does not show that it does.${over}`;
    return { signFlips: true, points: 'unclear', text };
  }
  const events = Math.min(...models.map((model) => model.events));
  if (models.every(({ micros }) => micros === 0) || events < LEAST_EVENTS) {
    const few = ` The result says little: it has ${formatQuantity(events, 'independent event')} under at least one fill model, but a conclusion needs at least ${LEAST_EVENTS}.`;
    const text = `${describeSigns(models)}: ${figures}.${events < LEAST_EVENTS ? few : ''}${over}`;
    return { signFlips: false, points: 'unclear', text };
  }
  const directions = new Set(models.map(({ interval }) => judgeInterval(interval)));
  const [points = 'unclear'] = directions.size === 1 ? directions : [];
  return { signFlips: false, points, text: `${WORDS[points]}: ${figures}.${over}` };
}

/** Returns a model's figures over the markets that all models played; `interval` is null with too few events. */
function comparedOver(analysis: Analysis, played: ReadonlySet<string>) {
  const markets = analysis.markets.filter(({ conditionId }) => played.has(conditionId));
  // If the model played the same markets as all other models, its own figures are used.
  const isWhole = markets.length === analysis.markets.length;
  const byEvent = isWhole ? analysis.byEvent : computeEventFigures(markets, analysis.assumptions.seed ?? 0);
  const micros = isWhole ? analysis.result.resultMicros : sum(markets.map(({ result }) => result.resultMicros));
  const sign = judgeInterval([micros, micros]);
  return { model: nameModel(analysis), micros, sign, events: byEvent.events, interval: shownInterval(byEvent) };
}

/** Returns a model's figures over repeated runs. `model`: name and spread as text. `sign`: sign of the interval. */
function comparedRepeats({ model, repeats }: RepeatedModel): ComparedModel {
  const { resultMicros, intervalMicros: interval, events } = repeats.compared ?? repeats;
  const { mean, deviation, lowest, highest } = resultMicros;
  const apart = deviation === null ? '' : `, deviation ${formatGain(deviation).replace('+', '')}`;
  const spread = `, mean of ${formatQuantity(repeats.count, 'repeat')}, lowest ${formatGain(lowest)}, highest ${formatGain(highest)}${apart}`;
  return { model: model + spread, micros: mean ?? 0, sign: judgeInterval(interval), events, interval };
}

function judgeInterval(interval: ReturnType<typeof shownInterval>): Direction {
  if (interval === null) return 'unclear';
  if (interval[0] > 0) return 'gain';
  return interval[1] < 0 ? 'loss' : 'unclear';
}

const WORDS = {
  gain: 'A gain under every fill model',
  loss: 'A loss under every fill model',
  unclear: 'Neither a gain nor a loss is shown, because at least one interval contains 0',
} as const;

function describeSigns(models: readonly ComparedModel[]): string {
  if (models.every(({ micros }) => micros > 0)) return 'The result is above 0 under every fill model';
  if (models.every(({ micros }) => micros < 0)) return 'The result is below 0 under every fill model';
  if (models.every(({ micros }) => micros === 0)) return 'The result is 0 under every fill model';
  return 'The results are neither all above 0 nor all below 0, but no two fill models contradict each other';
}

/** `wrong`: figures contradict each other. `caution`: a figure may mislead. `note`: information. */
type WarningLevel = 'wrong' | 'caution' | 'note';

/** `name`: name of the warning for programs; it stays the same in all versions. */
type Warning = Readonly<{ level: WarningLevel; name: string; text: string }>;

/** Returns the text of a warning; false or null if it does not apply. */
type ReportCheck = (figures: Figures, record: SessionRecord) => string | false | null;

const CHECKS: Readonly<Record<WarningLevel, Readonly<Record<string, ReportCheck>>>> = {
  wrong: {
    unexplained: ({ equity, result }) =>
      equity.resultMicros !== result.resultMicros &&
      `The parts of the result add up to ${exactGain(result.resultMicros)}, but the equity changed by ${exactGain(equity.resultMicros)}: ${exactGain(equity.resultMicros - result.resultMicros)} is not explained. Do not trust this report.`,
  },
  caution: {
    no_markets: ({ coverage }) =>
      coverage.markets === 0 && 'No market was in this session: there is nothing to report.',
    not_played: warnNotPlayed,
    halted: warnHalted,
    held_back: warnHeldBack,
    free_of_fees: ({ assumptions: { freeMarkets = 0 } }) =>
      freeMarkets > 0 &&
      `The recordings of ${formatQuantity(freeMarkets, 'market')} contain no fee, and --fees is not given: every trade there is free. Give a fee with --fees, or confirm free trades with --fees none.`,
    no_orders: ({ coverage, trading, refusals }) =>
      coverage.markets > 0 &&
      trading.ordersPlaced + trading.fills === 0 &&
      `No order ever rested in a book: a result of 0 here says nothing about the strategy. ${topRefusals(refusals)}`,
    no_fills: ({ trading, refusals }) =>
      trading.ordersPlaced > 0 &&
      trading.fills === 0 &&
      `None of ${formatQuantity(trading.ordersPlaced, 'order')} was filled: the result is 0 because nothing happened, not because gains and losses were equal. ${topRefusals(refusals)}`,
    held_at_cost: ({ equity, markets }) => {
      const held = markets.filter(({ valuedAt }) => valuedAt === 'cost').length;
      return (
        held > 0 &&
        `Shares in ${formatQuantity(held, 'market')} have no price and are valued at their cost, ${formatMoney(equity.atCostMicros)}: their gain or loss is not in the result.`
      );
    },
    held_without_outcome: ({ markets }) => {
      const held = markets.filter(({ valuedAt }) => valuedAt === 'mark');
      const value = held.reduce((total, market) => total + market.endValueMicros, 0);
      return (
        held.length > 0 &&
        `Shares in ${formatQuantity(held.length, 'market')} without an outcome are valued at the last mid price, ${formatMoney(value)}: this value is only an estimate.`
      );
    },
    undivided: ({ result, markets }) => {
      const unknown = markets.filter(
        ({ fills, result: split }) => (fills > 0 && split.spreadMicros === null) || split.undividedMicros !== 0,
      );
      return (
        unknown.length > 0 &&
        `The mid price is not known, or shares were adopted, in ${formatQuantity(unknown.length, 'market')}: ${formatMoney(result.undividedMicros)} of the result cannot be divided into spread, drift and settlement.`
      );
    },
    gaps: ({ coverage: { gaps, gapMs, coveredShare } }) =>
      gaps > 0 &&
      `The recording has ${formatQuantity(gaps, 'gap')}, ${formatDuration(gapMs)} in all${coveredShare === null ? '' : ` (${formatPercent(1 - coveredShare, 2)} of the recorded time)`}: the events in these gaps are unknown.`,
    skipped: ({ coverage: { skipped } }) =>
      skipped > 0 &&
      `${formatQuantity(skipped, 'line')} of the recording could not be used and ${skipped === 1 ? 'was' : 'were'} left out.`,
    requests_unsent: ({ requests }) =>
      requests !== null &&
      requests.unsent > 0 &&
      `The trader never sent ${formatQuantity(requests.unsent, 'request')}, because the rate limit was exhausted: quotes came late or not at all.`,
    throttled: ({ requests }) => {
      const refused = (requests?.public.throttled ?? 0) + (requests?.signed.throttled ?? 0);
      return refused > 0 && `The exchange answered ${formatQuantity(refused, 'request')} with 429 (too many requests).`;
    },
    fills_never_noticed: ({ trading: { neverNoticed } }) =>
      neverNoticed > 0 &&
      `The trader never received ${formatQuantity(neverNoticed, 'fill')}. The result includes every such fill, but the trader could not react to it.`,
    few_events: ({ byEvent: { events } }) =>
      events > 0 &&
      events < FEW_EVENTS &&
      `There ${events === 1 ? 'is 1 independent event' : `are ${count(events)} independent events`}: too few to tell skill from luck.`,
  },
  note: {
    without_outcome: ({ coverage: { marketsWithoutOutcome: unknown, markets } }) =>
      unknown > 0 &&
      `${formatQuantity(unknown, 'market')} of ${count(markets)} ${unknown === 1 ? 'has' : 'have'} no known outcome.`,
    without_recording: ({ coverage: { marketsWithoutRecording: unknown }, kind }) =>
      unknown > 0 &&
      `It is not known how much of the time was observed: ${kind === 'live' ? 'there is no recording of' : 'the recording says nothing about its coverage of'} ${formatQuantity(unknown, 'market')}.`,
  },
};

function listWarnings(figures: Figures, record: SessionRecord): readonly Warning[] {
  const found = LEVELS.flatMap((level) =>
    Object.entries(CHECKS[level]).flatMap(([name, say]): Warning[] => {
      const text = say(figures, record);
      return text === null || text === false ? [] : [{ level, name, text }];
    }),
  );
  const all = [...misplacedShares(record.markets, figures.markets), ...found, ...listNotices(record)];
  return LEVELS.flatMap((level) => all.filter((warning) => warning.level === level));
}

const LEVELS: readonly WarningLevel[] = ['wrong', 'caution', 'note'];

function misplacedShares(markets: readonly MarketSession[], results: readonly MarketAnalysis[]): readonly Warning[] {
  const wrong = markets.flatMap((market, index): Warning[] => {
    const result = must(results[index], 'a result of each market');
    if (result.endYesMicros === market.endYesMicros && result.endNoMicros === market.endNoMicros) return [];
    const left = `${formatShares(result.endYesMicros)} YES and ${formatShares(result.endNoMicros)} NO`;
    const said = `${formatShares(market.endYesMicros)} YES and ${formatShares(market.endNoMicros)} NO`;
    const text = `Fills and conversions of “${market.title}” leave ${left}, but the session ended with ${said}. Do not trust the figures of this market.`;
    return [{ level: 'wrong', name: 'misplaced_shares', text }];
  });
  return atMost(LISTED_MARKETS, wrong, 'such market');
}

/** Maximum number of markets with a separate warning; more warnings of this kind would hide other warnings. */
const LISTED_MARKETS = 5;

function atMost(limit: number, warnings: readonly Warning[], what: string): readonly Warning[] {
  const [first, more] = [warnings[0], warnings.length - limit];
  if (first === undefined || more <= 0) return warnings;
  return [...warnings.slice(0, limit), { ...first, text: `… and ${formatQuantity(more, `more ${what}`)}.` }];
}

function warnNotPlayed({ coverage }: Figures, { halts }: SessionRecord): string | null {
  const missing = coverage.markets - coverage.marketsPlayed;
  if (missing === 0) return null;
  const closed = halts.filter(({ rung }) => rung !== 'widened');
  const first = closed.find(({ rung }) => rung === 'halted') ?? closed[0];
  const reason = first === undefined ? '' : ` (${first.reason})`;
  const what = first?.rung === 'reducing' ? 'restricted the trader to reducing positions' : 'halted the trader';
  return `${count(missing)} of ${formatQuantity(coverage.markets, 'market')} were not played: a limit had ${what}${reason}. The result covers only the other markets.`;
}

function warnHalted(_: Figures, { halts }: SessionRecord): string | null {
  const resumed = halts.filter(({ rung, resumedMs }) => rung === 'halted' && resumedMs !== null);
  const [first] = resumed;
  if (first === undefined) return null;
  return `Limits halted the trader ${formatQuantity(resumed.length, 'time')}, first at ${utcText(first.fromMs)} UTC (${first.reason}). The backtest resumed the trader at the next event or day; a live trader stays halted until an operator resumes it.`;
}

function warnHeldBack(_: Figures, { halts }: SessionRecord): string | null {
  const held = halts.filter(({ rung }) => rung !== 'halted');
  const [first] = held;
  if (first === undefined) return null;
  const reducing = held.filter(({ rung }) => rung === 'reducing').length;
  const isFollowed = (record: HaltRecord) => halts.some((next) => next !== record && next.fromMs === record.resumedMs);
  const lifted = held.some((record) => record.resumedMs !== null && !isFollowed(record))
    ? ' The backtest ended the restriction at the next event or day, or when the loss shrank; a live restriction lasts until the loss shrinks or an operator resumes the trader.'
    : '';
  return `Losses near a limit restricted the trader ${formatQuantity(held.length, 'time')}, ${count(reducing)} of them to reducing orders only, first at ${utcText(first.fromMs)} UTC (${first.reason}).${lifted}`;
}

const TOP_REFUSALS = 5;

function topRefusals(refusals: readonly CountedRefusal[]): string {
  if (refusals.length === 0) return 'Nothing was refused.';
  const named = refusals.slice(0, TOP_REFUSALS).map(({ by, name, count: times }) => REFUSED_BY[by](name, times));
  const left = refusals.length - TOP_REFUSALS;
  return `Most frequent reasons: ${named.join('; ')}${left > 0 ? `; and ${formatQuantity(left, 'more reason')}` : ''}.`;
}

/** Describes the reason and the source of a refusal. A strategy's reasons are sampled once a minute. */
const REFUSED_BY: Readonly<Record<CountedRefusal['by'], (name: string, times: number) => string>> = {
  risk: (name, times) => `risk limit ${name}, ${formatQuantity(times, 'time')}`,
  guard: (name, times) => `the strategy, “${name}”, in ${formatQuantity(times, 'sample')}`,
  exchange: (name, times) => `the exchange, ${name}, ${formatQuantity(times, 'time')}`,
};

const NOTICES = 20;

function listNotices({ notices }: SessionRecord): readonly Warning[] {
  const warnings = notices.map(
    ({ severity, text }): Warning => ({ level: severity === 'loud' ? 'caution' : 'note', name: 'notice', text }),
  );
  const loudFirst = LEVELS.flatMap((level) => warnings.filter((warning) => warning.level === level));
  return atMost(NOTICES, loudFirst, 'notice');
}

/** Returns each warning text once, most serious first. `models`: models with this warning; empty for all. */
export function sharedWarnings(analyses: readonly Analysis[]) {
  const told = groupBy(
    analyses.flatMap((analysis) => analysis.warnings.map((warning) => ({ warning, model: nameModel(analysis) }))),
    ({ warning }) => warning.text,
  );
  const modelCount = new Set(analyses.map(nameModel)).size;
  const all = Array.from(told.values(), (same) => {
    const models = [...new Set(same.map(({ model }) => model))];
    const { warning } = must(same[0], 'a warning of each text');
    return { ...warning, models: models.length === modelCount ? [] : models };
  });
  // Warnings of the same kind are placed together, because their figures differ between models.
  const grouped = [...groupBy(all, ({ name }) => name).values()].flat();
  return LEVELS.flatMap((level) => grouped.filter((warning) => warning.level === level));
}

export interface Analysis extends Figures {
  /** Warnings about the session's figures, most serious first. */
  readonly warnings: readonly Warning[];
  /** Figures over repeated runs; absent for a single run. Other figures are from the run with the middle result. */
  readonly repeats?: RepeatFigures;
}

/** Computes all figures and warnings of a session. Equal records give equal figures, to the last bit. */
export function analyse(record: SessionRecord): Analysis {
  const figures = computeFigures(record);
  const { format, kind, title, fromMs, toMs, ...rest } = figures;
  return { format, kind, title, fromMs, toMs, warnings: listWarnings(figures, record), ...rest };
}
