/** A market at an earlier time: the requested time, and the result of its run's replay. */

import { hrefWith, route } from './address.js';
import { field, part, setText } from './dom.js';

/** Default moment before one is chosen, ms ago. */
const LATELY_MS = 300_000;

/** Format of the input field: local time, to the second. @param {number} ms */
const localText = (ms) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

/** Requested past moment, Unix ms; null for now. @param {import('./address.js').Route} wanted */
export function wantedMoment({ at }) {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? null : ms;
}

/** @param {import('../../console/market-replay.js').PastView} view */
export function showPast({ state, text }) {
  setText(part('view-explain-title'), 'A market as it was');
  setText(part('explain-source'), state === 'done' ? 'Times are UTC.' : '');
  const tree = part('explain-tree');
  delete tree.dataset['shown'];
  tree.replaceChildren();
  part('explain-at').hidden = false;
  setText(part('past-state'), state === 'done' ? '' : text);
  setText(part('past-lines'), state === 'done' ? text : '');
  part('past-lines').hidden = state !== 'done';
}

/** @param {boolean} isMarket whether the subject has a past that can be requested */
export function leavePast(isMarket) {
  part('explain-at').hidden = !isMarket;
  setText(part('past-state'), '');
  part('past-lines').hidden = true;
}

/** @param {(href: string) => void} go */
export function startPast(go) {
  const moment = field('at');
  moment.value = localText(wantedMoment(route()) ?? Date.now() - LATELY_MS);
  part('explain-at').addEventListener('submit', (event) => {
    event.preventDefault();
    const ms = new Date(moment.value).getTime();
    if (!Number.isNaN(ms)) go(hrefWith({ at: new Date(ms).toISOString() }));
  });
  part('explain-now').addEventListener('click', () => go(hrefWith({ at: '' })));
}
