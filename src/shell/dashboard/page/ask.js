/** Requests of the page to its console, and texts for a console that does not answer. */

import { update } from './model.js';
import { endSession, LockedOut, NotOurs, openSession, prove, requireProof, setSecret } from './session.js';

/** A console without an answer for this long hangs or is gone; it waits two seconds for the trader. */
export const PATIENCE_MS = 4000;

const GONE =
  'The page does not answer. What you see is old. "twinbook kill" and "twinbook cancel-all" on its machine work without it.';

/** @param {unknown} error of a request */
export const explainFailure = (error) =>
  error instanceof LockedOut || error instanceof NotOurs ? error.message : GONE;

/** Browsers never send the part behind the #. It is removed from the address bar, so that no screenshot shows it. */
export function takeSecretFromAddress() {
  if (location.hash.length < 2) return;
  setSecret(decodeURIComponent(location.hash.slice(1)));
  history.replaceState(null, '', `/${location.search}`);
}
takeSecretFromAddress();

/**
 * The console's answer, proven. Throws `LockedOut` and `NotOurs`.
 *
 * @param {string} path
 * @param {RequestInit & { body?: string }} [how]
 */
export const ask = async (path, how = {}) => (await askProven(path, how)).response;

/**
 * The console's stream; a refusal is proven, and each event proves itself.
 *
 * @param {string} path @param {AbortSignal} signal
 */
export async function askStream(path, signal) {
  const { response, check } = await askProven(path, { signal }, true);
  let index = 0;
  return {
    response,
    /**
     * Data of an event. Each is counted, and only wanted ones are verified. @param {string} event @param {boolean}
     * isWanted
     */
    async read(event, isWanted) {
      const [, proof = '', data = ''] = /^id: (\w+)\ndata: (.*)$/s.exec(event) ?? [];
      const lines = ['event', index++];
      if (isWanted) await check(lines, proof, data);
      return data;
    },
  };
}

/**
 * A console that does not know the session is asked for a new one, once.
 *
 * @param {string} path @param {RequestInit & { body?: string }} how @param {boolean} [isStream]
 */
async function askProven(path, how, isStream = false) {
  const first = openSession();
  const asked = await askWith(await first, path, how, isStream);
  if (asked.response.status !== 401) return asked;
  endSession(first);
  return askWith(await openSession(), path, how, isStream);
}

/**
 * @param {import('./session.js').PageSession} session
 * @param {string} path @param {RequestInit & { body?: string }} how @param {boolean} isStream
 */
async function askWith(session, path, how, isStream) {
  const count = ++session.count;
  const { href, origin } = new URL(path, location.href);
  const target = href.slice(origin.length);
  const proof = await prove(session.key, ['request', count, how.method ?? 'GET', target], how.body);
  const response = await fetch(path, {
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...how,
    headers: { authorization: `Twinbook ${session.id} ${count} ${proof}`, 'content-type': 'application/json' },
    cache: 'no-store',
    redirect: 'error',
  });
  /** @param {readonly (string | number)[]} lines @param {string} given @param {Uint8Array | string} body */
  const check = ([purpose = '', ...rest], given, body) => requireProof(session, [purpose, count, ...rest], given, body);
  if (response.status === 401 || (isStream && response.ok)) return { response, check };
  const body = new Uint8Array(await response.arrayBuffer());
  await check(['answer', response.status], response.headers.get('x-twinbook-proof') ?? '', body);
  const { status, headers } = response;
  return { response: new Response(body, { status, headers }), check };
}

/** @param {string} banner empty to hide it @param {boolean} [isMild] about prices of some markets */
export const alarm = (banner, isMild = false) => update({ banner, isMild });
