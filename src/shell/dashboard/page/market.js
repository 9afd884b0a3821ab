/** One market in detail: its chart, its ladder, the reasons of its quotes, and its refusals. */

import { colorOf, drawFills, drawMarks, stepLine } from '../../web-kit/page/chart.js';
import { figures, link, number, shareBar, table, text, time } from '../../web-kit/page/table.js';
import { html } from '../../web-kit/page/template.js';
import { explainHref, ordersHref } from './address.js';
import { MarketControls } from './controls.js';
import { ageText, clock, decimal, moment, price } from './format.js';
import { SpanSelect } from './inputs.js';
import { Plot, plotRows } from './plot.js';

/** @param {import('../../console/page-state.js').PageState['market']} market @param {string} id @param {number} now */
export function showMarket(market, id, now) {
  setText(part('view-market-title'), market?.title ?? 'This market is not looked at.');
  setText(part('market-note'), market === null ? '' : `${market.strategy}: ${market.state}`);
  part('market-explain').setAttribute('href', explainHref(id));
  part('market-orders').setAttribute('href', ordersHref(id));
  showFigures(
    'market-figures',
    market === null
      ? []
      : [
          ['Fair value', price(market.fair)],
          ['Others', `${price(market.best_bid)} / ${price(market.best_ask)}`],
          ['Ours', `${price(market.bid)} / ${price(market.ask)}`],
          ['Net', `${market.net} (${market.yes} YES, ${market.no} NO)`],
          ['Book', ageText(market.book_seen, now)],
          ['Resolves', market.resolves === null ? '–' : moment(market.resolves)],
        ],
  );
  rows('ladder', ladderLines(market?.ladder ?? []));
  rows(
    'tape',
    market !== null && market.tape === null
      ? [['untold', [text('not sent now: the trader saves time')]]]
      : (market?.tape ?? []).map((trade, i) => [
          `${trade.time} ${trade.price} ${i}`,
          [
            time(moment(trade.time)),
            text(trade.taker === 'buy' ? 'bought' : 'sold'),
            number(price(trade.price)),
            number(trade.amount),
            text(trade.ours ? 'ours' : ''),
          ],
          trade.ours ? 'ours' : '',
        ]),
  );
  rows(
    'factors',
    (market?.factors ?? []).map(({ name, value }) => [
      name,
      [text(name), number(String(Number(value.toPrecision(6))))],
    ]),
  );
  rows(
    'refusals',
    (market?.refusals ?? []).map((one) => [
      one.control,
      [text(one.control), number(String(one.count)), text(one.text)],
    ]),
  );
}

const TAPE = 'Newest public trades, YES';
const TRADES = [
  time('Time', (trade) => moment(trade.time)),
  text('Taker', ({ taker }) => (taker === 'buy' ? 'bought' : 'sold')),
  number('Price', (trade) => price(trade.price)),
  number('Amount', ({ amount }) => amount),
  text('Ours', ({ ours }) => (ours ? 'ours' : '')),
];

/** @param {PageMarket} market @param {number} now @returns {import('../../web-kit/page/table.js').FigureList} */
const figuresOf = (market, now) => [
  ['Fair value', price(market.fair)],
  ['Others', `${price(market.best_bid)} / ${price(market.best_ask)}`],
  ['Ours', `${price(market.bid)} / ${price(market.ask)}`],
  ['Net', `${market.net} (${market.yes} YES, ${market.no} NO)`],
  ['Book', ageText(market.book_seen, now)],
  ['Resolves', market.resolves === null ? '–' : moment(market.resolves)],
];

/** A bar behind the others' shares is a share of the deepest level. @param {readonly import('../../console/page-market.js').LadderRow[]} ladder */
function ladderColumns(ladder) {
  const deepest = Math.max(...ladder.map(({ others }) => Number(others)));
  const depth = (/** @type {string} */ head, /** @type {string} */ here) => ({
    head,
    kind: 'number depth',
    of: (/** @type {import('../../console/page-market.js').LadderRow} */ { side, others }) =>
      side === here && others !== '' ? [others, shareBar(Number(others) / deepest)] : '',
  });
  return [
    depth('Others bid', 'bid'),
    number('Price', (row) => price(row.price)),
    depth('Others ask', 'ask'),
    text('Ours', ({ side, ours, ahead }) =>
      side === 'fair' ? 'fair value' : ours === '' ? '' : `${side} ${ours}${ahead === '' ? '' : `, ${ahead} ahead`}`,
    ),
  ];
}

/** Data of the present chart. @type {ChartView | null} */
let charted = null;
/** Rows of the table beside the chart. */
const TABLE_ROWS = 60;

/** @type {import('./plot.js').ChartOptions} */
const PRICES = {
  height: 280,
  least: 0.04,
  places: 2,
  key: 'market',
  series: [
    stepLine('--mark', { width: 1 }),
    stepLine('--mark', { width: 1 }),
    stepLine('--good', { dash: [6, 4] }),
    stepLine('--bid'),
    stepLine('--ask'),
  ],
  bands: [{ series: [1, 2], fill: () => colorOf('--book') }],
  more: fillPrices,
  hooks: {
    draw: [
      (chart) => {
        if (charted === null) return;
        drawMarks(chart, charted.marks);
        drawFills(chart, charted.fills);
      },
      hover: sayPoint,
    },
    priced,
  );
  showChart(
    {
      id: 'plot-net',
      height: 120,
      places: 0,
      key: 'market',
      series: [stepLine('net', '--mark')],
      hover: sayPoint,
    },
    chartRows(view.time, [net]),
  );
  setText(part('chart-empty'), view.time.length === 0 ? 'No data for this time: the console was not running.' : '');
  showChartTable(view);
}

/** Prices of the fills in the shown time. */
function fillPrices() {
  const first = charted?.time[0] ?? Number.POSITIVE_INFINITY;
  return (charted?.fills ?? []).filter(({ time: ms }) => ms >= first).map(({ price }) => price / 1e6);
}

/** @param {uPlot} chart */
function sayPoint({ cursor: { idx }, data: [times] }) {
  const at = times[idx ?? -1];
  const i = charted?.time.findLastIndex((ms) => at !== undefined && ms <= at) ?? -1;
  const place = document.getElementById('chart-said');
  if (charted === null || at === undefined || i < 0 || place === null) return;
  const { best_bid, best_ask, fair, bid, ask, net } = charted;
  const fill = charted.fills.findLast(({ time: ms }) => ms <= at && ms > at - 15_000);
  const filled =
    fill === undefined ? '' : ` · ${fill.raises ? 'bought' : 'sold'} ${decimal(fill.amount)} at ${decimal(fill.price)}`;
  place.textContent =
    `${clock(at)} · others ${decimal(best_bid[i])} / ${decimal(best_ask[i])} · fair ${decimal(fair[i])} · ` +
    `ours ${decimal(bid[i])} / ${decimal(ask[i])} · net ${decimal(net[i])}${filled}`;
}
