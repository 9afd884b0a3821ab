/** The data in the page, its columns of numbers, and the text of a readout. */

import { amount } from '../../../shell/web-kit/page/chart.js';
import { readColumn } from './columns.js';

/** @typedef {import('../html/drawing-data.js').DrawingData} DrawingData */

/** @type {DrawingData} */
export const data = JSON.parse(document.getElementById('data')?.textContent ?? '{}');
export const ONE = 1e6;

/** @param {number} place */
export const column = (place) => readColumn(data.columns[place] ?? '1:');

/** A time column never has unknown values. @param {number} place */
export const times = (place) => /** @type {number[]} */ (column(place));

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
