/** The page over real HTTP, with a host of prepared answers. */

import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Host, PAGE_ACTIONS, type TraderHost } from '../../../src/shell/dashboard/contract.js';
import { openDashboard } from '../../../src/shell/dashboard/dashboard.js';
import type { Greeting } from '../../../src/shell/dashboard/sessions.js';
import { openPageSession, type PageHow } from '../../support/page-client.js';

const STATE = { trader: 'one', mode: 'quoting', reason: '' };

/** Long, like generated ones: a short password costs a long derivation. */
const PASSES = {
  operate: 'the secret of whoever operates it',
  stop: 'the secret of whoever may stop it',
  view: 'the secret of whoever may look at it',
};
const METRICS_TOKEN = 'the token';
const JSON_TYPE = { 'content-type': 'application/json' };

async function open(
  refusal: string | null = null,
  metrics = { isOpen: false, token: METRICS_TOKEN },
  names = ['one'],
  onAction: () => void = () => undefined,
) {
  const acted: (readonly [(typeof PAGE_ACTIONS)[number], ...string[]])[] = [];
  const told: string[] = [];
  const traderHost = (name: string): TraderHost => ({
    state: (market) => (market === null ? { ...STATE, trader: name } : { ...STATE, reason: `close to ${market}` }),
    view: async (view, query) =>
      ['runs', 'nothing', 'constructor'].includes(view) ? null : { lines: [`${view} ${JSON.stringify(query)}`] },
    csv: (file) => (file === 'orders' ? null : `${file} of ${name}\r\n`),
    report: (file) => (file === 'one.html' ? '<p>a report</p>' : null),
    act: async (action, reason, market) => {
      if (name === 'broken') throw new Error('it is broken');
      onAction();
      acted.push(market === null ? [action, reason] : [action, reason, market]);
      told.push(name);
      return { refusal: name === 'one' ? refusal : null, text: 'done' };
    },
  });
  const host: Host = {
    names,
    trader: (name) => (names.includes(name) ? traderHost(name) : null),
    traders: () => ({ now: 2, traders: [] }),
    metrics: () => ({ type: 'text/plain; version=0.0.4', text: 'twinbook_up 1\n' }),
  };
  const page = await openDashboard({ host, passes: PASSES, metrics, port: 0 });
  onTestFinished(() => page.close());
  /** A request without proof. */
  const knock = (path: string, how: RequestInit = {}) => fetch(new URL(path, page.url), how);
  const as = async (role: keyof typeof PASSES) => {
    const { ask } = await openPageSession(page.url, PASSES[role]);
    return { ask, press: pressWith(ask) };
  };
  const { ask, headersFor } = await openPageSession(page.url, PASSES.operate);
  return { page, acted, told, knock, as, ask, headersFor, press: pressWith(ask) };
}

const pressWith =
  (ask: (path: string, how: PageHow) => Promise<Response>) =>
  (action: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
    ask(action.startsWith('/') ? action : `/actions/${action}`, { method: 'POST', body, headers });

/** Answer to these bytes. */
async function exchange(port: string, request: string): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.end(request);
  return text(socket);
}

describe('the page', () => {
  it('is one document that a browser lets run its own script and nothing else', async () => {
    const { knock } = await open();
    const response = await knock('/');
    const html = await response.text();
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; /);
    for (const [tag, rule] of [
      ['script', 'script-src'],
      ['style', 'style-src'],
    ]) {
      const found = [...html.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))];
      expect(found).toHaveLength(1);
      const hash = createHash('sha256')
        .update(found[0]?.[1] ?? '')
        .digest('base64');
      expect(policy).toContain(`${rule} 'sha256-${hash}'`);
    }
    // No external content, nothing inline that the policy blocks, no markup from the exchange's texts.
    const markup = html.replaceAll(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '');
    expect(markup).not.toMatch(/\b(?:src|style|on[a-z]+)=/);
    const addresses = Array.from(markup.matchAll(/href="([^"]*)"/g), ([, address = '']) => address);
    expect(addresses.filter((address) => !/^\/(?:\?view=[a-z]+)?$/.test(address))).toEqual([]);
    expect(policy).toContain("require-trusted-types-for 'script'");
    const folders = ['../../../src/shell/dashboard/page/', '../../../src/shell/web-kit/page/'];
    const modules = folders.flatMap((folder) => {
      const url = new URL(folder, import.meta.url);
      const names = readdirSync(url).filter((name) => name.endsWith('.js'));
      return names.map((name) => readFileSync(new URL(name, url), 'utf8'));
    });
    expect(modules.length).toBeGreaterThan(13);
    for (const module of modules)
      expect(module).not.toMatch(/InnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
    expect(html).not.toMatch(/outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/);
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('cache-control')).toBe('no-store');
    // With the chart library in it, for a first visit over a slow connection.
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(Number(response.headers.get('content-length'))).toBeLessThan(60_000);
    expect(Buffer.byteLength(html)).toBeGreaterThan(60_000);
    expect(Buffer.byteLength(html)).toBeLessThan(125_000);
    const plain = await knock('/', { headers: { 'accept-encoding': 'identity' } });
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, html]);
  });

  it('gives a view to whoever has the pass, and nothing under a name that no view has', async () => {
    const { ask, knock } = await open();
    const asked = async (path: string) => (await ask(path)).json();
    const query = (more: object) =>
      JSON.stringify({ market: null, subject: null, spanMs: 0, atMs: null, side: '', words: '', page: 0, ...more });
    expect(await asked('/views/chart?market=m&span=600000')).toEqual({
      lines: [`chart ${query({ market: 'm', spanMs: 600_000 })}`],
    });
    expect(await asked('/views/log?side=loud&filter=a&page=2')).toEqual({
      lines: [`log ${query({ side: 'loud', words: 'a', page: 2 })}`],
    });
    for (const odd of ['-1', 'x', '1e99', ''])
      expect(await asked(`/views/log?subject=s&span=${odd}`)).toEqual({ lines: [`log ${query({ subject: 's' })}`] });
    expect((await knock('/views/log')).status).toBe(401);
    for (const name of ['runs', 'nothing', 'constructor']) expect((await ask(`/views/${name}`)).status).toBe(404);
  });

  it('gives files to whoever has the pass, and no other name than theirs', async () => {
    const { ask, knock } = await open(null, undefined, ['one', 'two']);
    const file = await ask('/csv/fills?trader=two');
    expect([file.status, file.headers.get('content-type'), file.headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'attachment; filename="fills.csv"',
    ]);
    expect(await file.text()).toBe('fills of two\r\n');
    const refused = ['/csv/fills', '/csv/orders?trader=one', '/csv/secrets?trader=one', '/csv/constructor?trader=one'];
    expect(await Promise.all(refused.map(async (path) => (await ask(path)).status))).toEqual([400, 404, 404, 404]);
    expect((await knock('/csv/fills?trader=one')).status).toBe(401);
  });

  it('gives a report an address that shows it once, apart from the page', async () => {
    const { ask, knock } = await open();
    const answer = await ask('/reports?name=one.html', { method: 'POST', body: '{}' });
    const { path } = (await answer.json()) as { path: string };
    const [first, second] = [await knock(path), await knock(path)];
    expect([first.status, await first.text(), second.status]).toEqual([200, '<p>a report</p>', 404]);
    expect(first.headers.get('content-security-policy')).toBe('sandbox allow-scripts');
    expect((await ask('/reports?name=two.html', { method: 'POST', body: '{}' })).status).toBe(404);
    const unproven = await knock('/reports?name=one.html', { method: 'POST', body: '{}', headers: JSON_TYPE });
    expect(unproven.status).toBe(401);
  });

  it('shows its state to whoever has the pass', async () => {
    const { ask, knock } = await open();
    expect(await (await ask('/state')).json()).toEqual({ ...STATE, role: 'operate', traders: ['one'] });
    expect(await (await ask('/state?market=m')).json()).toMatchObject({ ...STATE, reason: 'close to m' });
    const hidden = await knock('/state');
    expect(hidden.status).toBe(401);
    expect(await hidden.text()).not.toContain('quoting');
  });

  it('hands on what is pressed, with its reason on one line', async () => {
    const { press, acted } = await open();
    expect(await (await press('kill', '{"reason":" odd\\nprices\\u202e "}')).json()).toEqual({
      done: true,
      text: 'done',
    });
    expect((await press('cancel-all', '{}')).status).toBe(200);
    expect((await press('pause', `{"reason":"${'x'.repeat(3_000)}"}`)).status).toBe(200);
    expect(acted).toEqual([
      ['kill', 'odd prices'],
      ['cancel-all', ''],
      ['pause', 'x'.repeat(500)],
    ]);
  });

  it('wants to know which market is meant by what is of one, and of nothing else', async () => {
    const { press, acted } = await open();
    expect((await press('pause-market?market=m1', '{"reason":"news"}')).status).toBe(200);
    expect((await press('pause?market=m1', '{}')).status).toBe(200);
    const unnamed = await press('flatten-market', '{}');
    expect([unnamed.status, await unnamed.json()]).toEqual([400, { error: expect.stringContaining('?market= wants') }]);
    expect(acted).toEqual([
      ['pause-market', 'news', 'm1'],
      ['pause', ''],
    ]);
  });

  it('gives metrics for their token, which opens nothing else, for the page’s secrets, and to every program when set so', async () => {
    const { knock } = await open();
    const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const response = await knock('/metrics', bearing(METRICS_TOKEN));
    expect([response.headers.get('content-type'), await response.text()]).toEqual([
      'text/plain; version=0.0.4',
      'twinbook_up 1\n',
    ]);
    for (const secret of Object.values(PASSES)) expect((await knock('/metrics', bearing(secret))).status).toBe(200);
    const refused = await knock('/metrics');
    expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining('metrics.token_file')]);
    expect((await knock('/state', bearing(PASSES.operate))).status).toBe(401);
    expect((await knock('/state', bearing(METRICS_TOKEN))).status).toBe(401);
    const opened = await open(null, { isOpen: true, token: METRICS_TOKEN });
    expect([(await opened.knock('/metrics')).status, (await opened.knock('/state')).status]).toEqual([200, 401]);
  });

  it('counts wrong proofs and tokens, and no caller without any', async () => {
    const { page, knock } = await open();
    for (const authorization of ['Bearer the guess', ''])
      for (const path of ['/state', '/metrics', '/']) await knock(path, { headers: { authorization } });
    const greeted = await knock('/session/greeting', {
      method: 'POST',
      body: JSON.stringify({ nonce: 'a'.repeat(64) }),
      headers: JSON_TYPE,
    });
    const { nonce } = (await greeted.json()) as Greeting;
    const guess = { nonce, proof: 'b'.repeat(64) };
    const answered = await knock('/session', { method: 'POST', body: JSON.stringify(guess), headers: JSON_TYPE });
    expect([answered.status, page.refusedLogins()]).toEqual([401, 2]);
  });

  it('answers no token of the metrics after ten wrong ones', async () => {
    const { knock } = await open();
    const scrape = async (authorization: string) => (await knock('/metrics', { headers: { authorization } })).status;
    const wrong = ['Bearer', 'Bearer ', ...['bearer ', 'Basic ', 'Bearer x'].map((head) => head + METRICS_TOKEN)];
    for (const given of wrong) expect(await scrape(given)).toBe(401);
    // A caller without a token is no guesser.
    for (let ask = 0; ask < 10; ask++) expect((await knock('/metrics')).status).toBe(401);
    expect(await scrape(`Bearer ${METRICS_TOKEN}`)).toBe(200);
    for (let guess = 0; guess < 9; guess++) await scrape(`Bearer ${guess}`);
    expect(await scrape(`Bearer ${METRICS_TOKEN}`)).toBe(429);
  });

  it('does not cut a client that waits for its answer, and cuts it when it is silent afterwards', async () => {
    const sockets: Socket[] = [];
    const watch = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
    const { press, ask } = await open(null, undefined, ['one'], () => sockets.at(-1)?.emit('timeout'));
    subscribe('http.server.request.start', watch);
    onTestFinished(() => void unsubscribe('http.server.request.start', watch));
    expect((await press('rollback', '{"reason":"too loose"}')).status).toBe(200);
    const [socket] = sockets;
    expect(socket?.destroyed).toBe(false);
    socket?.emit('timeout');
    expect(socket?.destroyed).toBe(true);
    expect((await ask('/state')).status).toBe(200);
  });

  it('says whether it knows the session of a request that it refuses', async () => {
    const { ask, headersFor, knock } = await open();
    const headers = headersFor('/state');
    expect((await knock('/state', { headers })).status).toBe(200);
    const again = await knock('/state', { headers });
    expect([again.status, await again.json()]).toEqual([401, expect.objectContaining({ isUnknown: false })]);
    const other = await ask('/state', { headers: { authorization: 'Twinbook other 1 ab' } });
    expect([other.status, await other.json()]).toEqual([401, expect.objectContaining({ isUnknown: true })]);
  });

  it('says what the trader refused', async () => {
    const { press } = await open('this command needs a reason (killed): unkill --reason TEXT');
    const refused = await press('resume', '{}');
    expect(refused.status).toBe(409);
    expect(await refused.json()).toEqual({ error: 'this command needs a reason (killed): unkill --reason TEXT' });
  });

  it('lets whoever only looks see everything and do nothing, and whoever stops do nothing but that', async () => {
    const { as, acted } = await open();
    const roles = { view: await as('view'), stop: await as('stop') };
    for (const role of ['view', 'stop'] as const) {
      const { ask, press } = roles[role];
      expect(await (await ask('/state')).json()).toMatchObject({ mode: 'quoting', role });
      const statuses = ['/views/log', '/views/config', '/traders', '/views/diff'].map(
        async (path) => (await ask(path)).status,
      );
      expect(await Promise.all(statuses)).toEqual([200, 200, 200, 403]);
      for (const action of ['/traders/kill', ...PAGE_ACTIONS]) await press(action, '{}');
    }
    expect(acted.join(' ')).toBe('kill, widen, pause, reduce-only, cancel-all, kill, ack,');
    const refused = await roles.view.press('kill', '{}');
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { error: 'this password has the role view; this request needs the role stop' },
    ]);
  });

  it('asks which of several traders is meant, and does nothing until it knows', async () => {
    const { ask, press, told } = await open(null, undefined, ['one', 'two']);
    const two = await ask('/state?trader=two');
    expect(await two.json()).toMatchObject({ trader: 'two', traders: ['one', 'two'] });
    const unnamed = [await ask('/state'), await ask('/views/log'), await press('kill', '{}')];
    expect(unnamed.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await unnamed[2]?.json()).toEqual({
      error: 'the request must name a trader, because several are shown; ?trader= wants one of one, two',
    });
    for (const name of ['three', 'constructor', '__proto__'])
      expect((await press(`/actions/kill?trader=${name}`, '{}')).status).toBe(404);
    expect(told).toEqual([]);
    await press('/actions/kill?trader=two', '{}');
    expect(told).toEqual(['two']);
  });

  it('stops all of several at once, whatever keeps one of them, and says what became of each', async () => {
    const { press, told } = await open('it hangs', undefined, ['one', 'broken', 'two']);
    const answer = await press('/traders/kill', '{"reason":"odd"}');
    expect([answer.status, await answer.json()]).toEqual([
      409,
      { error: 'one: it hangs; broken: the trader cannot be reached; two: done' },
    ]);
    expect(told).toEqual(['one', 'two']);
    for (const action of ['resume', 'flatten', 'constructor'])
      expect((await press(`/traders/${action}`, '{}')).status).toBe(404);
    expect((await press('/traders/kill', '{}', { authorization: '' })).status).toBe(401);
    expect(told).toHaveLength(2);
  });

  it.each([
    ['without a proof', 401, 'kill', '{}', { authorization: '' }],
    ['with the secret itself', 401, 'kill', '{}', { authorization: `Bearer ${PASSES.operate}` }],
    ['from another page', 403, 'kill', '{}', { origin: 'https://evil.example' }],
    ['as a form', 415, 'kill', 'reason=x', { 'content-type': 'text/plain' }],
    ['under a name it does not have', 404, 'format', '{}', {}],
    ['under a name that every object has', 404, 'constructor', '{}', {}],
    ['with a body that is none', 400, 'kill', '{', {}],
    ['with a body without end', 413, 'kill', `"${'x'.repeat(10_000)}"`, {}],
  ])('does nothing that is asked %s', async (_, status, action, body, headers) => {
    const { press, acted } = await open();
    const refused = await press(action, body, headers);
    expect(refused.status).toBe(status);
    expect(await refused.json()).toMatchObject({ error: expect.any(String) });
    expect(acted).toEqual([]);
  });

  it('leads a browser from its other names to the one that its proofs name', async () => {
    const { page } = await open();
    const { port } = new URL(page.url);
    const answer = await exchange(
      port,
      `GET /?view=log HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 307 /);
    expect(answer.toLowerCase()).toContain(`\r\nlocation: ${page.url}?view=log\r\n`);
  });

  it.each([
    ['GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n', 403],
    ['GET / HTTP/1.1\r\nHost: HERE\r\nSec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n\r\n', 403],
    ['OPTIONS /actions/kill HTTP/1.1\r\nHost: HERE\r\nOrigin: https://evil.example\r\n\r\n', 405],
    ['GET /actions/kill HTTP/1.1\r\nHost: HERE\r\n\r\n', 404],
    ['GET /../state HTTP/1.1\r\nHost: HERE\r\n\r\n', 404],
    ['rubbish\r\n\r\n', 400],
  ])('answers %j with %i', async (request, status) => {
    const { page } = await open();
    const { port, host } = new URL(page.url);
    const answer = await exchange(port, request.replace('HERE', host));
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.toLowerCase()).not.toContain('access-control-allow');
  });
});
