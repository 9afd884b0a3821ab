/** The page's overview of one trader: result, whether it may trade, age of data, open alerts and markets. */

import { dayOf } from '../../web-kit/page/chart.js';
import { figures, gainBars, link, number, table, text, used } from '../../web-kit/page/table.js';
import { html } from '../../web-kit/page/template.js';
import { ageText, gain, gainKind, moment, money, price, rounded, shares } from './format.js';
import { fillTable, lineTable, orderTable } from './lists.js';
import { explainHref, marketHref, traderHref } from './model.js';
import { Equity } from './money.js';

/** @typedef {import('../../console/page-state.js').PageState} PageState */

/** Maximum number of shown characters of a reason; a link leads to the whole reason. */
const WHY = 60;
const DAY_MS = 86_400_000;

/** @param {{ state: PageState, money: import('../../console/views/views.js').View<'money'> | null }} props */
export function Overview({ state, money: booked }) {
  const results = new Map(booked?.markets.map(({ key, result }) => [key, result]));
  const bars = gainBars([...results.values()].map(Number));
  const some =
    state.orders.length < state.resting_orders ? `: newest ${state.orders.length} of ${state.resting_orders}` : '';
  return html`${figures('figures', figuresOf(state))}
    <${Equity} view=${booked} />
    ${table({ id: 'markets', title: 'Markets', kind: (one) => (one.is_old ? 'old' : '') }, state.markets, [
      link('Market', ({ title, id }) => [title, marketHref(id)]),
      number('Best bid', (one) => price(one.best_bid, one.places)),
      number('Our bid', (one) => price(one.bid, one.places)),
      number('Fair', (one) => rounded(one.fair, one.places + 1)),
      number('Our ask', (one) => price(one.ask, one.places)),
      number('Best ask', (one) => price(one.best_ask, one.places)),
      number('Net shares', 'net', shares),
      used('Result', ({ id }) => bars(gain(results.get(id) ?? ''), Number(results.get(id) ?? 0))),
      number('Book age', (one) => ageText(one.book_seen, state.now)),
      link('State', ({ state: why, id }) => [why.length > WHY ? `${why.slice(0, WHY)}…` : why, explainHref(id)]),
    ])}
    ${orderTable('orders', `Open orders${some}`, state.orders)}
    ${fillTable('fills', 'Newest fills', state.fills)}
    ${lineTable('events', 'Newest events', state.events)}`;
}

/** Figures of the overview, the most important first. @param {PageState} state @returns {import('../../web-kit/page/table.js').FigureList} */
function figuresOf(state) {
  const day = Date.parse(state.result_day_of);
  const ofDay = `Result ${state.now - day >= DAY_MS ? `of ${dayOf(day, true)}` : 'today'} (UTC)`;
  return [
    resultFigure(ofDay, state.result_day, state),
    resultFigure('Result in total', state.result, state),
    ['Cash', money(state.cash)],
    ...state.losses.map(lossFigure),
    ['Open orders', orderText(state), Boolean(state.unknown_orders)],
    ['Open alerts', String(state.alerts), state.alerts > 0],
    ...state.budget.map(
      ({ scope, limit, remaining }) =>
        /** @type {const} */ ([`Requests left, ${scope}`, `${remaining.toFixed(0)} of ${limit}`, remaining < 1]),
    ),
    ['Ledger and exchange', ...agreementFigure(state.agreement)],
    ['Guardian', state.guardian, state.guardian.startsWith('NONE')],
    ['Fills of this run', String(state.fill_count ?? '–')],
  ];
}

/** @param {string} name @param {string} value @param {PageState} state @returns {import('../../web-kit/page/table.js').FigureList[number]} */
const resultFigure = (name, value, { result, heard }) => [
  name,
  result === '' && heard !== null ? 'a holding has no price yet' : gain(value),
  gainKind(value) === 'bad',
  { isMain: true },
];

/** @param {PageState['agreement']} agreement @returns {readonly [any, boolean, { isWarning: boolean }]} */
function agreementFigure(agreement) {
  if (agreement === null) return ['not compared yet', false, { isWarning: false }];
  const { compared, differences, text: sentence, accepted } = agreement;
  const words = html`<span title=${differences.join('; ')}>${sentence}, ${moment(compared)}</span>`;
  return [words, differences.length > 0, { isWarning: accepted > 0 }];
}

/** Returns the figure of a loss limit and the present loss; a negative loss is a gain. @param {PageState['losses'][number]} of @returns {import('../../web-kit/page/table.js').FigureList[number]} */
function lossFigure({ name, loss, limit }) {
  const share = Number(loss) / Number(limit);
  const words = [share > 0 ? money(loss) : 'none', ' of ', money(limit)];
  return [`Loss ${name}`, words, share >= 0.8, { share, isMain: share >= 0.8 }];
}

/** @typedef {import('../../console/page-state.js').ServedTraders} ServedTraders */

export const Traders = (/** @type {{ all: ServedTraders }} */ { all: { traders, now } }) =>
  table(
    {
      id: 'trader-list',
      title: 'Each trader',
      key: ({ name }) => name,
      kind: (one) => (one.answers && one.critical === 0 ? '' : 'loud'),
    },
    traders,
    [
      link('Trader', ({ name }) => [name, traderHref(name)]),
      text('Mode', (one) => (one.answers ? one.mode : one.mode.toUpperCase())),
      number('Last message', (one) => (one.heard === null ? 'never' : `${ageText(one.heard, now)} ago`)),
      number('Result', 'result', gain),
      number('Loss today', 'loss_day', money),
      number('Cash', 'cash', money),
      number('Open orders', orderText),
      number('Markets quoted', (one) => (one.markets === null ? '–' : `${one.quoting} of ${one.markets}`)),
      number('Alerts', ({ alerts, critical }) => (critical === 0 ? String(alerts) : `${alerts}, ${critical} critical`)),
      text('Guardian', 'guardian'),
      text('Reason', ({ reason }) => reason || '–'),
    ],
  );

/** @param {{ readonly open_orders: number | null, readonly unknown_orders: number | null }} counts */
const orderText = ({ open_orders: open, unknown_orders: unknown }) =>
  unknown === null || unknown === 0 ? String(open ?? '–') : `${open}, ${unknown} unknown`;

/** Summarizes all traders for the head of the page. @param {ServedTraders} all */
export function summarizeTraders({ traders }) {
  const silent = traders.filter(({ answers }) => !answers);
  const some = silent.length === 1 ? '1 trader does not answer' : `${silent.length} traders do not answer`;
  return {
    title: `${traders.length} traders, ${silent.length === 0 ? 'all answer' : some}`,
    alerts: traders.reduce((sum, one) => sum + one.alerts, 0),
    isBad: silent.length > 0,
    reason: silent.map(({ name, mode }) => `${name}: ${mode}`).join('; '),
  };
}
