/** Charts over time: of the whole account, and of one market; and their controls. */

import {
  amount,
  clockOf,
  color,
  column,
  data,
  dayOf,
  ONE,
  price,
  say,
  scaled,
  stepOf,
  times,
  withGaps,
} from './data.js';
import { drawGroup, groups, show, shown } from './frame.js';

/** @typedef {import('./data.js').Column} Column */
/** @typedef {import('./data.js').Rows} Rows */

const session = () =>
  Number(/** @type {HTMLInputElement | null} */ (document.querySelector('input[name=session]:checked'))?.value ?? 0);

/** As in the key: the middle one, or the only one, is a solid line. */
const DASHES = data.sessions.length < 2 ? [[]] : [[7, 3], [], [2, 3], [10, 3, 2, 3], [5, 2]];
const colorOf = (/** @type {number} */ index) => color(`--s${data.sessions.length < 2 ? 1 : index % 5}`);

function drawAccount() {
  const chosen = session();
  const accounts = data.sessions.map((account) => {
    const time = times(account.time);
    const result = scaled(column(account.equity).map((value) => (value === null ? null : value - account.capital)));
    const rows = withGaps(time, [result, scaled(column(account.locked))], stepOf(time));
    addEnd(rows, account.end[0], (account.end[1] - account.capital) / ONE);
    return rows;
  });
  // Sessions of one bracket may have other sample times.
  const joined = /** @type {Rows} */ (
    /** @type {unknown} */ (
      uPlot.join(accounts.map(([time, result]) => /** @type {uPlot.AlignedData} */ ([time, result ?? []])))
    )
  );
  const [time = [], result = [], locked = []] = accounts[chosen] ?? [];
  const below = fallen(result);
  const line = (/** @type {number} */ index, /** @type {string} */ fill = '') => ({
    stroke: () => colorOf(index),
    width: index === chosen ? 2 : 1.3,
    dash: fill === '' ? (DASHES[index % DASHES.length] ?? []) : [],
    points: { show: false },
    ...(fill === '' ? {} : { fill: () => `color-mix(in srgb, ${colorOf(index)} 18%, transparent)` }),
  });
  const hover = (/** @type {uPlot} */ chart) => {
    const at = chart.cursor.idx;
    const now = at === null || at === undefined ? undefined : chart.data[0][at];
    if (now === undefined) return;
    const place = time.indexOf(now);
    const results = data.sessions.map(
      ({ name }, index) =>
        /** @type {[string, string]} */ ([name, amount(joined[index + 1]?.[joined[0].indexOf(now)])]),
    );
    say('read-account', [
      [dayOf(now), clockOf(now)],
      ...results,
      ['below the peak', amount(below[place])],
      ['locked', amount(locked[place])],
    ]);
  };
  groups['account'] = drawGroup(
    [
      {
        name: 'plot-equity',
        height: 250,
        data: joined,
        series: data.sessions.map((_, index) => line(index)),
        least: 1,
        hover,
      },
      {
        name: 'plot-drawdown',
        height: 130,
        data: [time, below],
        series: [line(chosen, 'fill')],
        least: 1,
        pinned: 'high',
        hover,
      },
      {
        name: 'plot-locked',
        height: 130,
        data: [time, locked],
        series: [line(chosen, 'fill')],
        least: 1,
        pinned: 'low',
        hover,
      },
    ],
    'account',
    stepOf(time),
  );
}

/**
 * Settlements after the last sample belong to the result: the line ends with a step to it. @param {Rows} rows @param
 * {number} time @param {number} result
 */
function addEnd([times, results, locked], time, result) {
  if (time <= (times.at(-1) ?? 0)) return;
  times.push(time - 1, time);
  results?.push(results.at(-1) ?? null, result);
  locked?.push(locked.at(-1) ?? null, locked.at(-1) ?? null);
}

/** Distance below the highest earlier value, as numbers ≤ 0. @param {Column} values @returns {Column} */
function fallen(values) {
  let peak = Number.NEGATIVE_INFINITY;
  return values.map((value) => {
    if (value === null) return null;
    peak = Math.max(peak, value);
    return value - peak;
  });
}

/** @param {number} index of `data.markets` */
function drawMarket(index) {
  const series = data.markets[index]?.sessions[session()];
  for (const id of ['plot-price', 'plot-held']) document.getElementById(id)?.replaceChildren();
  groups['price'] = null;
  if (series === undefined || series === null) return say('read-price', [['', 'This market was not in this session.']]);
  const prices = [series.bid, series.ask, series.ourBid, series.ourAsk].map((place) => scaled(column(place)));
  const rows = withGaps(times(series.time), [...prices, scaled(column(series.held))], series.step);
  const [time, bid, ask, ourBid, ourAsk, held] = rows;
  const [at = [], paid = [], sizes = [], sides = []] = series.fills.map(column);
  const fills = at.map((ms, index) => ({
    ms: ms ?? 0,
    price: (paid[index] ?? 0) / ONE,
    amount: (sizes[index] ?? 0) / ONE,
    isBid: sides[index] === 1,
  }));
  const hover = (/** @type {uPlot} */ chart) => {
    const place = chart.cursor.idx;
    if (place === null || place === undefined || time[place] === undefined) return;
    const near = nearest(chart, fills);
    say('read-price', [
      [dayOf(time[place]), clockOf(time[place])],
      ['market', `${price(bid?.[place])} / ${price(ask?.[place])}`],
      ['ours', `${price(ourBid?.[place])} / ${price(ourAsk?.[place])}`],
      ['holding', amount(held?.[place])],
      ...(near === null
        ? []
        : [
            /** @type {[string, string]} */ ([
              `fill ${clockOf(near.ms)}`,
              `${near.isBid ? 'bought' : 'sold'} ${amount(near.amount)} at ${price(near.price)}`,
            ]),
          ]),
    ]);
  };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const line = (/** @type {string} */ name, width = 1.5) => ({
    stroke: () => color(name),
    width,
    points: { show: false },
    ...(stepped === undefined ? {} : { paths: stepped }),
  });
  groups['price'] = drawGroup(
    [
      {
        name: 'plot-price',
        height: 330,
        data: [time, bid ?? [], ask ?? [], ourBid ?? [], ourAsk ?? []],
        series: [line('--book', 1), line('--book', 1), line('--bid'), line('--ask')],
        bands: [{ series: [2, 1], fill: () => color('--book') }],
        least: 0.04,
        leastPlaces: 2,
        draw: (chart) => drawFills(chart, fills),
        hover,
      },
      {
        name: 'plot-held',
        height: 140,
        data: [time, held ?? []],
        series: [{ ...line('--mark'), fill: () => color('--book') }],
        least: 2,
        hover,
      },
    ],
    'price',
    series.step,
  );
}

/** @typedef {{ ms: number, price: number, amount: number, isBid: boolean }} Fill */

/** @param {uPlot} chart @param {Fill[]} fills */
function drawFills(chart, fills) {
  const { ctx, bbox } = chart;
  const [min, max] = [chart.scales['x']?.min ?? 0, chart.scales['x']?.max ?? 0];
  const largest = fills.reduce((most, { amount: size }) => Math.max(most, size), 0);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = color('--panel');
  ctx.lineWidth = devicePixelRatio;
  const [bidColor, askColor] = [color('--bid'), color('--ask')];
  for (const { ms, price: paid, amount: size, isBid } of fills) {
    if (ms < min || ms > max) continue;
    const [x, y] = [chart.valToPos(ms, 'x', true), chart.valToPos(paid, 'y', true)];
    const r = (4 + 4.5 * Math.sqrt(size / largest)) * devicePixelRatio;
    const up = isBid ? -1 : 1;
    ctx.fillStyle = isBid ? bidColor : askColor;
    ctx.beginPath();
    ctx.moveTo(x, y + up * r);
    ctx.lineTo(x - 0.8 * r, y - 0.6 * up * r);
    ctx.lineTo(x + 0.8 * r, y - 0.6 * up * r);
    ctx.closePath();
    ctx.fill();
    ctx.stroke();
  }
  ctx.restore();
}

/** The fill near the pointer, if any. @param {uPlot} chart @param {Fill[]} fills @returns {Fill | null} */
function nearest(chart, fills) {
  const left = chart.cursor.left ?? -1;
  /** @type {Fill | null} */
  let best = null;
  let least = 9;
  for (const fill of fills) {
    const distance = Math.abs(chart.valToPos(fill.ms, 'x') - left);
    if (distance < least) [best, least] = [fill, distance];
  }
  return best;
}

let drawnMarket = 0;

function redraw() {
  const names = data.sessions.length > 1 ? (data.sessions[session()]?.name ?? '') : '';
  for (const place of document.querySelectorAll('.drawn-session')) place.textContent = names;
  drawAccount();
  // Another fill model is shown at the same place.
  const range = groups['price'] ? shown(groups['price']) : null;
  drawMarket(drawnMarket);
  if (range !== null && groups['price']) show(groups['price'], ...range);
}

const market = /** @type {HTMLSelectElement | null} */ (document.getElementById('market'));

/** @param {number} index */
function pick(index) {
  drawnMarket = index;
  if (market !== null) market.value = String(index);
  const id = data.markets[index]?.id;
  for (const row of document.querySelectorAll('.markets tbody tr'))
    if (row instanceof HTMLElement) row.classList.toggle('picked', row.dataset['id'] === id);
  drawMarket(index);
}

market?.addEventListener('change', () => pick(Number(market.value)));
document.addEventListener('market-picked', (event) => {
  const index = data.markets.findIndex(({ id }) => id === /** @type {CustomEvent<string>} */ (event).detail);
  if (index < 0) return say('read-price', [['', 'This market is not drawn, see the note below the chart.']]);
  pick(index);
  document.getElementById('price')?.scrollIntoView({ behavior: 'smooth' });
});
for (const input of document.querySelectorAll('input[name=session]')) input.addEventListener('change', redraw);
// The charts use colours of the theme.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const group of Object.values(groups)) for (const chart of group?.charts ?? []) chart.redraw();
});
new ResizeObserver(() => {
  for (const group of Object.values(groups))
    for (const chart of group?.charts ?? []) {
      const width = chart.root.parentElement?.clientWidth ?? 0;
      if (width > 0 && width !== chart.width) chart.setSize({ width, height: chart.height });
    }
}).observe(document.body);

redraw();
pick(0);
