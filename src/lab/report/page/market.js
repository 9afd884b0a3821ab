/** One market over time: its book, our quotes, our fills, what we held. */

import { session } from './account.js';
import { column, data, ONE, scaled, times, withGaps } from './columns.js';
import { amount, clockOf, color, dayOf, price, say } from './format.js';
import { drawGroup } from './frame.js';
import { groups } from './zoom.js';

/** @param {number} index of `data.markets` */
export function drawMarket(index) {
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

/** The fill under the pointer, if one is near. @param {uPlot} chart @param {Fill[]} fills @returns {Fill | null} */
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
