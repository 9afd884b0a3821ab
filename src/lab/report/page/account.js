/** The whole account over time: result, drawdown, locked capital. */

import { column, data, ONE, scaled, stepOf, times, withGaps } from './columns.js';
import { amount, clockOf, color, dayOf, say } from './format.js';
import { drawGroup } from './frame.js';
import { groups } from './zoom.js';

/** @typedef {import('./columns.js').Column} Column */
/** @typedef {import('./columns.js').Rows} Rows */

export const session = () =>
  Number(/** @type {HTMLInputElement | null} */ (document.querySelector('input[name=session]:checked'))?.value ?? 0);

/** As in the list of keys: the middle one, or the only one, is drawn through. */
const DASHES = data.sessions.length < 2 ? [[]] : [[7, 3], [], [2, 3], [10, 3, 2, 3], [5, 2]];
const colorOf = (/** @type {number} */ index) => color(`--s${data.sessions.length < 2 ? 1 : index % 5}`);

export function drawAccount() {
  const chosen = session();
  const accounts = data.sessions.map((account) => {
    const time = times(account.time);
    const result = scaled(column(account.equity).map((value) => (value === null ? null : value - account.capital)));
    const rows = withGaps(time, [result, scaled(column(account.locked))], stepOf(time));
    addEnd(rows, account.end[0], (account.end[1] - account.capital) / ONE);
    return rows;
  });
  // Sessions of one bracket may have been sampled at other times.
  const joined = /** @type {Rows} */ (
    /** @type {unknown} */ (
      uPlot.join(accounts.map(([time, result]) => /** @type {uPlot.AlignedData} */ ([time, result ?? []])))
    )
  );
  const [time = [], result = [], locked = []] = accounts[chosen] ?? [];
  const below = fallen(result);
  const line = (/** @type {number} */ index, /** @type {string} */ fill = '') => ({
    stroke: () => colorOf(index),
    width: index === chosen ? 2 : 1.3,
    dash: fill === '' ? (DASHES[index % DASHES.length] ?? []) : [],
    points: { show: false },
    ...(fill === '' ? {} : { fill: () => `color-mix(in srgb, ${colorOf(index)} 18%, transparent)` }),
  });
  const hover = (/** @type {uPlot} */ chart) => {
    const at = chart.cursor.idx;
    const now = at === null || at === undefined ? undefined : chart.data[0][at];
    if (now === undefined) return;
    const place = time.indexOf(now);
    const results = data.sessions.map(
      ({ name }, index) =>
        /** @type {[string, string]} */ ([name, amount(joined[index + 1]?.[joined[0].indexOf(now)])]),
    );
    say('read-account', [
      [dayOf(now), clockOf(now)],
      ...results,
      ['below the peak', amount(below[place])],
      ['locked', amount(locked[place])],
    ]);
  };
  groups['account'] = drawGroup(
    [
      {
        name: 'plot-equity',
        height: 250,
        data: joined,
        series: data.sessions.map((_, index) => line(index)),
        least: 1,
        hover,
      },
      {
        name: 'plot-drawdown',
        height: 130,
        data: [time, below],
        series: [line(chosen, 'fill')],
        least: 1,
        pinned: 'high',
        hover,
      },
      {
        name: 'plot-locked',
        height: 130,
        data: [time, locked],
        series: [line(chosen, 'fill')],
        least: 1,
        pinned: 'low',
        hover,
      },
    ],
    'account',
    stepOf(time),
  );
}

/** What settled after the last sample belongs to the result: the line ends where the result does, in a step. @param {Rows} rows @param {number} time @param {number} result */
function addEnd([times, results, locked], time, result) {
  if (time <= (times.at(-1) ?? 0)) return;
  times.push(time - 1, time);
  results?.push(results.at(-1) ?? null, result);
  locked?.push(locked.at(-1) ?? null, locked.at(-1) ?? null);
}

/** How far below the highest value so far, as numbers ≤ 0. @param {Column} values @returns {Column} */
function fallen(values) {
  let peak = Number.NEGATIVE_INFINITY;
  return values.map((value) => {
    if (value === null) return null;
    peak = Math.max(peak, value);
    return value - peak;
  });
}
