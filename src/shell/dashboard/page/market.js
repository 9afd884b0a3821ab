/** One market in detail: its chart, its ladder, the reasons of its quotes, and its refusals. */

import { explainHref, ordersHref } from './address.js';
import { chartRows, drawFills, drawMarks, showChart, stepLine } from './chart.js';
import { depth, number, part, rows, setText, showFigures, text, time } from './dom.js';
import { ageText, clock, decimal, moment, price } from './format.js';

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

/** @param {readonly import('../../console/page-market.js').LadderRow[]} ladder @returns {readonly import('./dom.js').Line[]} */
function ladderLines(ladder) {
  const deepest = Math.max(...ladder.map(({ others }) => Number(others)));
  /** @param {boolean} isHere @param {string} others */
  const level = (isHere, others) => depth(isHere ? others : '', isHere && others !== '' ? Number(others) / deepest : 0);
  return ladder.map(({ price: at, side, others, ours, ahead }) => [
    `${side} ${at}`,
    [
      level(side === 'bid', others),
      number(price(at)),
      level(side === 'ask', others),
      text(
        side === 'fair' ? 'fair value' : ours === '' ? '' : `${side} ${ours}${ahead === '' ? '' : `, ${ahead} ahead`}`,
      ),
    ],
    side === 'fair' ? 'fair' : `${side}${ours === '' ? '' : ' ours'}`,
  ]);
}

/** Data of the present chart. @type {import('../../console/views/chart-view.js').ChartView | null} */
let charted = null;
/** Rows of the table beside the chart. */
const TABLE_ROWS = 60;

/** @param {import('../../console/views/chart-view.js').ChartView} view */
export function showMarketChart(view) {
  charted = view;
  const { best_bid, best_ask, fair, bid, ask, net } = view;
  const priced = chartRows(view.time, [best_ask, best_bid, fair, bid, ask]);
  showChart(
    {
      id: 'plot-price',
      height: 280,
      places: 2,
      key: 'market',
      series: [
        stepLine('best ask', '--book', { width: 1 }),
        stepLine('best bid', '--book', { width: 1 }),
        stepLine('fair', '--good', { dash: [6, 4] }),
        stepLine('our bid', '--bid'),
        stepLine('our ask', '--ask'),
      ],
      bands: [{ series: [1, 2], fill: () => colorOfBand() }],
      beside: () => fillPrices(),
      draw: (chart) => {
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

const colorOfBand = () => 'rgba(128, 128, 128, 0.15)';

/** @param {uPlot} chart */
function sayPoint(chart) {
  const place = chart.cursor.idx;
  const at = place === null || place === undefined ? undefined : chart.data[0][place];
  if (charted === null || at === undefined) return;
  const i = charted.time.findLastIndex((ms) => ms <= at);
  if (i < 0) return;
  const { best_bid, best_ask, fair, bid, ask, net } = charted;
  const fill = charted.fills.findLast(({ time: ms }) => ms <= at && ms > at - 15_000);
  const filled =
    fill === undefined ? '' : ` · ${fill.raises ? 'bought' : 'sold'} ${decimal(fill.amount)} at ${decimal(fill.price)}`;
  setText(
    part('chart-said'),
    `${clock(at)} · others ${decimal(best_bid[i])} / ${decimal(best_ask[i])} · fair ${decimal(fair[i])} · ` +
      `ours ${decimal(bid[i])} / ${decimal(ask[i])} · net ${decimal(net[i])}${filled}`,
  );
}

/** The newest points, as an alternative to the chart. @param {import('../../console/views/chart-view.js').ChartView} view */
function showChartTable(view) {
  const every = Math.max(1, Math.ceil(view.time.length / TABLE_ROWS));
  const places = view.time.map((_, i) => i).filter((i) => (view.time.length - 1 - i) % every === 0);
  rows(
    'chart-rows',
    places
      .toReversed()
      .map((i) => [
        String(view.time[i]),
        [
          time(moment(view.time[i] ?? 0)),
          ...[view.best_bid, view.bid, view.fair, view.ask, view.best_ask, view.net].map((column) =>
            number(decimal(column[i])),
          ),
        ],
      ]),
  );
  rows(
    'chart-fills',
    view.fills
      .toReversed()
      .slice(0, TABLE_ROWS)
      .map((fill) => [
        fill.id,
        [
          time(moment(fill.time)),
          { text: fill.raises ? 'raises net' : 'lowers net', kind: 'text', href: explainHref(fill.id) },
          number(decimal(fill.price)),
          number(decimal(fill.amount)),
        ],
      ]),
  );
}
