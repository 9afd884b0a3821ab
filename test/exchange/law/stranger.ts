/**
 * A client written from the documents alone: `fetch`, an HMAC, an ed25519 key. It shares no line with the rooms
 * `client`, `wallet` and `protocol`. Every answer is compared with the documents at once.
 */

import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { afterAll } from 'vitest';
import { type ExchangeOptions, PAPER_DEFAULTS, startExchange } from '../../../src/exchange/exchange.js';
import { type Answer, ask } from '../../support/http.js';
import { problemsOf } from './check.js';
import { isRecord } from './shapes.js';

type Row = Readonly<Record<string, unknown>>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly row: Row;
  readonly rows: readonly Row[];
  readonly meta: Row;
  /** Null on success. */
  readonly slug: string | null;
  readonly message: string;
  /** The fields that `details` names. */
  readonly named: readonly string[];
}

/** The refusal of a call for these fields. */
export const named = (...fields: string[]) => ({ status: 400, slug: 'invalid_request_params', named: fields });

interface Sent {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One exchange and its time, known only from its `Date` header. */
export class Venue {
  readonly url: string;
  #shiftMs = 0;

  constructor(url: string) {
    this.url = url;
  }

  get nowS(): number {
    return Math.floor((Date.now() + this.#shiftMs) / 1000);
  }

  async call(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Reply> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await ask(`${this.url}${path}`, { method, body, headers: { ...json, ...headers } });
    this.#shiftMs = Date.parse(response.headers.get('date') ?? '') - Date.now();
    const answer: unknown = JSON.parse(response.text);
    const problems = problemsOf({ method, path, status: response.status, headers: response.headers, body: answer });
    if (problems.length > 0) throw new Error(`${method} ${path} (${response.status}): ${problems.join('; ')}`);
    return replyOf(response, isRecord(answer) ? answer : {});
  }

  get(path: string): Promise<Reply> {
    return this.call('GET', path);
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.call('POST', path, { body: JSON.stringify(body) });
  }

  /** A call of a paper control, which must succeed. */
  async paper(path: string, body: unknown): Promise<Row> {
    const reply = await this.post(`/paper${path}`, body);
    if (reply.slug !== null) throw new Error(`/paper${path}: ${reply.message} ${reply.named}`);
    return reply.row;
  }

  async pass(advance_s: number): Promise<void> {
    await this.paper('/clock/', { advance_s });
  }

  async market(fields: object = {}): Promise<string> {
    const row = await this.paper('/markets/', { title: 'Will it rain?', config: { kind: 'orderbook' }, ...fields });
    return String(row['condition_id']);
  }
}

const asRow = (value: unknown): Row => (isRecord(value) ? value : {});

function replyOf({ status, headers }: Answer, { data, meta, error }: Row): Reply {
  const { slug = null, message = '', details = [] } = asRow(error);
  return {
    status,
    headers,
    meta: asRow(meta),
    row: asRow(data),
    rows: Array.isArray(data) ? data.map(asRow) : [],
    slug: slug === null ? null : String(slug),
    message: String(message),
    named: Array.isArray(details) ? details.flatMap((detail) => Object.keys(asRow(detail))) : [],
  };
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

export function base58(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let out = '';
  for (; rest > 0n; rest /= 58n) out = `${ALPHABET[Number(rest % 58n)]}${out}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(Math.max(zeros, 0)) + out;
}

/** The signing payload of the decisions: timestamp, method, path with query, body, without separators. */
const hmac = (secret: string, payload: string): string =>
  createHmac('sha256', Buffer.from(secret, 'utf8')).update(payload, 'utf8').digest('hex');

export class Trader {
  readonly venue: Venue;
  readonly wallet: string;
  readonly #key: KeyObject;
  apiKey = '';
  secret = '';

  constructor(venue: Venue) {
    this.venue = venue;
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.#key = privateKey;
    // The key is the last 32 bytes of the DER form.
    this.wallet = base58(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  }

  static async join(venue: Venue): Promise<Trader> {
    const trader = new Trader(venue);
    const { message, nonce } = (await venue.post('/auth/keys/challenge/', { wallet_address: trader.wallet })).row;
    const signature = trader.sign(message);
    const made = await venue.post('/auth/keys/create/', { wallet_address: trader.wallet, message, nonce, signature });
    trader.apiKey = String(made.row['api_key']);
    trader.secret = String(made.row['secret']);
    return trader;
  }

  /** Hex of the signature over the text's bytes. */
  sign(message: unknown): string {
    return sign(null, Buffer.from(String(message), 'utf8'), this.#key).toString('hex');
  }

  headers(method: string, path: string, body = '', timestamp = this.venue.nowS): Record<string, string> {
    const signature = hmac(this.secret, `${timestamp}${method}${path}${body}`);
    return { 'SVC-API-KEY': this.apiKey, 'SVC-TIMESTAMP': String(timestamp), 'SVC-SIGNATURE': signature };
  }

  call(method: string, path: string, body?: unknown): Promise<Reply> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = this.headers(method, path, text);
    return this.venue.call(method, path, text === undefined ? { headers } : { headers, body: text });
  }

  get(path: string): Promise<Reply> {
    return this.call('GET', path);
  }

  post(path: string, body?: unknown): Promise<Reply> {
    return this.call('POST', path, body);
  }

  /** Rows of a list, page by page. */
  async pages(path: string, limit: number): Promise<(readonly Row[])[]> {
    const pages: (readonly Row[])[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const { rows, meta }: Reply = await this.get(`${path}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
      pages.push(rows);
      cursor = meta['next_cursor'];
    }
    return pages;
  }

  /** Signs a draft of the list at `path` and submits it. */
  submit(path: string, { row }: Reply): Promise<Reply> {
    return this.post(`${path}${row['pubkey']}/submit/`, { signature: this.sign(row['message']) });
  }

  async complete(path: string, body: object): Promise<Reply> {
    const drafted = await this.post(path, body);
    return drafted.slug === null ? this.submit(path, drafted) : drafted;
  }

  limit(market: string, is_yes: boolean, side: string, price: string, amount: string): Promise<Reply> {
    return this.complete('/orders/', { market_condition_id: market, is_yes, side, order_type: 'limit', price, amount });
  }

  async cancel(pubkey: unknown): Promise<Reply> {
    const drafted = await this.post(`/orders/${pubkey}/cancel/`);
    if (drafted.slug !== null) return drafted;
    return this.post(`/orders/${pubkey}/cancel/submit/`, { signature: this.sign(drafted.row['message']) });
  }

  /** Shares to start with, from a completed split. */
  async split(market: string, amount: string): Promise<void> {
    const reply = await this.complete('/share-splits/', { market_condition_id: market, amount });
    if (reply.slug !== null) throw new Error(`split: ${reply.slug}`);
    await this.venue.pass(1);
  }
}

const PROFILE: ExchangeOptions['profile'] = {
  service_name: 'SVC',
  header_prefix: 'SVC',
  base_url: 'http://127.0.0.1:8787',
  draft_message: 'utf8',
  draft_lifetime_s: 60,
  clock_tolerance_s: 30,
  own_trades: true,
  // High enough that the limits reject nothing, while every answer still has their headers.
  rate_limits: { public_per_minute: 100_000, signed_per_minute: 100_000, bootstrap_per_minute: 100_000 },
};

/** An exchange for all tests of a file. */
export async function openVenue(): Promise<Venue> {
  const exchange = await startExchange({ ...PAPER_DEFAULTS, profile: PROFILE, port: 0, controls: true, crowd: false });
  afterAll(() => exchange.close());
  return new Venue(exchange.url);
}

/** A valid pubkey that does not exist. */
export const NOBODY = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi';

const MARGIN = {
  max_leverage_yes: '10',
  max_leverage_no: '10',
  opening_fee: '0.001',
  closing_fee: '0.001',
  annual_fee_rate: '0.1',
};
export const POLYMARKET = { kind: 'polymarket', ...MARGIN, price_decimals: 3, shares_decimals: 2 };
export const HYPERLIQUID = { kind: 'hyperliquid', ...MARGIN };
