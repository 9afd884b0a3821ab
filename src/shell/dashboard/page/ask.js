/** What the page asks of its console, with what opens it, and what is said when that does not answer. */

import { part } from './dom.js';

/** A console that has not answered for so long hangs, or is gone; it asks the trader for two seconds. */
export const PATIENCE_MS = 4000;
const KEPT = 'twinbook-secret';

export const GONE =
  'The page does not answer. What you see is old. "twinbook kill" and "twinbook cancel-all" on its machine work without it.';

/** @param {string} secret */
export const keepSecret = (secret) => sessionStorage.setItem(KEPT, secret);

export const isSecretKept = () => sessionStorage.getItem(KEPT) !== null;

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
