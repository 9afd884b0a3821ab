/** Charts over time: created once per page, then updated with new data. */

import { colorOf } from './theme.js';

/** @typedef {(number | null)[]} ChartColumn */
/** @typedef {[number[], ...ChartColumn[]]} ChartRows */
/**
 * @typedef {{ id: string, height: number, series: uPlot.Series[], bands?: uPlot.Band[], places: number,
 *   draw?: (chart: uPlot) => void, hover: (chart: uPlot) => void, key?: string,
 *   beside?: () => readonly number[] }} ChartOptions
 */

/** @type {Map<string, uPlot>} */
const charts = new Map();

/**
 * Missing points leave a gap. @param {readonly number[]} times ms @param {readonly (readonly (number | null)[])[]}
 * columns micros @returns {ChartRows}
 */
export function chartRows(times, columns) {
  const steps = times.slice(1).map((ms, i) => ms - (times[i] ?? ms));
  const least = steps.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  /** @type {number[]} */
  const at = [];
  const shown = columns.map(() => /** @type {ChartColumn} */ ([]));
  times.forEach((ms, i) => {
    const before = times[i - 1];
    if (before !== undefined && ms - before > 3.5 * least) {
      at.push(before + least);
      for (const column of shown) column.push(null);
    }
    at.push(ms);
    columns.forEach((column, j) => {
      const value = column[i];
      shown[j]?.push(value === null || value === undefined ? null : value / 1e6);
    });
  });
  return [at, ...shown];
}

/** @param {string} name @param {string} stroke @param {Partial<uPlot.Series>} [more] @returns {uPlot.Series} */
export function stepLine(name, stroke, more = {}) {
  const paths = uPlot.paths.stepped?.({ align: 1 });
  return {
    label: name,
    stroke: () => colorOf(stroke),
    width: 1.5,
    // A line needs two points; a single one is a dot.
    points: { show: (chart) => chart.data[0].length < 2 },
    ...(paths === undefined ? {} : { paths }),
    ...more,
  };
}

/** @param {ChartOptions} options @param {ChartRows} data */
export function showChart(options, data) {
  const place = document.getElementById(options.id);
  // A hidden view has no width.
  if (place === null || place.clientWidth === 0) return;
  const aligned = /** @type {uPlot.AlignedData} */ (data);
  const chart = charts.get(options.id);
  if (chart !== undefined) {
    if (chart.width !== place.clientWidth) chart.setSize({ width: place.clientWidth, height: options.height });
    chart.setData(aligned);
    return;
  }
  charts.set(options.id, new uPlot(optionsOf(options, place.clientWidth), aligned, place));
}

/** @param {ChartOptions} options @param {number} width @returns {uPlot.Options} */
function optionsOf({ height, series, bands, places, draw, hover, key, beside }, width) {
  const axis = {
    stroke: () => colorOf('--soft'),
    grid: { stroke: () => colorOf('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  return {
    width,
    height,
    ms: 1,
    legend: { show: false },
    padding: [8, 30, 0, 0],
    cursor: {
      drag: { x: false, y: false },
      points: { show: false },
      y: false,
      ...(key === undefined ? {} : { sync: { key } }),
    },
    scales: { x: { time: true }, y: { range: roomFor(places, beside) } },
    axes: [
      { ...axis, space: 70, size: 28, values: timeLabels },
      { ...axis, size: 62, values: (_, splits) => splits.map((value) => value.toFixed(places)) },
    ],
    series: [{}, ...series],
    bands: bands ?? [],
    hooks: { draw: draw === undefined ? [] : [draw], setCursor: [hover] },
  };
}

/** 24 hours, and days where these are the steps. @param {uPlot} _chart @param {number[]} splits @param {number} _axis @param {number} _space @param {number} step ms */
function timeLabels(_chart, splits, _axis, _space, step) {
  return splits.map((ms) => {
    const at = new Date(ms);
    if (step >= 86_400_000) return at.toLocaleDateString([], { day: 'numeric', month: 'short' });
    return at.toLocaleTimeString([], {
      hour12: false,
      hour: '2-digit',
      minute: '2-digit',
      ...(step < 60_000 ? { second: '2-digit' } : {}),
    });
  });
}

/** Some margin, space for marks beside the lines, and never a flat scale. @param {number} places @param {() => readonly number[]} [beside] @returns {uPlot.Scale.Range} */
const roomFor = (places, beside) => (_, lowest, highest) => {
  const least = 4 * 10 ** -places;
  const more = beside?.() ?? [];
  if (lowest === null || highest === null || !Number.isFinite(lowest) || !Number.isFinite(highest)) return [0, least];
  const low = Math.min(lowest, ...more);
  const high = Math.max(highest, ...more);
  const air = Math.max((high - low) * 0.08, (least - (high - low)) / 2);
  return [low - air, high + air];
};

/** Reads colours and measures widths again. */
export function redrawCharts() {
  for (const chart of charts.values()) chart.redraw(false);
}

/** @param {uPlot} chart @param {readonly { time: number, text: string }[]} marks */
export function drawMarks({ ctx, bbox, scales, valToPos }, marks) {
  const { min = 0, max = 0 } = scales['x'] ?? {};
  ctx.save();
  ctx.strokeStyle = colorOf('--bad');
  ctx.fillStyle = colorOf('--bad');
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  for (const { time, text } of marks) {
    if (time < min || time > max) continue;
    const x = Math.round(valToPos(time, 'x', true));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(text, x + 3 * devicePixelRatio, bbox.top + 11 * devicePixelRatio);
  }
  ctx.restore();
}

/** Triangles, up for fills that raised our holdings, sized by shares. @param {uPlot} chart @param {readonly import('../../console/views/chart-view.js').ChartFill[]} fills */
export function drawFills(chart, fills) {
  const { ctx, scales } = chart;
  const { min = 0, max = 0 } = scales['x'] ?? {};
  const largest = fills.reduce((most, { amount }) => Math.max(most, amount), 0);
  ctx.save();
  ctx.strokeStyle = colorOf('--panel');
  for (const { time, price, amount, raises } of fills) {
    if (time < min || time > max) continue;
    const x = chart.valToPos(time, 'x', true);
    const y = chart.valToPos(price / 1e6, 'y', true);
    const size = (4 + 4 * Math.sqrt(amount / largest)) * devicePixelRatio * (raises ? -1 : 1);
    ctx.fillStyle = colorOf(raises ? '--bid' : '--ask');
    ctx.beginPath();
    ctx.moveTo(x, y + size);
    ctx.lineTo(x - 0.8 * Math.abs(size), y - 0.6 * size);
    ctx.lineTo(x + 0.8 * Math.abs(size), y - 0.6 * size);
    ctx.closePath();
    ctx.fill();
    ctx.stroke();
  }
  ctx.restore();
}
