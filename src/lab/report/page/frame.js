/** Charts above each other whose time axis is the same: all of a group show the same time. */

import { amount, clockOf, color, dayOf } from './data.js';

/** @typedef {import('./data.js').Rows} Rows */
/** @typedef {{ charts: uPlot[], full: [number, number], step: number, isMoving: boolean }} Group */

/** What is drawn now. @type {Record<string, Group | null>} */
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

/** @param {Group} group @param {number} factor @param {number} [at] part of the width that stays where it is */
function zoom(group, factor, at = 0.5) {
  const [min, max] = shown(group);
  const middle = min + at * (max - min);
  show(group, middle - (middle - min) * factor, middle + (max - middle) * factor);
}

/** @param {Group} group @param {number} part of the width */
function move(group, part) {
  const [min, max] = shown(group);
  show(group, min + part * (max - min), max + part * (max - min));
}

/** @type {Record<string, (group: Group) => void>} */
export const ACTIONS = {
  in: (group) => zoom(group, 0.5),
  out: (group) => zoom(group, 2),
  left: (group) => move(group, -0.25),
  right: (group) => move(group, 0.25),
  reset: (group) => show(group, ...group.full),
};
/** @type {Record<string, string>} */
const KEYS = { '+': 'in', '=': 'in', '-': 'out', ArrowLeft: 'left', ArrowRight: 'right', 0: 'reset' };

/** Listeners of a chart's frame are set once; the chart in it changes. @param {HTMLElement} plot @param {() => Group | null} current */
export function handle(plot, current) {
  plot.addEventListener('keydown', (event) => {
    const action = ACTIONS[KEYS[event.key] ?? ''];
    const group = current();
    if (action === undefined || group === null || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    action(group);
  });
  // Only a chart that was clicked takes the wheel: else nobody could scroll past it.
  plot.addEventListener(
    'wheel',
    (event) => {
      const group = current();
      const over = plot.querySelector('.u-over')?.getBoundingClientRect();
      if (group === null || over === undefined || document.activeElement !== plot) return;
      event.preventDefault();
      const at = Math.min(1, Math.max(0, (event.clientX - over.left) / over.width));
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(group, event.deltaX / over.width);
      else zoom(group, event.deltaY < 0 ? 0.8 : 1.25, at);
    },
    { passive: false },
  );
  plot.addEventListener(
    'mousedown',
    (event) => {
      plot.focus({ preventScroll: true });
      const group = current();
      if (!event.shiftKey || group === null) return;
      event.preventDefault();
      event.stopPropagation();
      drag(group, plot, event.clientX);
    },
    true,
  );
}

/** @param {Group} group @param {HTMLElement} plot @param {number} startX */
function drag(group, plot, startX) {
  const [min, max] = shown(group);
  const width = plot.querySelector('.u-over')?.clientWidth ?? plot.clientWidth;
  const follow = (/** @type {MouseEvent} */ event) => {
    const by = ((startX - event.clientX) / width) * (max - min);
    show(group, min + by, max + by);
  };
  document.addEventListener('mousemove', follow);
  document.addEventListener('mouseup', () => document.removeEventListener('mousemove', follow), { once: true });
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

/** A scale with some air, and never a flat one. @param {Drawing} drawing @returns {uPlot.Scale.Range} */
const roomy =
  ({ least, pinned }) =>
  (_chart, low, high) => {
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, least];
    const air = Math.max((high - low) * 0.06, (least - (high - low)) / 2, least * 0.05);
    if (pinned === 'low') return [0, Math.max(least, high * 1.06)];
    return [pinned === 'high' ? Math.min(-least, low * 1.06) : low - air, pinned === 'high' ? 0 : high + air];
  };

/** Places that tell neighbouring ticks apart. @param {number} step */
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
    // The library's type wants the null-free first column apart; it is exactly that.
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
