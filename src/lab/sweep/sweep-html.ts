/** The page of a sweep: one self-contained HTML file in the report's style, whose figures need no script. */

import { utcText } from '../../shared/base/text.js';
import { count, formatGain, formatPercent, formatQuantity } from '../report/figures.js';
import { pageDocument } from '../report/html/document.js';
import {
  assumptionList,
  assumptionSection,
  type Column,
  columnTable,
  html,
  type Markup,
  pageHeading,
  section,
  shorten,
  tone,
} from '../report/html/parts.js';
import {
  capitalise,
  configurationColumns,
  deflatedText,
  freshColumns,
  freshLead,
  judgementColumns,
  placeConfigurations,
  REMARK,
  type SharedColumn,
  sharpeText,
  stepColumns,
  TERMS,
} from './describe.js';
import type { ModelJudgement, SweepResult } from './result.js';

/** Under 5 MB for any sweep: beyond 2,000 configurations the page reports what it leaves out. */
export function sweepHtml(result: SweepResult): string {
  const { title, notes } = result;
  const warnings = html`<ul class="warnings" aria-label="What to know before believing a figure">${notes.map(({ level, text }) => html`<li class="${level}">${shorten(text, 600)}</li>`)}</ul>`;
  const content = html`${configurationSection(result)}${beliefSection(result)}${walkForwardSection(result)}${freshSection(result)}${assumptionSection(assumptions(result))}`;
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

/** Rows of the table of configurations: about 1,000 bytes each. */
const MAX_ROWS = 2_000;

function configurationSection(result: SweepResult): Markup {
  const placed = placeConfigurations(result);
  const left = placed.length - MAX_ROWS;
  const terms = TERMS[result.subject];
  const note =
    left > 0
      ? html`<p class="note">The best ${count(MAX_ROWS)}; ${count(left)} more are in sweep.sqlite and --json.</p>`
      : null;
  const columns = configurationColumns(result);
  // Before the results, because it qualifies them.
  const remarkFirst = columns.toSpliced(2 + result.search.axes.length, 0, REMARK);
  return section(
    'configurations',
    'Configurations',
    `Best first: by the lowest of the ${terms.result}s under the ${terms.models}, summed over all ${terms.event}s. A heading sorts.`,
    html`${sharedTable(remarkFirst, placed.slice(0, MAX_ROWS), ({ configuration }) => String(configuration.number), 'Configurations', true)}${note}`,
  );
}

const cellText = (value: string | number | null): string => (typeof value === 'string' ? value : count(value));

const sharedTable = <Row>(
  columns: readonly SharedColumn<Row>[],
  rows: readonly Row[],
  name: (row: Row) => string,
  caption: string,
  sorts = false,
): Markup => {
  const onPage = columns.map(
    ({ cell, signed, value, ...head }): Column<Row> => ({
      ...head,
      cell: (row) => ({
        text: shorten(cellText(cell(row)), 200),
        class: signed === undefined ? '' : tone(signed(row)),
        ...(sorts ? { value: (value ?? signed ?? cell)(row) } : {}),
      }),
    }),
  );
  return columnTable(onPage, rows, { caption, sorts }, name);
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
