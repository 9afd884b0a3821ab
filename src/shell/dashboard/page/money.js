/** Results: figures, equity over time, and rows that add up. */

import { marketHref } from './address.js';
import { chartRows, showChart, stepLine } from './chart.js';
import { link, number, part, rows, setText, showFigures, text, used } from './dom.js';
import { ageText, clock, decimal, known, moment, percent } from './format.js';

/** @type {import('../../console/views/money-view.js').MoneyView['curve'] | null} */
let curve = null;

/** @param {import('../../console/views/money-view.js').MoneyView} view */
export function showMoney(view) {
  showFigures('money-figures', [
    ['Equity', known(view.equity)],
    ['Result', known(view.result), view.result.startsWith('-')],
    ['Realised', view.realised],
    ['Fees', view.fees],
    ['Unrealised', known(view.unrealised)],
    ['Cash', view.cash],
    ['Capital', view.capital],
    ...(view.unmarked > 0
      ? [/** @type {const} */ (['Markets held without a price', String(view.unmarked), true])]
      : []),
  ]);
  setText(part('money-note'), view.read < 1 ? `${percent(view.read)} of the ledger is read so far.` : '');
  curve = view.curve;
  showChart(
    {
      id: 'plot-equity',
      height: 220,
      places: 2,
      series: [stepLine('equity', '--mark')],
      hover: sayEquity,
    },
    chartRows(curve.time, [curve.equity]),
  );
  setText(part('equity-empty'), curve.time.length === 0 ? 'No data for this time: the console was not running.' : '');
  showMarkouts(view.markouts);
  rows('money-days', view.days.map(moneyLine));
  rows('money-strategies', view.strategies.map(moneyLine));
  rows(
    'money-markets',
    view.markets.map((row) => [
      row.key,
      [
        link(row.title, marketHref(row.key)),
        ...[row.result, row.net, row.unrealised, row.fees].map((value) => number(known(value))),
        number(String(row.fills)),
        ...[row.turnover, row.yes, row.no, row.sets, row.cost].map(number),
      ],
    ]),
  );
}

/** @param {readonly import('../../console/views/markout-book.js').MarkoutRow[]} markouts */
function showMarkouts(markouts) {
  const names = { all: 'both', bid: 'bid: bought YES or sold NO', ask: 'ask: sold YES or bought NO' };
  rows(
    'money-markouts',
    markouts.map((row) => [
      `${row.horizon_s} ${row.side}`,
      [
        text(`${row.horizon_s} s`),
        text(names[row.side]),
        ...[row.mean, row.error, row.total].map((value) => number(known(value))),
        ...[row.shares, String(row.fills), String(row.not_known)].map(number),
      ],
    ]),
  );
}

/** @param {import('../../console/views/money-view.js').MoneyRow} row @returns {import('./dom.js').Line} */
const moneyLine = (row) => [
  row.key,
  [
    text(row.key === '' ? 'not told' : row.key),
    ...[row.net, row.realised, row.fees].map(number),
    number(String(row.fills)),
    number(row.turnover),
  ],
];

/** @param {uPlot} chart */
function sayEquity(chart) {
  const place = chart.cursor.idx;
  const at = place === null || place === undefined ? undefined : chart.data[0][place];
  if (curve === null || at === undefined) return;
  const i = curve.time.findLastIndex((ms) => ms <= at);
  if (i < 0) return;
  setText(
    part('equity-said'),
    `${moment(at)} · equity ${decimal(curve.equity[i])} · result ${decimal(curve.result[i])}`,
  );
}

/** @param {import('../../console/views/risk-view.js').RiskView} view */
export function showRisk(view) {
  rows(
    'risk-limits',
    view.limits.map((row) => [
      row.name,
      [
        text(row.name),
        used(row.used === '' ? '–' : `${row.used} (${percent(row.share)})`, row.share),
        number(`${known(row.limit)} ${row.unit}`),
        number(String(row.refusals)),
        text(row.newest === '' ? row.words : `${row.words}. Newest refusal: ${row.newest}`),
        text(row.tighter),
      ],
    ]),
  );
  rows(
    'risk-scenarios',
    view.scenarios.map((row) => [
      `${row.event} ${row.scenario}`,
      [text(row.event), text(row.scenario), number(row.result), number(known(row.from_now))],
    ]),
  );
  rows(
    'risk-events',
    view.events.map((row) => [
      row.id,
      [
        text(row.title || row.id),
        used(`${row.loss} (${percent(row.share)})`, row.share),
        number(row.position),
        number(String(row.markets)),
      ],
    ]),
  );
  rows(
    'risk-markets',
    view.markets.map((row) => [
      row.id,
      [
        link(row.title, marketHref(row.id)),
        used(`${row.net} (${percent(row.share)})`, row.share),
        number(known(row.limit)),
        number(known(row.mark)),
      ],
    ]),
  );
}

/** @param {import('../../console/views/health-view.js').HealthView} view @param {number} now */
export function showHealth(view, now) {
  showFigures(
    'health-figures',
    view.figures.map(({ name, value, is_bad: isBad }) => [name, value, isBad]),
  );
  rows(
    'health-requests',
    view.requests.map((row) => [
      row.endpoint,
      [
        text(row.endpoint),
        ...[row.answered, row.refused, row.unknown].map((count) => number(String(count))),
        ...[row.p50, row.p95, row.p99].map(number),
      ],
    ]),
  );
  rows(
    'health-budgets',
    view.budgets.map((row) => [
      row.scope,
      [
        text(row.scope),
        used(`${row.left}`, row.limit > 0 ? 1 - row.left / row.limit : null),
        number(String(row.own_limit)),
        number(String(row.limit)),
        text(row.blocked_until === null ? 'no' : `until ${clock(row.blocked_until)}`),
      ],
    ]),
  );
  rows(
    'health-spent',
    view.spent.map((row) => [row.purpose, [text(row.purpose), number(String(row.total))]]),
  );
  rows(
    'health-feeds',
    view.feeds.map((row) => [
      row.name,
      [
        text(row.name),
        number(String(row.current)),
        number(row.age_ms === null ? '–' : `${(row.age_ms / 1000).toFixed(1)} s`),
        number(String(row.values)),
        number(String(row.problems)),
        text(row.trouble || 'none'),
      ],
    ]),
  );
  rows(
    'health-books',
    view.books.map((row) => [
      row.id,
      [link(row.title, marketHref(row.id)), number(ageText(row.seen, now)), text(row.trouble || 'none')],
    ]),
  );
}
