/** What a reader sees first: what this is, whether it can be believed, and the models side by side. */

import { utcText } from '../../../shared/base/utc-text.js';
import type { Analysis, BracketVerdict } from '../analysis/contract.js';
import { shownInterval, shownSharpe } from '../analysis/events.js';
import { sharedWarnings } from '../analysis/warnings.js';
import {
  count,
  formatDuration,
  formatGain,
  formatMoney,
  formatPercent,
  formatShares,
  ratio,
  signedCents,
} from '../figures.js';
import { html, type Markup, shorten } from './markup.js';
import { resultTone, type Shown } from './parts.js';

export function heading({ title, kind, fromMs, toMs, coverage }: Analysis): Markup {
  const what = kind === 'live' ? 'What really happened' : 'Backtest';
  const when =
    fromMs < toMs ? `${utcText(fromMs)} – ${utcText(toMs)} UTC (${formatDuration(toMs - fromMs)})` : 'no time at all';
  return html`<header><div><h1>${shorten(title, 200)}</h1><p class="sub">${what} · ${when} · ${count(coverage.markets)} ${coverage.markets === 1 ? 'market' : 'markets'}</p></div><button class="button" id="theme" data-needs-script type="button">Light / dark</button></header>`;
}

export function renderVerdict({ text, signFlips, points }: BracketVerdict): Markup | null {
  if (text === '') return null;
  return html`<div class="verdict ${signFlips ? 'flips' : points}" role="note"><p>${signFlips ? html`<strong>The sign flips.</strong> ` : null}${text}</p></div>`;
}

/** Each sentence once. What a figure may not be believed without stands open; mere notes can be folded out. */
export function warningList(sessions: readonly Shown[]): Markup | null {
  const all = sharedWarnings(sessions.map(({ analysis }) => analysis));
  const item = ({ level, text, models }: (typeof all)[number]): Markup =>
    html`<li class="${level}">${models.length === 0 ? null : html`<b>${models.join(', ')}:</b> `}${shorten(text, 600)}</li>`;
  const [open, notes] = [all.filter(({ level }) => level !== 'note'), all.filter(({ level }) => level === 'note')];
  if (all.length === 0) return null;
  const more =
    notes.length === 0
      ? null
      : html`<details><summary>${notes.length === 1 ? '1 note' : `${notes.length} notes`}</summary><ul class="warnings">${notes.map(item)}</ul></details>`;
  return html`<div id="warnings" role="region" aria-label="What to know before believing a figure"><ul class="warnings">${open.map(item)}</ul>${more}</div>`;
}

type Line = readonly [name: string, text: (analysis: Analysis) => string, toned?: (analysis: Analysis) => string];

const BRACKET: readonly Line[] = [
  ['Result', ({ result }) => formatGain(result.resultMicros), resultTone],
  ['95 % interval by event', intervalText],
  ['Spread earned', ({ result }) => formatGain(result.spreadMicros)],
  ['Inventory drift', ({ result }) => formatGain(result.driftMicros)],
  ['Fees', ({ result }) => formatGain(-result.feesMicros)],
  ['Settlement', ({ result }) => formatGain(result.settlementMicros)],
  ['Deepest drawdown', ({ drawdown }) => formatMoney(drawdown.maxMicros)],
  ['Fills', ({ trading }) => count(trading.fills)],
  ['Filled of what was posted', ({ trading }) => formatPercent(trading.fillRatioShare)],
  [
    'Markout after 60 s, cents a share',
    ({ markouts }) =>
      signedCents(markouts.find(({ horizon, side }) => horizon === 60_000 && side === 'all')?.markoutMicros ?? null),
  ],
  ['Filled at crossings, shares', ({ crossing }) => formatShares(crossing?.filled.sharesMicros ?? null)],
  ['Crossed and not filled, shares', ({ crossing }) => formatShares(crossing?.unfilled.sharesMicros ?? null)],
  ['Two-sided quotes, of the time', ({ quoting }) => formatPercent(quoting.twoSidedShare)],
  ['Sharpe per event', ({ byEvent }) => ratio(shownSharpe(byEvent))],
];

function intervalText({ byEvent }: Analysis): string {
  const interval = shownInterval(byEvent);
  return interval === null ? '–' : `${formatGain(interval[0])} … ${formatGain(interval[1])}`;
}

/** Only where there is more than one session. */
export function bracketTable(sessions: readonly Shown[]): Markup | null {
  if (sessions.length < 2) return null;
  const head = sessions.map(({ name }) => html`<th scope="col" class="num">${name}</th>`);
  const rows = BRACKET.map(([name, text, toned], place) => {
    const cells = sessions.map(
      ({ analysis }) => html`<td class="num ${toned === undefined ? '' : toned(analysis)}">${text(analysis)}</td>`,
    );
    return html`<tr class="${place === 0 ? 'main' : ''}"><th scope="row" class="text">${name}</th>${cells}</tr>`;
  });
  return html`<section id="bracket"><h2>The bracket</h2><p class="lead">The same recording, strategy and capital; only the assumption about how our orders fill differs. Amounts in currency.</p><div class="scroll" tabindex="0" role="region" aria-label="Fill models side by side"><table class="bracket"><caption>Fill models side by side</caption><thead><tr><th scope="col" class="text">Fill model</th>${head}</tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

export const chooser = (sessions: readonly Shown[]): Markup | null =>
  sessions.length < 2
    ? null
    : html`<nav class="chooser" aria-label="Fill model"><span>Shown below:</span>${sessions.map(({ index, name }) => html`<label for="session-${index}">${name}</label>`)}</nav>`;
