/** Makes charts over time, with axes, scales, gaps, marks and theme colours. */

import uPlot from 'uplot';

/** @typedef {(number | null)[]} Column */
/** Rows of a chart: a column of times, Unix ms, then columns of values of the same length. @typedef {[number[], ...Column[]]} Rows */
/**
 * `least`: minimum span of the value axis. `isBelowZero`: the axis ends at 0. `more`: values the axis must include.
 * `places`: minimum decimals of axis labels. `isZoomed`: dragging selects a time span.
 * @typedef {{ height: number, series: uPlot.Series[], least: number, isBelowZero?: boolean, more?: () => readonly number[],
 *   places?: number, bands?: uPlot.Band[], key?: string, isUtc?: boolean, isZoomed?: boolean, hooks: uPlot.Hooks.Arrays }} ChartOptions
 */

/** Possible distances of time labels, ms. With two minutes, a short run has several labels on a telephone. */
const TIME_STEPS = [
  ...[1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800].map((seconds) => seconds * 1_000),
  ...[1, 2, 3, 4, 6, 8, 12, 24, 48, 72, 120, 240, 480, 720].map((hours) => hours * 3_600_000),
];

/** All charts that the page shows now. @type {Set<uPlot>} */
const charts = new Set();

/** @param {HTMLElement} place @param {ChartOptions} options @param {Rows} rows */
export function makeChart(place, options, rows) {
  const { height, series, places = 0, bands = [], key, isUtc = false, isZoomed = false, hooks } = options;
  const axis = {
    stroke: () => colorOf('--soft'),
    grid: { stroke: () => colorOf('--faint'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  const chart = new uPlot(
    {
      width: place.clientWidth,
      height,
      ms: 1,
      ...(isUtc ? { tzDate: (/** @type {number} */ ms) => uPlot.tzDate(new Date(ms), 'Etc/UTC') } : {}),
      legend: { show: false },
      padding: [8, 30, 0, 0],
      cursor: {
        drag: { x: isZoomed, y: false, dist: 4 },
        points: { show: false },
        y: false,
        ...(key === undefined ? {} : { sync: { key } }),
      },
      scales: { x: { time: true }, y: { range: rangeOf(options) } },
      axes: [
        { ...axis, size: 46, gap: 9, space: 70, incrs: TIME_STEPS, values: timeLabels(isUtc) },
        {
          ...axis,
          size: 68,
          // With this minimum distance three labels fit even into a low chart.
          space: Math.max(14, Math.min(26, (height - 54) / 5)),
          values: (_chart, splits, _axis, _space, step) =>
            splits.map((value) => amount(value, Math.max(placesFor(step), places))),
        },
      ],
      series: [{}, ...series],
      bands,
      hooks: { ...hooks, drawAxes: [zeroLine], destroy: [(self) => charts.delete(self)] },
    },
    // The cast is safe: the library needs a first column without nulls, and the times in `rows` contain none.
    /** @type {uPlot.AlignedData} */ (rows),
    place,
  );
  charts.add(chart);
  return chart;
}

const paths = uPlot.paths.stepped?.({ align: 1 });

/** Returns a stepped line: each value lasts until the next one. @param {string} color of the theme @param {Partial<uPlot.Series>} [more] @returns {uPlot.Series} */
export const stepLine = (color, more = {}) => ({
  stroke: () => colorOf(color),
  width: 1.5,
  // A line needs two points; a single point is drawn as a dot.
  points: { show: (chart) => chart.data[0].length < 2 },
  ...(paths === undefined ? {} : { paths }),
  ...more,
});

/** Redraws all charts, because the theme's colours may have changed. */
export function redrawCharts() {
  for (const chart of charts) chart.redraw(false);
}

const probe = document.body.appendChild(document.createElement('i'));
probe.hidden = true;

/** Returns the present value of a theme colour, for drawing on a canvas. @param {string} name e.g. `--mark` */
export function colorOf(name) {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

/**
 * Converts columns from micros. Where samples are missing, inserts an empty row, which interrupts the lines.
 *
 * @param {readonly number[]} time ms @param {readonly (readonly (number | null)[])[]} columns micros
 * @param {number} step distance of samples, ms @param {number} gap longest distance in one line, ms @returns {Rows}
 */
export function rowsOf(time, columns, step, gap) {
  /** @template Value @param {readonly Value[]} column @param {(before: number) => Value} missing value of an inserted row */
  const interrupt = (column, missing) =>
    column.flatMap((value, index) => {
      const before = time[index - 1] ?? Number.POSITIVE_INFINITY;
      return (time[index] ?? 0) - before > gap ? [missing(before), value] : [value];
    });
  const values = columns.map((column) => column.map((value) => (value === null ? null : value / 1e6)));
  return [interrupt(time, (before) => before + step), ...values.map((column) => interrupt(column, () => null))];
}

/** Returns the samples' interval: the smallest time between two of them. @param {readonly number[]} time */
export const stepOf = (time) =>
  time.reduce((least, now, index) => Math.min(least, index === 0 ? least : now - (time[index - 1] ?? now)), 86_400_000);

/** Returns each value minus the highest value so far, ≤ 0. @param {readonly (number | null)[]} values @returns {Column} */
export function fallen(values) {
  let peak = Number.NEGATIVE_INFINITY;
  return values.map((value) => {
    if (value === null) return null;
    peak = Math.max(peak, value);
    return value - peak;
  });
}

/**
 * Draws fills as triangles sized by shares; a fill that raised our net YES shares points up. @param {uPlot} chart
 * @param {readonly { time: number, price: number, amount: number, raises: boolean }[]} fills with prices in micros
 */
export function drawFills(chart, fills) {
  const { ctx, bbox, scales } = chart;
  const { min = 0, max = 0 } = scales['x'] ?? {};
  const largest = fills.reduce((most, { amount: size }) => Math.max(most, size), 0);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = colorOf('--panel');
  ctx.lineWidth = devicePixelRatio;
  const colors = { bid: colorOf('--bid'), ask: colorOf('--ask') };
  for (const { time, price, amount: size, raises } of fills) {
    if (time < min || time > max) continue;
    const x = chart.valToPos(time, 'x', true);
    const y = chart.valToPos(price / 1e6, 'y', true);
    const r = (4 + 4.5 * Math.sqrt(size / largest)) * devicePixelRatio;
    const up = raises ? -1 : 1;
    ctx.fillStyle = raises ? colors.bid : colors.ask;
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

/** Draws a line at zero; gains are above it and losses below. @param {uPlot} chart */
function zeroLine({ ctx, bbox, scales, valToPos }) {
  const { min, max } = scales['y'] ?? {};
  if (min === undefined || max === undefined || min >= 0 || max <= 0) return;
  const y = Math.round(valToPos(0, 'y', true));
  ctx.save();
  ctx.strokeStyle = colorOf('--mark');
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

/** Returns the range of a value axis, which has a margin and is never empty. @param {ChartOptions} options @returns {uPlot.Scale.Range} */
const rangeOf =
  ({ least, isBelowZero, more }) =>
  (_chart, lowest, highest) => {
    if (lowest === null || highest === null || !Number.isFinite(lowest) || !Number.isFinite(highest)) return [0, least];
    const low = Math.min(lowest, ...(more?.() ?? []));
    const high = Math.max(highest, ...(more?.() ?? []));
    const air = Math.max((high - low) * 0.06, (least - (high - low)) / 2, least * 0.05);
    return isBelowZero ? [Math.min(-least, low * 1.06), 0] : [low - air, high + air];
  };

/** Returns the number of decimals that neighbouring axis labels need to differ. @param {number} step */
const placesFor = (step) => [0, 1, 2, 3].find((places) => Number((step * 10 ** places).toFixed(6)) % 1 === 0) ?? 4;

/** Formats time labels; the first label of each day also shows the date. @param {boolean} isUtc @returns {uPlot.Axis.DynamicValues} */
const timeLabels = (isUtc) => (_chart, splits, _axis, _space, step) => {
  let day = '';
  return splits.map((ms) => {
    const today = dayOf(ms, isUtc);
    const isNew = today !== day;
    day = today;
    return step >= 86_400_000 ? today : `${clockOf(ms, isUtc, step < 60_000)}${isNew ? `\n${today}` : ''}`;
  });
};

const UTC = /** @type {const} */ ({ timeZone: 'UTC' });

/** Formats a date, such as `3 Nov`; the year is added if it is not the present year. @param {number} ms @param {boolean} isUtc or local */
export const dayOf = (ms, isUtc) =>
  new Date(ms)
    .toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', ...(isUtc ? UTC : {}) })
    .replace(` ${new Date().getFullYear()}`, '');

/** Formats a time of day with 24 hours. @param {number} ms @param {boolean} isUtc or local @param {boolean} [hasSeconds] */
export const clockOf = (ms, isUtc, hasSeconds = true) =>
  new Date(ms).toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    ...(hasSeconds ? { second: '2-digit' } : {}),
    ...(isUtc ? UTC : {}),
  });

/** @param {number | null | undefined} value @param {number} [places] */
export const amount = (value, places = 2) =>
  value === null || value === undefined
    ? '–'
    : value
        .toLocaleString('en-US', {
          minimumFractionDigits: places,
          maximumFractionDigits: places,
          signDisplay: 'negative',
        })
        .replace('-', '−');
