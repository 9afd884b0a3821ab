/** The page of a sweep: one self-contained HTML file in the report's style, whose figures need no script. */

import { utcText } from '../../shared/base/text.js';
import { count, formatGain, formatMoney, formatPercent, formatQuantity, UNKNOWN } from '../report/figures.js';
import { pageDocument } from '../report/html/document.js';
import {
  assumptionList,
  assumptionSection,
  bar,
  type Cell,
  type Column,
  columnTable,
  dataTable,
  type Figure,
  type Head,
  html,
  type Markup,
  pageHeading,
  section,
  shorten,
  tiles,
  tone,
} from '../report/html/parts.js';
import type { Axis, RawValue, SweptEvent } from './contract.js';
import {
  axisName,
  capitalise,
  deflatedText,
  freshColumns,
  freshLead,
  judgementColumns,
  overfittingText,
  remark,
  type SharedColumn,
  sharpeText,
  stepColumns,
  TERMS,
} from './describe.js';
import type { ConfigurationResult, ModelJudgement, ModelResult, SweepResult } from './result.js';

/** Under 5 MB for any sweep: beyond 2,000 configurations the page reports what it leaves out. */
export function sweepHtml(result: SweepResult): string {
  const { title, notes } = result;
  const warnings = html`<ul class="warnings" aria-label="What to know before believing a figure">${notes.map(({ level, text }) => html`<li class="${level}">${shorten(text, 600)}</li>`)}</ul>`;
  const content = html`${summary(result)}${configurationSection(result)}${parameterSection(result)}${beliefSection(result)}${walkForwardSection(result)}${freshSection(result)}${result.subject === 'recordings' ? eventSection(result) : null}${assumptionSection(assumptions(result))}`;
  const foot = `Twinbook ${result.assumptions.version}. Times are UTC. A dash means not known or not defined, never zero.`;
  const body = html`<div class="page"><main>${pageHeading(title, describeSweep(result))}${notes.length === 0 ? null : warnings}${content}</main><footer>${foot}</footer></div>`;
  return pageDocument({
    title: `${shorten(title, 120)} – Twinbook sweep`,
    sessions: 0,
    body,
    program: 'tables',
  });
}

function describeSweep({ subject, assumptions, counts, events, search }: SweepResult): string {
  const [first, last] = [events[0], events.at(-1)];
  const isOfTime = subject === 'recordings' && first !== undefined && last !== undefined;
  const when = isOfTime ? `${utcText(first.fromMs)} – ${utcText(last.toMs)} UTC` : assumptions.fillModels.join(', ');
  return `Sweep · ${search.kind} of ${formatQuantity(counts.configurations, 'configuration')} · ${count(counts.events)} ${TERMS[subject].event}s · ${when}`;
}

function summary(result: SweepResult): Markup {
  const { configurations, counts, models, walkForward, search } = result;
  const best = configurations[0]?.status === 'done' ? configurations[0] : null;
  const lead = best?.models[0] ?? null;
  const values = best?.values.map((value, index) => `${axisName(search.axes, index)} ${value}`).join(', ');
  const figures: readonly Figure[] = [
    {
      name: 'Best, at its worst',
      text: formatGain(best?.worstMicros ?? null),
      tone: tone(best?.worstMicros ?? null),
      note: values ?? 'none is done',
    },
    {
      name: 'of it, deflated Sharpe',
      text: deflatedText(lead?.sharpe ?? null),
      note: `among ${count(counts.tried)} ever tried here, ${lead?.fillModel ?? ''}`,
    },
    ...(walkForward?.outOfSample.slice(0, 1) ?? []).map(({ resultMicros, fillModel }) => ({
      name: 'Walking forward, unseen',
      text: formatGain(resultMicros),
      tone: tone(resultMicros),
      note: fillModel,
    })),
    {
      name: 'Probably overfitted',
      text: overfittingText(models[0]?.overfitting ?? null),
      note: models[0]?.fillModel ?? '',
    },
    { name: 'Signs that flip', text: count(counts.flipping), note: `of ${count(counts.done)} configurations` },
  ];
  return html`<section id="summary">${tiles(figures)}</section>`;
}

/** Rows of the table of configurations: about 1,000 bytes each. */
const MAX_ROWS = 2_000;

function configurationSection(result: SweepResult): Markup {
  const { configurations, assumptions, search, counts } = result;
  const terms = TERMS[result.subject];
  const shown = configurations.slice(0, MAX_ROWS);
  const heads: readonly Head[] = [
    { title: '#', explains: `place, by the lowest ${terms.result} of the ${terms.models}` },
    { title: 'Config', explains: 'number in the order of the search' },
    ...search.axes.map((axis, index) => ({ title: axisName(search.axes, index), explains: axis.name })),
    // Before the results, because it qualifies them.
    { title: 'Remark', isText: true },
    ...assumptions.fillModels.flatMap((model) => [
      { title: model, explains: `${terms.result} under ${model}` },
      { title: 'Sharpe', explains: `per ${terms.event}, not per year` },
      { title: 'Deflated', explains: 'probability that the true ratio beats what luck gives the best of all tried' },
      { title: 'Drawdown', explains: 'the largest within a fold' },
      { title: 'Fills' },
    ]),
  ];
  const rows = shown.map((configuration, place) => ({
    id: String(configuration.number),
    cells: makeCells(configuration, place + 1, assumptions.fillModels.length, counts.events),
  }));
  const left = configurations.length - shown.length;
  const note =
    left > 0
      ? html`<p class="note">The best ${count(shown.length)}; ${count(left)} more are in sweep.sqlite and --json.</p>`
      : null;
  return section(
    'configurations',
    'Configurations',
    `Best first: by the lowest of the ${terms.result}s under the ${terms.models}, summed over all ${terms.event}s. A heading sorts.`,
    html`${dataTable(heads, rows, { caption: 'Configurations', sorts: true })}${note}`,
  );
}

function makeCells(configuration: ConfigurationResult, place: number, models: number, events: number): readonly Cell[] {
  const { number, values, status } = configuration;
  const isDone = status === 'done';
  return [
    { text: isDone ? count(place) : UNKNOWN, value: isDone ? place : null },
    { text: count(number), value: number },
    ...values.map((value) => ({ text: String(value), value: typeof value === 'boolean' ? Number(value) : value })),
    { text: shorten(remark(configuration), 200), value: remark(configuration), class: 'bad' },
    ...Array.from({ length: models }, (_, model) => modelCells(configuration.models[model], events)).flat(),
  ];
}

function modelCells(model: ModelResult | undefined, events: number): readonly Cell[] {
  if (model === undefined) return Array.from({ length: 5 }, () => ({ text: UNKNOWN, value: null }));
  const { resultMicros, sharpe, maxDrawdownMicros, fills } = model;
  return [
    { text: formatGain(resultMicros), value: resultMicros, class: tone(resultMicros) },
    { text: sharpeText(sharpe, events), value: sharpe?.sharpe ?? null },
    { text: deflatedText(sharpe), value: sharpe?.deflated ?? null },
    { text: formatMoney(maxDrawdownMicros), value: maxDrawdownMicros },
    { text: count(fills), value: fills },
  ];
}

const cellText = (value: string | number | null): string => (typeof value === 'string' ? value : count(value));

const sharedTable = <Row>(
  columns: readonly SharedColumn<Row>[],
  rows: readonly Row[],
  name: (row: Row) => string,
  caption: string,
): Markup => {
  const onPage = columns.map(({ cell, signed, ...head }) => ({
    ...head,
    cell: (row: Row) => ({ text: cellText(cell(row)), class: signed === undefined ? '' : tone(signed(row)) }),
  }));
  return columnTable(onPage, rows, { caption }, name);
};

function beliefSection(result: SweepResult): Markup {
  const { model, event } = TERMS[result.subject];
  const loss: SharedColumn<ModelJudgement> = {
    title: 'Loss unseen',
    explains: 'how often it loses money there',
    cell: ({ overfitting }) => formatPercent(overfitting?.lossProbability ?? null),
  };
  const columns = [...judgementColumns(result), loss];
  return section(
    'belief',
    'What luck would have given',
    `The best of many is good by luck alone. Ratios are per ${event}, the only independent samples that there are; a deflated one is the probability that there is more than luck.`,
    sharedTable(columns, result.models, ({ fillModel }) => fillModel, `The search, by ${model}`),
  );
}

function walkForwardSection({ walkForward, assumptions }: SweepResult): Markup | null {
  if (walkForward === null) return null;
  const { steps, outOfSample, testedEvents } = walkForward;
  const minutes = assumptions.embargoMs / 60_000;
  const rule = `Whole events, in order of time. The training events ended ${minutes > 0 ? `${count(minutes)} minutes before` : 'when'} the fold began; other earlier events are purged.`;
  const columns = stepColumns(assumptions.fillModels);
  const totals = outOfSample.map(
    ({ fillModel, resultMicros, sharpe }) =>
      html`<p class="note">Out of sample in all, ${fillModel}: <b class="${tone(resultMicros)}">${formatGain(resultMicros)}</b> over ${count(testedEvents)} events; Sharpe per event ${sharpeText(sharpe, testedEvents)}, deflated ${deflatedText(sharpe)}.</p>`,
  );
  return section(
    'forward',
    'Walking forward',
    `The configuration that was best on all earlier events, on those that follow. ${rule}`,
    html`${sharedTable(columns, steps, ({ fold }) => String(fold), 'Walking forward, fold by fold')}${totals}`,
  );
}

function freshSection({ fresh }: SweepResult): Markup | null {
  if (fresh === null) return null;
  const table = sharedTable(freshColumns(fresh), fresh.worlds, ({ world }) => world, 'On fresh seeds');
  return section('fresh', 'On fresh seeds', freshLead(fresh), table);
}

const EVENT_COLUMNS: readonly Column<SweptEvent>[] = [
  { title: 'Event', isText: true, cell: ({ title }) => ({ text: shorten(title), value: title }) },
  { title: 'Fold', cell: ({ fold }) => ({ text: count(fold + 1), value: fold }) },
  { title: 'Markets', cell: ({ conditionIds: { length } }) => ({ text: count(length), value: length }) },
  { title: 'From', isText: true, cell: ({ fromMs }) => ({ text: utcText(fromMs), value: fromMs }) },
  { title: 'To', isText: true, cell: ({ toMs }) => ({ text: utcText(toMs), value: toMs }) },
  { title: 'Recorded events', cell: ({ played }) => ({ text: count(played), value: played }) },
];

function eventSection({ events }: SweepResult): Markup {
  const shown = events.slice(0, MAX_EVENTS);
  const id = (_event: SweptEvent, index: number): string => String(index + 1);
  const table = columnTable(EVENT_COLUMNS, shown, { caption: 'Events', sorts: true }, id);
  const left = events.length - shown.length;
  const note = left > 0 ? html`<p class="note">${count(left)} more are in sweep.sqlite.</p>` : null;
  const content = html`<details><summary>${count(events.length)} events</summary>${table}${note}</details>`;
  return section('events', 'Events and folds', '', content);
}

/** About 400 bytes each. */
const MAX_EVENTS = 1_000;

function assumptions({ subject, assumptions: given, search }: SweepResult): Markup {
  const ofRecordings: readonly (readonly [string, string])[] = [
    ['Folds', `${count(given.folds)}, whole events; each begins with the whole capital`],
    ['Remarks', 'The recorded market does not react to our orders: large ones would have moved it.'],
  ];
  return assumptionList([
    [
      'Varied',
      html`${search.axes.map(({ name, choice }) => html`${name}: ${choice.kind === 'values' ? shorten(choice.values.join(', '), 300) : `${choice.isLog ? 'log ' : ''}${choice.from} to ${choice.to}`}<br>`)}`,
    ],
    [capitalise(TERMS[subject].models), given.fillModels.join(', ')],
    [subject === 'recordings' ? 'Latency' : 'Conditions', given.latency],
    ['Data', html`${given.data.map((line) => html`${shorten(line, 300)}<br>`)}<code>${given.dataHash}</code>`],
    ['Configuration', html`<code>${given.configHash}</code>`],
    ['Seed', String(given.seed)],
    ['Version', given.version],
    ...(subject === 'recordings' ? ofRecordings : []),
  ]);
}

const MOST_BINS = 12;

interface Bin {
  readonly label: string;
  readonly holds: (value: RawValue | undefined) => boolean;
}

function parameterSection(result: SweepResult): Markup {
  const { axes } = result.search;
  const tables = axes.map(
    (axis, index) => html`<div><h3>${axisName(axes, index)}</h3>${parameterTable(result, axis, index)}</div>`,
  );
  const { result: figure, models } = TERMS[result.subject];
  return section(
    'parameters',
    'One parameter at a time',
    `${capitalise(figure)}, lowest of the ${models}, currency: the mean over all values of the other parameters.`,
    html`<div class="columns">${tables}</div>`,
  );
}

function parameterTable({ configurations }: SweepResult, axis: Axis, index: number): Markup {
  const bins = makeBins(
    axis,
    configurations.flatMap(({ values }) => values[index] ?? []),
  );
  const cells = bins.map(({ label, holds }) => {
    const worst = configurations.flatMap(({ values, worstMicros }) =>
      holds(values[index]) ? (worstMicros ?? []) : [],
    );
    const mean = worst.length === 0 ? null : worst.reduce((sum, value) => sum + value, 0) / worst.length;
    return { label, mean, count: worst.length };
  });
  const means = cells.map(({ mean }) => mean ?? 0);
  const [low, high] = [Math.min(0, ...means), Math.max(0, ...means)];
  const place = (value: number): number => (high === low ? 0 : (value - low) / (high - low));
  const rows = cells.map(({ label, mean, count: number }) => {
    const drawn = mean === null ? null : bar(place(Math.min(0, mean)), place(Math.max(0, mean)), tone(mean));
    return {
      id: label,
      cells: [
        { text: label },
        { text: html`<span class="cell">${drawn}</span>`, class: 'bars' },
        { text: formatGain(mean), class: tone(mean) },
        { text: count(number) },
      ],
    };
  });
  const heads = [{ title: 'Value' }, { title: 'Drawn', isText: true }, { title: 'Mean' }, { title: 'Of' }];
  return dataTable(heads, rows, { caption: `Mean result by ${axis.name}` });
}

/** One bin per value in the axis's order; ranges of about equal width with more than `MOST_BINS`. */
function makeBins(axis: Axis, values: readonly RawValue[]): readonly Bin[] {
  const { choice } = axis;
  const listed = choice.kind === 'values' ? choice.values : [...new Set(values)].sort((a, b) => Number(a) - Number(b));
  const numbers = listed.map(Number);
  if (listed.length <= MOST_BINS || !numbers.every(Number.isFinite))
    return listed.map((value) => ({ label: String(value), holds: (other) => other === value }));
  return ranges(Math.min(...numbers), Math.max(...numbers), choice.kind === 'between' && choice.isLog);
}

function ranges(low: number, high: number, isLog: boolean): readonly Bin[] {
  const at = (share: number): number => (isLog ? low * (high / low) ** share : low + (high - low) * share);
  const short = (value: number): string => String(Number(value.toPrecision(3)));
  return Array.from({ length: MOST_BINS }, (_, index) => {
    const [from, to] = [at(index / MOST_BINS), at((index + 1) / MOST_BINS)];
    const isLast = index === MOST_BINS - 1;
    return {
      label: `${short(from)}–${short(to)}`,
      // Rounding must not exclude the ends from the outermost bins.
      holds: (value) => (index === 0 || Number(value) >= from) && (isLast || Number(value) < to),
    };
  });
}
