/** The page over real HTTP, with a host that says what it is told. */

import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Host, PageAction, PageState } from '../../../src/shell/dashboard/contract.js';
import { openDashboard } from '../../../src/shell/dashboard/dashboard.js';

const STATE: PageState = {
  trader: 'one',
  mode: 'quoting',
  reason: '',
  answers: true,
  heard: 2,
  guardian: '',
  silent: false,
  now: 2,
  started: 1,
  pid: 1,
  version: '0',
  venue: 'paper',
  base_url: 'http://127.0.0.1:1',
  config_hash: 'hash',
  cash: '1',
  result: '0',
  open_orders: 0,
  unknown_orders: 0,
  fill_count: 0,
  budget: [],
  agreement: null,
  markets: [],
  market: null,
  way_back: '',
  alerts: 0,
  health: null,
  losses: [],
  orders: [],
  fills: [],
  events: [],
};

async function open(refusal: string | null = null, metrics = { isOpen: false, token: 'the token' }) {
  const acted: (readonly [PageAction, string])[] = [];
  const host: Host = {
    state: (market) => (market === null ? STATE : { ...STATE, reason: `close to ${market}` }),
    view: async (name, query) => (name === 'runs' ? null : { lines: [`${name} ${JSON.stringify(query)}`] }),
    metrics: () => ({ type: 'text/plain; version=0.0.4', text: 'twinbook_up 1\n' }),
    act: async (action, reason) => {
      acted.push([action, reason]);
      return { refusal, text: 'done' };
    },
  };
  const page = await openDashboard({ host, secret: 'the secret', metrics, address: '127.0.0.1', port: 0 });
  onTestFinished(() => page.close());
  const ask = (path: string, how: RequestInit = {}) => fetch(new URL(path, page.url), how);
  const authorization = 'Bearer the secret';
  const press = (action: string, body: string, headers: Record<string, string> = { authorization }) =>
    ask(`/actions/${action}`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  return { page, acted, ask, press, authorization };
}

describe('the page', () => {
  it('is one document that a browser lets run its own script and nothing else', async () => {
    const { ask } = await open();
    const response = await ask('/');
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
    // Nothing from elsewhere, nothing inline that the policy would refuse, no markup made of what the exchange says.
    const markup = html.replaceAll(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '');
    expect(markup).not.toMatch(/\b(?:src|style|on[a-z]+)=/);
    const addresses = Array.from(markup.matchAll(/href="([^"]*)"/g), ([, address = '']) => address);
    expect(addresses.filter((address) => !/^\/(?:\?view=[a-z]+)?$/.test(address))).toEqual([]);
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(html).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('cache-control')).toBe('no-store');
    // With the chart library in it, for a first look on a bad connection.
    expect(html.length).toBeLessThan(120_000);
  });

  it('gives a view to whoever has the pass, and nothing under a name that no view has', async () => {
    const { ask, authorization } = await open();
    const asked = async (path: string) => (await ask(path, { headers: { authorization } })).json();
    const query = (more: object) => JSON.stringify({ market: null, subject: null, spanMs: 0, ...more });
    expect(await asked('/views/chart?market=m&span=600000')).toEqual({
      lines: [`chart ${query({ market: 'm', spanMs: 600_000 })}`],
    });
    for (const odd of ['-1', 'x', '1e99', '']) {
      expect(await asked(`/views/log?subject=s&span=${odd}`)).toEqual({ lines: [`log ${query({ subject: 's' })}`] });
    }
    expect((await ask('/views/log')).status).toBe(401);
    for (const name of ['runs', 'nothing', 'constructor'])
      expect((await ask(`/views/${name}`, { headers: { authorization } })).status).toBe(404);
  });

  it('shows its state to whoever has the pass', async () => {
    const { ask, authorization } = await open();
    const shown = await ask('/state', { headers: { authorization } });
    expect(await shown.json()).toEqual(STATE);
    const near = await ask('/state?market=m', { headers: { authorization } });
    expect(await near.json()).toEqual({ ...STATE, reason: 'close to m' });
    const hidden = await ask('/state');
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

  it('gives metrics to whoever has their token or the pass, and to all of this machine only when told so', async () => {
    const { ask, press } = await open();
    for (const secret of ['the token', 'the secret']) {
      const response = await ask('/metrics', { headers: { authorization: `Bearer ${secret}` } });
      expect([response.headers.get('content-type'), await response.text()]).toEqual([
        'text/plain; version=0.0.4',
        'twinbook_up 1\n',
      ]);
    }
    expect((await ask('/metrics')).status).toBe(401);
    const authorization = 'Bearer the token';
    expect((await ask('/state', { headers: { authorization } })).status).toBe(401);
    expect((await press('kill', '{}', { authorization })).status).toBe(401);
    const opened = await open(null, { isOpen: true, token: 'the token' });
    expect((await opened.ask('/metrics')).status).toBe(200);
    expect((await opened.ask('/state')).status).toBe(401);
  });

  it('says what the trader refused', async () => {
    const { press } = await open('this needs a reason (killed): unkill --reason TEXT');
    const refused = await press('resume', '{}');
    expect(refused.status).toBe(409);
    expect(await refused.json()).toEqual({ error: 'this needs a reason (killed): unkill --reason TEXT' });
  });

  it.each([
    ['without the pass', 401, 'kill', '{}', {}],
    ['with another', 401, 'kill', '{}', { authorization: 'Bearer guess' }],
    ['from another page', 403, 'kill', '{}', { authorization: 'Bearer the secret', origin: 'https://evil.example' }],
    ['as a form', 415, 'kill', 'reason=x', { authorization: 'Bearer the secret', 'content-type': 'text/plain' }],
    ['under a name it does not have', 404, 'format', '{}', { authorization: 'Bearer the secret' }],
    ['under a name that every object has', 404, 'constructor', '{}', { authorization: 'Bearer the secret' }],
    ['with a body that is none', 400, 'kill', '{', { authorization: 'Bearer the secret' }],
    ['with a body without end', 413, 'kill', `"${'x'.repeat(10_000)}"`, { authorization: 'Bearer the secret' }],
  ])('does nothing that is asked %s', async (_, status, action, body, headers) => {
    const { press, acted } = await open();
    const refused = await press(action, body, headers);
    expect(refused.status).toBe(status);
    expect(await refused.json()).toMatchObject({ error: expect.any(String) });
    expect(acted).toEqual([]);
  });

  it.each([
    ['GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n', 403],
    ['GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n', 403],
    ['OPTIONS /actions/kill HTTP/1.1\r\nHost: HERE\r\nOrigin: https://evil.example\r\n\r\n', 405],
    ['GET /nothing HTTP/1.1\r\nHost: HERE\r\n\r\n', 404],
    ['GET /actions/kill HTTP/1.1\r\nHost: HERE\r\n\r\n', 404],
    ['GET /../state HTTP/1.1\r\nHost: HERE\r\n\r\n', 404],
    ['rubbish\r\n\r\n', 400],
  ])('answers %j with %i', async (text, status) => {
    const { page } = await open();
    const { port, host } = new URL(page.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(text.replace('HERE', host));
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.toLowerCase()).not.toContain('access-control-allow');
  });
});
