/** Charts with a common time axis: all of a group show the same span. */

import { makeChart } from '../../../shell/web-kit/page/chart.js';

/** @typedef {import('../../../shell/web-kit/page/chart.js').ChartOptions} ChartOptions */
/** @typedef {import('../../../shell/web-kit/page/chart.js').Rows} Rows */
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

/** @typedef {Omit<ChartOptions, 'hooks'> & { id: string, rows: Rows, draw?: (chart: uPlot) => void }} Drawing */

/** @param {string} key @param {Drawing[]} drawings @param {number} step @param {(chart: uPlot) => void} hover */
export function drawGroup(key, drawings, step, hover) {
  for (const chart of groups[key]?.charts ?? []) chart.destroy();
  const time = drawings[0]?.rows[0] ?? [];
  const first = time[0] ?? 0;
  /** @type {Group} */
  const group = { charts: [], full: [first, Math.max(time.at(-1) ?? first, first + step)], step, isMoving: false };
  const follow = (/** @type {uPlot} */ { scales }, /** @type {string} */ name) => {
    const { min, max } = scales['x'] ?? {};
    if (name === 'x' && !group.isMoving && min !== undefined && max !== undefined) show(group, min, max);
  };
  for (const { id, rows, draw, ...options } of drawings) {
    const place = document.getElementById(id);
    if (place === null) continue;
    const hooks = { draw: draw === undefined ? [] : [draw], setCursor: [hover], setScale: [follow] };
    group.charts.push(makeChart(place, { ...options, key, isUtc: true, isZoomed: true, hooks }, rows));
  }
  groups[key] = group;
  if (time.length > 0) show(group, ...group.full);
}
