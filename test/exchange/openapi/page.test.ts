import { webcrypto } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../src/exchange/http/openapi/document.js';
import { pageScript } from '../../../src/exchange/http/openapi/page.js';
import { requestSignature, signatureHeaders } from '../../../src/shared/protocol/signing.js';
import { PROFILE, send } from '../http/harness.js';
import { sharedExchange } from '../http/shared-exchange.js';

const exchange = await sharedExchange({ rateLimits: true });

describe('the page', () => {
  it('is served with everything that it names, all from this exchange', async () => {
    const page = await fetch(`${exchange.url}/docs/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await page.text();
    const names = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name);
    expect(names).toHaveLength(4);
    for (const name of names) {
      const file = await fetch(new URL(name, `${exchange.url}/docs/`));
      expect([name, file.status]).toEqual([name, 200]);
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(500);
    }
  });

  it('allows nothing inline and nothing from elsewhere', async () => {
    const page = await fetch(`${exchange.url}/docs/`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    expect(await page.text()).not.toMatch(/<script>|<style>|style=|on\w+=|https?:/);
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each(['/', '/docs', '/docs?tag=orders'])('is where %s leads', async (path) => {
    const answer = await fetch(exchange.url + path, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location'), await answer.text()]).toEqual([302, '/docs/', '']);
  });

  it('uses up no rate limit', async () => {
    const before = await fetch(`${exchange.url}/sports/`);
    for (let reload = 0; reload < 30; reload++) await (await fetch(`${exchange.url}/docs/`)).text();
    const after = await fetch(`${exchange.url}/sports/`);
    const left = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'));
    expect(left(before) - left(after)).toBe(1);
  });

  it.each([
    ['GET', '/docs/docs', 404],
    ['GET', '/docs/index.html', 404],
    ['GET', '/docs/..%2fpackage.json', 404],
    ['GET', '/openapi.json/', 404],
    ['POST', '/', 405],
    ['POST', '/docs', 405],
    ['POST', '/docs/', 405],
    ['HEAD', '/docs/page.js', 405],
  ])('answers %s %s with %i in the envelope', async (method, path, status) => {
    if (method === 'HEAD') return expect((await fetch(exchange.url + path, { method })).status).toBe(status);
    expect((await send(exchange.url, method, path)).status).toBe(status);
  });
});

interface TriedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

interface PageConfig {
  readonly spec: Record<string, never>;
  readonly requestInterceptor: (request: TriedRequest) => Promise<TriedRequest>;
  readonly responseInterceptor: (response: { headers: { date: string } }) => unknown;
}

/** Runs the script like a browser, with the document and the time of an exchange. */
function shown(date: Date): Promise<PageConfig> {
  const document = openApiDocument({ profile: PROFILE, controls: true });
  const answer = { headers: new Headers({ date: date.toUTCString() }), json: async () => structuredClone(document) };
  return new Promise((SwaggerUIBundle) => {
    const browser = { crypto: webcrypto, TextEncoder, URL, location: { href: 'http://127.0.0.1:8787/docs/' } };
    runInNewContext(pageScript(signatureHeaders('SVC')), { ...browser, SwaggerUIBundle, fetch: async () => answer });
  });
}

describe('the script of the page', () => {
  const secret = 'ws_live_1f7c2a9b5d4e';

  it('signs a request as the service wants it, at the time of the exchange, and does not send the secret', async () => {
    const hour = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000);
    const { requestInterceptor } = await shown(hour);
    const body = '{\n  "amount": "10"\n}';
    const headers = { 'SVC-API-KEY': 'key_1', 'SVC-SIGNATURE': secret };
    const url = 'http://127.0.0.1:8787/orders/?limit=10';
    const sent = await requestInterceptor({ url, method: 'post', headers, body });
    const timestamp = String(sent.headers['SVC-TIMESTAMP']);
    expect(Math.abs(Number(timestamp) - hour.getTime() / 1000)).toBeLessThanOrEqual(5);
    const parts = { timestamp, method: 'POST', pathWithQuery: '/orders/?limit=10', body };
    expect(sent.headers).toEqual({
      'SVC-API-KEY': 'key_1',
      'SVC-TIMESTAMP': timestamp,
      'SVC-SIGNATURE': requestSignature(secret, parts),
    });
  });

  it('leaves a request without a secret alone', async () => {
    const { requestInterceptor } = await shown(new Date());
    const request = { url: '/markets/', method: 'GET', headers: { accept: 'application/json' } };
    expect(await requestInterceptor(request)).toEqual(request);
  });

  it('follows the clock of the exchange when it is moved', async () => {
    const { requestInterceptor, responseInterceptor } = await shown(new Date());
    responseInterceptor({ headers: { date: new Date(2_000_000_000_000).toUTCString() } });
    const sent = await requestInterceptor({ url: '/orders/', method: 'GET', headers: { 'SVC-SIGNATURE': secret } });
    expect(Math.abs(Number(sent.headers['SVC-TIMESTAMP']) - 2_000_000_000)).toBeLessThanOrEqual(5);
  });

  it('asks for a key and a secret, not for a timestamp', async () => {
    const text = JSON.stringify((await shown(new Date())).spec);
    expect(text).not.toContain('"Timestamp"');
    expect(text).toContain('"security":[{"ApiKey":[],"Signature":[]}]');
  });
});
