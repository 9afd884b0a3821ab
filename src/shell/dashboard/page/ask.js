/** What the page asks of its console, with what opens it, and what is said when that does not answer. */

import { part } from './dom.js';

/** A console that has not answered for so long hangs, or is gone; it asks the trader for two seconds. */
export const PATIENCE_MS = 4000;
const KEPT = 'twinbook-secret';
let wasGiven = sessionStorage.getItem(KEPT) !== null;

export const GONE =
  'The page does not answer. What you see is old. "twinbook kill" and "twinbook cancel-all" on its machine work without it.';

/** @param {string} secret */
export function keepSecret(secret) {
  sessionStorage.setItem(KEPT, secret);
  wasGiven = true;
}

/** What has opened nothing opens nothing later either, and each look with it would count as another guess. */
export const forgetSecret = () => sessionStorage.removeItem(KEPT);

/** Whether this page has brought any, also one that is forgotten. */
export const wasSecretGiven = () => wasGiven;

// What stands behind the # never leaves the browser; it is taken out of the address so that no screenshot shows it.
if (location.hash.length > 1) {
  keepSecret(decodeURIComponent(location.hash.slice(1)));
  history.replaceState(null, '', `/${location.search}`);
}

/**
 * @param {string} path
 * @param {RequestInit} [how]
 */
export const ask = (path, how = {}) =>
  fetch(path, {
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...how,
    headers: { authorization: `Bearer ${sessionStorage.getItem(KEPT) ?? ''}`, 'content-type': 'application/json' },
    cache: 'no-store',
    redirect: 'error',
  });

/** @param {string} words */
export function alarm(words) {
  // The same words again would be read out again.
  if (part('banner').textContent !== words) part('banner').textContent = words;
  part('banner').hidden = words === '';
}
