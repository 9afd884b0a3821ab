import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ExchangeClock } from '../../../src/exchange/http/ticker.js';
import { type Answered, control, send, serverOf, TestTrader } from './harness.js';
import { sharedExchange } from './shared-exchange.js';

const exchange = await sharedExchange();
const base = exchange.url;
const trader = await TestTrader.join(base);

const PATH = '/orders/?limit=10';
const signed = (headers: Record<string, string>, path = PATH) => send(base, 'GET', path, { headers });
const without = (headers: Record<string, string>, ...names: string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

function unauthorized(answer: Answered, message: string, code = -12): void {
  expect(answer).toMatchObject({ status: 401, data: null, meta: null, error: { code, message, details: [] } });
}

describe('a signed request', () => {
  it('needs its three headers', async () => {
    const headers = trader.headersFor('GET', PATH);
    expect((await signed(headers)).status).toBe(200);
    const none = await signed({});
    unauthorized(none, 'Missing required authentication headers', -13);
    expect(none.slug).toBe('not_authenticated');
    const [key = '', timestamp = '', signature = ''] = Object.keys(headers);
    const missing = [[key], [timestamp], [signature], [key, timestamp], [key, signature], [timestamp, signature]];
    const partial = [
      ...missing.map((names) => without(headers, ...names)),
      // Present but empty: the caller meant to sign.
      ...Object.keys(headers).map((name) => ({ [name]: '' })),
      { [key]: '', [timestamp]: '', [signature]: '' },
    ];
    for (const some of partial) {
      const answer = await signed(some);
      unauthorized(answer, 'Missing required authentication headers');
      expect([Object.keys(some), answer.slug]).toEqual([Object.keys(some), 'authentication_failed']);
    }
  });

  it('may be off by the tolerance of the clock and not by more', async () => {
    const at = (timestamp: number) => signed(trader.headersFor('GET', PATH, '', timestamp));
    // One second of slack: the exchange's second may change between the two readings.
    for (const offset of [-29, 0, 29]) expect((await at(trader.nowS() + offset)).status).toBe(200);
    for (const offset of [-32, 32]) unauthorized(await at(trader.nowS() + offset), 'Timestamp out of range');
    for (const timestamp of ['now', '-1', '1e9', '1714300000.5', '9'.repeat(40)]) {
      const headers = { ...trader.headersFor('GET', PATH), 'SVC-TIMESTAMP': timestamp };
      unauthorized(await signed(headers), 'Timestamp out of range');
    }
  });

  it('is judged by timestamp, then key, then signature', async () => {
    const headers = trader.headersFor('GET', PATH);
    unauthorized(await signed({ ...headers, 'SVC-API-KEY': 'unknown' }), 'Invalid API key');
    unauthorized(await signed({ ...headers, 'SVC-API-KEY': 'other', 'SVC-TIMESTAMP': '1' }), 'Timestamp out of range');
    const signature = headers['SVC-SIGNATURE'] ?? '';
    for (const wrong of ['0'.repeat(64), signature.toUpperCase(), signature.slice(1), `0x${signature}`])
      unauthorized(await signed({ ...headers, 'SVC-SIGNATURE': wrong }), 'Invalid signature');
  });

  it('is signed over the raw path, query and body', async () => {
    unauthorized(await signed(trader.headersFor('GET', PATH), '/orders/?limit=11'), 'Invalid signature');
    for (const status of ['open%2Cfilled', 'open,filled', 'open%2cfilled', '%6fpen', 'open&a=%20+']) {
      const path = `/orders/?status=${status}`;
      expect((await signed(trader.headersFor('GET', path), path)).status).toBe(200);
    }
    const body = '{ "market_condition_id": "ü" }';
    const post = (text: string, headers: Record<string, string>) =>
      send(base, 'POST', '/redeems/', { body: text, headers: { ...headers, 'content-type': 'application/json' } });
    const headers = trader.headersFor('POST', '/redeems/', body);
    expect(await post(body, headers)).toMatchObject({ status: 400, slug: 'invalid_request_params' });
    unauthorized(await post(body.replaceAll(' ', ''), headers), 'Invalid signature');
  });

  it('is signed over the bytes of its body, also of one that is no text', async () => {
    const post = (body: Buffer, signedBody: Buffer) => {
      const headers = { ...trader.headersFor('POST', '/redeems/', signedBody), 'content-type': 'application/json' };
      return fetch(`${base}/redeems/`, { method: 'POST', headers, body: new Uint8Array(body) });
    };
    const noText = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]);
    const judged = await post(noText, noText);
    expect(judged.status).toBe(400);
    expect(await judged.json()).toMatchObject({ error: { details: [{ body: 'The body must be UTF-8.' }] } });
    // The text is equal after replacing invalid UTF-8, but the bytes differ.
    expect((await post(noText, Buffer.from(noText.toString('utf8')))).status).toBe(401);
  });

  it('is signed over the body of a GET too', async () => {
    const get = (signedBody: string) => {
      const headers = { ...trader.headersFor('GET', PATH, signedBody), 'Content-Type': 'text/plain' };
      return rawStatus([...Object.entries(headers).flat(), 'Host', 'localhost', 'Content-Length', '2'], '{}');
    };
    expect([await get('{}'), await get('')]).toEqual([200, 401]);
  });

  it('may carry its headers in any order and case', async () => {
    const headers = Object.entries(trader.headersFor('GET', PATH));
    for (const order of [headers, [...headers].reverse()]) {
      const lines = order.flatMap(([name, value]) => [name.toLowerCase(), value]);
      expect(await rawStatus([...lines, 'Host', 'localhost'])).toBe(200);
    }
    const twice = headers.flat();
    expect(await rawStatus([...twice, ...twice, 'Host', 'localhost'])).toBe(401);
  });

  it("may have the machine's time or the Date header's time after the machine's clock was set back", async () => {
    let setBackMs = 0;
    const clock = new ExchangeClock(0, () => Date.now() - setBackMs);
    const server = serverOf({ clock, settle: () => clock.nowMs(), rateLimits: false });
    const own = await TestTrader.join(await server.listen({ port: 0, host: '127.0.0.1' }));
    const at = (shiftS: number) =>
      send(own.base, 'GET', PATH, { headers: own.headersFor('GET', PATH, '', own.nowS() + shiftS) });
    setBackMs = 3_600_000;
    for (const shiftS of [0, -3600]) expect((await at(shiftS)).status).toBe(200);
    for (const shiftS of [60, -60, -1800, -3660]) unauthorized(await at(shiftS), 'Timestamp out of range');
    clock.advance(7_200_000);
    for (const shiftS of [7200, 3600]) expect((await at(shiftS)).status).toBe(200);
    unauthorized(await at(-3600), 'Timestamp out of range');
    await server.close();
  });

  it('follows the clock of the exchange, and so does the Date header', async () => {
    await control(base, '/clock/', { advance_s: 3600 });
    const late = await signed(trader.headersFor('GET', PATH));
    unauthorized(late, 'Timestamp out of range');
    const shown = Date.parse(late.headers.get('date') ?? '') / 1000;
    expect(Math.abs(shown - trader.nowS() - 3600)).toBeLessThanOrEqual(2);
    trader.clockShiftS = 3600;
    expect((await trader.get(PATH)).status).toBe(200);
  });
});

const SHOWN = '/paper/signed-request/?q=a%2Cb&x=1';

describe('the control that shows what a signature must be over', () => {
  it('answers the parts and the payload as the exchange computed them, and never a secret', async () => {
    const body = '{"text":"½"}';
    const headers = trader.headersFor('POST', SHOWN, body);
    const answer = await send(base, 'POST', SHOWN, {
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    const timestamp = headers['SVC-TIMESTAMP'];
    expect(answer.row).toEqual({
      timestamp,
      method: 'POST',
      path: SHOWN,
      body,
      payload: `${timestamp}POST${SHOWN}${body}`,
      signature_matches: true,
      refusal: null,
    });
    expect(JSON.stringify(answer)).not.toContain(trader.secret);
    expect(JSON.stringify(answer.data)).not.toContain(headers['SVC-SIGNATURE']);
  });

  it.each([
    ['another path', () => trader.headersFor('GET', '/paper/signed-request/'), 'Invalid signature'],
    ['an old timestamp', () => trader.headersFor('GET', SHOWN, '', trader.nowS() - 100), 'Timestamp out of range'],
    ['a stranger’s key', () => ({ ...trader.headersFor('GET', SHOWN), 'SVC-API-KEY': 'nobody' }), 'Invalid API key'],
    ['nothing', () => ({}), 'not_authenticated'],
  ])('says why it would not believe a request signed over %s', async (_, headers, refusal) => {
    const { status, row } = await send(base, 'GET', SHOWN, { headers: headers() });
    expect(status).toBe(200);
    expect(row).toMatchObject({ method: 'GET', path: SHOWN, body: '', signature_matches: false, refusal });
  });
});

function rawStatus(headers: string[], body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ port: exchange.port, host: '127.0.0.1', path: PATH, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on('error', reject);
    call.end(body);
  });
}
