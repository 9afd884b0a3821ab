/** Shared by the tests of the service: an exchange on a free port, and a caller who signs like a trader. */

import { connect } from 'node:net';
import { base58 } from '@scure/base';
import type { FastifyInstance } from 'fastify';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import {
  type ExchangeOptions,
  PAPER_DEFAULTS,
  type RunningExchange,
  startExchange,
} from '../../../src/exchange/exchange.js';
import type { ServerOptions } from '../../../src/exchange/http/messages.js';
import { buildServer } from '../../../src/exchange/http/server.js';
import { ExchangeClock } from '../../../src/exchange/http/ticker.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import type { VenueProfile } from '../../../src/shared/protocol/profile.js';
import { requestSignature } from '../../../src/shared/protocol/signing.js';
import { derivePublicKey, signToHex } from '../../../src/shell/wallet/wallet.js';
import { profile } from '../../shell/client/hostile-server.js';
import { ask, type Wanted } from '../../support/http.js';
import { settings } from '../core/venue.js';

export const PROFILE: VenueProfile = {
  ...profile,
  base_url: 'http://127.0.0.1:8787',
  rate_limits: { public_per_minute: 120, signed_per_minute: 300, bootstrap_per_minute: 10 },
};

/** An exchange with controls; no other traders and no limits by default. */
export const startTestExchange = (options: Partial<ExchangeOptions> = {}): Promise<RunningExchange> =>
  startExchange({
    ...PAPER_DEFAULTS,
    profile: PROFILE,
    port: 0,
    controls: true,
    crowd: false,
    rateLimits: false,
    ...options,
  });

/** A server over a core; its clock starts at 0. */
export function serverOf(
  options: Partial<ServerOptions> = {},
  patience?: Parameters<typeof buildServer>[1],
): FastifyInstance {
  const clock = new ExchangeClock(0);
  const settle = options.settle ?? (() => clock.nowMs());
  const core = new ExchangeCore(settings);
  const shared = { core, clock, profile: PROFILE, rateLimits: true, controls: true, advanceClock: settle };
  return buildServer({ ...shared, onError: () => undefined, ...options, settle }, patience);
}

export interface Envelope {
  readonly data: unknown;
  readonly meta: unknown;
  readonly error: { code: number; slug: string; message: string; details: Record<string, string>[] } | null;
}

export interface Answered extends Envelope {
  readonly status: number;
  readonly headers: Headers;
  /** `data` as one record. */
  readonly row: Record<string, unknown>;
  /** `data` as a list. */
  readonly rows: Record<string, unknown>[];
  /** The slug of the error; null on success. */
  readonly slug: string | null;
}

/** Sends the request and reads the envelope. */
export async function send(base: string, method: string, path: string, wanted: Wanted = {}): Promise<Answered> {
  const { status, headers, text } = await ask(`${base}${path}`, { ...wanted, method });
  const envelope = JSON.parse(text) as Envelope;
  const row = (Array.isArray(envelope.data) ? {} : (envelope.data ?? {})) as Record<string, unknown>;
  const rows = (Array.isArray(envelope.data) ? envelope.data : []) as Record<string, unknown>[];
  return { ...envelope, status, headers, row, rows, slug: envelope.error?.slug ?? null };
}

export const sendJson = (base: string, method: string, path: string, body: unknown): Promise<Answered> =>
  send(base, method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

export const control = (base: string, path: string, body: unknown): Promise<Answered> =>
  sendJson(base, 'POST', `/paper${path}`, body);

/** Writes raw bytes to an exchange; returns all bytes until it closes the connection. */
export function bytesAnswered(port: number, bytes: string | Buffer, endsToo = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => (endsToo ? socket.end(bytes) : socket.write(bytes)));
    const parts: Buffer[] = [];
    socket.on('data', (part) => parts.push(part));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(parts).toString('utf8')));
  });
}

/** Creates an open market; returns its condition id. */
export async function openMarket(base: string, fields: object = {}): Promise<string> {
  const made = await control(base, '/markets/', { title: 'Will it rain?', config: { kind: 'orderbook' }, ...fields });
  if (made.status !== 200) throw new Error(`no market: ${JSON.stringify(made.error)}`);
  return String(made.row['condition_id']);
}

/** The exchange's clock, Unix seconds, from its `Date` header. */
async function exchangeSeconds(base: string): Promise<number> {
  const { headers } = await send(base, 'GET', '/paper/');
  return Math.floor(Date.parse(headers.get('date') ?? '') / 1000);
}

let wallets = 0;

/** A wallet with credentials. */
export class TestTrader {
  /** Address of the exchange; it changes after a restart. */
  base: string;
  readonly wallet: string;
  readonly #seed: Uint8Array;
  apiKey = '';
  secret = '';
  /** Seconds added to the local time after the exchange's clock was moved. */
  clockShiftS = 0;

  constructor(base: string) {
    this.base = base;
    wallets += 1;
    this.#seed = new Uint8Array(Buffer.from(`${process.pid}-${wallets}`.padEnd(32, '.')).subarray(0, 32));
    this.wallet = base58.encode(derivePublicKey(this.#seed));
  }

  static async join(base: string): Promise<TestTrader> {
    const trader = new TestTrader(base);
    await trader.bootstrap();
    trader.clockShiftS = (await exchangeSeconds(base)) - Math.floor(Date.now() / 1000);
    return trader;
  }

  async bootstrap(): Promise<Answered> {
    const { row } = await sendJson(this.base, 'POST', '/auth/keys/challenge/', { wallet_address: this.wallet });
    const message = String(row['message']);
    const body = { wallet_address: this.wallet, message, nonce: row['nonce'], signature: this.sign(message) };
    const made = await sendJson(this.base, 'POST', '/auth/keys/create/', body);
    if (made.status === 201) {
      this.apiKey = String(made.row['api_key']);
      this.secret = String(made.row['secret']);
    }
    return made;
  }

  sign(message: string): string {
    return signToHex(Buffer.from(message, 'utf8'), this.#seed);
  }

  /** The three headers for a request. */
  headersFor(method: string, path: string, body: string | Buffer = '', atS = this.nowS()): Record<string, string> {
    const timestamp = String(atS);
    const signature = requestSignature(this.secret, { timestamp, method, pathWithQuery: path, body });
    return { 'SVC-API-KEY': this.apiKey, 'SVC-TIMESTAMP': timestamp, 'SVC-SIGNATURE': signature };
  }

  nowS(): number {
    return Math.floor(Date.now() / 1000) + this.clockShiftS;
  }

  call(method: string, path: string, body?: unknown): Promise<Answered> {
    if (body === undefined) return send(this.base, method, path, { headers: this.headersFor(method, path) });
    const text = JSON.stringify(body);
    const headers = { ...this.headersFor(method, path, text), 'content-type': 'application/json' };
    return send(this.base, method, path, { body: text, headers });
  }

  get(path: string): Promise<Answered> {
    return this.call('GET', path);
  }

  post(path: string, body?: unknown): Promise<Answered> {
    return this.call('POST', path, body);
  }

  /** Draft, sign, submit; returns the final record. */
  async complete(path: string, body: object): Promise<Answered> {
    const draft = await this.post(path, body);
    if (draft.status !== 201) return draft;
    return this.submit(path, draft);
  }

  submit(path: string, draft: Answered): Promise<Answered> {
    const signature = this.sign(String(draft.row['message']));
    return this.post(`${path}${String(draft.row['pubkey'])}/submit/`, { signature });
  }

  order(market: string, isYes: boolean, side: 'buy' | 'sell', price: string, amount: string): Promise<Answered> {
    const terms = { market_condition_id: market, is_yes: isYes, side, order_type: 'limit', price, amount };
    return this.complete('/orders/', terms);
  }

  async cancel(pubkey: string): Promise<Answered> {
    const draft = await this.post(`/orders/${pubkey}/cancel/`);
    if (draft.status !== 200) return draft;
    return this.post(`/orders/${pubkey}/cancel/submit/`, { signature: this.sign(String(draft.row['message'])) });
  }
}

export const micros = (text: unknown): Micros => Math.round(Number(text) * 1_000_000) as Micros;
