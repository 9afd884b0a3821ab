/** A program in place of the dashboard's page: it proves the secret like the page, and checks each answer. */

import { randomBytes } from 'node:crypto';
import { deriveKey, deriveSessionKey, type Greeting, PROOF_HEADER, prove } from '../../src/shell/dashboard/sessions.js';

export interface PageHow {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const JSON_TYPE = { 'content-type': 'application/json' };

const post = (url: string, path: string, body: object) =>
  fetch(new URL(path, url), { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });

/** A session with the console at this address. Throws if the server does not prove that it knows the secret. */
export async function openPageSession(url: string, secret: string) {
  const pageNonce = randomBytes(32).toString('hex');
  const greeting = (await (await post(url, '/session/greeting', { nonce: pageNonce })).json()) as Greeting;
  const key = await deriveKey(secret, greeting);
  const handshake = [pageNonce, greeting.nonce, new URL(url).host] as const;
  if (!greeting.proofs.includes(prove(key, ['server', ...handshake]))) throw new Error('the server proved nothing');
  const opened = await post(url, '/session', { nonce: greeting.nonce, proof: prove(key, ['page', ...handshake]) });
  if (!opened.ok) throw new Error(`no session: ${await opened.text()}`);
  const sessionKey = deriveSessionKey(key, handshake);
  let last = 0;
  /** The headers that prove one request. */
  const headersFor = (path: string, { method = 'GET', body = '' }: PageHow = {}) => {
    const count = ++last;
    const { href, origin } = new URL(path, url);
    const proof = prove(sessionKey, ['request', count, method, href.slice(origin.length)], body);
    return { ...JSON_TYPE, authorization: `Twinbook ${greeting.nonce} ${count} ${proof}` };
  };
  const ask = async (path: string, how: PageHow = {}): Promise<Response> => {
    const headers = { ...headersFor(path, how), ...how.headers };
    const count = last;
    const response = await fetch(new URL(path, url), { ...how, headers });
    if (!response.headers.has(PROOF_HEADER)) return response;
    const body = Buffer.from(await response.arrayBuffer());
    if (response.headers.get(PROOF_HEADER) !== prove(sessionKey, ['answer', count, response.status], body))
      throw new Error('the answer has a wrong proof');
    const { status, headers: given } = response;
    return new Response(body, { status, headers: given });
  };
  return { ask, headersFor, sessionKey };
}
