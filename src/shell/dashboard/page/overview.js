/** The trader at a glance: permission to trade, age of the data, result, open alerts, and its markets. */

import { figures, link, number, table, text, time } from '../../web-kit/page/table.js';
import { html } from '../../web-kit/page/template.js';
import { explainHref, marketHref } from './address.js';
import { ageText, clock, gain, moment, money, price } from './format.js';

/** @typedef {import('../../console/page-state.js').PageState} PageState */

/** @param {{ state: PageState }} props */
export function Overview({ state }) {
  const titles = new Map(state.markets.map(({ id, title }) => [id, title]));
  const market = link('Market', ({ market: id }) => [titles.get(id) ?? id.slice(0, 10), marketHref(id)]);
  const order = link('Side', (one) => [one.side, explainHref(one.id)]);
  return html`${figures('figures', figuresOf(state))}
    ${table('markets', 'Markets', state.markets, {
      key: idOf,
      columns: [
        link('Market', ({ title, id }) => [title, marketHref(id)]),
        number('Best bid', (one) => price(one.best_bid)),
        number('Our bid', (one) => price(one.bid)),
        number('Fair', (one) => price(one.fair)),
        number('Our ask', (one) => price(one.ask)),
        number('Best ask', (one) => price(one.best_ask)),
        number('Net', ({ net }) => net),
        number('YES', ({ yes }) => yes),
        number('NO', ({ no }) => no),
        number('Book', (one) => ageText(one.book_seen, state.now)),
        text('State', (one) => one.state),
      ],
    })}
    ${table('orders', 'Open orders', state.orders, {
      key: idOf,
      columns: [
        market,
        order,
        number('Price', (one) => price(one.price)),
        number('Amount', ({ amount }) => amount),
        number('Filled', ({ filled }) => filled),
        time('Since', ({ created }) => moment(created)),
      ],
    })}
    ${table('fills', 'Newest fills', state.fills, {
      key: idOf,
      columns: [
        time('Time', (one) => moment(one.time)),
        market,
        order,
        number('Price', (one) => price(one.price)),
        number('Amount', ({ amount }) => amount),
      ],
    })}
    ${table('events', 'What happened', state.events, {
      columns: [
        time('Time', ({ timeMs }) => moment(timeMs)),
        text('Kind', ({ kind }) => kind),
        text('What', (one) => one.text),
      ],
    })}`;
}

/** @param {{ readonly id: string }} row */
const idOf = ({ id }) => id;

/** In order of interest. @param {PageState} state @returns {import('../../web-kit/page/table.js').FigureList} */
function figuresOf(state) {
  const { agreement } = state;
  return [
    ['Heard', state.heard === null ? 'nothing yet' : `${ageText(state.heard, state.now)} ago`, !state.answers],
    ...(state.brake > 0 ? [SLOWED] : []),
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

/** Without this a book that only arrives late looks old. @type {import('../../web-kit/page/table.js').FigureList[number]} */
const SLOWED = ['Markets', 'sent late, because this machine is busy: the data below is older than shown', true];

/** A negative loss is a gain. @param {PageState['losses'][number]} of @returns {import('../../web-kit/page/table.js').FigureList[number]} */
function lossFigure({ name, loss, limit }) {
  const share = Number(loss) / Number(limit);
  const words = share > 0 ? `${money(loss)} of ${money(limit)}` : `none of ${money(limit)}`;
  return [`Loss ${name}`, words, share >= 0.8, { share, isMain: share >= 0.8 }];
}
