/** Builds the HTML page of a report. Only its charts need a script. */

import { assert } from '../../../shared/base/errors.js';
import { utcText } from '../../../shared/base/text.js';
import { chartLicence } from '../../../shell/web-kit/page-script.js';
import type { Bracket } from '../../session/contract.js';
import {
  type Analysis,
  type BracketVerdict,
  bracketVerdict,
  repeatedModels,
  sharedWarnings,
} from '../analysis/analyse.js';
import { nameModel } from '../analysis/session-figures.js';
import { formatDuration, formatMoney, formatQuantity } from '../figures.js';
import { LINES, type Line, PAGE_LINES, REPEAT_LINES } from '../summary.js';
import { refusalSection, requestSection, sessionAssumptions } from './activity-section.js';
import { drawingData, equitySection, priceSection } from './charts.js';
import { pageDocument } from './document.js';
import {
  assumptionSection,
  dataTable,
  html,
  jsonForScript,
  Markup,
  note,
  pageHeading,
  perSession,
  resultTone,
  type Shown,
  section,
  shorten,
} from './parts.js';
import { marketSection, markoutSection, resultSection } from './result-section.js';

/**
 * Builds the page of at least one session, where `analyses[i]` is `analyse(bracket.sessions[i])`. The page is below 5
 * MB for sessions of any size. Equal sessions give equal pages, to the byte.
 */
export function reportHtml(bracket: Bracket, analyses: readonly Analysis[]): string {
  const sessions = analyses.map(
    (analysis, index): Shown => ({ index, name: shorten(nameModel(analysis), 60), analysis }),
  );
  const first = analyses[0];
  assert(first !== undefined && analyses.length === bracket.sessions.length, 'a report is of one session or more');
  const data = drawingData(bracket.sessions, sessions);
  const middle = Math.floor((sessions.length - 1) / 2);
  const choices = sessions.map(
    ({ index, name }) =>
      html`<input class="choice" type="radio" name="session" id="session-${index}" value="${index}" aria-label="Show ${name}"${index === middle ? new Markup(' checked') : null}>`,
  );
  const sections = [
    heading(first),
    renderVerdict(bracketVerdict(analyses)),
    warningList(sessions),
    repeatSection(sessions),
    figureSection(sessions),
    chooser(sessions),
    resultSection(sessions),
    equitySection(data, sessions),
    priceSection(data),
    marketSection(sessions),
    markoutSection(sessions),
    requestSection(sessions),
    refusalSection(sessions),
    assumptionSection(perSession(sessions, sessionAssumptions)),
  ];
  return pageDocument({
    title: `${shorten(first.title, 120)} – Twinbook report`,
    sessions: sessions.length,
    body: html`<main>${choices}<div class="page">${sections.filter((part) => part !== null)}${footer(first, chartLicence())}</div></main>`,
    program: 'main',
    data: html`<script type="application/json" id="data">${jsonForScript(data)}</script>\n`,
  });
}

const footer = ({ assumptions }: Analysis, licence: string): Markup =>
  html`<footer>Twinbook ${assumptions.version}. Times are UTC. A dash means not known or not defined, never zero. <details><summary>Charts over time are drawn by uPlot, under the MIT licence</summary><pre>${new Markup(licence.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))}</pre></details></footer>`;

function heading({ title, kind, fromMs, toMs, coverage, assumptions, equity }: Analysis): Markup {
  const what = kind === 'live' ? 'Live session' : 'Backtest';
  const when =
    fromMs < toMs ? `${utcText(fromMs)} – ${utcText(toMs)} UTC (${formatDuration(toMs - fromMs)})` : 'no time at all';
  const assumed =
    kind === 'live' ? '' : `latency ${assumptions.latency ?? 'none'} · fees ${assumptions.fees ?? 'not known'} · `;
  const given = `${assumed}capital ${formatMoney(equity.capitalMicros)} · configuration ${assumptions.configHash.slice(0, 12)}`;
  return pageHeading(title, `${what} · ${when} · ${formatQuantity(coverage.markets, 'market')}`, given);
}

export function renderVerdict({ text, signFlips, points }: BracketVerdict): Markup | null {
  if (text === '') return null;
  return html`<div class="verdict ${signFlips ? 'flips' : points}" role="note"><p>${signFlips ? html`<strong>The sign flips.</strong> ` : null}${text}</p></div>`;
}

/** Lists each warning text once. Notes are folded, more serious warnings are visible. */
function warningList(sessions: readonly Shown[]): Markup | null {
  const all = sharedWarnings(sessions.map(({ analysis }) => analysis));
  const item = ({ level, text, models }: (typeof all)[number]): Markup =>
    html`<li class="${level}">${models.length === 0 ? null : html`<b>${models.join(', ')}:</b> `}${shorten(text, 600)}</li>`;
  const [open, notes] = [all.filter(({ level }) => level !== 'note'), all.filter(({ level }) => level === 'note')];
  if (all.length === 0) return null;
  const more =
    notes.length === 0
      ? null
      : html`<details><summary>${formatQuantity(notes.length, 'note')}</summary><ul class="warnings">${notes.map(item)}</ul></details>`;
  return html`<div id="warnings" role="region" aria-label="Warnings about the figures"><ul class="warnings">${open.map(item)}</ul>${more}</div>`;
}

/** Builds the section of means and spreads over repeats; null for single runs. */
function repeatSection(sessions: readonly Shown[]): Markup | null {
  const models = repeatedModels(sessions.map(({ analysis }) => analysis));
  const [first] = models;
  if (first === undefined) return null;
  const names = sessions.map(({ name }) => ({ title: name }));
  const rows = linesOf(
    REPEAT_LINES,
    models.map(({ repeats }) => repeats),
  );
  const lead = `${formatQuantity(first.repeats.count, 'run')} of each model, which differ in when polls fall and how long calls take; ± is the deviation between them. Every figure below this section is of the run with the middle result.`;
  const heads = [{ title: 'Fill model', isText: true }, ...names];
  return section('repeats', 'Repeats', lead, dataTable(heads, rows, { caption: 'Means and spreads over repeats' }));
}

/** Returns table rows of the lines. The names are indented as in the terminal. */
const linesOf = <T>(lines: readonly Line<T>[], columns: readonly T[]) =>
  lines.map(([name, figure]) => ({
    cells: [{ text: name.replace(/^ +/, '\u2003') }, ...columns.map((column) => ({ text: figure(column) }))],
  }));

function figureSection(sessions: readonly Shown[]): Markup {
  const analyses = sessions.map(({ analysis }) => analysis);
  const tones = ['', ...analyses.map(resultTone)];
  const [main, ...others] = linesOf([...LINES, ...PAGE_LINES], analyses);
  const first = main?.cells.map((cell, column) => ({ ...cell, class: tones[column] ?? '' })) ?? [];
  const rows = [{ class: 'main', cells: first }, ...others];
  const heads = [{ title: 'Fill model', isText: true }, ...sessions.map(({ name }) => ({ title: name }))];
  const caveats = [...new Set(analyses.map(({ byEvent }) => byEvent.caveat))];
  const table = dataTable(heads, rows, { caption: 'Figures', class: 'bracket' });
  return section('figures', 'Figures', 'Amounts in currency.', html`${table}${caveats.map(note)}`);
}

const chooser = (sessions: readonly Shown[]): Markup | null =>
  sessions.length < 2
    ? null
    : html`<nav class="chooser" aria-label="Fill model"><span>Shown below:</span>${sessions.map(({ index, name }) => html`<label for="session-${index}">${name}</label>`)}</nav>`;
