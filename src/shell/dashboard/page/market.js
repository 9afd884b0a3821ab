/** Shows one market in detail: chart, ladder, the reasons for its quotes, and refused orders. */

import { colorOf, drawFills, stepLine } from '../../web-kit/page/chart.js';
import { figures, link, number, shareBar, table, text, time } from '../../web-kit/page/table.js';
import { drawnByView, html } from '../../web-kit/page/template.js';
import { MarketControls, SpanSelect } from './controls.js';
import { ageText, clock, decimal, moment, price, rounded, shares } from './format.js';
import { refusalTable } from './lists.js';
import { byId, explainHref, model, ordersHref } from './model.js';
import { Plot, plotRows, pointAt } from './plot.js';

/** @typedef {import('../../console/views/views.js').View<'chart'>} ChartView */
/** @typedef {NonNullable<import('../../console/page-state.js').PageState['market']>} PageMarket */

/** @param {{ market: PageMarket | null, id: string, now: number, chart: ChartView | null, go: (href: string) => void }} props */
export function Market({ market, id, now, chart, go }) {
  return html`<p id="market-note">${market === null ? '' : `${market.strategy}: ${market.state}`}</p>
    <p><a id="market-explain" href=${explainHref(id)}>Why does it quote so?</a> · <a id="market-orders" href=${ordersHref(id)}>Orders and fills of this market</a></p>
    <${MarketControls} actions=${market?.actions ?? []} />
    ${figures('market-figures', market === null ? [] : figuresOf(market, now))}
    <${SpanSelect} usual="600000" go=${go} />
    ${chart === null ? html`<p class="soft">${model.unknown === '' ? 'Loading the chart …' : ''}</p>` : html`<${Charts} view=${chart} />`}
    ${table({ id: 'ladder', title: `Ladder of YES; ${market?.tape === null ? 'others’ levels are not shown now' : 'shares ahead of own orders are estimates'}`, key: (row) => `${row.side} ${row.price}`, kind: ({ side, ours }) => (side === 'fair' ? 'fair' : `${side}${ours === '' ? '' : ' ours'}`), isNarrow: true }, market?.ladder ?? [], ladderColumns(market?.ladder ?? []))}
    ${table({ id: 'tape', title: 'Newest public trades of YES', key: (trade, index) => `${trade.time} ${trade.price} ${index}`, none: 'none', isNarrow: true }, market?.tape ?? [], TRADES)}
    ${refusalTable(market?.refusals ?? [])}
    <details><summary>Figures that determine the quotes</summary>${table({ id: 'factors', title: 'Figures that determine the quotes', key: ({ name }) => name, isNarrow: true }, market?.factors ?? [], [text('Factor', 'name'), text('Value', ({ value }) => String(Number(value.toPrecision(6))))])}</details>`;
}

const tickPlaces = () => model.state?.market?.places ?? 2;

const TRADES = [
  time('Time', 'time', moment),
  text('Taker', ({ taker }) => (taker === 'buy' ? 'bought' : 'sold')),
  number('Price', (trade) => price(trade.price, tickPlaces())),
  number('Amount', 'amount', shares),
];

/** @param {PageMarket} market @param {number} now @returns {import('../../web-kit/page/table.js').FigureList} */
const figuresOf = (market, now) => [
  ['Fair value', rounded(market.fair, market.places + 1)],
  ['Others', [price(market.best_bid, market.places), ' / ', price(market.best_ask, market.places)]],
  ['Ours', [price(market.bid, market.places), ' / ', price(market.ask, market.places)]],
  ['Net shares', [shares(market.net), ' (', shares(market.yes), ' YES, ', shares(market.no), ' NO)']],
  ['Book', `${ageText(market.book_seen, now)} old`, false, { isWarning: market.is_old }],
  ['Resolves', market.resolves === null ? '–' : moment(market.resolves)],
];

/** Returns the ladder's columns. A bar behind others' shares shows the level's size relative to the largest level. @param {readonly PageMarket['ladder'][number][]} ladder */
function ladderColumns(ladder) {
  const deepest = Math.max(...ladder.map(({ others }) => Number(others)));
  const depth = (/** @type {string} */ head, /** @type {string} */ here) => ({
    head,
    kind: 'number depth',
    of: (/** @type {PageMarket['ladder'][number]} */ { side, others }) =>
      side === here && others !== '' ? [others, shareBar(Number(others) / deepest)] : '',
  });
  return [
    depth('Others bid', 'bid'),
    number('Price', (row) => rounded(row.price, tickPlaces() + (row.side === 'fair' ? 1 : 0))),
    depth('Others ask', 'ask'),
    text('Ours', ({ side, ours, ahead }) =>
      side === 'fair' ? 'fair value' : ours === '' ? '' : `${side} ${ours}${ahead === '' ? '' : `, ${ahead} ahead`}`,
    ),
  ];
}

/** Data that the market's chart shows now. @type {ChartView | null} */
let charted = null;
const TABLE_ROWS = 60;

const SHARED = { key: 'market', isZoomed: true };

/** @type {import('../../web-kit/page/chart.js').ChartOptions} */
const PRICES = {
  ...SHARED,
  height: 280,
  least: 0.04,
  places: 2,
  series: [
    stepLine('--mark', { width: 1 }),
    stepLine('--mark', { width: 1 }),
    stepLine('--good', { dash: [6, 4] }),
    stepLine('--bid'),
    stepLine('--ask'),
  ],
  bands: [{ series: [1, 2], fill: () => colorOf('--book') }],
  more: fillPrices,
  hooks: { draw: [(chart) => drawFills(chart, charted?.fills ?? [])], setCursor: [sayPoint] },
};

/** @type {import('../../web-kit/page/chart.js').ChartOptions} */
const NET = { ...SHARED, height: 140, least: 4, series: [stepLine('--bid')], hooks: { setCursor: [sayPoint] } };

const KEYS = /** @type {const} */ ([
  ['others’ best bid to best ask', '--book', ''],
  ['fair value', '--good'],
  ['our bid', '--bid'],
  ['our ask', '--ask'],
  ['bought YES or sold NO', '--bid', '▲'],
  ['sold YES or bought NO', '--ask', '▼'],
]);

const Charts = drawnByView((/** @type {{ view: ChartView }} */ { view }) => {
  charted = view;
  const { best_bid, best_ask, fair, bid, ask, net } = view;
  const every = Math.max(1, Math.ceil(view.time.length / TABLE_ROWS));
  const places = view.time.map((_, i) => i).filter((i) => (view.time.length - 1 - i) % every === 0);
  const figure = (/** @type {string} */ head, /** @type {readonly (number | null)[]} */ column) =>
    number(head, (/** @type {number} */ i) => decimal(column[i], tickPlaces() + (column === fair ? 1 : 0)));
  return html`<${Plot} id="plot-price" title="Price of YES" unit="currency a share; drag to zoom, double-click for all" keys=${KEYS} options=${PRICES} rows=${plotRows(view.time, [best_ask, best_bid, fair, bid, ask])}
      label="Others’ best prices as a band, our fair value and quotes as steps, our fills as triangles; the same figures are in the table below" />
    <${Plot} id="plot-net" title="Inventory" unit="net shares: YES minus NO" options=${NET} rows=${plotRows(view.time, [net])} label="Net shares held; the same figures are in the table below" />
    <p class="soft" id="chart-empty">${view.time.length === 0 ? 'No data: the console did not run in this time.' : ''}</p>
    <p class="readout" id="chart-said"></p>
    <details class="table"><summary>The chart as tables</summary>
      ${table(
        { id: 'chart-rows', title: 'Prices over time', key: (i) => String(view.time[i]), isNarrow: true },
        places.toReversed(),
        [
          time('Time', (i) => moment(view.time[i] ?? 0)),
          figure('Best bid', best_bid),
          figure('Our bid', bid),
          figure('Fair', fair),
          figure('Our ask', ask),
          figure('Best ask', best_ask),
          figure('Net', net),
        ],
      )}
      ${table(
        { id: 'chart-fills', title: 'Fills in this time', isNarrow: true },
        view.fills.toReversed().slice(0, TABLE_ROWS),
        [
          time('Time', 'time', moment),
          link('Direction', ({ raises, id }) => [raises ? 'raises net' : 'lowers net', explainHref(id)]),
          number('Price, YES', (fill) => price(String(fill.price / 1e6), tickPlaces())),
          number('Amount', 'amount', decimal),
        ],
      )}
    </details>`;
});

function fillPrices() {
  const first = charted?.time[0] ?? Number.POSITIVE_INFINITY;
  return (charted?.fills ?? []).filter(({ time: ms }) => ms >= first).map(({ price }) => price / 1e6);
}

function sayPoint(/** @type {uPlot} */ chart) {
  const [at, i] = pointAt(chart, charted?.time);
  const place = byId('chart-said');
  if (charted === null || i < 0 || place === null) return;
  const { best_bid, best_ask, fair, bid, ask, net } = charted;
  const fill = charted.fills.findLast(({ time: ms }) => ms <= at && ms > at - 15_000);
  const filled =
    fill === undefined ? '' : ` · ${fill.raises ? 'bought' : 'sold'} ${decimal(fill.amount)} at ${fill.price / 1e6}`;
  const places = tickPlaces();
  const pair = (/** @type {typeof bid} */ low, /** @type {typeof bid} */ high) =>
    `${decimal(low[i], places)} / ${decimal(high[i], places)}`;
  place.textContent =
    `${clock(at)} · others ${pair(best_bid, best_ask)} · fair ${decimal(fair[i], places + 1)} · ` +
    `ours ${pair(bid, ask)} · net ${decimal(net[i])}${filled}`;
}
