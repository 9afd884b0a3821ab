/** Formats of figures and times for people. */

/** @param {number} ms */
export const clock = (ms) => new Date(ms).toLocaleTimeString([], { hour12: false });

/** With the day, unless it is today. @param {number} ms */
export function moment(ms) {
  const date = new Date(ms);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? clock(ms) : `${date.toLocaleDateString()} ${clock(ms)}`;
}

/** @param {number | null} ms @param {number} now */
export function ageText(ms, now) {
  if (ms === null) return '–';
  const seconds = Math.max(0, (now - ms) / 1000);
  if (seconds < 120) return `${seconds.toFixed(0)} s`;
  return seconds < 7200 ? `${(seconds / 60).toFixed(0)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** @param {number | null} share */
export const percent = (share) => (share === null ? '–' : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`);

/** A text of the console; empty means unknown. @param {string | null} value */
export const known = (value) => (value === null || value === '' ? '–' : value);

/** A decimal with at least two places, so that decimal points are aligned. @param {string | null} value */
export const price = (value) => {
  const shown = known(value);
  return shown === '–'
    ? shown
    : shown.replace(/^(-?\d+)(?:\.(\d*))?$/, (_, whole, part = '') => `${whole}.${part.padEnd(2, '0')}`);
};

/** Currency to two decimals, towards zero: it is read, not booked. @param {string} value a decimal, empty if unknown */
export const money = (value) => (value === '' ? '–' : (Math.trunc(Number(value) * 100) / 100).toFixed(2));

/** @param {string} value */
export const gain = (value) => (Number(value) > 0 ? `+${money(value)}` : money(value));

/** Of whole millionths. @param {number | null | undefined} micros @param {number} [places] */
export const decimal = (micros, places = 2) =>
  micros === null || micros === undefined
    ? '–'
    : (micros / 1e6).toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: 6 });
