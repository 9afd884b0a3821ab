/** What the result depends on and what of it was thinned out to be drawn. */

import type { Analysis } from '../analysis/contract.js';
import { count, formatDuration, formatPercent } from '../figures.js';
import { describeUnlisted, takeListed } from './activity-section.js';
import { html, type Markup, shorten } from './markup.js';
import { perSession, type Shown, section } from './parts.js';

export const assumptionSection = (sessions: readonly Shown[]): Markup =>
  section(
    'assumptions',
    'Assumptions',
    'What these figures hold for.',
    perSession(sessions, ({ analysis }) => assumptions(analysis)),
  );

const MAKERS: Readonly<Record<string, string>> = {
  true: 'post only: an amount that comes to our price fills nothing',
  false: 'trade: an amount that comes to our price fills us, up to its size',
};

function assumptions({ assumptions: given, coverage, kind, equity }: Analysis): Markup {
  const covered =
    coverage.coveredShare === null
      ? 'not known'
      : `${formatPercent(coverage.coveredShare, 3)} of ${formatDuration(coverage.spanMs)} of market time, ${count(coverage.gaps)} gaps`;
  const rows: readonly (readonly [string, string | Markup])[] = [
    ['Fill model', given.fillModel ?? (kind === 'live' ? 'none: the exchange filled the orders' : 'none')],
    ['Recorded makers', MAKERS[String(given.postsOnly)] ?? 'really traded'],
    ['Latency', given.latency ?? (kind === 'live' ? 'none: what the network really took' : 'none')],
    ['Fees', given.fees ?? (kind === 'live' ? 'as they were charged' : 'not known')],
    ['Capital', `${count(equity.capitalMicros / 1_000_000)} of currency, one budget for all markets`],
    ['Recorded', covered],
    [
      'Recorded events',
      `${count(coverage.events)}, of them ${count(coverage.trades)} trades; ${count(coverage.skipped)} left out`,
    ],
    [
      'Markets',
      `${count(coverage.markets)}; quoted ${count(coverage.marketsQuoted)}, traded ${count(coverage.marketsTraded)}, without outcome ${count(coverage.marketsWithoutOutcome)}`,
    ],
    ['Version', given.version],
    ['Configuration', html`<code>${given.configHash}</code>`],
    ['Seed', given.seed === null ? 'none' : String(given.seed)],
    [
      'Data',
      html`${takeListed(given.data).map((line) => html`${shorten(line, 300)}<br>`)}${describeUnlisted(given.data)}`,
    ],
    [
      'Remarks',
      html`${takeListed(given.remarks).map((line) => html`${shorten(line, 600)}<br>`)}${describeUnlisted(given.remarks)}`,
    ],
  ];
  return html`<dl class="assume">${rows.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>`;
}
