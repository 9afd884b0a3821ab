/** The data in the page, its columns of numbers, and formats of figures, times and colours. */

/** @typedef {import('../html/drawing-data.js').DrawingData} DrawingData */
/** @typedef {(number | null)[]} Column */
/** Times, then columns of the same length. @typedef {[number[], ...Column[]]} Rows */

/** @type {DrawingData} */
export const data = JSON.parse(document.getElementById('data')?.textContent ?? '{}');
export const ONE = 1e6;

/** See `columnText`, which writes it. @param {number} place @returns {Column} */
export function column(place) {
  const text = data.columns[place] ?? '1:';
  const colon = text.indexOf(':');
  const unit = Number(text.slice(0, colon));
  /** @type {Column} */
  const values = [];
  let value = 0;
  for (const token of text.slice(colon + 1).split(' ')) {
    const [step = '', times = '1'] = token.split('*');
    if (step === '') continue;
    for (let i = 0; i < Number(times); i++) {
      if (step !== '_') value += Number(step) * unit;
      values.push(step === '_' ? null : value);
    }
  }
  return values;
}

/** A time column never has unknown values. @param {number} place */
export const times = (place) => /** @type {number[]} */ (column(place));

/**
 * A gap in the samples interrupts the line with an empty row. @param {number[]} time @param {Column[]} columns @param
 * {number} step @returns {Rows}
 */
export function withGaps(time, columns, step) {
  /** @type {number[]} */
  const at = [];
  const rows = columns.map(() => /** @type {Column} */ ([]));
  time.forEach((now, index) => {
    const before = time[index - 1];
    if (before !== undefined && now - before > 1.5 * step) {
      at.push(before + step);
      for (const row of rows) row.push(null);
    }
    at.push(now);
    for (const [i, row] of rows.entries()) row.push(columns[i]?.[index] ?? null);
  });
  return [at, ...rows];
}

export const scaled = (/** @type {Column} */ values, by = ONE) =>
  values.map((value) => (value === null ? null : value / by));

/** Most samples are at equal steps, so the smallest distance is the step. @param {number[]} time */
export const stepOf = (time) =>
  time.reduce((least, now, index) => Math.min(least, index === 0 ? least : now - (time[index - 1] ?? now)), 86_400_000);

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
export const dayOf = (/** @type {number} */ ms) => `${new Date(ms).getUTCDate()} ${MONTHS[new Date(ms).getUTCMonth()]}`;
export const clockOf = (/** @type {number} */ ms, seconds = true) =>
  new Date(ms).toISOString().slice(11, seconds ? 19 : 16);
export const amount = (/** @type {number | null | undefined} */ value, places = 2) =>
  value === null || value === undefined
    ? '–'
    : `${value < 0 ? '−' : ''}${Math.abs(value).toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places })}`;
export const price = (/** @type {number | null | undefined} */ value) =>
  value === null || value === undefined ? '–' : amount(value, Number((value * 100).toFixed(4)) % 1 === 0 ? 2 : 4);

/** Sets the words of a readout: every other one is emphasised. @param {string} id @param {[string, string][]} pairs */
export function say(id, pairs) {
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

/** Of the theme, for example `--ink`. */
export const color = (/** @type {string} */ name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
