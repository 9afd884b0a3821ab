import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestSignature } from '../../../src/shared/protocol/signing.js';
import { ServiceClient } from '../../../src/shell/client/client.js';
import {
  bookData,
  client,
  clientFor,
  credentials,
  draft,
  orderBody,
  read,
  serveEachTest,
  server,
  write,
} from './fixture.js';
import { answering, envelope, profile } from './hostile-server.js';

serveEachTest();

describe('a call', () => {
  it('is answered with the record in exact micros, the venue’s time and the budget', async () => {
    const date = 'Fri, 01 Mar 2024 10:00:00 GMT';
    const limits = { 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '1709287260' };
    const headers = { ...limits, date };
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
    const dates: (number | null)[] = [];
    for (const age of ['0', '1', '-1', '']) {
      server.answer = answering(200, envelope(bookData), { ...headers, age });
      dates.push((await read()).venueTimeMs);
    }
    expect(dates, 'the date of a cached answer is old').toEqual([Date.parse(date), null, null, null]);
    server.answer = answering(200, envelope(bookData), { date: 'Sat, 13 Sep 275760 00:00:00 GMT' });
    expect((await read()).venueTimeMs, 'no time of a venue is so late').toBeNull();
  });

  it('hands on the next cursor of a list, and takes a page that does not say it as unknown', async () => {
    const list = (meta: unknown) => {
      server.answer = answering(200, envelope([], meta));
      return client.call('orders.list', { query: { limit: 5, status: ['open', 'filled'] } });
    };
    const answered = (nextCursor: string | null) => ({ kind: 'answered', nextCursor });
    expect((await list({ limit: 5, next_cursor: 'abc' })).outcome).toMatchObject(answered('abc'));
    expect((await list({ limit: 5, next_cursor: null })).outcome).toMatchObject(answered(null));
    expect(server.asked[0]?.url).toBe('/orders/?limit=5&status=open%2Cfilled');
    const reason = expect.stringContaining('meta.next_cursor');
    expect((await list({ limit: 5 })).outcome).toMatchObject({ kind: 'unknown', reason });
    expect((await list(null)).outcome.kind).toBe('unknown');
  });

  it('performs a request of the core and reports it as one observation', async () => {
    server.answer = answering(201, envelope(draft));
    const call = { endpoint: 'orders.create', params: {}, query: {}, body: orderBody } as const;
    const request = { id: 7, lane: 'draft', latestMs: Date.now() + 10_000, call } as const;
    const reason = 'the trader is killed';
    const unsent = await client.perform(request, () => reason);
    expect([unsent.outcome, server.asked]).toEqual([{ kind: 'unknown', reason, sent: false }, []]);
    const observation = await client.perform(request);
    expect(observation).toMatchObject({ kind: 'outcome', requestId: 7, outcome: { kind: 'answered', data: draft } });
  });

  it('tries a read of the core again only while half of the budget is free: the rest is for orders and cancels', async () => {
    const budgeted = clientFor(server.url, { budgets: { signed: 10 } });
    server.answer = answering(502, '<html>busy</html>');
    const call = { endpoint: 'trades.list', params: {}, query: { limit: 5 }, body: undefined } as const;
    const asked: number[] = [];
    for (let id = 0; id < 4; id++) {
      await budgeted.perform({ id, lane: 'own', latestMs: Date.now() + 60_000, call });
      asked.push(server.asked.splice(0).length);
    }
    expect(asked).toEqual([3, 3, 1, 1]);
  });

  it('can be closed twice while requests wait in line', async () => {
    const budgeted = clientFor(server.url, { budgets: { signed: 1 } });
    const waiting = ['a', 'b', 'c'].map((pubkey) => budgeted.call('orders.detail', { params: { pubkey } }));
    await Promise.all([budgeted.close(), budgeted.close()]);
    await budgeted.close();
    expect((await Promise.all(waiting)).map(({ outcome }) => outcome.kind)).toEqual(waiting.map(() => 'unknown'));
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
    await clientFor(`${server.url}/api/v1/`).call('orders.list', { query: {} });
    const asked = server.asked[0];
    expect(asked?.url).toBe('/api/v1/orders/');
    const timestamp = String(asked?.headers['svc-timestamp']);
    const parts = { timestamp, method: 'GET', pathWithQuery: '/api/v1/orders/', body: '' };
    expect(asked?.headers['svc-signature']).toBe(requestSignature(credentials.secret, parts));
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
    const refused = expect.objectContaining({ code: 'config_invalid', message: expect.not.stringContaining('canary') });
    expect(() => new ServiceClient({ profile, baseUrl })).toThrow(refused);
  });

  it.each(['https://api.example.com', 'http://localhost:1', 'http://127.0.0.1:1/', 'http://[::1]:1'])(
    'is accepted: %s',
    (baseUrl) => new ServiceClient({ profile, baseUrl }).close(),
  );
});
