/** The base address of a venue: HTTPS unless it is this very machine, because headers and keys travel with it. */

import { TwinbookError } from '../../shared/base/errors.js';

/** Checks a base address and drops its trailing slashes. Throws TwinbookError config_invalid. */
export function checkedBaseUrl(text: string): URL {
  const hint = 'Write it like https://api.example.com or, on this machine, http://127.0.0.1:8787.';
  const invalid = (what: string) => new TwinbookError('config_invalid', `base_url ${what}`, hint);
  if (!URL.canParse(text)) throw invalid('is not an address');
  const url = new URL(text);
  // The address itself may hold a password: it is shown only once that is ruled out.
  if (url.username !== '' || url.password !== '') throw invalid('must not hold a user name or password');
  if (url.search !== '' || url.hash !== '') throw invalid(`${text} must not hold a query or a fragment`);
  const isPlain = url.protocol === 'http:';
  if (!isPlain && url.protocol !== 'https:') throw invalid(`${text} must begin with https://`);
  if (isPlain && !isLoopback(url.hostname))
    throw invalid(`${text} must begin with https:// (only loopback may be plain)`);
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** Whether a host of a URL is this machine itself, so that plain HTTP leaves no wire to listen on. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
