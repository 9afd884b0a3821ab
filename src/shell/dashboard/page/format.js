/** Formats figures and times for people. The console sends figures as decimal texts; an empty text means unknown. */

import { amount, clockOf, dayOf } from '../../web-kit/page/chart.js';
import { html } from '../../web-kit/page/template.js';

export const clock = (/** @type {number} */ ms) => clockOf(ms, false);

/** Formats a time; adds the date unless the time is today. @param {number} ms */
export const moment = (ms) =>
  new Date(ms).toDateString() === new Date().toDateString() ? clock(ms) : `${dayOf(ms, false)} ${clock(ms)}`;

/** @param {number | null} ms @param {number} now */
export const ageText = (ms, now) => (ms === null ? '–' : durationText(Math.max(0, now - ms)));

/** Formats a duration, such as `3 h 12 min`. @param {number} ms */
export function durationText(ms) {
  const seconds = ms / 1000;
  if (seconds < 120) return `${seconds.toFixed(0)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** @param {number | null} share */
export const percent = (share) => (share === null ? '–' : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`);

export const known = (/** @type {string | null} */ value) => (value === null || value === '' ? '–' : value);

/** Shows a rounded figure, with the exact value on hover. @param {string | null} value @param {number} places @param {string} [sign] of a gain */
export function rounded(value, places, sign = '') {
  if (value === null || value === '') return '–';
  const text = amount(Number(value), places);
  return html`<span title=${value}>${Number(value) * 10 ** places < 0.5 ? text : `${sign}${text}`}</span>`;
}

/** Returns the colour class of a profit or loss; empty if `gain` rounds the value to zero. @param {string} value */
export const gainKind = (value) => (Number(value) <= -0.005 ? 'bad' : Number(value) >= 0.005 ? 'good' : '');

/** @param {string | null} value @param {number} most */
const placesOf = (value, most) => Math.min(most, (value ?? '').split('.')[1]?.length ?? 0);

/** Formats a price without rounding: no venue has a tick with more than four decimals. @param {string | null} value @param {number} [least] decimals */
export const price = (value, least = 2) => rounded(value, Math.max(least, placesOf(value, 4)));

/** Formats an amount of currency. @param {string | null} value */
export const money = (value) => rounded(value, 2);

/** Formats a profit or loss with its sign. @param {string | null} value */
export const gain = (value) => rounded(value, 2, '+');

/** Formats a number of shares, with at most two decimals. @param {string | null} value */
export const shares = (value) => rounded(value, placesOf(value, 2));

/** Formats a number of micros as a decimal. @param {number | null | undefined} micros @param {number} [places] */
export const decimal = (micros, places = 2) =>
  amount(micros === null || micros === undefined ? null : micros / 1e6, places);
