import { afterAll, describe, expect, it } from 'vitest';
import { SERVICE_ERRORS } from '../../../src/shared/protocol/errors.js';
import { bytesAnswered, openMarket, send, startTestExchange, TestTrader } from './harness.js';

const problems: unknown[] = [];
const logger = { info: () => undefined, warn: () => undefined, error: (facts: object) => void problems.push(facts) };
const exchange = await startTestExchange({ logger });
const trader = await TestTrader.join(exchange.url);
const market = await openMarket(exchange.url);

afterAll(async () => {
  await exchange.close();
  expect(problems).toEqual([]);
});

const CODES = new Map(Object.entries(SERVICE_ERRORS).map(([slug, spec]) => [slug, spec]));

/** Reads an answer from the connection: status line, headers, and a body that must be the envelope. */
function wholeAnswer(text: string): { status: number; slug: string | null } {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  expect(head.toLowerCase()).toContain('content-type: application/json');
  const envelope = JSON.parse(body) as { data: unknown; meta: unknown; error: { slug: string; code: number } | null };
  expect(Object.keys(envelope)).toEqual(['data', 'meta', 'error']);
  if (envelope.error === null) {
    expect([200, 201]).toContain(status);
    return { status, slug: null };
  }
  const spec = CODES.get(envelope.error.slug);
  expect({ status, code: envelope.error.code }).toEqual({ status: spec?.status, code: spec?.code });
  expect(status).toBeLessThan(500);
  return { status, slug: envelope.error.slug };
}

const raw = async (lines: readonly string[], body: string | Buffer = '') => {
  const head = [...lines, 'Host: localhost', 'Connection: close', '', ''].join('\r\n');
  return wholeAnswer(
    await bytesAnswered(exchange.port, Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]), true),
  );
};

const posted = (path: string, body: string | Buffer, type = 'application/json') =>
  raw([`POST ${path} HTTP/1.1`, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`], body);

describe('malformed requests', () => {
  const bootstrap = '/auth/keys/challenge/';
  it.each([
    ['a byte order mark', '\uFEFF{}'],
    ['a trailing comma', '{"wallet_address": "x",}'],
    ['a deep nest', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['a deep nest in an unknown field', `{"a":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_001)}`],
    ['duplicate keys', '{"wallet_address": 5, "wallet_address": "x"}'],
    ['a prototype', '{"__proto__": {"wallet_address": "x"}, "constructor": {"prototype": {}}}'],
    ['a number too large', '{"wallet_address": 1e999}'],
    ['nothing at all', ''],
  ])('with %s as body are a 400', async (_what, body) => {
    expect(await posted(bootstrap, body)).toEqual({ status: 400, slug: 'invalid_request_params' });
    expect(Object.prototype).not.toHaveProperty('wallet_address');
  });

  it('with another media type are a 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'nonsense', ';'])
      expect(await posted(bootstrap, '{}', type)).toEqual({ status: 415, slug: 'unsupported_media_type' });
    expect((await posted(bootstrap, '{}', 'Application/JSON; charset=utf-8')).status).toBe(400);
  });

  it.each([
    ['GET /markets/%zz/ HTTP/1.1', 'invalid_request_params'],
    ['GET /markets/%c3%28/ HTTP/1.1', 'invalid_request_params'],
    ['GET /markets/%2e%2e%2f/ HTTP/1.1', 'not_found'],
    ['GET /../../etc/passwd HTTP/1.1', 'not_found'],
    ['GET //markets// HTTP/1.1', 'not_found'],
    ['GET * HTTP/1.1', 'not_found'],
    ['GET /markets/%00/ HTTP/1.1', 'not_found'],
    [`GET /markets/__proto__/ HTTP/1.1`, 'not_found'],
    [`GET /events/constructor/ HTTP/1.1`, 'not_found'],
    ['PROPFIND /markets/ HTTP/1.1', 'method_not_allowed'],
    ['TRACE /markets/ HTTP/1.1', 'method_not_allowed'],
    ['QUERY /markets/ HTTP/1.1', 'method_not_allowed'],
    ['QUERY /nowhere/ HTTP/1.1', 'not_found'],
    ['OPTIONS /markets/ HTTP/1.1', 'method_not_allowed'],
    ['BREW /coffee/ HTTP/1.1', 'invalid_request_params'],
    ['GET /markets/ HTTP/9.9', 'invalid_request_params'],
    ['', 'invalid_request_params'],
    ['\u0000\u0001\u0002', 'invalid_request_params'],
    ['GET /markets/ HTTP/1.1\r\nContent-Length: -5', 'invalid_request_params'],
    ['GET /markets/ HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked', 'invalid_request_params'],
  ])('%j are answered in the envelope', async (line, slug) => expect((await raw([line])).slug).toBe(slug));

  it('with headers larger than any are a 431', async () => {
    const long = 'a'.repeat(20_000);
    for (const lines of [['GET /markets/ HTTP/1.1', `X-Long: ${long}`], [`GET /markets/?x=${long} HTTP/1.1`]])
      expect(await raw(lines)).toEqual({ status: 431, slug: 'request_headers_too_large' });
    expect((await raw(['GET /markets/ HTTP/1.1', `X-Long: ${'a'.repeat(15_000)}`])).status).toBe(200);
  });

  it.each(['text/plain', 'nonsense', ';'])('of media type %s are a 404 or 405 where no call is', async (type) => {
    expect(await posted('/nowhere/', '{}', type)).toEqual({ status: 404, slug: 'not_found' });
    expect(await posted('/markets/', '{}', type)).toEqual({ status: 405, slug: 'method_not_allowed' });
  });
});

const heard = (bytes: string): Promise<string> => bytesAnswered(exchange.port, bytes);

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

const signed = (method: string, path: string, body = ''): string => {
  const headers = { ...trader.headersFor(method, path, body), Host: 'x', 'Content-Length': String(body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/1.1`, ...lines, 'Content-Type: application/json'].join('\r\n')}\r\n\r\n${body}`;
};

describe('bytes that are no request', () => {
  it('are refused after what came whole before them was answered', async () => {
    const split = JSON.stringify({ market_condition_id: market, amount: '1' });
    const text = await heard(`${signed('POST', '/share-splits/', split)}${signed('GET', '/account/')}nonsense\r\n\r\n`);
    expect(statuses(text)).toEqual([201, 200, 400]);
    expect(text.indexOf('username')).toBeLessThan(text.indexOf('is not complete HTTP'));
  });

  it('are refused at once where they are the body of what came before', async () => {
    const head = 'POST /share-splits/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    expect(statuses(await heard(`${head}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n\r\n`))).toEqual([400]);
  });

  it('that want a tunnel are told which methods there are', async () => {
    const text = await heard('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(statuses(text)).toEqual([405]);
    expect(text).toContain('\r\nallow: GET, POST, DELETE\r\n');
  });
});

it.each([
  ['POST', '/margin/positions/unknown/settlements/'],
  ['DELETE', '/auth/keys/unknown/'],
])('a call without a body: %s %s takes any media type, and no body that is too large', async (method, path) => {
  for (const type of ['/', 'nonsense', 'text/plain', ';', 'application/json']) {
    const headers = { ...trader.headersFor(method, path), 'content-type': type };
    expect((await send(exchange.url, method, path, { headers })).slug).toBe('not_found');
  }
  const body = 'x'.repeat(70_000);
  const answer = await send(exchange.url, method, path, { body, headers: trader.headersFor(method, path, body) });
  expect(answer.slug).toBe('request_too_large');
});
