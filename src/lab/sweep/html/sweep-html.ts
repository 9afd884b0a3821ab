/** The page of a sweep: one self-contained HTML file in the report's style, whose figures need no script. */

import { utcText } from '../../../shared/base/utc-text.js';
import { count, formatGain, formatQuantity } from '../../report/figures.js';
import { pageScript } from '../../report/html/assets.js';
import { html, Markup, shorten } from '../../report/html/markup.js';
import { dataTable, type Figure, section, tiles, tone } from '../../report/html/parts.js';
import { policy } from '../../report/html/report-html.js';
import { styleFor } from '../../report/html/style.js';
import type { SweepNote, SweepResult } from '../contract.js';
import { axisName, capitalise, deflatedText, overfittingText, TERMS } from '../describe.js';
import { beliefSection, freshSection, walkForwardSection } from './belief-section.js';
import { configurationSection } from './configuration-section.js';
import { crossingSection } from './crossing-section.js';
import { parameterSection } from './parameter-section.js';

/** Under 5 MB whatever the sweep's size: beyond 2,000 configurations the page says what it leaves out. */
export function sweepHtml(result: SweepResult): string {
  return tablesPage({
    kind: 'sweep',
    title: result.title,
    what: describeSweep(result),
    notes: result.notes,
    content: html`${summary(result)}${configurationSection(result)}${parameterSection(result)}${result.subject === 'recordings' ? crossingSection(result) : null}${beliefSection(result)}${walkForwardSection(result)}${freshSection(result)}${result.subject === 'recordings' ? eventSection(result) : null}${assumptionSection(result)}`,
    foot: `Twinbook ${result.assumptions.version}. Times are UTC. A dash means not known or not defined, never zero.`,
  });
}

interface TablesPage {
  readonly kind: 'arena' | 'sweep';
  readonly title: string;
  /** Below the title. */
  readonly what: string;
  readonly notes: readonly SweepNote[];
  readonly content: Markup;
  readonly foot: string;
}

/** A page of tables in the report's style. */
export function tablesPage({ kind, title, what, notes, content, foot }: TablesPage): string {
  const script = pageScript(['theme', 'tables']);
  const heading = html`<header><div><h1>${shorten(title, 200)}</h1><p class="sub">${what}</p></div><button class="button" id="theme" data-needs-script type="button">Light / dark</button></header>`;
  const warnings = html`<ul class="warnings" aria-label="What to know before believing a figure">${notes.map(({ level, text }) => html`<li class="${level}">${shorten(text, 600)}</li>`)}</ul>`;
  const body = html`<div class="page"><main>${heading}${notes.length === 0 ? null : warnings}${content}</main><footer>${foot}</footer></div>`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy([script])}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><title>${shorten(title, 120)} – Twinbook ${kind}</title><style>${new Markup(styleFor(0))}</style></head><body>${body}
<script type="module">${new Markup(script)}</script>
</body></html>
`.text;
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

function eventSection({ events }: SweepResult): Markup {
  const heads = [
    { title: 'Event', isText: true },
    { title: 'Fold' },
    { title: 'Markets' },
    { title: 'From', isText: true },
    { title: 'To', isText: true },
    { title: 'Recorded events' },
  ];
  const rows = events.slice(0, MAX_EVENTS).map(({ title, fold, conditionIds, fromMs, toMs, played }, index) => ({
    id: String(index + 1),
    cells: [
      { text: shorten(title), value: title },
      { text: count(fold + 1), value: fold },
      { text: count(conditionIds.length), value: conditionIds.length },
      { text: utcText(fromMs), value: fromMs },
      { text: utcText(toMs), value: toMs },
      { text: count(played), value: played },
    ],
  }));
  const table = dataTable(heads, rows, { caption: 'Events', sorts: true });
  const left = events.length - rows.length;
  const note = left > 0 ? html`<p class="note">${count(left)} more are in sweep.sqlite.</p>` : null;
  return section(
    'events',
    'Events and folds',
    '',
    html`<details><summary>${count(events.length)} events</summary>${table}${note}</details>`,
  );
}

/** About 400 bytes each. */
const MAX_EVENTS = 1_000;

function assumptionSection({ subject, assumptions: given, search }: SweepResult): Markup {
  const ofRecordings: readonly (readonly [string, string])[] = [
    ['Folds', `${count(given.folds)}, whole events; each begins with the whole capital`],
    ['Remarks', 'The recorded market does not react to our orders: large ones would have moved it.'],
  ];
  const rows: readonly (readonly [string, string | Markup])[] = [
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
  ];
  return section('assumptions', 'Assumptions', 'What these figures hold for.', assumptionList(rows));
}

export const assumptionList = (rows: readonly (readonly [string, string | Markup])[]): Markup =>
  html`<dl class="assume">${rows.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>`;
