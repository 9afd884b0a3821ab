/** The page's views of money (profit and loss, equity over time, tables with sums), of risk and of health. */

import { colorOf, fallen, stepLine } from '../../web-kit/page/chart.js';
import { figures, gainBars, link, number, table, text, used } from '../../web-kit/page/table.js';
import { drawnByView, html } from '../../web-kit/page/template.js';
import { SpanSelect } from './controls.js';
import { ageText, clock, decimal, gain, gainKind, known, moment, money, percent, rounded, shares } from './format.js';
import { byId, hrefWith, marketHref, ordersHref } from './model.js';
import { Plot, plotRows, pointAt } from './plot.js';

/** @typedef {import('../../console/views/views.js').View<'money'>} MoneyView */

/** @type {MoneyView['curve'] | null} */
let curve = null;

/** @type {import('../../web-kit/page/chart.js').ChartOptions} */
const EQUITY = {
  height: 220,
  least: 0.04,
  places: 2,
  key: 'money',
  isZoomed: true,
  series: [stepLine('--bid')],
  hooks: { setCursor: [sayEquity] },
};
const BELOW = stepLine('--bad', { fill: () => colorOf('--alarm') });
/** @type {import('../../web-kit/page/chart.js').ChartOptions} */
const FALLEN = { ...EQUITY, height: 140, isBelowZero: true, series: [BELOW] };

export const Equity = drawnByView((/** @type {{ view: MoneyView | null }} */ { view }) => {
  curve = view?.curve ?? null;
  const { time = [], equity = [] } = curve ?? {};
  return html`<${Plot} id="plot-equity" title="Equity" unit="currency, shares valued cautiously" label="Equity over time" options=${EQUITY} rows=${plotRows(time, [equity])} />
    <p class="readout" id="equity-said">${view !== null && time.length === 0 ? 'No data: the console did not run in this time.' : ''}</p>`;
});

const MOST_MONTHS = 3;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Calendar of daily results for the newest months: one cell for each UTC day. @param {MoneyView['days']} days */
function calendar(days) {
  const nets = new Map(days.map(({ key, net }) => [key, net]));
  return [...new Set(days.map(({ key }) => key.slice(0, 7)))].slice(0, MOST_MONTHS).map((month) => {
    const [year = 0, number = 0] = month.split('-').map(Number);
    const before = (new Date(Date.UTC(year, number - 1, 1)).getUTCDay() + 6) % 7;
    const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
    const cell = (/** @type {number} */ day) => {
      const key = `${month}-${String(day).padStart(2, '0')}`;
      const net = nets.get(key);
      if (day < 1 || day > count) return html`<td></td>`;
      if (net === undefined) return html`<td><small>${day}</small></td>`;
      return html`<td class=${gainKind(net)}><small>${day}</small> <a href=${hrefWith({ at: key })}>${gain(net)}</a></td>`;
    };
    return html`<table class="month" key=${month}><caption>${new Date(`${month}-01`).toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })}</caption>
      <thead><tr>${WEEKDAYS.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>
      ${Array.from({ length: Math.ceil((before + count) / 7) }, (_, week) => html`<tr>${WEEKDAYS.map((_name, i) => cell(week * 7 + i + 1 - before))}</tr>`)}</tbody></table>`;
  });
}

const MARKOUT_SIDES = { all: 'both', bid: 'bid: bought YES or sold NO', ask: 'ask: sold YES or bought NO' };

export const Money = drawnByView((/** @type {{ view: MoneyView, go: (href: string) => void }} */ { view, go }) => {
  const { time, equity } = view.curve;
  const days = view.days.filter(({ key }) => view.day === '' || key === view.day);
  const marketBars = gainBars(view.markets.map(({ result }) => Number(result)));
  return html`${figures('money-figures', figuresOf(view))}
    <p class="soft" id="money-note">Limits and the equity line value shares cautiously: at most at the slow average of their price. The report of this ledger, under Runs, splits the whole result. ${view.read < 1 ? `${percent(view.read)} of the ledger has been read.` : ''}</p>
    <${SpanSelect} usual="86400000" go=${go} />
    <${Equity} view=${view} />
    <${Plot} id="plot-fallen" title="Drawdown" unit="currency below the highest equity shown" label="Drawdown over time" options=${FALLEN} rows=${plotRows(time, [fallen(equity)])} />
    <div class="beside"><div><h3 id="calendar-title">Calendar of results by UTC day</h3>
    <div class="scroll" id="calendar" tabindex="0" role="region" aria-labelledby="calendar-title">${calendar(view.days)}</div></div><div>${table(
      {
        id: 'money-days',
        title: `Booked results by UTC day; click a day to see ${view.day === '' ? 'its markets' : 'all days'}`,
      },
      days,
      [link('Day', ({ key }) => [key, hrefWith({ at: view.day === '' ? key : '' })]), ...bookedBy(days)],
    )}</div></div>
    ${view.day === '' ? null : table({ id: 'money-day', title: `Markets of ${view.day}, sorted by loss, the largest first` }, view.day_markets, [link('Market', ({ title, key }) => [title, ordersHref(key)]), ...bookedBy(view.day_markets)])}
    ${table({ id: 'money-markets', title: 'By market' }, view.markets, [
      link('Market', ({ title, key }) => [title, marketHref(key)]),
      used('Result', ({ result }) => marketBars(gain(result), Number(result))),
      number('Booked', 'net', gain),
      number('Unrealised', 'unrealised', gain),
      number('Fees', 'fees', money),
      number('Settled', 'settled', gain),
      number('Fills', 'fills'),
      number('Turnover', 'turnover', money),
      number('YES', 'yes', shares),
      number('NO', 'no', shares),
      number('Sets', 'sets', shares),
      number('Cost of holdings', 'cost', money),
    ])}
    ${table({ id: 'money-strategies', title: 'By strategy, as booked' }, view.strategies, [
      text('Strategy', ({ key }) => (key === '' ? 'none: merges and redeems' : key)),
      ...bookedBy(view.strategies),
    ])}
    ${table(
      { id: 'money-markouts', title: 'Markouts of the newest 500 fills: move of the others’ mid price in our favour' },
      view.markouts,
      [
        text('After', (row) => (row.horizon_s === 0 ? 'at the fill' : `${row.horizon_s} s`)),
        text('Side', (row) => MARKOUT_SIDES[row.side]),
        number('Per share', ({ mean }) => rounded(mean, 4)),
        number('± standard error', ({ error }) => rounded(error, 4)),
        number('Total', 'total', gain),
        number('Move since the fill', 'drift', gain),
        number('Shares', 'shares', shares),
        number('Fills', 'fills'),
        number('Fills without a price', 'not_known'),
      ],
    )}`;
});

/** Returns the mean price move after fills (markout) at a horizon, for bids and asks together. @param {MoneyView} view @param {number} seconds */
const markoutOf = ({ markouts }, seconds) =>
  markouts.find(({ side, horizon_s: horizon }) => side === 'all' && horizon === seconds);

/** @param {MoneyView} view @returns {import('../../web-kit/page/table.js').FigureList} */
const figuresOf = (view) => [
  ['Result at marks', gain(view.result), gainKind(view.result) === 'bad'],
  ['Equity, cautious', money(view.equity)],
  ['Realised', gain(view.realised)],
  [`Spread earned by ${markoutOf(view, 0)?.fills ?? 0} of the newest fills`, gain(markoutOf(view, 0)?.total ?? '')],
  [`Drift in 5 min after ${markoutOf(view, 300)?.fills ?? 0} of these fills`, gain(markoutOf(view, 300)?.drift ?? '')],
  ['Fees', money(view.fees)],
  ['Settlement', gain(view.settled)],
  ['Unrealised', gain(view.unrealised)],
  ['Cash', money(view.cash)],
  ['Capital', money(view.capital)],
  ...(view.unmarked > 0 ? [/** @type {const} */ (['Held markets without a price', String(view.unmarked), true])] : []),
];

/** @typedef {MoneyView['strategies'][number]} MoneyRow */

/** @param {readonly MoneyRow[]} rows @returns {import('../../web-kit/page/table.js').Column<MoneyRow>[]} */
function bookedBy(rows) {
  const bars = gainBars(rows.map(({ net }) => Number(net)));
  return [
    used('Booked', ({ net }) => bars(gain(net), Number(net))),
    number('Realised', 'realised', gain),
    number('Fees', 'fees', money),
    number('Settled', 'settled', gain),
    number('Fills', 'fills'),
    number('Turnover', 'turnover', money),
  ];
}

function sayEquity(/** @type {uPlot} */ chart) {
  const [at, i] = pointAt(chart, curve?.time);
  const place = byId('equity-said');
  if (curve === null || i < 0 || place === null) return;
  place.textContent = `${moment(at)} · equity ${decimal(curve.equity[i])} · result ${decimal(curve.result[i])}`;
}

/** Formats a figure by its unit: money with two decimals; shares, sets and ms with at most two. @param {string} value @param {string} unit */
const quantity = (value, unit) =>
  unit === 'currency' ? money(value) : ['shares', 'sets', 'ms'].includes(unit) ? shares(value) : known(value);

/** @param {any} figure @param {number | null} share of its limit @returns {[figure: any, share: number | null]} */
const ofLimit = (figure, share) => [html`<span>${figure} (${percent(share)})</span>`, share];

export const Risk = (/** @type {{ view: import('../../console/views/views.js').View<'risk'> }} */ { view }) =>
  html`${table({ id: 'risk-limits', title: 'Limits and use', key: ({ name }) => name }, view.limits, [
    text('Limit', 'name'),
    used('Used', (row) => (row.used === '' ? ['–', row.share] : ofLimit(quantity(row.used, row.unit), row.share))),
    number('Bound', (row) => html`<span>${quantity(row.limit, row.unit)} ${row.unit}</span>`),
    number('Refusals', 'refusals'),
    text('Meaning', (row) => (row.newest === '' ? row.words : `${row.words}. Newest refusal: ${row.newest}`)),
  ])}
  ${table(
    {
      id: 'risk-scenarios',
      title: 'Result of current holdings by outcome of the event, open orders ignored',
      key: (row) => `${row.event} ${row.scenario}`,
    },
    view.scenarios,
    [
      text('Event', 'event'),
      text('Outcome of the event', 'scenario'),
      number('Result', 'result', gain),
      number('Change from now', 'from_now', gain),
    ],
  )}
  ${table({ id: 'risk-events', title: 'Worst possible result of each event' }, view.events, [
    text('Event', ({ title, id }) => title || id),
    used('Loss', (row) => ofLimit(money(row.loss), row.share)),
    number('Net shares', 'position', shares),
    number('Markets', 'markets'),
  ])}
  ${table({ id: 'risk-markets', title: 'Markets held or quoted' }, view.markets, [
    link('Market', ({ title, id }) => [title, marketHref(id)]),
    used('Net shares', (row) => ofLimit(shares(row.net), row.share)),
    number('Bound', 'limit', shares),
    number('Mark', ({ mark }) => rounded(mark, 3)),
  ])}`;

/** @param {{ view: import('../../console/views/views.js').View<'health'>, now: number }} props */
export const Health = ({ view, now }) =>
  html`${figures(
    'health-figures',
    view.figures.map(({ name, value, is_bad: isBad }) => [name, value, isBad]),
  )}
  ${table({ id: 'health-budgets', title: 'Requests a minute' }, view.budgets, [
    text('Scope', 'scope'),
    used('Left', ({ available, limit }) => [String(available), limit > 0 ? 1 - available / limit : null]),
    number('Own limit', 'perMinute'),
    number('Limit set by the exchange', 'limit'),
    text('Throttled', (row) => (row.blockedUntilMs === null ? 'no' : `until ${clock(row.blockedUntilMs)}`)),
  ])}
  ${table({ id: 'health-requests', title: 'Requests of this run' }, view.requests, [
    text('Endpoint', 'endpoint'),
    number('Answered', 'answered'),
    number('Refused', 'refused'),
    number('No answer', 'unknown'),
    number('p50', 'p50'),
    number('p95', 'p95'),
    number('p99', 'p99'),
  ])}
  ${table({ id: 'health-feeds', title: 'Feeds' }, view.feeds, [
    text('Feed', 'name'),
    number('Markets with a current value', 'current'),
    number('Newest', (row) => (row.ageMs === null ? '–' : `${(row.ageMs / 1000).toFixed(1)} s`)),
    number('Values', 'values'),
    number('Problems', 'problems'),
    text('Problem now', ({ trouble }) => trouble || 'none'),
  ])}
  ${table({ id: 'health-books', title: 'Books, oldest first' }, view.books, [
    link('Market', ({ title, id }) => [title, marketHref(id)]),
    number('Age', ({ seen }) => ageText(seen, now)),
    text('Problem now', ({ trouble }) => trouble || 'none'),
  ])}`;
