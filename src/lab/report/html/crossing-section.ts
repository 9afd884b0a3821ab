/** Crossings: what the recording's other side filled of our orders when it came to their price, and what it left standing. */

import type { Analysis, CrossedShares, CrossingFigures } from '../analysis/contract.js';
import { cents, count, formatDuration, formatQuantity, formatShares, signedCents } from '../figures.js';
import { html, type Markup } from './markup.js';
import { dataTable, facts, perSession, type Shown, section } from './parts.js';

export function crossingSection(sessions: readonly Shown[]): Markup | null {
  if (sessions.every(({ analysis }) => analysis.crossing === null)) return null;
  return section(
    'crossings',
    'Crossings',
    'The recorded other side came to the price of a resting order of ours. Whether such an amount would have traded with us or, posting only, have been refused, no recording can say: it is an assumption.',
    perSession(sessions, ({ analysis }) => crossings(analysis)),
  );
}

function crossings({ crossing, assumptions }: Analysis): Markup {
  if (crossing === null) return html`<p class="note">What really happened needs no such assumption.</p>`;
  return html`<p class="lead">${ruleText(assumptions.postsOnly)}</p>${facts(makeFacts(crossing))}<div style="height:14px"></div>${table(crossing)}`;
}

const ruleText = (postsOnly: boolean | null): string =>
  postsOnly === true
    ? 'Here recorded makers post only: such an amount fills nothing, and stands crossed beside our order.'
    : 'Here such an amount trades with our order, up to its own size, before it rests.';

function makeFacts({ filled, unfilled }: CrossingFigures) {
  return [
    {
      name: 'Filled at a crossing, shares',
      text: formatShares(filled.sharesMicros),
      note: `(${formatQuantity(filled.fills, 'fill')})`,
    },
    {
      name: 'Stood crossed and was not filled, shares',
      text: formatShares(unfilled.sharesMicros),
      note: `(${formatQuantity(unfilled.orders, 'order')})`,
    },
    {
      name: 'Stood crossed for',
      text: `${formatDuration(unfilled.crossed.median)}, ${formatDuration(unfilled.crossed.p90)}`,
      note: '(median, 90 %)',
    },
  ];
}

/** Cents a share. */
function table({ filled, unfilled }: CrossingFigures): Markup {
  const heads = [{ title: 'Markout', isText: true }, ...AFTER.map((title) => ({ title })), { title: 'Shares' }];
  const row = (name: string, { markouts, sharesMicros }: CrossedShares) => ({
    cells: [
      { text: name },
      ...markouts.map(({ markoutMicros, standardErrorMicros }) => ({
        text: `${signedCents(markoutMicros)} ± ${cents(standardErrorMicros)}`,
      })),
      { text: count(Math.round(sharesMicros / 1_000_000)) },
    ],
  });
  const rows = [row('Filled at a crossing', filled), row('Crossed, not filled', unfilled)];
  return dataTable(heads, rows, { caption: 'What crossed shares were worth later, cents a share ± standard error' });
}

const AFTER = ['1 s', '5 s', '60 s', 'settlement'];
