/**
 * The page's session with its console. First the console proves that it knows the password or token, then the page
 * does. The secret is never sent. Another program at this address receives only random numbers and useless proofs.
 */

import { update } from './model.js';

/** Storage name of the key derived from the secret. The key survives a reload, but is useless once its console ends. */
const KEPT = 'twinbook-session';
const NONCE_BYTES = 32;
/** Maximum key derivation rounds that a genuine console requests. */
const MOST_ROUNDS = 10_000_000;
const GREETING_MS = 4000;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

const RESTARTED =
  'The dashboard was started again. Open the address that "twinbook dashboard" prints, or type the password or token.';
const NOT_PROVEN =
  'Wrong password or token, or another program answers at this address. The password was not sent. "twinbook dashboard" prints the right address.';
const NOT_OURS =
  'Another program answers at this address and cannot prove that it knows the password or token. The data shown is old. ' +
  '"twinbook kill" and "twinbook cancel-all" on the trader’s machine work without this page.';
const NO_CRYPTO =
  'The browser offers no cryptography at this address. Open the page at 127.0.0.1, even through a tunnel. "twinbook dashboard" prints the address.';

/** Error: the user must first enter the password or token. */
export class LockedOut extends Error {}
/** Error: the program that answers is not the console that this page knows. */
class NotOurs extends Error {}
/** Error: the console refused an action, perhaps because it had received the action before. */
class Refused extends Error {}

/** @typedef {{ readonly id: string, readonly key: CryptoKey, count: number }} PageSession */

/** The password or token; never stored in the browser, where another program at this address could read it. */
let secret = '';
let whyLocked = '';
let isProven = false;
/** @type {Promise<PageSession> | null} */
let session = null;

export function setSecret(/** @type {string} */ given) {
  secret = given;
  isProven = false;
  session = null;
  sessionStorage.removeItem(KEPT);
}

/** Returns the open session or a new one. Throws `LockedOut` and `NotOurs`. @returns {Promise<PageSession>} */
function openSession() {
  const opened = session ?? shakeHands();
  session = opened;
  opened.catch(() => endSession(opened));
  return opened;
}

/** Ends a session that the console no longer knows. @param {Promise<PageSession>} ended */
function endSession(ended) {
  if (session === ended) session = null;
}

async function shakeHands() {
  if (crypto.subtle === undefined) throw new LockedOut(NO_CRYPTO);
  /** @type {{ salt: string, key: string } | null} */
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
  if (secret === '' && kept === null) throw new LockedOut(whyLocked);
  const pageNonce = toHex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  const { salt, rounds, nonce, proofs } = await greet(pageNonce);
  if (kept?.salt !== salt && secret === '') throw new LockedOut(RESTARTED);
  const bytes = kept?.salt === salt ? kept.key : await derive(salt, rounds);
  const key = await importKey(bytes);
  const handshake = [pageNonce, nonce, location.host];
  const proven = await Promise.all(proofs.map((proof) => isProof(key, ['server', ...handshake], proof)));
  if (!proven.includes(true)) throw lockOut();
  isProven = true;
  sessionStorage.setItem(KEPT, JSON.stringify({ salt, key: bytes }));
  const answer = await post('/session', { nonce, proof: await prove(key, ['page', ...handshake]) });
  const { error } = await answer.json();
  if (!answer.ok) throw new NotOurs(error);
  return { id: nonce, key: await importKey(await prove(key, ['session', ...handshake])), count: 0 };
}

/** A secret that was correct once is kept in memory, because the console may return to this address. */
function lockOut() {
  if (isProven) return new NotOurs(NOT_OURS);
  secret = '';
  whyLocked = NOT_PROVEN;
  sessionStorage.removeItem(KEPT);
  return new LockedOut(whyLocked);
}

/** @param {string} nonce @returns {Promise<import('../sessions.js').Greeting>} */
async function greet(nonce) {
  const response = await post('/session/greeting', { nonce });
  const greeting = await response.json().catch(() => null);
  const { salt, nonce: theirs, proofs, rounds } = greeting ?? {};
  const isGreeting = typeof salt === 'string' && typeof theirs === 'string' && Array.isArray(proofs);
  if (!response.ok || !isGreeting || !(rounds <= MOST_ROUNDS)) throw lockOut();
  return greeting;
}

const post = (/** @type {string} */ path, /** @type {object} */ body) =>
  fetch(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(GREETING_MS),
    cache: 'no-store',
    redirect: 'error',
  });

const encoder = new TextEncoder();

/** Derives the key from the secret; returns hex. @param {string} salt @param {number} rounds */
async function derive(salt, rounds) {
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), 'PBKDF2', false, ['deriveBits']);
  const how = { name: 'PBKDF2', hash: 'SHA-256', salt: encoder.encode(salt), iterations: rounds };
  return toHex(new Uint8Array(await crypto.subtle.deriveBits(how, key, 256)));
}

/** @param {string} hex */
const importKey = (hex) => crypto.subtle.importKey('raw', fromHex(hex), HMAC, false, ['sign', 'verify']);

/** Joins a proof's lines and body into the message to sign. The first line names the proof's purpose, as in the console. @param {readonly (string | number)[]} lines @param {Uint8Array} body */
function messageOf(lines, body) {
  const head = encoder.encode(`twinbook ${lines.join('\n')}\n`);
  const message = new Uint8Array(head.length + body.length);
  message.set(head);
  message.set(body, head.length);
  return message;
}

/** Returns a proof in hex. @param {CryptoKey} key @param {readonly (string | number)[]} lines @param {string} [body] */
const prove = async (key, lines, body = '') =>
  toHex(new Uint8Array(await crypto.subtle.sign('HMAC', key, messageOf(lines, encoder.encode(body)))));

/** @param {CryptoKey} key @param {readonly (string | number)[]} lines @param {string} proof @param {Uint8Array} [body] */
const isProof = (key, lines, proof, body = new Uint8Array()) =>
  crypto.subtle.verify('HMAC', key, fromHex(String(proof)), messageOf(lines, body));

/** @param {Uint8Array} bytes */
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** @param {string} hex */
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** Time without an answer after which the console counts as gone, ms; the console waits at most 3 s for its trader. */
export const PATIENCE_MS = 4000;

const GONE =
  'The page does not answer. The data shown is old. "twinbook kill" and "twinbook cancel-all" on the trader’s machine work without this page.';

const REFUSED =
  'The console refused the action, or had received it before. The log shows whether the trader executed it.';

/** @param {any} error of a request */
export const explainFailure = (error) =>
  [LockedOut, NotOurs, Refused].some((kind) => error instanceof kind) ? error.message : GONE;

/** Reads the secret from the address's part after `#`, which browsers never send; then removes it from the address. */
export function takeSecretFromAddress() {
  if (location.hash.length < 2) return;
  setSecret(decodeURIComponent(location.hash.slice(1)));
  history.replaceState(null, '', `/${location.search}`);
}
takeSecretFromAddress();

/**
 * Sends a request and returns the console's proven answer. Throws `LockedOut` and `NotOurs`. If the console does not
 * know the session, opens a new session once. Repeats an action only in that case.
 *
 * @param {string} path
 * @param {RequestInit & { body?: string }} [how]
 */
export async function ask(path, how = {}) {
  const first = openSession();
  const answer = await askWith(await first, path, how);
  if (answer.status !== 401) return answer;
  // A browser repeats a request whose connection was cut, so the action may have been performed before.
  if (how.method === 'POST' && !(await answer.json()).isUnknown) throw new Refused(REFUSED);
  endSession(first);
  return askWith(await openSession(), path, how);
}

/** @param {PageSession} session @param {string} path @param {RequestInit & { body?: string }} how */
async function askWith(session, path, how) {
  const count = ++session.count;
  const { href, origin } = new URL(path, location.href);
  const proof = await prove(session.key, ['request', count, how.method ?? 'GET', href.slice(origin.length)], how.body);
  const response = await fetch(path, {
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...how,
    headers: { authorization: `Twinbook ${session.id} ${count} ${proof}`, 'content-type': 'application/json' },
    cache: 'no-store',
    redirect: 'error',
  });
  const { status, headers } = response;
  if (status === 401) return response;
  const body = new Uint8Array(await response.arrayBuffer());
  const given = headers.get('x-twinbook-proof') ?? '';
  if (!(await isProof(session.key, ['answer', count, status], given, body))) throw new NotOurs(NOT_OURS);
  return new Response(body, { status, headers });
}

/** @param {string} banner empty to hide it @param {boolean} [isMild] the banner is only about prices of some markets */
export const alarm = (banner, isMild = false) => update({ banner, isMild });
