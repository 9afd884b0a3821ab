/** Figures, times and colours. */

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

/** Sets the words of a readout: every other one is set off. @param {string} id @param {[string, string][]} pairs */
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

/** Of the theme, e.g. `--ink`. */
export const color = (/** @type {string} */ name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
