import { utcText } from '../../shared/base/text.js';
import { count, formatQuantity } from '../report/figures.js';
import { pageDocument } from '../report/html/document.js';
import {
  assumptionList,
  assumptionSection,
  columnTable,
  type HtmlColumn,
  html,
  type Markup,
  note,
  pageHeading,
  section,
  shorten,
  tone,
} from '../report/html/parts.js';
import {
  capitalise,
  configurationColumns,
  placeConfigurations,
  REMARK,
  type SharedColumn,
  sharedSections,
  TERMS,
} from './describe.js';
import type { SweepResult } from './result.js';

/** Returns a sweep's page, always below 5 MB: it lists up to 2,000 configurations, and states the number of others. */
export function sweepHtml(result: SweepResult): string {
  const { title, notes } = result;
  const warnings = html`<ul class="warnings" aria-label="Warnings about the figures">${notes.map(({ level, text }) => html`<li class="${level}">${shorten(text, 600)}</li>`)}</ul>`;
  const others = sharedSections(result, sharedTable).map(({ id, title: heading, lead, table, notes: said }) =>
    section(id, heading, lead, html`${table}${said.map(note)}`),
  );
  const content = html`${configurationSection(result)}${others}${assumptionSection(assumptions(result))}`;
  const foot = `Twinbook ${result.assumptions.version}. Times are UTC. A dash means not known or not defined, never zero.`;
  const body = html`<div class="page"><main>${pageHeading(title, describeSweep(result))}${notes.length === 0 ? null : warnings}${content}</main><footer>${foot}</footer></div>`;
  return pageDocument({ title: `${shorten(title, 120)} – Twinbook sweep`, sessions: 0, body, program: 'tables' });
}

function describeSweep({ subject, assumptions, counts, events, search }: SweepResult): string {
  const [first, last] = [events[0], events.at(-1)];
  const isOfTime = subject === 'recordings' && first !== undefined && last !== undefined;
  const when = isOfTime ? `${utcText(first.fromMs)} – ${utcText(last.toMs)} UTC` : assumptions.fillModels.join(', ');
  return `Sweep · ${search.kind} of ${formatQuantity(counts.configurations, 'configuration')} · ${count(counts.events)} ${TERMS[subject].event}s · ${when}`;
}

/** Maximum number of rows in the table of configurations; a row takes about 1,000 bytes. */
const MAX_ROWS = 2_000;

function configurationSection(result: SweepResult): Markup {
  const placed = placeConfigurations(result);
  const left = placed.length - MAX_ROWS;
  const terms = TERMS[result.subject];
  const more =
    left > 0 ? note(`Listed: the best ${count(MAX_ROWS)}; ${count(left)} more are in sweep.sqlite and --json.`) : null;
  const columns = configurationColumns(result);
  // The column of remarks is before the results, because a remark may make a result worthless.
  const remarkFirst = columns.toSpliced(2 + result.search.axes.length, 0, REMARK);
  return section(
    'configurations',
    'Configurations',
    `Each ${terms.result} is a sum over all ${terms.event}s. Each configuration is ranked by its lowest ${terms.result} over all ${terms.models}. Click a heading to sort.`,
    html`${sharedTable(remarkFirst, placed.slice(0, MAX_ROWS), 'Configurations', true)}${more}`,
  );
}

const cellText = (value: string | number | null): string => (typeof value === 'string' ? value : count(value));

const sharedTable = <Row>(
  columns: readonly SharedColumn<Row>[],
  rows: readonly Row[],
  caption: string,
  sorts = false,
): Markup => {
  const onPage = columns.map(
    ({ cell, signed, value, ...head }): HtmlColumn<Row> => ({
      ...head,
      cell: (row) => ({
        text: shorten(cellText(cell(row)), 200),
        class: signed === undefined ? '' : tone(signed(row)),
        ...(sorts ? { value: (value ?? signed ?? cell)(row) } : {}),
      }),
    }),
  );
  return columnTable(onPage, rows, { caption, sorts });
};

function assumptions({ subject, assumptions: given, search }: SweepResult): Markup {
  const ofRecordings: readonly (readonly [string, string])[] = [
    ['Folds', `${count(given.folds)}; each fold has whole events and begins with the whole capital`],
    ['Remarks', 'The recorded market does not react to the trader’s orders: large orders would have moved the market.'],
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
