/** Draws the charts of the account and of one market, and handles their controls. */

import uPlot from 'uplot';
import {
  amount,
  clockOf,
  colorOf,
  dayOf,
  drawFills,
  fallen,
  makeChart,
  redrawCharts,
  rowsOf,
  stepLine,
  stepOf,
} from '../../../shell/web-kit/page/chart.js';
import './tables.js';

/** @typedef {import('../../../shell/web-kit/page/chart.js').ChartOptions} ChartOptions */
/** @typedef {import('../../../shell/web-kit/page/chart.js').Rows} Rows */

const ONE = 1e6;

/** @type {ReturnType<typeof import('../html/charts.js').drawingData>['data']} */
let data;

async function unpackData() {
  const bytes = Uint8Array.from(atob(document.getElementById('data')?.textContent ?? ''), (char) => char.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}

/** Returns times from the steps between them; the first step is the first time. @param {readonly number[]} steps */
function timesOf(steps) {
  let time = 0;
  return steps.map((step) => (time += step));
}

const price = (/** @type {number | null | undefined} */ value) =>
  value === null || value === undefined ? '–' : amount(value, Number((value * 100).toFixed(4)) % 1 === 0 ? 2 : 4);

/** Sets the labels and emphasised values of a readout. @param {string} id @param {[string, string][]} pairs */
function say(id, pairs) {
  const place = document.getElementById(id);
  if (place === null) return;
  place.replaceChildren(
    ...pairs.flatMap(([name, value], index) => {
      const figure = document.createElement('b');
      figure.textContent = value;
      return [`${index === 0 ? '' : ' · '}${name} `, figure];
    }),
  );
}

/** Drawn charts of the account and of one market. @type {{ account: uPlot[], price: uPlot[] }} */
const groups = { account: [], price: [] };

/** @typedef {Omit<ChartOptions, 'hooks'> & { id: string, rows: Rows, draw?: (chart: uPlot) => void }} Drawing */

/** Replaces the charts of a group. All charts of a group are zoomed together. @param {keyof typeof groups} key @param {Drawing[]} drawings @param {(chart: uPlot) => void} hover */
function drawGroup(key, drawings, hover) {
  for (const chart of groups[key]) chart.destroy();
  groups[key] = drawings.flatMap(({ id, rows, draw, ...options }) => {
    const place = document.getElementById(id);
    const hooks = { draw: draw === undefined ? [] : [draw], setCursor: [hover] };
    return place === null ? [] : [makeChart(place, { ...options, key, isUtc: true, isZoomed: true, hooks }, rows)];
  });
}

const session = () =>
  Number(/** @type {HTMLInputElement | null} */ (document.querySelector('input[name=session]:checked'))?.value ?? 0);

/** Dash patterns of chart lines, equal to those of the legend. */
const DASHES = [
  [7, 3],
  [2, 3],
];
const dashOf = (/** @type {number} */ index) => (index === data.solid ? [] : (DASHES[index % 2] ?? []));
const nameOf = (/** @type {number} */ index) => `--s${data.sessions.length < 2 ? 1 : index % 6}`;

function drawAccount() {
  const chosen = session();
  const accounts = data.sessions.map((account) => {
    const time = timesOf(account.times);
    const result = account.equity.map((value) => (value === null ? null : value - account.capital));
    const rows = rowsOf(time, [result], stepOf(time), 1.5 * stepOf(time));
    addEnd(rows, account.end[0], (account.end[1] - account.capital) / ONE);
    return rows;
  });
  // The compared sessions may have different sample times, so their samples are joined by time.
  const joined = /** @type {Rows} */ (
    /** @type {unknown} */ (
      uPlot.join(accounts.map(([time, result]) => /** @type {uPlot.AlignedData} */ ([time, result ?? []])))
    )
  );
  const [time = [], result = []] = accounts[chosen] ?? [];
  const below = fallen(result);
  const lines = data.sessions.map((_, index) => ({
    stroke: () => colorOf(nameOf(index)),
    width: index === chosen ? 2 : 1.3,
    dash: dashOf(index),
    points: { show: false },
  }));
  const area = {
    ...lines[chosen],
    dash: [],
    fill: () => `color-mix(in srgb, ${colorOf(nameOf(chosen))} 18%, transparent)`,
  };
  const hover = (/** @type {uPlot} */ { cursor: { idx }, data: [shownTimes] }) => {
    const now = shownTimes[idx ?? -1];
    if (now === undefined) return;
    const place = time.indexOf(now);
    const results = data.sessions.map(
      ({ name }, index) =>
        /** @type {[string, string]} */ ([name, amount(joined[index + 1]?.[joined[0].indexOf(now)])]),
    );
    say('read-account', [[dayOf(now, true), clockOf(now, true)], ...results, ['below the peak', amount(below[place])]]);
  };
  drawGroup(
    'account',
    [
      { id: 'plot-equity', height: 250, rows: joined, series: lines, least: 1 },
      { id: 'plot-drawdown', height: 130, rows: [time, below], series: [area], least: 1, isBelowZero: true },
    ],
    hover,
  );
}

/**
 * Adds a step to the final result at the end of the line. The final result includes settlements after the last sample.
 * @param {Rows} rows @param {number} time @param {number} result
 */
function addEnd([times, results], time, result) {
  if (time <= (times.at(-1) ?? 0)) return;
  times.push(time - 1, time);
  // The equity is unknown between the last sample and the settlement, so its line is flat there.
  results?.push(results.findLast((value) => value !== null) ?? null, result);
}

/** @param {number} index of `data.markets` */
function drawMarket(index) {
  const series = data.markets[index]?.sessions[session()];
  if (series === undefined || series === null) {
    drawGroup('price', [], () => undefined);
    return say('read-price', [['', 'This market was not in this session.']]);
  }
  const columns = [series.bid, series.ask, series.ourBid, series.ourAsk, series.held];
  const rows = rowsOf(timesOf(series.times), columns, series.step, 1.5 * series.step);
  const [time, bid = [], ask = [], ourBid = [], ourAsk = [], held = []] = rows;
  const hover = (/** @type {uPlot} */ chart) => {
    const place = chart.cursor.idx ?? -1;
    const now = time[place];
    if (now === undefined) return;
    say('read-price', [
      [dayOf(now, true), clockOf(now, true)],
      ['market', `${price(bid[place])} / ${price(ask[place])}`],
      ['ours', `${price(ourBid[place])} / ${price(ourAsk[place])}`],
      ['holding', amount(held[place])],
    ]);
  };
  const book = stepLine('--book', { width: 1 });
  drawGroup(
    'price',
    [
      {
        id: 'plot-price',
        height: 330,
        rows: [time, bid, ask, ourBid, ourAsk],
        series: [book, book, stepLine('--bid'), stepLine('--ask')],
        bands: [{ series: [2, 1], fill: () => colorOf('--book') }],
        least: 0.04,
        places: 2,
        draw: (chart) => drawFills(chart, series.fills),
      },
      {
        id: 'plot-held',
        height: 140,
        rows: [time, held],
        series: [stepLine('--mark', { fill: () => colorOf('--book') })],
        least: 2,
      },
    ],
    hover,
  );
}

let drawnMarket = 0;

function redraw() {
  const names = data.sessions.length > 1 ? (data.sessions[session()]?.name ?? '') : '';
  for (const place of document.querySelectorAll('.drawn-session')) place.textContent = names;
  drawAccount();
  // When the user selects another fill model, the zoom stays the same.
  const { min, max } = groups.price[0]?.scales['x'] ?? {};
  drawMarket(drawnMarket);
  if (min !== undefined && max !== undefined) for (const chart of groups.price) chart.setScale('x', { min, max });
}

const market = /** @type {HTMLSelectElement | null} */ (document.getElementById('market'));

market?.addEventListener('change', () => {
  drawnMarket = Number(market.value);
  drawMarket(drawnMarket);
});
for (const input of document.querySelectorAll('input[name=session]')) input.addEventListener('change', redraw);
// The charts are drawn again, in the colours of the new theme (light or dark).
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawCharts);
new ResizeObserver(() => {
  for (const chart of [...groups.account, ...groups.price]) {
    const width = chart.root.parentElement?.clientWidth ?? 0;
    if (width > 0 && width !== chart.width) chart.setSize({ width, height: chart.height });
  }
}).observe(document.body);

data = await unpackData();
redraw();
