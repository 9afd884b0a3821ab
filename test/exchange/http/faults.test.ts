import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { newFolder } from '../../support/folders.js';
import { type Answered, control, openMarket, send, startTestExchange, TestTrader } from './harness.js';

/** Faults of `/paper/faults/`, over HTTP. */

let exchange: RunningExchange;
let base: string;
let market: string;
beforeEach(async () => {
  exchange = await startTestExchange({ rateLimits: true });
  base = exchange.url;
  market = await openMarket(base);
});
afterEach(() => exchange.close());

const set = (body: object): Promise<Answered> => control(base, '/faults/', body);
const read = (): Promise<Answered> => send(base, 'GET', '/paper/faults/');
const limitOf = ({ headers }: Answered) => Number(headers.get('x-ratelimit-limit'));
const book = () => fetch(`${base}/markets/${market}/book/`);
/** A signed call whose answer may be no envelope. */
function post(trader: TestTrader, path: string, body: object): Promise<Response> {
  const text = JSON.stringify(body);
  const headers = { ...trader.headersFor('POST', path, text), 'content-type': 'application/json' };
  return fetch(`${base}${path}`, { method: 'POST', body: text, headers });
}

/** A draft of an order, and the path and body of its submit. */
async function drafted(trader: TestTrader) {
  const terms = { is_yes: true, side: 'buy', order_type: 'limit', price: '0.4', amount: '10' };
  const { row } = await trader.post('/orders/', { market_condition_id: market, ...terms });
  const detail = `/orders/${String(row['pubkey'])}/`;
  return { detail, submit: `${detail}submit/`, body: { signature: trader.sign(String(row['message'])) } };
}

describe('a submit that answers an error although it acted', () => {
  it.each([
    [{}, 500, 'internal_error'],
    [{ slug: 'invalid_program_call_status' }, 400, 'invalid_program_call_status'],
  ])('with %o is seen in the record alone', async (fault, status, slug) => {
    const trader = await TestTrader.join(base);
    const calls = ['POST /orders/{pubkey}/submit/'];
    await set({ answers: [{ answer: 'error', acts: true, calls, count: 1, ...fault }] });
    const { detail, submit, body } = await drafted(trader);
    const refused = await trader.post(submit, { signature: 'ff' });
    expect([refused.status, refused.slug]).toEqual([400, 'invalid_request_params']); // without an effect
    const answer = await trader.post(submit, body);
    expect([answer.status, answer.slug, answer.data, answer.meta]).toEqual([status, slug, null, null]);
    expect(limitOf(answer)).toBe(300);
    expect(Date.parse(answer.headers.get('date') ?? '')).not.toBeNaN();
    expect((await trader.get(detail)).row['status']).toBe('open');
    expect((await read()).row['answers']).toMatchObject([{ count: 1, given: 1, acts: true }]);
    const next = await drafted(trader);
    expect((await trader.post(next.submit, next.body)).row['status']).toBe('open');
  });

  it('may answer the page of a proxy behind which it acted, without the place of what it made', async () => {
    const trader = await TestTrader.join(base);
    await set({ answers: [{ answer: 'html', status: 502, acts: true, calls: ['POST /orders/'] }] });
    const terms = { market_condition_id: market, is_yes: true, side: 'buy', order_type: 'market', funds: '10' };
    const answer = await post(trader, '/orders/', terms);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([502, 'text/html']);
    expect([answer.headers.get('location'), answer.headers.get('x-ratelimit-limit')]).toEqual([null, null]);
    expect((await trader.get('/orders/')).rows).toHaveLength(1);
  });
});

describe('the page of a proxy', () => {
  it('stands before the next calls: nothing is done and nothing counted', async () => {
    const trader = await TestTrader.join(base);
    const { submit, body, detail } = await drafted(trader);
    await set({ answers: [{ answer: 'html', calls: ['POST /orders/{pubkey}/submit/'], count: 2 }] });
    for (let n = 0; n < 2; n++) {
      const answer = await post(trader, submit, body);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'text/html']);
      expect(await answer.text()).toMatch(/^<html>[\s\S]*403 Forbidden/);
      expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
      expect(Date.parse(answer.headers.get('date') ?? '')).not.toBeNaN();
    }
    expect((await trader.get(detail)).row['status']).toBe('waiting_to_sign');
    expect((await trader.post(submit, body)).row['status']).toBe('open');
  });

  it('may come for a share of all calls, and never for the controls', async () => {
    await set({ answers: [{ answer: 'html', status: 503, share: 0.5 }] });
    const statuses: number[] = [];
    for (let n = 0; n < 60; n++) statuses.push((await book()).status);
    const struck = statuses.filter((status) => status === 503).length;
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect((await read()).row['answers']).toMatchObject([{ given: struck, calls: null, share: 0.5, count: null }]);
  });
});

it('a 429 of the service or of a proxy names the wait that the fault sets', async () => {
  const throttled = { answer: 'error', slug: 'throttled', retry_after_s: 600, count: 1 };
  await set({ answers: [throttled, { answer: 'html', status: 429, retry_after_s: 20, count: 1 }] });
  const proxy = await book();
  expect([proxy.status, proxy.headers.get('retry-after')]).toEqual([429, '20']);
  const own = await send(base, 'GET', `/markets/${market}/book/`);
  expect([own.status, own.slug, own.headers.get('retry-after')]).toEqual([429, 'throttled', '600']);
  expect(own.error?.message).toBe('Request was throttled. Expected available in 600 seconds.');
  expect((await book()).status).toBe(200);
  await set({ answers: [{ answer: 'error', slug: 'throttled', count: 1 }] });
  expect((await book()).headers.get('retry-after')).toBe('1');
});

describe('limits', () => {
  const ask = () => send(base, 'GET', `/markets/${market}/price/`);

  it('shrink below what was let through, and grow back', async () => {
    for (let n = 0; n < 5; n++) expect((await ask()).status).toBe(200);
    expect((await set({ limits: { public: 3 } })).row['limits']).toEqual({ public: 3, signed: null, bootstrap: null });
    const refused = await ask();
    expect([refused.status, limitOf(refused), refused.headers.get('x-ratelimit-remaining')]).toEqual([429, 3, '0']);
    await control(base, '/clock/', { advance_s: Number(refused.headers.get('retry-after')) });
    expect((await ask()).status).toBe(200);
    await set({});
    const healed = await ask();
    expect([healed.status, limitOf(healed)]).toEqual([200, 120]);
  });

  it('grow back by themselves at the end of the time that was given', async () => {
    await set({ limits: { public: 1 }, answers: [{ answer: 'html', calls: ['GET /sports/'] }], for_s: 30 });
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
    await control(base, '/clock/', { advance_s: 31 });
    expect(limitOf(await ask())).toBe(120);
    expect((await fetch(`${base}/sports/`)).status).toBe(200);
    expect((await read()).row).toMatchObject({ answers: [], until: null, limits: { public: null } });
  });

  it('cannot be changed where there are none', async () => {
    const without = await startTestExchange({ rateLimits: false });
    const answer = await control(without.url, '/faults/', { limits: { public: 3 } });
    expect([answer.status, Object.keys(answer.error?.details[0] ?? {})]).toEqual([400, ['limits']]);
    await without.close();
  });
});

describe('what takes long', () => {
  it('is the landing of conversions and the close of a margin position', async () => {
    const trader = await TestTrader.join(base);
    const answer = await set({ landing_ms: 90_000, closing_ms: 60_000 });
    expect(answer.row).toMatchObject({ landing_ms: 90_000, closing_ms: 60_000, answers: [] });
    const { row } = await trader.complete('/share-splits/', { market_condition_id: market, amount: '5' });
    const detail = `/share-splits/${String(row['pubkey'])}/`;
    const states: unknown[] = [];
    for (const seconds of [80, 15]) {
      await control(base, '/clock/', { advance_s: seconds });
      trader.clockShiftS += seconds;
      states.push((await trader.get(detail)).row['state']);
    }
    expect(states).toEqual(['in_process', 'done']);
  });

  it('is forgotten by the next life of the exchange', async () => {
    const dataDir = newFolder();
    for (const expected of [null, null]) {
      const running = await startTestExchange({ dataDir });
      const { row } = await send(running.url, 'GET', '/paper/faults/');
      expect([row['landing_ms'], row['answers']]).toEqual([expected, []]);
      await control(running.url, '/faults/', { landing_ms: 5_000, answers: [{ answer: 'html' }] });
      await running.close();
    }
  });
});

it.each([
  [{ answer: [] }, 'answer'],
  [{ answers: {} }, 'answers'],
  [{ answers: [{}] }, 'answers.answer'],
  [{ answers: [{ answer: 'json' }] }, 'answers.answer'],
  [{ answers: [{ answer: 'html', status: 200 }] }, 'answers.status'],
  [{ answers: [{ answer: 'html', slug: 'throttled' }] }, 'answers.slug'],
  [{ answers: [{ answer: 'error', status: 403 }] }, 'answers.status'],
  [{ answers: [{ answer: 'error', slug: 'nonsense' }] }, 'answers.slug'],
  [{ answers: [{ answer: 'html', calls: ['POST /orders'] }] }, 'answers.calls'],
  [{ answers: [{ answer: 'html', calls: [] }] }, 'answers.calls'],
  [{ answers: [{ answer: 'html', count: 0 }] }, 'answers.count'],
  [{ answers: [{ answer: 'html', share: 1.5 }] }, 'answers.share'],
  [{ answers: [{ answer: 'html', retry_after_s: '5' }] }, 'answers.retry_after_s'],
  [{ answers: [{ answer: 'html', often: true }] }, 'answers.often'],
  [{ limits: { own: 3 } }, 'limits.own'],
  [{ limits: { public: 0 } }, 'limits.public'],
  [{ landing_ms: -1 }, 'landing_ms'],
  [{ closing_ms: '60' }, 'closing_ms'],
  [{ for_s: 0 }, 'for_s'],
])('a bad plan: %o is a 400 that names %s, and changes nothing', async (body, field) => {
  await set({ landing_ms: 77 });
  const answer = await set(body);
  expect([answer.status, answer.slug]).toEqual([400, 'invalid_request_params']);
  expect(answer.error?.details.map((detail) => Object.keys(detail)[0])).toContain(field);
  expect((await read()).row['landing_ms']).toBe(77);
});
