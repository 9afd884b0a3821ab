/** Invalid HTTP, and HTTP with wrong lengths. Each has its own connection. */

import { nastyText, noise, pick, weighted } from '../values.js';
import { honest, type Scene } from './honest.js';
import { bytesOf, type Case, type Header, type HostileRequest } from './requests.js';

export function brokenHttp(scene: Scene): Case | Buffer {
  const { random } = scene;
  const whole = honest(scene);
  if (random.chance(0.1)) return { ...whole, followedBy: Buffer.from(`${nastyText(random)} \u0000\r\n\r\n`) };
  const { request } = whole;
  const body = request.body?.toString('utf8') ?? '{"wallet_address":"x"}';
  const sent = { ...request, method: 'POST', body: Buffer.from(body) };
  const lengths = (...values: string[]) =>
    withHeaders(
      sent,
      values.map((value): Header => ['Content-Length', value]),
    );
  const flood = () => Array.from({ length: 2500 }, (_, at): Header => [`X-${at}`, '']);
  const bytes = weighted<() => Buffer | string>(random, [
    [3, () => noise(random, 600)],
    [2, () => damaged(scene, bytesOf(request))],
    [2, () => bytesOf(request).subarray(0, random.below(bytesOf(request).length))],
    [1, () => lengths(`${body.length + 1 + random.below(1000)}`)],
    [1, () => lengths(`${random.below(body.length)}`)],
    [1, () => lengths(pick(random, LENGTHS))],
    [1, () => lengths('5', '6')],
    [1, () => withHeaders(sent, [['Content-Length', `${body.length}`], CHUNKED])],
    [3, () => withHeaders({ ...sent, body: Buffer.from(chunks(scene, body)) }, [CHUNKED])],
    [1, () => withHeaders(sent, [['Transfer-Encoding', pick(random, CODINGS)]])],
    [1, () => withHeaders(request, [['X-Long', 'a'.repeat(14_000 + random.below(8000))]])],
    [1, () => withHeaders(request, flood())],
    [1, () => withHeaders(request, [[nastyText(random), nastyText(random)]])],
    [1, () => `GET /${nastyText(random)} HTTP/1.1\r\n\r\n`],
    [1, () => `${pick(random, METHODS)} /markets/ HTTP/1.1\r\nHost: x\r\n\r\n`],
    [1, () => `GET /markets/ ${pick(random, VERSIONS)}\r\n\r\n`],
    [1, () => `GET /markets/${'a'.repeat(17_000 + random.below(1000))}/ HTTP/1.1\r\n\r\n`],
    [1, () => 'GET /markets/ HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    [1, () => '\r\n\r\n\r\nGET /markets/ HTTP/1.1\nHost: x\n\n'],
    [1, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [1, () => oversize(scene)],
  ])();
  return Buffer.from(bytes);
}

const METHODS = ['BREW', 'get', 'CONNECT', '', 'G\u0000T', 'PRI'] as const;
const VERSIONS = ['HTTP/9.9', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'http/1.1', 'X', ''] as const;
const CHUNKED: Header = ['Transfer-Encoding', 'chunked'];
const CODINGS = ['gzip', 'chunked, gzip', 'x', 'chunked\u000b', ' chunked'] as const;
const LENGTHS = ['-5', '1e3', '0x10', ' ', '18446744073709551616', '99999999999', '+7', '5, 5'] as const;

const withHeaders = (request: HostileRequest, headers: readonly Header[]): Buffer =>
  bytesOf({ ...request, headers: [...request.headers, ...headers] });

function damaged({ random }: Scene, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let times = 1 + random.below(4); times > 0; times--) copy[random.below(copy.length)] = random.below(256);
  return copy;
}

function chunks({ random }: Scene, body: string): string {
  const size = body.length.toString(16);
  return pick(random, [
    `${size}\r\n${body}\r\n0\r\n\r\n`,
    `${size}\r\n${body}\r\n`,
    `${size}\r\n${body.slice(1)}`,
    `zz\r\n${body}\r\n0\r\n\r\n`,
    `-1\r\n${body}\r\n0\r\n\r\n`,
    `fffffffffffffffff\r\n${body}\r\n0\r\n\r\n`,
    `${size};${'x'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`,
    `0\r\n\r\n${body}`,
    `1\r\n{\r\n1\r\n}\r\n0\r\nX-Trailer: ${'x'.repeat(100)}\r\n\r\n`,
    `${size}\n${body}\n0\n\n`,
    `${'1\r\n \r\n'.repeat(2000)}0\r\n\r\n`,
  ]);
}

/** More than the maximum body of 64 KiB; declared in advance, or not. */
function oversize({ random }: Scene): Buffer {
  const body = Buffer.from(JSON.stringify({ wallet_address: 'x'.repeat(65_536 + random.below(200_000)) }));
  const chunked = random.chance(0.5);
  const framing: Header = chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body.length)];
  const written = chunked
    ? Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
    : body;
  const headers: readonly Header[] = [['Content-Type', 'application/json'], framing];
  return bytesOf({ method: 'POST', target: '/auth/keys/challenge/', headers, body: written, signer: null });
}
