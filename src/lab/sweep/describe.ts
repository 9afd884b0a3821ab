import { ONE } from '../../shared/base/micros.js';
import { count, formatGain, formatMoney, formatPercent, formatQuantity, ratio, UNKNOWN } from '../report/figures.js';
import { type Axis, LEAST_EVENTS_FOR_SHARPE, type SweepSubject } from './contract.js';
import type { SweepFacts } from './facts.js';
import { type FreshMean, type SweepResult, worstDrawdown } from './result.js';

type ConfigurationResult = SweepResult['configurations'][number];
type FreshResult = NonNullable<SweepResult['fresh']>;
type WalkForwardStep = NonNullable<SweepResult['walkForward']>['steps'][number];

type NotedFacts = Pick<SweepFacts, 'subject' | 'data' | 'search' | 'assumptions'>;

/** Returns warnings about a result, most serious first. `best`: the best configuration; null if none is finished. */
export function listNotes(facts: NotedFacts, counts: SweepResult['counts'], best: ConfigurationResult | null) {
  const at = (level: SweepResult['notes'][number]['level'], texts: Iterable<string>) =>
    Array.from(texts, (text) => ({ level, text }));
  return [...at('caution', listCautions(facts, counts, best)), ...at('note', listRemarks(facts))];
}

function* listCautions(
  { subject }: NotedFacts,
  { failed, unfinished, configurations, flipping, done, events }: SweepResult['counts'],
  best: ConfigurationResult | null,
): Generator<string> {
  const { model, event } = TERMS[subject];
  if (unfinished > 0)
    yield `Not finished: ${unfinished} of ${formatQuantity(configurations, 'configuration')} have not run completely, so figures over all configurations are not final.`;
  if (failed > 0)
    yield `${formatQuantity(failed, 'configuration')} failed and ${failed === 1 ? 'is' : 'are'} not ranked.`;
  if (flipping > 0)
    yield `${formatQuantity(flipping, 'configuration')} of ${done} ${flipping === 1 ? 'has' : 'have'} a result above 0 under one ${model} and below 0 under another: reject such configurations.`;
  if (best !== null && (best.worstMicros ?? 0) <= 0) yield `No result is above 0 under every ${model}.`;
  if (events < LEAST_EVENTS_FOR_SHARPE)
    yield `${formatQuantity(events, event)}: too few for a Sharpe ratio (${LEAST_EVENTS_FOR_SHARPE} at least); the results prove nothing.`;
}

function* listRemarks({ subject, data, search, assumptions }: NotedFacts): Generator<string> {
  const open = data.markets.filter(({ market }) => market.outcome === null).length;
  if (open > 0)
    yield `${formatQuantity(open, 'market')} of ${data.markets.length} without a known outcome: shares held at the end are valued at the last mid price.`;
  if (data.empty.length > 0) yield `Left out: ${formatQuantity(data.empty.length, 'recording')} without any event.`;
  for (const { why, count } of search.leftOut.slice(0, 3))
    yield `Left out as impossible: ${formatQuantity(count, 'combination')}: ${why}.`;
  const found = search.candidates.length;
  if (search.kind === 'random' && found < search.wanted)
    yield `${search.wanted} configurations were asked for, but only ${found} different ones were drawn.`;
  if (assumptions.folds > 1 && subject === 'recordings')
    yield 'Each fold begins with the whole capital; a drawdown is the largest of all folds.';
}

export const TERMS: Readonly<Record<SweepSubject, Readonly<Record<'model' | 'models' | 'event' | 'result', string>>>> =
  {
    recordings: { model: 'fill model', models: 'fill models', event: 'event', result: 'result' },
    worlds: { model: 'world', models: 'worlds', event: 'seed', result: 'edge' },
  };

export const capitalise = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function freshLead({ firstSeed, seeds, number, usedBefore }: FreshResult): string {
  const what = `Seeds ${firstSeed} to ${firstSeed + seeds - 1}: comparison of the mean edge per seed of configuration ${number} (the best) with that of the unchanged file.`;
  return usedBefore === 0
    ? `${what} No sweep in this folder has used these seeds to choose a configuration, so this result may be reported.`
    : `${what} ${usedBefore} of these seeds were already used to choose a configuration, so this result must not be reported.`;
}

/** Returns the text of a Sharpe ratio (mean / deviation of the results per event; an event without a fill counts 0). */
const sharpeText = (sharpe: ConfigurationResult['models'][number]['sharpe'], events: number): string => {
  if (sharpe !== null) return ratio(sharpe.sharpe);
  return events < LEAST_EVENTS_FOR_SHARPE ? `too few events (${events})` : UNKNOWN;
};

function axisName(axes: readonly Axis[], index: number): string {
  const { name = '', strategy = '' } = axes[index] ?? {};
  return axes.every((axis) => axis.strategy === strategy) ? name.slice(strategy.length + 1) : name;
}

function remark({ status, error, signFlips, models }: ConfigurationResult): string {
  if (status !== 'done') return error === '' ? status : `${status}: ${error}`;
  const alarms = models.reduce((sum, model) => sum + model.alarms, 0);
  return [...(signFlips ? ['sign flips'] : []), ...(alarms > 0 ? [formatQuantity(alarms, 'alarm')] : [])].join(', ');
}

export interface SharedColumn<Row> {
  readonly title: string;
  readonly explains?: string;
  readonly isText?: boolean;
  readonly short?: string;
  readonly cell: (row: Row) => string | number | null;
  /** Sort key of a row. Without `value`, rows are sorted by `signed`; without both, by the cell. */
  readonly value?: (row: Row) => number | null;
  /** Figure whose sign determines the cell's colour. */
  readonly signed?: (row: Row) => number | null;
  /** Rank of the column; a narrow terminal omits the columns with the lowest ranks. */
  readonly keep?: number;
  readonly gives?: 'cut';
}

type Placed = ReturnType<typeof placeConfigurations>[number];

export const placeConfigurations = ({ configurations }: SweepResult) =>
  configurations.map((configuration, index) => ({ configuration, place: index + 1 }));

export const REMARK: SharedColumn<Placed> = {
  title: 'Remark',
  short: '',
  isText: true,
  gives: 'cut',
  cell: ({ configuration }) => remark(configuration),
};

/** Even a narrow terminal shows the varied values and the result under the first fill model. */
export function configurationColumns({ subject, search, assumptions, counts }: SweepResult): SharedColumn<Placed>[] {
  const { event, model, models, result } = TERMS[subject];
  const of =
    <T>(index: number, figure: (result: ConfigurationResult['models'][number]) => T) =>
    ({ configuration }: Placed): T | null => {
      const found = configuration.models[index];
      return found === undefined ? null : figure(found);
    };
  return [
    {
      title: '#',
      explains: `rank by the lowest ${result} over all ${models}`,
      cell: ({ place, configuration }) => (configuration.status === 'done' ? place : null),
    },
    {
      title: 'Config',
      explains: 'number of the configuration, in search order',
      cell: ({ configuration }) => configuration.number,
    },
    ...search.axes.map((axis, index) => ({
      title: axisName(search.axes, index),
      explains: axis.name,
      cell: ({ configuration }: Placed) => String(configuration.values[index]),
    })),
    ...assumptions.fillModels.flatMap((name, index): SharedColumn<Placed>[] => [
      {
        title: name,
        explains: `${result} under this ${model}`,
        cell: of(index, ({ resultMicros }) => formatGain(resultMicros)),
        signed: of(index, ({ resultMicros }) => resultMicros),
        keep: index === 0 ? 95 : 80 - index,
      },
      {
        title: 'Sharpe',
        explains: `Sharpe ratio per ${event}, not per year`,
        cell: of(index, ({ sharpe }) => sharpeText(sharpe, counts.events)),
        value: of(index, ({ sharpe }) => sharpe?.sharpe ?? null),
        keep: 60 - index,
      },
      {
        title: 'Deflated',
        explains: 'probability that the true Sharpe ratio exceeds the best ratio that luck alone would give',
        cell: of(index, ({ sharpe }) => formatPercent(sharpe?.deflated ?? null)),
        value: of(index, ({ sharpe }) => sharpe?.deflated ?? null),
        keep: 40 - index,
      },
    ]),
    {
      title: 'Drawdown',
      explains: `largest drawdown under any ${model}`,
      cell: ({ configuration }) => formatMoney(worstDrawdown(configuration.models)),
      value: ({ configuration }) => worstDrawdown(configuration.models),
      keep: 70,
    },
    { title: 'Fills', explains: `under the first ${model}`, cell: of(0, ({ fills }) => fills), keep: 65 },
  ];
}

function judgementColumns({ subject, counts }: SweepResult): readonly SharedColumn<SweepResult['models'][number]>[] {
  const { model } = TERMS[subject];
  return [
    { title: capitalise(model), isText: true, cell: ({ fillModel }) => fillModel },
    {
      title: 'Tried (N)',
      explains: 'number of different configurations tried in this folder so far',
      cell: () => count(counts.tried),
    },
    {
      title: 'V[Sharpe]',
      explains: 'variance of the Sharpe ratio over the configurations',
      cell: ({ sharpeVariance }) => sharpeVariance?.toFixed(4) ?? UNKNOWN,
    },
    {
      title: 'Best by luck',
      explains: 'expected highest Sharpe ratio of N configurations if none of them has skill',
      cell: ({ luckySharpe }) => ratio(luckySharpe),
    },
  ];
}

const stepColumns = (fillModels: readonly string[]): readonly SharedColumn<WalkForwardStep>[] => [
  { title: 'Fold', cell: ({ fold }) => fold + 1 },
  { title: 'Learned from', explains: 'events', cell: ({ trainEvents }) => trainEvents },
  { title: 'Purged', explains: 'events', cell: ({ purgedEvents }) => purgedEvents },
  { title: 'Tested on', explains: 'events', cell: ({ testEvents }) => testEvents },
  { title: 'Config', explains: 'number of the config that was best on earlier events', cell: ({ chosen }) => chosen },
  ...fillModels.flatMap((model, index): SharedColumn<WalkForwardStep>[] => [
    {
      title: `${model}, in sample`,
      short: `${model} in`,
      cell: ({ inSampleMicros }) => formatGain(inSampleMicros[index] ?? null),
      keep: 60 - index,
    },
    {
      title: 'Out of sample',
      explains: `under ${model}`,
      cell: ({ outOfSampleMicros }) => formatGain(outOfSampleMicros[index] ?? null),
      signed: ({ outOfSampleMicros }) => outOfSampleMicros[index] ?? null,
      keep: 90 - index,
    },
  ]),
];

const withError = ({ mean, standardError }: FreshMean): string =>
  `${formatGain(Math.round(mean * ONE))}${standardError === null ? '' : ` ± ${formatMoney(Math.round(standardError * ONE))}`}`;

const freshColumns = ({ seeds }: FreshResult): readonly SharedColumn<FreshResult['worlds'][number]>[] => [
  { title: 'World', isText: true, cell: ({ world }) => world },
  { title: 'Chosen', cell: ({ chosen }) => withError(chosen) },
  { title: 'Unchanged', cell: ({ unchanged }) => withError(unchanged) },
  { title: 'Chosen more', cell: ({ difference }) => withError(difference) },
  { title: 'Below 0', cell: ({ belowZero }) => `${count(belowZero)} of ${count(seeds)}` },
];

/** Returns all sections below the table of configurations. `draw` makes a table for the terminal or the page. */
export function sharedSections<Table>(
  result: SweepResult,
  draw: <Row>(columns: readonly SharedColumn<Row>[], rows: readonly Row[], caption: string) => Table,
) {
  const { subject, models, walkForward, fresh, assumptions } = result;
  const { model, event } = TERMS[subject];
  const notes: readonly string[] = [];
  const sections = [
    {
      id: 'belief',
      title: 'Results expected from luck alone',
      lead: `The best of many configurations looks good by luck alone. Ratios are per ${event}; a deflated ratio is the probability that the true ratio exceeds the best ratio by luck.`,
      table: draw(judgementColumns(result), models, `Search results by ${model}`),
      notes,
    },
  ];
  if (walkForward !== null) {
    const { steps, outOfSample, testedEvents } = walkForward;
    const minutes = assumptions.embargoMs / 60_000;
    const ended = minutes > 0 ? `at least ${count(minutes)} minutes before` : 'before';
    sections.push({
      id: 'forward',
      title: 'Walking forward',
      lead: `Each fold tests the configuration that was best on all earlier events. Training events ended ${ended} the fold began; other earlier events are not used (purged).`,
      table: draw(stepColumns(assumptions.fillModels), steps, 'Walk-forward test, fold by fold'),
      notes: outOfSample.map(
        ({ fillModel, resultMicros, sharpe }) =>
          `Out of sample in all tested folds, ${fillModel}: ${formatGain(resultMicros)} over ${count(testedEvents)} events; Sharpe per event ${sharpeText(sharpe, testedEvents)}, deflated ${formatPercent(sharpe?.deflated ?? null)}.`,
      ),
    });
  }
  if (fresh !== null) {
    const table = draw(freshColumns(fresh), fresh.worlds, 'On fresh seeds');
    sections.push({ id: 'fresh', title: 'On fresh seeds', lead: freshLead(fresh), table, notes });
  }
  return sections;
}
