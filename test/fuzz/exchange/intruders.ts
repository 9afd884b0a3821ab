/** Attacks on the caller's identity: invalid credentials, records of other users, the operator's controls. */

import { requestSignature } from '../../../src/shared/protocol/signing.js';
import type { TestTrader } from '../../exchange/http/harness.js';
import { nastyJson, nastyText, pick, weighted } from '../values.js';
import { partsWhere, requestOf, type Scene } from './honest.js';
import { type Case, type Header, type HostileRequest, headerSafe, withJson } from './requests.js';

const KEY = 'SVC-API-KEY';
const TIME = 'SVC-TIMESTAMP';
const SIGNATURE = 'SVC-SIGNATURE';

/** A call that must be signed, without a signature or with a wrong one. */
export function authAttack(scene: Scene): Case {
  const parts = partsWhere(scene, ({ scope }) => scope === 'signed');
  const request = requestOf(parts);
  const signer = parts.signer ?? scene.actor.book;
  // A repeated signing header becomes one text with a comma: no valid key, time or signature.
  const headers = [...request.headers, ...forged(scene, request, signer)];
  const { path } = parts.operation;
  return { kind: 'auth', path, duty: 'unauthorised', request: { ...request, signer: null, headers } };
}

const NO_TIMES = ['-1', '1e9', '0x6', '9'.repeat(13), '', ' ', 'NaN'] as const;

type Named = Readonly<Record<string, string>>;

function forged({ random, world }: Scene, request: HostileRequest, signer: TestTrader): readonly Header[] {
  const body = request.body?.toString('utf8') ?? '';
  const right: Named = signer.headersFor(request.method, request.target, body);
  const at = (timestamp: number | string): Named => signedAt(signer, request, String(timestamp), body);
  const victim = pick(random, world.witnesses).trader;
  const name = pick(random, [KEY, TIME, SIGNATURE]);
  return weighted<() => readonly Header[]>(random, [
    [1, () => []],
    [2, () => listed(right).filter(([given]) => given !== name)],
    [2, () => [...listed(right), [name, right[name] ?? '']]],
    [2, () => listed({ ...right, [name]: headerSafe(nastyText(random)).trim() })],
    [2, () => listed({ ...right, [SIGNATURE]: otherDigit(right[SIGNATURE] ?? '', random.below(64)) })],
    [1, () => listed({ ...right, [SIGNATURE]: (right[SIGNATURE] ?? '').toUpperCase().replace(/^[0-9]*$/, 'F') })],
    [1, () => listed({ ...right, [SIGNATURE]: `0x${right[SIGNATURE] ?? ''}` })],
    [3, () => listed({ ...right, [KEY]: victim.apiKey })],
    [2, () => listed(at(signer.nowS() - 45 - random.below(1_000_000)))],
    [2, () => listed(at(signer.nowS() + 45 + random.below(1_000_000)))],
    [2, () => listed(at(pick(random, [...NO_TIMES, `${signer.nowS()}.0`, `+${signer.nowS()}`])))],
    [1, () => listed(signer.headersFor(request.method === 'GET' ? 'POST' : 'GET', request.target, body))],
    [1, () => listed(signer.headersFor(request.method, `${request.target}?`, body))],
    [1, () => listed(signer.headersFor(request.method, request.target, `${body} `))],
    [1, () => listed(victim.headersFor(request.method, request.target, 'tampered'))],
  ])();
}

const listed = (headers: Named): Header[] => Object.entries(headers);

const otherDigit = (hex: string, at: number): string =>
  `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`;

function signedAt(
  { apiKey, secret }: TestTrader,
  { method, target }: HostileRequest,
  timestamp: string,
  body: string,
): Named {
  const signature = requestSignature(secret, { timestamp, method, pathWithQuery: target, body });
  return { [KEY]: apiKey, [TIME]: timestamp, [SIGNATURE]: signature };
}

/** Correctly signed, but for the record of another user. */
export function foreignAttack(scene: Scene): Case {
  const { random, world, actor } = scene;
  const victim = pick(random, world.witnesses);
  const draft = victim.drafts[random.below(victim.drafts.length * 3)];
  if (draft !== undefined) {
    // The only submit that would succeed if its caller were the owner.
    const body = JSON.stringify({ signature: actor.book.sign(draft) });
    const request = { method: 'POST', target: draft, signer: actor.book, ...withJson(body) };
    return { kind: 'foreign', path: draft.replace(/\/[^/]{20,}\//, '/{pubkey}/'), duty: 'refused', request };
  }
  const parts = partsWhere(scene, ({ scope, path }) => scope === 'signed' && path.includes('{'));
  const [prefix = ''] = parts.operation.path.split('{', 1);
  const theirs = victim.pubkeys[prefix] ?? [];
  const pubkey = theirs[random.below(theirs.length)] ?? victim.trader.apiKey;
  const params = Object.fromEntries(Object.keys(parts.params).map((name) => [name, pubkey]));
  return { kind: 'foreign', path: parts.operation.path, duty: 'refused', request: requestOf({ ...parts, params }) };
}

/** A complete request that was valid once. Within the clock's tolerance it looks like a new one. */
export function replay(scene: Scene): Case | Buffer {
  return scene.actor.sent.draw(scene.random) ?? authAttack(scene);
}

/** Requests credentials for the wallet of another user. */
export function bootstrapAttack(scene: Scene): Case {
  const { random, world, actor } = scene;
  const victim = pick(random, world.witnesses).trader;
  const nonce = random.uint32().toString(16);
  const message = `Create SVC API credential | Wallet: ${victim.wallet} | Nonce: ${nonce}`;
  const body = {
    wallet_address: victim.wallet,
    nonce,
    message: random.chance(0.7) ? message : nastyText(random),
    signature: random.chance(0.7) ? actor.book.sign(message) : nastyText(random),
  };
  const path = '/auth/keys/create/';
  const request = { method: 'POST', target: path, signer: null, ...withJson(JSON.stringify(body)) };
  return { kind: 'bootstrap', path, duty: 'refused', request };
}

/** The operator's controls, called by a web page or with meaningless input. */
export function controlAttack(scene: Scene): Case {
  const { random } = scene;
  const parts = partsWhere(scene, ({ scope }) => scope === 'paper');
  const request = requestOf(parts);
  const fromPage = { ...request, headers: [...request.headers, pick(random, PAGES)] };
  if (request.body === null || random.chance(0.5))
    return { kind: 'control', path: parts.operation.path, duty: 'refused', request: fromPage };
  const text = `[${nastyJson(random)}`;
  return { kind: 'control', path: parts.operation.path, duty: 'refused', request: { ...request, ...withJson(text) } };
}

const PAGES: readonly [Header, ...Header[]] = [
  ['Origin', 'https://evil.example'],
  ['Origin', 'null'],
  ['Origin', 'http://127.0.0.1'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Sec-Fetch-Site', 'same-origin'],
];
