/** The trader at a glance: permission to trade, age of the data, result, open alerts, and its markets. */

import { explainHref, marketHref } from './address.js';
import { link, number, rows, showFigures, text, time } from './dom.js';
import { ageText, clock, gain, moment, money, price } from './format.js';

/** @typedef {import('../../console/page-state.js').PageState} PageState */

/** @param {PageState} state */
export function showOverview(state) {
  showFigures('figures', figuresOf(state));
  const titles = new Map(state.markets.map(({ id, title }) => [id, title]));
  /** @param {string} id */
  const title = (id) => titles.get(id) ?? id.slice(0, 10);
  rows(
    'markets',
    state.markets.map((one) => [
      one.id,
      [
        link(one.title, marketHref(one.id)),
        ...[one.best_bid, one.bid, one.fair, one.ask, one.best_ask].map((value) => number(price(value))),
        ...[one.net, one.yes, one.no].map(number),
        number(ageText(one.book_seen, state.now)),
        text(one.state),
      ],
    ]),
  );
  rows(
    'orders',
    state.orders.map((one) => [
      one.id,
      [
        link(title(one.market), marketHref(one.market)),
        link(`${one.side} ${one.outcome}`, explainHref(one.id)),
        number(price(one.price)),
        ...[one.amount, one.filled].map(number),
        time(moment(one.created)),
      ],
    ]),
  );
  rows(
    'fills',
    state.fills.map((one) => [
      one.id,
      [
        time(moment(one.time)),
        link(title(one.market), marketHref(one.market)),
        link(`${one.side} ${one.outcome}`, explainHref(one.id)),
        number(price(one.price)),
        number(one.amount),
      ],
    ]),
  );
  rows(
    'events',
    state.events.map((one, i) => [
      `${one.time} ${one.kind} ${i}`,
      [time(moment(one.time)), text(one.kind), text(one.text)],
    ]),
  );
}

/** In order of interest. @param {PageState} state @returns {import('./dom.js').Figures} */
function figuresOf(state) {
  const { agreement } = state;
  return [
    ['Heard', state.heard === null ? 'nothing yet' : `${ageText(state.heard, state.now)} ago`, !state.answers],
    ...(state.health !== null && state.health.brake > 0 ? [SLOWED] : []),
    ['Ledger and exchange', ...agreementFigure(agreement)],
    ['Guardian', state.guardian, state.guardian.startsWith('NONE')],
    [
      'Result',
      state.result === '' ? 'a holding has no price yet' : gain(state.result),
      state.result.startsWith('-'),
      { isMain: true },
    ],
    ...state.losses.map(lossFigure),
    ['Cash', money(state.cash)],
    ['Open orders', `${state.open_orders}, ${state.unknown_orders} unknown`, state.unknown_orders > 0],
    ['Fills of this run', String(state.fill_count)],
    ['Open alerts', String(state.alerts), state.alerts > 0],
    ...state.budget.map(
      ({ scope, limit, remaining }) =>
        /** @type {const} */ ([`Requests left, ${scope}`, `${remaining} of ${limit}`, remaining === 0]),
    ),
  ];
}

/** @param {PageState['agreement']} agreement @returns {readonly [string, boolean, { isWarning: boolean }]} */
function agreementFigure(agreement) {
  if (agreement === null) return ['not compared yet', false, { isWarning: false }];
  const { compared, differences, text: sentence, accepted } = agreement;
  if (differences.length > 0) return [differences.join('; '), true, { isWarning: false }];
  return [`${sentence}, ${clock(compared)}`, false, { isWarning: accepted > 0 }];
}

/** Without this a book that only arrives late looks old. @type {import('./dom.js').Figures[number]} */
const SLOWED = ['Markets', 'sent late, because this machine is busy: the data below is older than shown', true];

/** A negative loss is a gain. @param {PageState['losses'][number]} of @returns {import('./dom.js').Figures[number]} */
function lossFigure({ name, loss, limit }) {
  const share = Number(loss) / Number(limit);
  const words = share > 0 ? `${money(loss)} of ${money(limit)}` : `none of ${money(limit)}`;
  return [`Loss ${name}`, words, share >= 0.8, { share, isMain: share >= 0.8 }];
}
