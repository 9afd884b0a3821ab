/** The data in the page, and its columns of numbers. */

/** @typedef {import('../html/drawing-data.js').DrawingData} DrawingData */
/** @typedef {(number | null)[]} Column */
/** Times, then columns of the same length. @typedef {[number[], ...Column[]]} Rows */

/** @type {DrawingData} */
export const data = JSON.parse(document.getElementById('data')?.textContent ?? '{}');
export const ONE = 1e6;

/** See `html/columns.ts`, which writes it. @param {number} place @returns {Column} */
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

/** Where samples are missing nothing is drawn: an empty row ends the line. @param {number[]} time @param {Column[]} columns @param {number} step @returns {Rows} */
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

/** Equal neighbours are most of it, so the smallest distance is the step. @param {number[]} time */
export const stepOf = (time) =>
  time.reduce((least, now, index) => Math.min(least, index === 0 ? least : now - (time[index - 1] ?? now)), 86_400_000);
