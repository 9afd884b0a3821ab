/** Charts as components of the page: a chart is created when it appears, then updated with new rows. */

import { makeChart, rowsOf, stepOf } from '../../web-kit/page/chart.js';
import { Component, html } from '../../web-kit/page/template.js';
import { NEVER } from './model.js';

/** @param {readonly number[]} times ms @param {readonly (readonly (number | null)[])[]} columns micros */
export function plotRows(times, columns) {
  const step = stepOf(times);
  return rowsOf(times, columns, step, 3.5 * step);
}

/**
 * Returns time and index of the newest sample under the pointer; the index is -1 without a sample.
 *
 * @param {uPlot} chart @param {readonly number[]} [sampled] ms
 * @returns {[at: number, i: number]}
 */
export function pointAt({ cursor: { idx }, data: [times] }, sampled = []) {
  const at = times[idx ?? -1] ?? NEVER;
  return [at, sampled.findLastIndex((ms) => ms <= at)];
}

/** Component of one chart; `rows` as in `makeChart`. @extends {Component<{ id: string, title: string, unit: string, keys?: readonly (readonly [label: string, color: string, sign?: string])[], label: string, options: import('../../web-kit/page/chart.js').ChartOptions, rows: import('../../web-kit/page/chart.js').Rows }>} */
export class Plot extends Component {
  /** @type {HTMLElement | null} */
  place = null;
  /** @type {uPlot | null} */
  chart = null;

  /** @override */
  componentDidMount() {
    if (this.place !== null) this.chart = makeChart(this.place, this.props.options, this.props.rows);
  }

  /** @override */
  componentDidUpdate() {
    const { place, chart, props } = this;
    if (place === null || chart === null) return;
    if (chart.width !== place.clientWidth) chart.setSize({ width: place.clientWidth, height: props.options.height });
    chart.setData(/** @type {uPlot.AlignedData} */ (props.rows));
  }

  /** @override */
  componentWillUnmount() {
    this.chart?.destroy();
  }

  /** @param {HTMLElement | null} place */
  hold = (place) => {
    this.place = place;
  };

  /** @override */
  render() {
    const { id, title, unit, keys = [], label } = this.props;
    return html`<div class="chart"><h3>${title} <span>${unit}</span></h3>
      <div class="plot" id=${id} role="img" aria-label=${label} ref=${this.hold}></div>
      ${keys.length === 0 ? null : html`<ul class="keys">${keys.map(keyItem)}</ul>`}</div>`;
  }
}

/** Legend entry that explains a line, area or sign of a chart. @param {readonly [label: string, color: string, sign?: string]} key */
const keyItem = ([label, color, sign = '–']) =>
  html`<li><i class=${sign === '' ? 'area' : ''} style=${{ color: `var(${color})` }}>${sign === '–' ? '' : sign}</i>${label}</li>`;
