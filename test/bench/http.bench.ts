import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { base58 } from '@scure/base';
import Fastify from 'fastify';
import { PAPER_DEFAULTS, startExchange } from '../../src/exchange/exchange.js';
import type { VenueProfile } from '../../src/protocol/profile.js';
import { requestSignature } from '../../src/protocol/signing.js';
import { publicKeyOf, signToHex } from '../../src/wallet/ed25519.js';
import { type Bench, type BenchRow, percentile } from './bench.js';

const READ_SECONDS = 1;
const READ_TURNS = 7;
const SOCKETS = 8;
/** Requests that one socket has on their way at once. */
const PIPELINE = 16;
const MIXED_CALLS = 1_500;
const LEVELS = 100;

const profile: VenueProfile = {
  service_name: 'SVC',
  header_prefix: 'SVC',
  base_url: 'http://127.0.0.1',
  draft_message: 'utf8',
  draft_lifetime_s: 60,
  clock_tolerance_s: 30,
  rate_limits: { public_per_minute: 120, signed_per_minute: 300, bootstrap_per_minute: 10 },
  own_trades: true,
};

/**
 * Reads over loopback with as little client as possible: pipelined raw requests, answers counted by their start, because
 * client and server share the machine.
 */
async function readsPerSecond(port: number, path: string): Promise<number> {
  const line = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const start = Buffer.from('HTTP/1.1 200');
  let answered = 0;
  const until = performance.now() + READ_SECONDS * 1000;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(line.repeat(PIPELINE)));
      socket.on('error', reject);
      socket.on('close', () => resolve());
      socket.on('data', (part) => {
        let seen = 0;
        for (let at = part.indexOf(start); at >= 0; at = part.indexOf(start, at + start.length)) seen += 1;
        answered += seen;
        if (performance.now() > until) socket.destroy();
        else if (seen > 0) socket.write(line.repeat(seen));
      });
    });
  const began = performance.now();
  await Promise.all(Array.from({ length: SOCKETS }, one));
  return (answered * 1000) / (performance.now() - began);
}

class Caller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;
  readonly #seed = new Uint8Array(32).fill(7);
  #apiKey = '';
  #secret = '';

  constructor(port: number) {
    this.#port = port;
  }

  async bootstrap(): Promise<void> {
    const wallet = base58.encode(publicKeyOf(this.#seed));
    const challenge = await this.send('POST', '/auth/keys/challenge/', { wallet_address: wallet });
    const { message = '', nonce = '' } = challenge;
    const body = { wallet_address: wallet, message, nonce, signature: this.sign(message) };
    const { api_key = '', secret = '' } = await this.send('POST', '/auth/keys/create/', body);
    this.#apiKey = api_key;
    this.#secret = secret;
  }

  sign(message: string): string {
    return signToHex(Buffer.from(message, 'utf8'), this.#seed);
  }

  send(method: string, path: string, body?: object): Promise<Record<string, string>> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = requestSignature(this.#secret, { timestamp, method, pathWithQuery: path, body: text });
    const headers = {
      ...{ 'SVC-API-KEY': this.#apiKey, 'SVC-TIMESTAMP': timestamp, 'SVC-SIGNATURE': signature },
      ...(text === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      const call = request(
        { agent: this.#agent, port: this.#port, host: '127.0.0.1', method, path, headers },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () => {
            const envelope = JSON.parse(Buffer.concat(parts).toString('utf8')) as {
              data: Record<string, string> | null;
            };
            if (envelope.data === null) reject(new Error(`${method} ${path}: ${JSON.stringify(envelope)}`));
            else resolve(envelope.data);
          });
        },
      );
      call.on('error', reject);
      call.end(text);
    });
  }
}

/** Draft, submit, detail, list, cancel draft, cancel submit: one call after the other, each timed. */
async function mixed(caller: Caller, market: string): Promise<BenchRow[]> {
  const times: number[] = [];
  const timed = async (method: string, path: string, body?: object) => {
    const began = performance.now();
    const answer = await caller.send(method, path, body);
    times.push(performance.now() - began);
    return answer;
  };
  const terms = {
    market_condition_id: market,
    is_yes: true,
    side: 'buy',
    order_type: 'limit',
    price: '0.01',
    amount: '1',
  };
  while (times.length < MIXED_CALLS) {
    const { pubkey = '', message = '' } = await timed('POST', '/orders/', terms);
    await timed('POST', `/orders/${pubkey}/submit/`, { signature: caller.sign(message) });
    await timed('GET', `/orders/${pubkey}/`);
    await timed('GET', '/orders/?status=open,partially_filled');
    const cancel = await timed('POST', `/orders/${pubkey}/cancel/`);
    await timed('POST', `/orders/${pubkey}/cancel/submit/`, { signature: caller.sign(cancel['message'] ?? '') });
  }
  times.sort((a, b) => a - b);
  const spread = `p50 ${percentile(times, 0.5).toFixed(2)} / p99 ${percentile(times, 0.99).toFixed(2)} ms`;
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  return [{ name: 'signed mixed calls, one caller', figure: 1000 / mean, unit: 'calls/s', spread }];
}

async function fill(caller: Caller, port: number): Promise<string> {
  const made = await caller.send('POST', '/paper/markets/', { config: { kind: 'orderbook', price_precision: 3 } });
  const market = made['condition_id'] ?? '';
  const wallet = base58.encode(publicKeyOf(new Uint8Array(32).fill(7)));
  await caller.send('POST', `/paper/accounts/${wallet}/deposit/`, { funds: '1000000' });
  const order = async (isYes: boolean, price: string) => {
    const terms = {
      market_condition_id: market,
      is_yes: isYes,
      side: 'buy',
      order_type: 'limit',
      price,
      amount: '12.5',
    };
    const { pubkey = '', message = '' } = await caller.send('POST', '/orders/', terms);
    await caller.send('POST', `/orders/${pubkey}/submit/`, { signature: caller.sign(message) });
  };
  for (let level = 1; level <= LEVELS; level++) {
    await order(true, (0.5 - level / 1000).toFixed(3));
    await order(false, (0.499 - level / 1000).toFixed(3));
  }
  const book = await fetch(`http://127.0.0.1:${port}/markets/${market}/book/?depth=${LEVELS}`);
  const { data } = (await book.json()) as { data: { bid: unknown[]; ask: unknown[] } };
  if (data.bid.length !== LEVELS || data.ask.length !== LEVELS)
    throw new Error('the book is not as deep as it should be');
  return market;
}

async function run(): Promise<BenchRow[]> {
  const exchange = await startExchange({
    ...PAPER_DEFAULTS,
    ...{ profile, port: 0, controls: true, crowd: false, rateLimits: false },
  });
  const caller = new Caller(exchange.port);
  await caller.bootstrap();
  const market = await fill(caller, exchange.port);
  const path = `/markets/${market}/book/?depth=${LEVELS}`;
  const text = await (await fetch(`${exchange.url}${path}`)).text();
  const bare = Fastify();
  bare.get('/book/', (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(text));
  await bare.listen({ port: 0, host: '127.0.0.1' });
  const address = bare.server.address();
  const barePort = typeof address === 'object' && address !== null ? address.port : 0;
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let turn = 0; turn < READ_TURNS; turn++) {
    ours.push(await readsPerSecond(exchange.port, path));
    theirs.push(await readsPerSecond(barePort, '/book/'));
  }
  const rows = [
    medianRow(`book reads, ${LEVELS} levels a side, ${text.length} bytes`, ours),
    medianRow('the same text from a bare fastify route', theirs),
    ...(await mixed(caller, market)),
  ];
  await Promise.all([exchange.close(), bare.close()]);
  return rows;
}

function medianRow(name: string, figures: readonly number[]): BenchRow {
  const sorted = [...figures].sort((a, b) => a - b);
  const median = percentile(sorted, 0.5);
  const half = ((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)) / 2;
  return { name, figure: median, unit: 'reads/s', spread: `±${((100 * half) / median).toFixed(1)} %` };
}

export const bench: Bench = { title: 'exchange over HTTP', run };
