import { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ADDRESS_ATTEMPT_MS } from '../../../src/shared/base/processes.js';
import type { Outcome } from '../../../src/shared/protocol/seam.js';
import type { ClientOptions } from '../../../src/shell/client/contract.js';
import { Transport } from '../../../src/shell/client/transport.js';
import { times } from '../../support/effort.js';
import {
  bookData,
  client,
  clientFor,
  draft,
  HostileServer,
  notices,
  orderBody,
  rawServer,
  read,
  serveEachTest,
  server,
  write,
} from './fixture.js';
import { answering, envelope, refusal } from './hostile-server.js';

serveEachTest();

/** A client of a server below HTTP. */
const clientOf = async (onRequest: (socket: Socket) => void, options: Partial<ClientOptions> = {}) =>
  clientFor(await rawServer(onRequest), options);

/** Returns the outcome of a call whose answer has the text. */
async function readAfter(text: string, call: () => Promise<{ outcome: Outcome }>, status = 200): Promise<Outcome> {
  server.answer = answering(status, text);
  return (await call()).outcome;
}

const orderRow = {
  side: 'buy',
  price: '0.42',
  amount: '10',
  status: 'canceled',
  market: { condition_id: 'm', title: 'Rain?' },
  outcome: { is_yes: true, text: 'Yes' },
};

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

  it('shows no control characters of the venue, which could rewrite a log or a terminal', async () => {
    server.answer = answering(400, refusal('a\u001b[2Jb', 'No\u202e.\n', [{ 'x\u0007': 'y\u0000' }]));
    const { outcome } = await write();
    expect(outcome).toMatchObject({ slug: 'a?[2Jb', message: 'No?.?', details: [{ 'x?': 'y?' }] });
  });

  const both = JSON.stringify({ data: draft, meta: {}, error: { code: 1, slug: 's', message: 'm' } });
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const strange: [string, number, string | Buffer, Record<string, string>?][] = [
    ['500 with the envelope', 500, refusal('internal_error')],
    ['503 with another slug', 503, refusal('overloaded')],
    ['HTML 403', 403, '<html><body>Forbidden</body></html>', { 'content-type': 'text/html' }],
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
    ['data and error at once', 400, both],
    ['success with an error', 201, both],
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

  it('names the field of a read that contradicts the interface', async () => {
    server.answer = answering(200, envelope({ ...bookData, ask: [{ price: '0.1', total_amount: 3 }] }));
    const naming = (field: string) => ({ kind: 'unknown', reason: expect.stringContaining(field) });
    expect((await read()).outcome).toMatchObject(naming('data.ask.0.total_amount'));
    expect(server.asked).toHaveLength(1);
    server.answer = answering(200, envelope({ ...bookData, bid: [{ price: '0.12345678', total_amount: '3' }] }));
    expect((await read()).outcome).toMatchObject(naming('data.bid.0.price'));
  });

  it('is unknown after an answer with more elements than its call permits', async () => {
    const many = (count: number) => Array.from({ length: count }, () => ({}));
    const ofBook = (bid: object[]) => readAfter(envelope({ ...bookData, bid }), () => read());
    const ofPage = (rows: number) =>
      readAfter(envelope(many(rows), { limit: 100, next_cursor: null }), () => client.call('trades.list', {}));
    const deep = Array.from({ length: 1_000 }, () => ({ more: many(10) }));
    const ended = { kind: 'unknown', sent: true, reason: 'HTTP 200, data has too many items' };
    expect([await ofBook(many(70_000)), await ofBook(many(1_001)), await ofBook(deep), await ofPage(201)]).toEqual(
      Array(4).fill(ended),
    );
    for (const permitted of [await ofBook(many(1_000)), await ofPage(200)])
      expect(permitted).toMatchObject({ kind: 'unknown', reason: expect.not.stringContaining('too many') });
    const details = refusal('invalid_request_params', 'Validation Error', many(70_000));
    expect(await readAfter(details, write, 400)).toMatchObject({ kind: 'unknown', sent: true });
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
    const other = await clientOf((socket) => socket.end(bytes));
    const { outcome } = await other.call('orders.create', { body: orderBody });
    expect(outcome).toMatchObject({ kind: 'unknown', sent: true });
  });

  it('never takes the rest of one answer for the answer of the next call', async () => {
    const whole = (data: unknown) => {
      const text = envelope(data);
      return `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    };
    const smuggled = whole({ pubkey: 'smuggled', message: 'm' });
    let asked = 0;
    const other = await clientOf((socket) => {
      asked += 1;
      if (asked > 1) return void socket.end(whole({ pubkey: 'honest', message: 'm' }));
      socket.write(whole(draft));
      setImmediate(() => socket.write(smuggled));
    });
    await other.call('orders.create', { body: orderBody });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    const { outcome } = await other.call('orders.create', { body: orderBody });
    expect(outcome).not.toMatchObject({ data: { pubkey: 'smuggled' } });
  });

  it('is unknown when the answer is too large, compressed or not, or never ends', async () => {
    const unknown = { kind: 'unknown', sent: true };
    const huge = Buffer.alloc(6 * 1024 * 1024, 'a');
    const impatient = clientFor(server.url, { timeoutMs: 300 });
    server.answer = answering(201, huge);
    expect((await write()).outcome).toMatchObject({ ...unknown, reason: 'the answer has more than 4194304 bytes' });
    server.answer = answering(201, gzipSync(huge), { 'content-encoding': 'gzip' });
    expect((await write()).outcome).toMatchObject(unknown);
    server.answer = (response) => {
      response.writeHead(201);
      const drip = () => response.writable && response.write(' ', () => setImmediate(drip));
      drip();
    };
    const endless = await impatient.call('orders.create', { body: orderBody });
    expect(endless.outcome).toEqual({ ...unknown, reason: 'no complete answer within 300 ms' });
    server.answer = () => undefined;
    expect((await impatient.call('orders.create', { body: orderBody })).outcome).toMatchObject(unknown);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('is understood though it comes packed by %s, which nobody asked for', async (encoding, pack) => {
    server.answer = answering(201, pack(envelope(draft)), { 'content-encoding': encoding });
    expect((await write()).outcome).toMatchObject({ kind: 'answered', data: draft });
    expect(server.asked.at(-1)?.headers['accept-encoding']).toBe('identity');
  });

  it('says that nothing was sent only when no connection stood', async () => {
    const closed = await HostileServer.start();
    const other = clientFor(closed.url);
    await closed.stop();
    const { outcome } = await other.call('orders.create', { body: orderBody });
    expect(outcome).toEqual({ kind: 'unknown', sent: false, reason: 'connection refused' });
  });

  it('never leaves where its client was closed in the same breath', async () => {
    const transport = new Transport(1);
    const url = new URL(server.url);
    const sent = transport.send({ method: 'POST', url, pathWithQuery: '/', body: '{}' }, {}, 10_000);
    transport.close();
    expect(await sent).toEqual({ kind: 'failure', reason: 'the client was closed', sent: false });
    expect(server.asked).toEqual([]);
  });

  it('arrives over a slow line too: a connection to one of several addresses may take a second', async () => {
    const connect = vi.spyOn(Socket.prototype, 'connect');
    onTestFinished(() => connect.mockRestore());
    const transport = new Transport(1);
    onTestFinished(() => transport.close());
    await transport.send({ method: 'GET', url: new URL(server.url), pathWithQuery: '/', body: '' }, {}, 10_000);
    const options = expect.objectContaining({ autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS });
    expect(connect.mock.calls.flat(2)).toContainEqual(options);
    expect(ADDRESS_ATTEMPT_MS).toBeGreaterThanOrEqual(1_000);
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
      { numRuns: times(150, 300) },
    );
  });

  it('is always one of the three, whatever happens to the bytes on their way', async () => {
    const text = envelope(draft);
    const honest = Buffer.from(`HTTP/1.1 201 Created\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    let bytes = honest;
    const other = await clientOf((socket) => socket.end(bytes), { budgets: { signed: 1e6 } });
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
      { numRuns: times(150, 300) },
    );
  });

  const params = { pubkey: 'asked' };
  const [market, other] = [{ condition_id: 'asked' }, { ...orderRow, pubkey: 'other' }];
  const chart = { start_time: 0, end_time: 300, interval: '5m', is_yes: true } as const;
  const prices = { open: '0.5', high: '0.5', low: '0.5', close: '0.5' };
  const tradeData = {
    ...{ market_condition_id: 'other', amount: '1', price: '0.5', maker_fee: '0', taker_fee: '0' },
    ...{ timestamp: 1, state: 'done', is_yes: true },
  };
  it.each<[string, () => Promise<{ outcome: Outcome }>, unknown]>([
    ['an order', () => client.call('orders.detail', { params }), other],
    ['a cancel', () => client.call('orders.cancelSubmit', { params, body: { signature: '00' } }), other],
    ['a claim', () => client.call('positions.claim', { params }), { position_pubkey: 'other', state: 'done' }],
    ['a book', () => client.call('markets.book', { params: market }), { ...bookData, market: 'other' }],
    [
      'a list of trades, or one of them,',
      () => client.call('markets.trades', { params: market }),
      [{ ...tradeData, market_condition_id: null }, tradeData],
    ],
    ['a key', () => client.call('keys.revoke', { params: { key_id: 'asked' } }), { key_id: 'other', created: 1 }],
    [
      'the book of NO',
      () => client.call('markets.book', { params: { condition_id: 'm' }, query: { is_yes: true } }),
      { ...bookData, is_yes: 'other' },
    ],
    [
      'a bar of NO',
      () => client.call('markets.candles', { params: market, query: chart }),
      [{ timestamp: 1, ...prices, volume: '1', is_yes: 'other' }],
    ],
  ])('is unknown where %s is answered that nobody asked for', async (_, ask, data) => {
    const text = envelope(data, { limit: 50, next_cursor: null });
    server.answer = answering(200, text.replace('"is_yes":"other"', '"is_yes":false'));
    const reason = expect.stringContaining('differs from the requested value');
    expect((await ask()).outcome).toMatchObject({ kind: 'unknown', sent: true, reason });
    server.answer = answering(200, text.replace('"is_yes":"other"', '"is_yes":true').replace('other', 'asked'));
    expect((await ask()).outcome.kind).toBe('answered');
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

it('an answer that changes the protocol is unknown at once, not when the time is up', async () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
  const other = await clientOf((socket) => socket.write(upgrade), { timeoutMs: 20_000 });
  const { outcome } = await other.call('orders.create', { body: orderBody });
  expect(outcome).toEqual({ kind: 'unknown', sent: true, reason: 'the answer uses another protocol' });
});

it('many reads may wait for another attempt without a warning of the runtime', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  server.answer = answering(502, '<html>');
  await Promise.all(Array.from({ length: 20 }, () => read()));
  expect(warnings).toEqual([]);
});
