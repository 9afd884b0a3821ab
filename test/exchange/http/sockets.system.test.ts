import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE } from '../../../src/exchange/http/server.js';
import { openMarket, PROFILE, send, serverOf } from './harness.js';
import { sharedExchange } from './shared-exchange.js';

const LIMITS = { public_per_minute: 100_000, signed_per_minute: 100_000, bootstrap_per_minute: 100_000 };

/** A raw connection that sends given frames and records received ones. */
class RawClient {
  readonly socket: Socket;
  #heard = '';
  readonly #closed: Promise<void>;
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => undefined); // some tests wait for a cut connection
    this.socket.on('data', (part) => {
      this.#heard += part.toString('latin1');
      this.#wake();
    });
    this.#closed = new Promise((resolve) => this.socket.on('close', () => resolve()));
  }

  get heard(): string {
    return this.#heard;
  }

  say(text: string): this {
    this.socket.write(text);
    return this;
  }

  async hear(what: string): Promise<string> {
    while (!this.#heard.includes(what)) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#heard;
  }

  async end(): Promise<string> {
    await this.#closed;
    return this.#heard;
  }
}

const GET = 'GET /markets/ HTTP/1.1\r\nHost: x\r\n\r\n';
const POST_HEAD = 'POST /auth/keys/challenge/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

describe('an exchange whose clients are slow', () => {
  let server: FastifyInstance;
  let port: number;
  const limits = { headersMs: 100, requestMs: 200, silenceMs: 300, checkMs: 20, maxConnections: 40 };
  const patience: typeof PATIENCE = { ...PATIENCE, ...limits };

  beforeAll(async () => {
    const onError = (error: unknown) => expect(error).toBeUndefined();
    server = serverOf({ profile: { ...PROFILE, rate_limits: LIMITS }, onError }, patience);
    await server.listen({ port: 0, host: '127.0.0.1' });
    port = Number(new URL(server.listeningOrigin).port);
  });
  afterAll(() => server.close());

  it.each([
    ['the first line', 'GET /mark'],
    ['the headers', 'GET /markets/ HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['the body', `${POST_HEAD}Content-Length: 50\r\n\r\n{"wallet`],
    ['a chunk', `${POST_HEAD}Transfer-Encoding: chunked\r\n\r\n20\r\n{"wa`],
  ])('tells those that stall in %s so in the envelope, cuts them off, and serves the others', async (_where, start) => {
    const stalled = Array.from({ length: 20 }, () => new RawClient(port).say(start));
    expect((await send(server.listeningOrigin, 'GET', '/markets/')).status).toBe(200);
    for (const client of stalled) {
      const answer = await client.end();
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer).toMatch(/x-ratelimit-remaining: \d+\r\n/);
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
        error: { slug: 'invalid_request_params' },
      });
    }
  });

  it('cuts off one that sends a byte of its header now and then', async () => {
    const client = new RawClient(port).say('GET /markets/ HTTP/1.1\r\n');
    const drip = setInterval(() => client.say('X-A: b\r\n'), 10);
    expect(await client.end()).toMatch(/^HTTP\/1\.1 400/);
    clearInterval(drip);
  });

  it('turns connections beyond its bound away, and serves again once the silent ones are cut off', async () => {
    // A client admitted late takes the place of a closed one: the bound counts simultaneous clients.
    let [held, most] = [0, 0];
    const count = (socket: Socket) => {
      most = Math.max(most, ++held);
      socket.once('close', () => held--);
    };
    server.server.on('connection', count);
    const silent = Array.from({ length: 100 }, () => new RawClient(port));
    const heard = await Promise.all(silent.map((client) => client.end()));
    const turnedAway = heard.filter((answer) => answer === '').length;
    server.server.off('connection', count);
    expect(most).toBeLessThanOrEqual(patience.maxConnections);
    expect(turnedAway).toBeGreaterThan(0);
    expect(heard.filter((answer) => answer.startsWith('HTTP/1.1 400 ')).length).toBe(100 - turnedAway);
    const late = new RawClient(port).say(GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect(await late.end()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('cuts off one that asks and asks and never reads, and holds few of its answers', async () => {
    let asked = 0;
    const count = () => {
      asked += 1;
    };
    server.server.on('request', count);
    const cut = new Promise((resolve) => server.server.once('connection', (socket) => socket.once('close', resolve)));
    const client = new RawClient(port);
    client.socket.pause();
    client.say(GET.repeat(200_000));
    await cut;
    expect(asked).toBeLessThan(100_000);
    server.server.off('request', count);
    client.socket.destroy();
  });
});

const exchange = await sharedExchange({ rateLimits: true, profile: { ...PROFILE, rate_limits: LIMITS } });

describe('an exchange', () => {
  it('ends an endless chunked body at 64 KiB with a 413', async () => {
    const client = new RawClient(exchange.port).say(`${POST_HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const pour = () => {
      if (client.socket.writable) client.socket.write(chunk, () => setImmediate(pour));
    };
    pour();
    expect(await client.end()).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('refuses a body at its announced length, before it comes', async () => {
    const client = new RawClient(exchange.port).say(`${POST_HEAD}Content-Length: 99999999999\r\n\r\n`);
    expect(await client.hear('request_too_large')).toMatch(/^HTTP\/1\.1 413 /);
    client.socket.destroy();
  });

  it('answers pipelined requests in their order', async () => {
    const market = await openMarket(exchange.url);
    const paths = ['/markets/', `/markets/${market}/book/`, '/nowhere', `/markets/${market}/`];
    const client = new RawClient(exchange.port);
    client.say(Array.from({ length: 200 }, (_, at) => GET.replace('/markets/', paths[at % 4] ?? '')).join(''));
    client.say('GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const statuses = [...(await client.end()).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    const expected = Array.from({ length: 201 }, (_, at) => (at % 4 === 2 || at === 200 ? 404 : 200));
    expect(statuses).toEqual(expected);
    const left = [...client.heard.matchAll(/x-ratelimit-remaining: (\d+)/g)].map(([, remaining]) => Number(remaining));
    expect(left).toEqual(left.map((_, at) => (left[0] ?? 0) - at));
  });

  it.each([
    ['without a Host', 'GET /markets/ HTTP/1.1\r\nConnection: close\r\n\r\n', 200],
    ['in HTTP/1.0', 'GET /markets/ HTTP/1.0\r\n\r\n', 200],
    ['for an upgrade', GET.replace('\r\n\r\n', '\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n'), 200],
    ['with an unknown expectation', GET.replace('\r\n\r\n', '\r\nExpect: cake\r\nConnection: close\r\n\r\n'), 200],
    ['of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['of TLS', '\u0016\u0003\u0001\u0000\u0001', 400],
    ['with a bad chunk', `${POST_HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
  ])('answers a request %s in the envelope, with what is left of the budget', async (_what, bytes, status) => {
    const answer = await new RawClient(exchange.port).say(bytes).end();
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    for (const name of ['limit', 'remaining', 'reset'])
      expect(answer).toMatch(new RegExp(`x-ratelimit-${name}: \\d+\\r\\n`));
    expect(Object.keys(JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as object)).toEqual(['data', 'meta', 'error']);
  });
});
