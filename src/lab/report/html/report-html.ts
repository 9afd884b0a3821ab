/** The page: one self-contained HTML file that needs no network, and no script for its figures. */

import { createHash } from 'node:crypto';
import { assert } from '../../../shared/base/errors.js';
import { type ChartLibrary, chartLibrary } from '../../../shell/document/chart-library.js';
import type { Bracket } from '../../session/contract.js';
import { bracketVerdict, nameModel } from '../analysis/bracket.js';
import type { Analysis } from '../analysis/contract.js';
import { ordersSection, refusalSection, requestSection } from './activity-section.js';
import { pageScript } from './assets.js';
import { assumptionSection } from './assumption-section.js';
import { equitySection, priceSection } from './chart-section.js';
import { crossingSection } from './crossing-section.js';
import { drawingData } from './drawing-data.js';
import { marketSection } from './market-section.js';
import { markoutSection } from './markout-section.js';
import { html, jsonForScript, Markup, shorten } from './markup.js';
import type { Shown } from './parts.js';
import { repeatSection } from './repeat-section.js';
import { resultSection, riskSection } from './result-section.js';
import { styleFor } from './style.js';
import { bracketTable, chooser, heading, renderVerdict, warningList } from './top.js';

/**
 * `analyses[i]` is `analyse(bracket.sessions[i])`; at least one. Under 5 MB whatever the sessions' size. The same
 * sessions give the same page, to the byte.
 */
export function reportHtml(bracket: Bracket, analyses: readonly Analysis[]): string {
  const sessions = analyses.map(
    (analysis, index): Shown => ({ index, name: shorten(nameModel(analysis), 60), analysis }),
  );
  const first = analyses[0];
  assert(first !== undefined && analyses.length === bracket.sessions.length, 'a report is of one session or more');
  const data = drawingData(bracket.sessions, sessions);
  const library = chartLibrary();
  const middle = Math.floor((sessions.length - 1) / 2);
  const choices = sessions.map(
    ({ index }) =>
      html`<input class="choice" type="radio" name="session" id="session-${index}" value="${index}" aria-label="Show ${sessions[index]?.name ?? ''}"${index === middle ? new Markup(' checked') : null}>`,
  );
  const body = html`${choices}<div class="page"><main>${heading(first)}${renderVerdict(bracketVerdict(analyses))}${warningList(sessions)}${repeatSection(sessions)}${bracketTable(sessions)}${chooser(sessions)}${resultSection(sessions)}${equitySection(data, sessions)}${priceSection(data)}${marketSection(sessions)}${markoutSection(sessions)}${crossingSection(sessions)}${ordersSection(sessions)}${requestSection(sessions)}${refusalSection(sessions)}${riskSection(sessions)}${assumptionSection(sessions)}</main>${footer(first, library)}</div>`;
  const scripts = [library.script, pageScript()];
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy(scripts)}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><title>${shorten(first.title, 120)} – Twinbook report</title><style>${new Markup(library.style)}
${new Markup(styleFor(sessions.length))}</style></head><body>${body}
<script type="application/json" id="data">${jsonForScript(data)}</script>
${scripts.map((script, index) => html`<script${index === 0 ? null : new Markup(' type="module"')}>${new Markup(script)}</script>\n`)}</body></html>
`.text;
}

/** Only these very scripts run, and nothing is fetched: a title that smuggles in markup would still do nothing. */
export function policy(scripts: readonly string[]): string {
  const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  return `default-src 'none'; style-src 'unsafe-inline'; script-src ${hashes.join(' ')}; base-uri 'none'; form-action 'none'`;
}

const footer = ({ assumptions }: Analysis, { licence }: ChartLibrary): Markup =>
  html`<footer>Twinbook ${assumptions.version}. Times are UTC. A dash means not known or not defined, never zero. <details><summary>Charts over time are drawn by uPlot, under the MIT licence</summary><pre>${new Markup(licence.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))}</pre></details></footer>`;
