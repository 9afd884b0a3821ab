/** Charts with a common time axis: all of a group show the same span. */

import { amount, clockOf, color, dayOf } from './data.js';

/** @typedef {import('./data.js').Rows} Rows */
/** @typedef {{ charts: uPlot[], full: [number, number], step: number, isMoving: boolean }} Group */

/** The drawn groups. @type {Record<string, Group | null>} */
export const groups = { account: null, price: null };

/** @param {Group} group @param {number} min @param {number} max */
export function show(group, min, max) {
  const [first, last] = group.full;
  const width = Math.min(last - first, Math.max(max - min, 6 * group.step));
  const from = Math.min(Math.max(min, first), last - width);
  group.isMoving = true;
  for (const chart of group.charts) chart.setScale('x', { min: from, max: from + width });
  group.isMoving = false;
}

/** @param {Group} group @returns {[number, number]} */
export function shown(group) {
  const scale = group.charts[0]?.scales['x'];
  return [scale?.min ?? group.full[0], scale?.max ?? group.full[1]];
}

/** @param {uPlot} _chart @param {number[]} splits @param {number} _axis @param {number} _space @param {number} step */
function timeLabels(_chart, splits, _axis, _space, step) {
  let day = '';
  return splits.map((ms) => {
    const today = dayOf(ms);
    const isNew = today !== day;
    day = today;
    if (step >= 86_400_000) return today;
    return `${clockOf(ms, step < 60_000)}${isNew ? `\n${today}` : ''}`;
  });
}

/** A scale with a margin, never flat. @param {Drawing} drawing @returns {uPlot.Scale.Range} */
const roomy =
  ({ least, pinned }) =>
  (_chart, low, high) => {
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, least];
    const air = Math.max((high - low) * 0.06, (least - (high - low)) / 2, least * 0.05);
    if (pinned === 'low') return [0, Math.max(least, high * 1.06)];
    return [pinned === 'high' ? Math.min(-least, low * 1.06) : low - air, pinned === 'high' ? 0 : high + air];
  };

/** Decimal places that distinguish neighbouring ticks. @param {number} step */
const placesFor = (step) => [0, 1, 2, 3].find((places) => Number((step * 10 ** places).toFixed(6)) % 1 === 0) ?? 4;

/**
 * @typedef {{ name: string, height: number, data: Rows, series: uPlot.Series[], least: number,
 *   leastPlaces?: number, pinned?: 'low' | 'high', bands?: uPlot.Band[], draw?: (chart: uPlot) => void, hover: (chart: uPlot) => void }} Drawing
 */

/** @param {Drawing} drawing @param {Group} group @param {string} key @returns {uPlot | null} */
function draw(drawing, group, key) {
  const place = document.getElementById(drawing.name);
  if (place === null) return null;
  place.replaceChildren();
  const axis = {
    stroke: () => color('--soft'),
    grid: { stroke: () => color('--faint'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  const chart = new uPlot(
    {
      width: place.clientWidth,
      height: drawing.height,
      ms: 1,
      tzDate: (ms) => uPlot.tzDate(new Date(ms), 'Etc/UTC'),
      legend: { show: false },
      padding: [8, 10, 0, 0],
      cursor: { sync: { key }, drag: { x: true, y: false, dist: 4 }, points: { show: false }, y: false },
      scales: { x: { time: true }, y: { range: roomy(drawing) } },
      axes: [
        { ...axis, values: timeLabels, size: 46, gap: 9, space: 70 },
        {
          ...axis,
          size: 68,
          space: 26,
          values: (_chart, splits, _axis, _space, step) =>
            splits.map((value) => amount(value, Math.max(placesFor(step), drawing.leastPlaces ?? 0))),
        },
      ],
      series: [{}, ...drawing.series],
      bands: drawing.bands ?? [],
      hooks: {
        drawAxes: [zeroLine],
        draw: drawing.draw === undefined ? [] : [drawing.draw],
        setCursor: [drawing.hover],
        setScale: [
          (self, name) => {
            const { min, max } = self.scales['x'] ?? {};
            if (
              name === 'x' &&
              !group.isMoving &&
              group.charts.includes(self) &&
              min !== undefined &&
              max !== undefined
            )
              show(group, min, max);
          },
        ],
      },
    },
    // The library's type separates the null-free first column; it is exactly that.
    /** @type {uPlot.AlignedData} */ (drawing.data),
    place,
  );
  return chart;
}

/** Gains are above it, losses below. @param {uPlot} chart */
function zeroLine({ ctx, bbox, scales, valToPos }) {
  const { min, max } = scales['y'] ?? {};
  if (min === undefined || max === undefined || min >= 0 || max <= 0) return;
  const y = Math.round(valToPos(0, 'y', true));
  ctx.save();
  ctx.strokeStyle = color('--mark');
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

/** @param {Drawing[]} drawings @param {string} key @param {number} step @returns {Group} */
export function drawGroup(drawings, key, step) {
  const time = drawings[0]?.data[0] ?? [];
  const first = time[0] ?? 0;
  /** @type {Group} */
  const group = { charts: [], full: [first, Math.max(time.at(-1) ?? first, first + step)], step, isMoving: false };
  for (const drawing of drawings) {
    const chart = draw(drawing, group, key);
    if (chart !== null) group.charts.push(chart);
  }
  if (time.length > 0) show(group, ...group.full);
  return group;
}
