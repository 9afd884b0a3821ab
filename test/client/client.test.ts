import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TwinbookError } from '../../src/base/errors.js';
import { ServiceClient } from '../../src/client/client.js';
import type { ClientNotice, ClientOptions } from '../../src/client/contract.js';
import { requestSignature } from '../../src/protocol/signing.js';
import { answering, envelope, HostileServer, inTurn, profile, rawServer, refusal } from './hostile-server.js';

const credentials = { apiKey: 'key-1', secret: 'canary-secret' };
const draft = { pubkey: 'P', message: 'M' };
const orderBody = {
  market_condition_id: 'm',
  is_yes: true,
  side: 'buy',
  order_type: 'limit',
  price: '0.42',
  amount: '10',
};
const bookData = { market: 'm', is_yes: true, bid: [{ price: '0.42', total_amount: '10' }], ask: [] };

let server: HostileServer;
let client: ServiceClient;
let notices: ClientNotice[] = [];

const clientFor = (url: string, options: Partial<ClientOptions> = {}) =>
  new ServiceClient({
    profile,
    baseUrl: url,
    credentials,
    timeoutMs: 2_000,
    onNotice: (notice) => notices.push(notice),
    ...options,
  });

beforeEach(async () => {
  server = await HostileServer.start();
  client = clientFor(server.url);
  notices = [];
});
afterEach(async () => {
  await client.close();
  await server.stop();
});

const read = (options = {}) => client.call('markets.book', { params: { condition_id: 'm' } }, options);
const write = (options = {}) => client.call('orders.create', { body: orderBody }, options);

describe('a call', () => {
  it('is answered with the record in exact micros, the venue’s time and the budget', async () => {
    const date = 'Fri, 01 Mar 2024 10:00:00 GMT';
    const headers = {
      'x-ratelimit-limit': '120',
      'x-ratelimit-remaining': '7',
      'x-ratelimit-reset': '1709287260',
      date,
    };
    server.answer = answering(200, envelope(bookData), headers);
    const answer = await read();
    expect(answer.outcome).toEqual({
      kind: 'answered',
      data: { ...bookData, bid: [{ price: 420_000, total_amount: 10_000_000 }] },
      nextCursor: null,
    });
    expect(answer.venueTimeMs).toBe(Date.parse(date));
    expect(answer.budget).toMatchObject({ scope: 'public', limit: 120, remaining: 7 });
    expect(answer.sentMs).toBeLessThanOrEqual(answer.nowMs);
  });

  it('hands on the next cursor of a list, and takes a page that does not say it as unknown', async () => {
    const list = (meta: unknown) => {
      server.answer = answering(200, envelope([], meta));
      return client.call('orders.list', { query: { limit: 5, status: ['open', 'filled'] } });
    };
    expect((await list({ limit: 5, next_cursor: 'abc' })).outcome).toMatchObject({
      kind: 'answered',
      nextCursor: 'abc',
    });
    expect((await list({ limit: 5, next_cursor: null })).outcome).toMatchObject({ kind: 'answered', nextCursor: null });
    expect(server.asked[0]?.url).toBe('/orders/?limit=5&status=open%2Cfilled');
    expect((await list({ limit: 5 })).outcome).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('meta.next_cursor'),
    });
    expect((await list(null)).outcome.kind).toBe('unknown');
  });

  it('performs a request of the core and reports it as one observation', async () => {
    server.answer = answering(201, envelope(draft));
    const call = { endpoint: 'orders.create', params: {}, query: {}, body: orderBody } as const;
    const observation = await client.perform({ id: 7, lane: 'draft', latestMs: Date.now() + 10_000, call });
    expect(observation).toMatchObject({ kind: 'outcome', requestId: 7, outcome: { kind: 'answered', data: draft } });
  });

  it('sends the very bytes that it signed, whatever is in path, query and body', async () => {
    const word = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).filter((text) => !/^\.{1,2}$/.test(text));
    server.answer = answering(201, envelope(draft));
    await fc.assert(
      fc.asyncProperty(word, word, async (id, cursor) => {
        await client.call('merges.detail', { params: { pubkey: id } });
        await client.call('merges.list', { query: { cursor, limit: 3 } });
        await client.call('merges.create', { body: { market_condition_id: id, amount: cursor } });
        await client.call('keys.revoke', { params: { key_id: id } });
        for (const asked of server.asked.splice(0)) {
          const timestamp = String(asked.headers['svc-timestamp']);
          const parts = { timestamp, method: asked.method, pathWithQuery: asked.url, body: asked.body };
          expect(asked.headers['svc-signature']).toBe(requestSignature(credentials.secret, parts));
          expect(asked.headers['svc-api-key']).toBe('key-1');
        }
      }),
      { numRuns: 40 },
    );
  });

  it('sends no body and no content type where there is none', async () => {
    await client.call('orders.cancel', { params: { pubkey: 'P' } });
    await client.call('keys.revoke', { params: { key_id: 'k' } });
    await write();
    const [cancel, revoke, create] = server.asked;
    for (const asked of [cancel, revoke]) {
      expect(asked?.body).toBe('');
      expect(asked?.headers['content-type']).toBeUndefined();
      expect(asked?.headers['transfer-encoding']).toBeUndefined();
    }
    expect(create?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(create?.body ?? '')).toEqual(orderBody);
  });

  it('signs nothing but signed calls, and sends none of those without credentials', async () => {
    await read();
    expect(server.asked[0]?.headers['svc-signature']).toBeUndefined();
    const bare = new ServiceClient({ profile, baseUrl: server.url });
    const { outcome } = await bare.call('orders.create', { body: orderBody });
    expect(outcome).toMatchObject({ kind: 'unknown', sent: false, reason: expect.stringContaining('credentials') });
    await bare.close();
  });

  it.each(['', '.', '..'])('does not send a path parameter that would be another path: %j', async (pubkey) => {
    const { outcome } = await client.call('orders.detail', { params: { pubkey } });
    expect(outcome).toMatchObject({ kind: 'unknown', sent: false });
    expect(server.asked).toEqual([]);
  });

  it('keeps a path that the base address has, and signs it', async () => {
    const below = clientFor(`${server.url}/api/v1/`);
    await below.call('orders.list', { query: {} });
    const asked = server.asked[0];
    expect(asked?.url).toBe('/api/v1/orders/');
    const parts = {
      timestamp: String(asked?.headers['svc-timestamp']),
      method: 'GET',
      pathWithQuery: '/api/v1/orders/',
      body: '',
    };
    expect(asked?.headers['svc-signature']).toBe(requestSignature(credentials.secret, parts));
    await below.close();
  });
});

describe('the base address', () => {
  it.each([
    'http://example.com',
    'ftp://127.0.0.1',
    'example.com',
    'http://127.0.0.1.evil.com',
    'https://u:canary@x.y',
    'https://x.y/?a=1',
  ])('is refused: %s', (baseUrl) => {
    try {
      new ServiceClient({ profile, baseUrl });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(TwinbookError);
      expect(error).toMatchObject({ code: 'config_invalid' });
      expect(String(error)).not.toContain('canary');
    }
  });

  it.each(['https://api.example.com', 'http://localhost:1', 'http://127.0.0.1:1/', 'http://[::1]:1'])(
    'is accepted: %s',
    async (baseUrl) => {
      await new ServiceClient({ profile, baseUrl }).close();
    },
  );
});

describe('an outcome', () => {
  it.each([
    ['400', 400, refusal('invalid_request_params', 'Validation Error', [{ amount: 'Too small.' }])],
    ['404', 404, refusal('not_found')],
    ['409', 409, refusal('share_merge_in_progress', 'x', null)],
    ['501', 501, refusal('hyperliquid_margin_tp_sl_not_supported')],
    ['503 of the signing service', 503, refusal('gringotts_unavailable')],
  ])('is refused where the service says that it did nothing: %s', async (_, status, text) => {
    server.answer = answering(status, text);
    expect((await write()).outcome).toMatchObject({ kind: 'refused', status, message: expect.any(String) });
    expect(server.asked).toHaveLength(1);
  });

  it('carries the details of a refusal', async () => {
    const details = [{ amount: 'Too small.' }, { price: ['a', 'b'], deep: { x: 1 }, n: 5 }];
    server.answer = answering(400, refusal('invalid_request_params', 'Validation Error', details));
    expect((await write()).outcome).toMatchObject({
      details: [{ amount: 'Too small.' }, { price: 'a b', deep: '…', n: '5' }],
    });
  });

  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const strange: [string, number, string | Buffer, Record<string, string>?][] = [
    ['500 with the envelope', 500, refusal('internal_error')],
    ['503 with another slug', 503, refusal('overloaded')],
    ['HTML 403', 403, '<html><body>Forbidden</body></html>', { 'content-type': 'text/html' }],
    ['HTML 502', 502, '<html>'],
    ['HTML 200', 200, '<html>'],
    ['an empty 200', 200, ''],
    ['an empty 204', 204, ''],
    ['an empty 400', 400, ''],
    ['a cut body', 201, envelope(draft).slice(0, -3)],
    ['NaN', 201, '{"data":{"pubkey":NaN,"message":"m"},"meta":{},"error":null}'],
    ['bytes that are not UTF-8', 201, Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['a number for a string', 201, envelope({ pubkey: 1, message: 'm' })],
    ['a missing field', 201, envelope({ pubkey: 'p' })],
    ['a list for a record', 201, envelope([draft])],
    ['null', 201, 'null'],
    ['no envelope', 201, JSON.stringify(draft)],
    [
      'data and error at once',
      400,
      JSON.stringify({ data: draft, meta: {}, error: { code: 1, slug: 's', message: 'm' } }),
    ],
    [
      'success with an error',
      201,
      JSON.stringify({ data: draft, meta: {}, error: { code: 1, slug: 's', message: 'm' } }),
    ],
    ['an error without slug', 400, JSON.stringify({ data: null, meta: null, error: { code: 1 } })],
    ['400 with an envelope of success', 400, envelope(draft)],
    ['deep JSON', 201, deep],
    ['deep details', 400, `{"data":null,"meta":null,"error":{"code":1,"slug":"s","message":"m","details":${deep}}}`],
    ['a redirect', 302, '', { location: '/orders/elsewhere/' }],
    ['a redirect to a stranger', 307, refusal('x'), { location: 'http://127.0.0.1:1/' }],
    ['a polluting body', 201, '{"data":{"__proto__":{"pubkey":"p","message":"m"}},"meta":{},"error":null}'],
  ];
  it.each(strange)('of a write is unknown, once sent, after %s', async (_, status, text, headers) => {
    server.answer = answering(status, text, headers);
    const { outcome } = await write();
    expect(outcome).toMatchObject({ kind: 'unknown', sent: true, reason: expect.stringMatching(/./) });
    expect(server.asked).toHaveLength(1);
  });

  it('names the field of a read that is not what the interface says', async () => {
    server.answer = answering(200, envelope({ ...bookData, ask: [{ price: '0.1', total_amount: 3 }] }));
    expect((await read()).outcome.kind).toBe('unknown');
    expect(server.asked).toHaveLength(1);
    expect((await read()).outcome).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('data.ask.0.total_amount'),
    });
    server.answer = answering(200, envelope({ ...bookData, bid: [{ price: '0.12345678', total_amount: '3' }] }));
    expect((await read()).outcome).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('data.bid.0.price'),
    });
  });

  const onWire: [string, string, string?][] = [
    ['a reset', ''],
    ['garbage', 'hello\r\n\r\n'],
    ['a length that is too long', `HTTP/1.1 201 Created\r\nContent-Length: 9999\r\n\r\n${envelope(draft)}`],
    ['a length that is too short', `HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\n${envelope(draft)}`],
    ['two lengths', `HTTP/1.1 201 Created\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n${envelope(draft)}`],
    ['a chunk that is cut', `HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{"data"`],
    ['huge headers', `HTTP/1.1 201 Created\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['a bad gzip', 'HTTP/1.1 201 Created\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello'],
  ];
  it.each(onWire)('of a write is unknown, once sent, after %s', async (_, bytes) => {
    const raw = await rawServer((socket) => socket.end(bytes));
    const other = clientFor(raw.url);
    const { outcome } = await other.call('orders.create', { body: orderBody });
    expect(outcome).toMatchObject({ kind: 'unknown', sent: true });
    await other.close();
    await raw.stop();
  });

  it('never takes the rest of one answer for the answer of the next call', async () => {
    const whole = (data: unknown) => {
      const text = envelope(data);
      return `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    };
    const smuggled = whole({ pubkey: 'smuggled', message: 'm' });
    let asked = 0;
    const raw = await rawServer((socket) => {
      asked += 1;
      if (asked > 1) return void socket.end(whole({ pubkey: 'honest', message: 'm' }));
      socket.write(whole(draft));
      setImmediate(() => socket.write(smuggled));
    });
    const other = clientFor(raw.url);
    await other.call('orders.create', { body: orderBody });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    const { outcome } = await other.call('orders.create', { body: orderBody });
    expect(outcome).not.toMatchObject({ data: { pubkey: 'smuggled' } });
    await other.close();
    await raw.stop();
  });

  it('is unknown when the answer is too large, compressed or not, or never ends', async () => {
    const huge = Buffer.alloc(6 * 1024 * 1024, 'a');
    const impatient = clientFor(server.url, { timeoutMs: 300 });
    server.answer = answering(201, huge);
    expect((await write()).outcome).toMatchObject({
      kind: 'unknown',
      sent: true,
      reason: expect.stringContaining('maxContentLength'),
    });
    server.answer = answering(201, gzipSync(huge), { 'content-encoding': 'gzip' });
    expect((await write()).outcome).toMatchObject({ kind: 'unknown', sent: true });
    server.answer = (response) => {
      response.writeHead(201);
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    };
    const endless = await impatient.call('orders.create', { body: orderBody });
    expect(endless.outcome).toEqual({ kind: 'unknown', sent: true, reason: 'no whole answer within 300 ms' });
    server.answer = () => undefined;
    expect((await impatient.call('orders.create', { body: orderBody })).outcome).toMatchObject({
      kind: 'unknown',
      sent: true,
    });
    await impatient.close();
  });

  it('says that nothing was sent only when no connection stood', async () => {
    const closed = await HostileServer.start();
    const other = clientFor(closed.url);
    await closed.stop();
    const { outcome } = await other.call('orders.create', { body: orderBody });
    expect(outcome).toEqual({ kind: 'unknown', sent: false, reason: 'connection refused' });
    await other.close();
  });

  it('is always one of the three, whatever the body', async () => {
    const piece = fc.oneof(
      fc.json(),
      fc.string(),
      fc.json().map((data) => `{"data":${data},"meta":{},"error":null}`),
      fc.json().map((error) => `{"data":null,"meta":null,"error":${error}}`),
      fc.json().map((details) => refusal('some_slug').replace('[]', details)),
    );
    const status = fc.constantFrom(200, 201, 202, 204, 301, 400, 401, 403, 404, 409, 418, 500, 501, 502, 503, 504, 599);
    const calm = clientFor(server.url, { budgets: { signed: 1e6 } });
    await fc.assert(
      fc.asyncProperty(status, piece, async (status, text) => {
        server.answer = answering(status, text);
        const { outcome } = await calm.call('orders.create', { body: orderBody });
        expect(['answered', 'refused', 'unknown']).toContain(outcome.kind);
        if (outcome.kind === 'refused') expect([400, 401, 403, 404, 409, 418, 501, 503]).toContain(status);
        if (outcome.kind === 'unknown') expect(outcome.sent).toBe(true);
      }),
      { numRuns: 300 },
    );
    await calm.close();
  });

  it('is always one of the three, whatever happens to the bytes on their way', async () => {
    const text = envelope(draft);
    const honest = Buffer.from(`HTTP/1.1 201 Created\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    let bytes = honest;
    const raw = await rawServer((socket) => socket.end(bytes));
    const other = clientFor(raw.url, { budgets: { signed: 1e6 } });
    const place = fc.nat({ max: honest.length - 1 });
    const damage = fc.oneof(
      fc
        .tuple(place, fc.nat({ max: 255 }))
        .map(([at, byte]) => Buffer.concat([honest.subarray(0, at), Buffer.from([byte]), honest.subarray(at + 1)])),
      place.map((at) => honest.subarray(0, at)),
      fc.uint8Array({ maxLength: 200 }).map((extra) => Buffer.concat([honest, extra])),
      fc.uint8Array({ maxLength: 200 }).map((noise) => Buffer.from(noise)),
    );
    await fc.assert(
      fc.asyncProperty(damage, async (damaged) => {
        bytes = damaged;
        const { outcome } = await other.call('orders.create', { body: orderBody });
        if (outcome.kind === 'unknown') expect(outcome.sent).toBe(true);
        else expect(outcome.kind).toBe('answered');
      }),
      { numRuns: 300 },
    );
    await other.close();
    await raw.stop();
  });

  it('never holds the secret, the key or a signature', async () => {
    const texts: string[] = [];
    for (const answer of [answering(500, 'x'), answering(401, refusal('authentication_failed')), answering(200, 'x')]) {
      server.answer = answer;
      texts.push(JSON.stringify(await write()));
    }
    const shown = texts.join() + JSON.stringify(notices);
    expect(shown).not.toContain('canary-secret');
    expect(shown).not.toContain('key-1');
    expect(shown).not.toContain(String(server.asked[0]?.headers['svc-signature']));
  });
});

describe('a retry', () => {
  it('is made of reads after silence, twice at most, each signed anew', async () => {
    server.answer = inTurn(
      answering(502, '<html>'),
      answering(500, refusal('internal_error')),
      answering(200, envelope(bookData)),
    );
    expect((await read()).outcome.kind).toBe('answered');
    expect(server.asked).toHaveLength(3);
    server.answer = answering(502, '<html>');
    expect((await client.call('orders.detail', { params: { pubkey: 'p' } })).outcome.kind).toBe('unknown');
    expect(server.asked).toHaveLength(6);
  });

  it('is not made of refusals, nor past the latest useful moment', async () => {
    server.answer = answering(404, refusal('not_found'));
    expect((await read()).outcome.kind).toBe('refused');
    server.answer = answering(502, '<html>');
    expect((await read({ latestMs: Date.now() + 60 })).outcome).toMatchObject({ kind: 'unknown', sent: true });
    expect(server.asked).toHaveLength(2);
  });
});

describe('a throttled call', () => {
  it('of a write is refused at once, and the scope waits as the venue said', async () => {
    server.answer = answering(429, refusal('throttled'), { 'retry-after': '30' });
    expect((await write()).outcome).toMatchObject({ kind: 'refused', slug: 'throttled' });
    expect(notices).toEqual([{ kind: 'throttled', scope: 'signed', waitMs: 30_000 }]);
    const next = await write({ latestMs: Date.now() + 50 });
    expect(next.outcome).toEqual({ kind: 'unknown', sent: false, reason: 'its turn did not come in time' });
    expect(server.asked).toHaveLength(1);
    server.answer = answering(200, envelope(bookData));
    expect((await read()).outcome.kind).toBe('answered');
  });

  it('of a read is asked again after the wait, if that is before it is worthless', async () => {
    const throttled = answering(429, refusal('throttled'), { 'retry-after': '0' });
    server.answer = inTurn(throttled, answering(200, envelope(bookData)));
    expect((await read()).outcome.kind).toBe('answered');
    server.answer = answering(429, refusal('throttled'), { 'retry-after': '3600' });
    expect((await read({ latestMs: Date.now() + 50 })).outcome).toMatchObject({ kind: 'refused', slug: 'throttled' });
    expect(server.asked).toHaveLength(3);
  });

  it('waits for the reset where there is no Retry-After, else a growing while', async () => {
    const seconds = Math.floor(Date.now() / 1_000);
    const headers = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${seconds + 40}` };
    server.answer = answering(429, refusal('throttled'), headers);
    await write();
    const wait = notices.find((notice) => notice.kind === 'throttled');
    expect(wait?.waitMs).toBeGreaterThan(35_000);
    expect(wait?.waitMs).toBeLessThan(45_000);
    const other = clientFor(server.url);
    notices = [];
    server.answer = answering(429, '<html>slow down</html>');
    expect((await other.call('orders.create', { body: orderBody })).outcome.kind).toBe('unknown');
    const guess = notices.find((notice) => notice.kind === 'throttled');
    expect(guess?.waitMs).toBeGreaterThanOrEqual(500);
    expect(guess?.waitMs).toBeLessThanOrEqual(1_000);
    await other.close();
  });
});

describe('the budget', () => {
  it('is never overdrawn, and the urgent go first when it is short', async () => {
    const small = clientFor(server.url, { budgets: { signed: 3 } });
    const soon = () => ({ latestMs: Date.now() + 150 });
    const outcomes = await Promise.all(
      [1, 2, 3, 4, 5].map(() => small.call('orders.create', { body: orderBody }, soon())),
    );
    expect(outcomes.filter(({ outcome }) => outcome.kind === 'unknown' && !outcome.sent)).toHaveLength(2);
    expect(server.asked).toHaveLength(3);
    await small.close();
  });

  it('learns from the headers what others have used up', async () => {
    const remaining = (n: string) => ({
      'x-ratelimit-limit': '50',
      'x-ratelimit-remaining': n,
      'x-ratelimit-reset': '4000000000',
    });
    const draftWith = (n: string) => answering(201, envelope(draft), remaining(n));
    server.answer = inTurn(draftWith('1'), draftWith('0'));
    await write();
    await write({ latestMs: Date.now() + 50 });
    expect((await write({ latestMs: Date.now() + 50 })).outcome).toMatchObject({ kind: 'unknown', sent: false });
    expect(server.asked).toHaveLength(2);
  });
});

describe('the clock', () => {
  /** A venue whose clock is ahead and that checks timestamps as the interface says. */
  const ahead = (byMs: () => number) => {
    server.answer = (response, asked) => {
      const venueMs = Date.now() + byMs();
      const date = new Date(venueMs).toUTCString();
      const stamp = Number(asked.headers['svc-timestamp'] ?? venueMs / 1_000);
      const wrong = Math.abs(stamp - venueMs / 1_000) > 30;
      if (wrong)
        answering(401, refusal('authentication_failed', 'Timestamp out of range'), { date })(response, asked, 0);
      else answering(200, envelope([], { limit: 5, next_cursor: null }), { date })(response, asked, 0);
    };
  };
  const list = () => client.call('orders.list', { query: {} });

  it('is learned from a refusal five minutes off, and the read goes through', async () => {
    ahead(() => 300_000);
    expect((await list()).outcome.kind).toBe('answered');
    expect(server.asked).toHaveLength(2);
    const { offsetMs = 0, uncertaintyMs = 0 } = client.clockOffset ?? {};
    expect(Math.abs(offsetMs - 300_000)).toBeLessThanOrEqual(uncertaintyMs + 1);
    expect(uncertaintyMs).toBeLessThan(1_000);
    expect(notices).toEqual([
      { kind: 'clock_offset', offsetMs: expect.any(Number), uncertaintyMs: expect.any(Number), previousOffsetMs: null },
    ]);
  });

  it('follows a step of the venue, and says so once', async () => {
    let by = 0;
    ahead(() => by);
    await list();
    expect(notices).toEqual([]);
    by = -300_000;
    expect((await list()).outcome.kind).toBe('answered');
    expect((await list()).outcome.kind).toBe('answered');
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatchObject({ kind: 'clock_offset', previousOffsetMs: expect.any(Number) });
    expect(Math.abs((client.clockOffset?.offsetMs ?? 0) + 300_000)).toBeLessThan(1_500);
  });

  it('signs right through a step of our own wall clock, and says so', async () => {
    let step = 0;
    const clock = { nowMs: () => Date.now() + step, monotonicMs: () => performance.now() };
    const stepped = clientFor(server.url, { clock });
    ahead(() => 0);
    await stepped.call('orders.list', { query: {} });
    step = 300_000;
    expect((await stepped.call('orders.list', { query: {} })).outcome.kind).toBe('answered');
    expect(server.asked).toHaveLength(2);
    expect(notices).toHaveLength(1);
    await stepped.close();
  });

  it('ignores the clocks of proxies and caches', async () => {
    const date = new Date(0).toUTCString();
    server.answer = answering(502, '<html>', { date });
    await write();
    server.answer = answering(200, envelope(bookData), { date, age: '5' });
    expect(await read()).toMatchObject({ venueTimeMs: null });
    expect(client.clockOffset).toBeNull();
  });
});

describe('closing', () => {
  it('reports everything that waits or is in flight, and later calls as unsent', async () => {
    server.answer = () => undefined;
    const small = clientFor(server.url, { concurrency: 2, budgets: { signed: 4 } });
    const calls = [1, 2, 3, 4, 5, 6].map(() => small.call('orders.create', { body: orderBody }));
    while (server.asked.length < 2) await new Promise(setImmediate);
    await small.close();
    const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome);
    expect(outcomes.every((outcome) => outcome.kind === 'unknown' && outcome.reason === 'the client was closed')).toBe(
      true,
    );
    expect(outcomes.filter((outcome) => outcome.kind === 'unknown' && outcome.sent)).toHaveLength(2);
    expect((await small.call('orders.create', { body: orderBody })).outcome).toMatchObject({ sent: false });
  });

  it('does not let hanging reads hold up a cancel', async () => {
    server.answer = (response, asked, count) => {
      if (asked.method === 'POST') answering(200, envelope(draft))(response, asked, count);
    };
    const hung = [...Array(10).keys()].map(() => read({ lane: 'quiet' }));
    const cancel = await client.call('orders.cancel', { params: { pubkey: 'P' } }, { lane: 'cancel' });
    expect(cancel.outcome.kind).toBe('answered');
    await client.close();
    await Promise.all(hung);
  });
});
