/** A chart as an element of the page: made when it appears, then updated with new rows. */

import { makeChart, rowsOf, stepOf } from '../../web-kit/page/chart.js';
import { Component, html } from '../../web-kit/page/template.js';

/** @typedef {import('../../web-kit/page/chart.js').ChartOptions} ChartOptions */

/** @param {readonly number[]} times ms @param {readonly (readonly (number | null)[])[]} columns micros */
export function plotRows(times, columns) {
  const step = stepOf(times);
  return rowsOf(times, columns, step, 3.5 * step);
}

/** `rows` are those of `makeChart`. @extends {Component<{ id: string, label: string, options: ChartOptions, rows: import('../../web-kit/page/chart.js').Rows }>} */
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

  /** @param {Element | null} place */
  hold = (place) => {
    if (place instanceof HTMLElement) this.place = place;
  };

  /** @override */
  render() {
    return html`<div class="plot" id=${this.props.id} role="img" aria-label=${this.props.label} ref=${this.hold}></div>`;
  }
}
