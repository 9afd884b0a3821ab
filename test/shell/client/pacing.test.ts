import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientNotice } from '../../../src/shell/client/contract.js';
import {
  bookData,
  client,
  clientFor,
  draft,
  forgetNotices,
  notices,
  orderBody,
  read,
  serveEachTest,
  server,
  write,
} from './fixture.js';
import { type Answer, answering, envelope, inTurn, refusal } from './hostile-server.js';

serveEachTest();
// The date is fixed, so that no request is late on a busy machine. Timers are real: answers arrive over a socket.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

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
  it.each(['30', '29.5'])('of a write is refused at once, and the scope waits 30 s for %s', async (wait) => {
    server.answer = answering(429, refusal('throttled'), { 'retry-after': wait });
    expect((await write()).outcome).toMatchObject({ kind: 'refused', slug: 'throttled' });
    expect(notices).toEqual([{ kind: 'throttled', scope: 'signed', waitMs: 30_000 }]);
    const next = await write({ latestMs: Date.now() + 50 });
    expect(next.outcome).toEqual({ kind: 'unknown', sent: false, reason: 'the request was not sent by its deadline' });
    expect(server.asked).toHaveLength(1);
    server.answer = answering(200, envelope(bookData));
    expect((await read()).outcome.kind).toBe('answered');
  });

  it('of a read is asked again after the wait, if that is before it is worthless', async () => {
    const throttled = answering(429, refusal('throttled'), { 'retry-after': '0' });
    server.answer = inTurn(throttled, answering(200, envelope(bookData)));
    expect((await read()).outcome.kind).toBe('answered');
    server.answer = answering(429, refusal('throttled'), { 'retry-after': '3600' });
    expect((await read({ latestMs: Date.now() + 500 })).outcome).toMatchObject({ kind: 'refused', slug: 'throttled' });
    expect(server.asked).toHaveLength(3);
  });

  it('is told with the time at which it is told, not with that of the refusal which its retry waited behind', async () => {
    server.answer = answering(429, refusal('throttled'), { 'retry-after': '3600' });
    let timeMs = Date.now();
    const latestMs = timeMs + 10_000;
    const clock = { nowMs: () => timeMs, monotonicMs: () => timeMs };
    const onNotice = ({ kind }: ClientNotice) => {
      if (kind === 'throttled') timeMs += 9_900;
    };
    const patient = clientFor(server.url, { onNotice, clock });
    const { sentMs, nowMs } = await patient.call('markets.book', { params: { condition_id: 'm' } }, { latestMs });
    expect(nowMs - sentMs).toBe(9_900);
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
    forgetNotices();
    server.answer = answering(429, '<html>slow down</html>');
    expect((await other.call('orders.create', { body: orderBody })).outcome.kind).toBe('unknown');
    const guess = notices.find((notice) => notice.kind === 'throttled');
    expect(guess?.waitMs).toBeGreaterThanOrEqual(500);
    expect(guess?.waitMs).toBeLessThanOrEqual(1_000);
  });
});

describe('the clock', () => {
  /** A venue that checks timestamps by the interface's rule. */
  const strict: Answer = (response, asked, count) => {
    const headers = { date: new Date().toUTCString() };
    const isWrong = Math.abs(Number(asked.headers['svc-timestamp']) - Date.now() / 1_000) > 30;
    if (isWrong)
      answering(401, refusal('authentication_failed', 'Timestamp out of range'), headers)(response, asked, count);
    else answering(200, envelope([], { limit: 5, next_cursor: null }), headers)(response, asked, count);
  };

  it('signs right through a step of our own wall clock, and says so', async () => {
    let step = 0;
    const clock = { nowMs: () => Date.now() + step, monotonicMs: () => performance.now() };
    const stepped = clientFor(server.url, { clock });
    server.answer = strict;
    await stepped.call('orders.list', { query: {} });
    step = 300_000;
    expect((await stepped.call('orders.list', { query: {} })).outcome.kind).toBe('answered');
    expect(server.asked).toHaveLength(2);
    expect(notices).toHaveLength(1);
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
    expect(outcomes.every((one) => one.kind === 'unknown' && one.reason === 'the client was closed')).toBe(true);
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
