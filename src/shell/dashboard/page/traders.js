/** All traders of this console, with sums. */

import { traderHref } from './address.js';
import { link, number, part, rows, setText, text } from './dom.js';
import { ageText, known } from './format.js';

/** @typedef {import('../../console/trader-row.js').ServedTraders} ServedTraders */

/** @param {ServedTraders} all */
export function showTraders({ traders, sums, now }) {
  rows(
    'trader-list',
    traders.map((one) => [
      one.name,
      [
        link(one.name, traderHref(one.name)),
        text(one.answers ? one.mode : one.mode.toUpperCase()),
        number(one.heard === null ? 'never' : `${ageText(one.heard, now)} ago`),
        ...[one.result, one.loss_day, one.cash].map((value) => number(known(value))),
        number(orderText(one)),
        number(one.markets === null ? '–' : `${one.quoting} of ${one.markets}`),
        number(alertText(one)),
        text(one.guardian),
        text(one.reason || '–'),
      ],
      one.answers && one.critical === 0 ? '' : 'loud',
    ]),
  );
  rows(
    'trader-sums',
    sums.map((one) => [
      one.group,
      [
        text(one.group),
        number(`${one.answering} of ${one.traders}`),
        ...[one.result, one.loss_day, one.cash].map(({ sum, known: of }) =>
          number(sum === '' ? '–' : of === one.traders ? sum : `${sum} (${of} of ${one.traders})`),
        ),
        number(orderText(one)),
        number(alertText(one)),
      ],
    ]),
  );
}

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

/**
 * Links from one trader to another, with several. @param {readonly string[]} names @param {string | null} shown null
 * for all
 */
export function showSwitch(names, shown) {
  const isAlone = names.length < 2;
  part('switch').hidden = isAlone;
  part('nav-traders').hidden = isAlone;
  if (isAlone) return;
  const select = /** @type {HTMLSelectElement} */ (part('trader-name'));
  if (select.options.length !== names.length + 1) {
    const all = [['', 'all traders'], ...names.map((name) => [name, name])];
    select.replaceChildren(
      ...all.map(([value = '', label = '']) => {
        const option = document.createElement('option');
        option.value = value;
        setText(option, label);
        return option;
      }),
    );
  }
  if (document.activeElement !== select) select.value = shown ?? '';
}
