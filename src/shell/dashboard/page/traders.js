/** All traders of this console, with sums. */

import { link, number, table, text } from '../../web-kit/page/table.js';
import { html } from '../../web-kit/page/template.js';
import { traderHref } from './address.js';
import { ageText, gain, money } from './format.js';

/** @typedef {import('../../console/trader-row.js').ServedTraders} ServedTraders */

/** @param {{ all: ServedTraders }} props */
export function Traders({ all: { traders, sums, now } }) {
  const orders = number('Open orders', orderText);
  const alerts = number('Alerts', alertText);
  const figures = /** @type {const} */ ([
    ['Result', 'result', gain],
    ['Loss of this day', 'loss_day', money],
    ['Cash', 'cash', money],
  ]);
  return html`<p class="soft">Traders of one venue add up; a figure that is not known of all says of how many. What a trader that does not
answer told last is old, and in the sums all the same.</p>
    ${table({ id: 'trader-sums', title: 'Together', key: ({ group }) => group }, sums, [
      text('Venue', ({ group }) => group),
      number('Answer', (one) => `${one.answering} of ${one.traders}`),
      ...figures.map(([head, name, format]) => number(head, (one) => sumText(one[name], one.traders, format))),
      orders,
      alerts,
    ])}
    ${table(
      {
        id: 'trader-list',
        title: 'Each',
        key: ({ name }) => name,
        kind: (one) => (one.answers && one.critical === 0 ? '' : 'loud'),
      },
      traders,
      [
        link('Trader', ({ name }) => [name, traderHref(name)]),
        text('Mode', (one) => (one.answers ? one.mode : one.mode.toUpperCase())),
        number('Last word', (one) => (one.heard === null ? 'never' : `${ageText(one.heard, now)} ago`)),
        ...figures.map(([head, name, format]) => number(head, (one) => format(one[name]))),
        orders,
        number('Quoted', (one) => (one.markets === null ? '–' : `${one.quoting} of ${one.markets}`)),
        alerts,
        text('Guardian', ({ guardian }) => guardian),
        text('Why', ({ reason }) => reason || '–'),
      ],
    )}`;
}

/** @param {{ readonly sum: string, readonly known: number }} figure @param {number} traders @param {(value: string) => any} format */
const sumText = ({ sum, known }, traders, format) => [
  format(sum),
  sum === '' || known === traders ? '' : ` (${known} of ${traders})`,
];

/** @param {{ readonly alerts: number, readonly critical: number }} counts */
const alertText = ({ alerts, critical }) => (critical === 0 ? String(alerts) : `${alerts}, ${critical} critical`);

/** @param {{ readonly open_orders: number | null, readonly unknown_orders: number | null }} counts */
function orderText({ open_orders: open, unknown_orders: unknown }) {
  if (open === null) return '–';
  return unknown === null || unknown === 0 ? String(open) : `${open}, ${unknown} unknown`;
}

/** @param {number} silent */
const answerText = (silent) =>
  silent === 0 ? 'all answer' : silent === 1 ? '1 does not answer' : `${silent} do not answer`;

/** The head of the page for all traders. @param {ServedTraders} all */
export function summarizeTraders({ traders }) {
  const silent = traders.filter(({ answers }) => !answers);
  const title = `${traders.length} traders, ${answerText(silent.length)}`;
  const alerts = traders.reduce((sum, one) => sum + one.alerts, 0);
  return {
    title,
    alerts,
    isBad: silent.length > 0,
    reason: silent.map(({ name, mode }) => `${name}: ${mode}`).join('; '),
  };
}
