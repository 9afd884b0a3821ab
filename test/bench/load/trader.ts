/** A signing caller that is quick: keys ready for use, one timestamp a second, requests as ready bytes. */

import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { base58 } from '@scure/base';
import { requestSignature } from '../../../src/shared/protocol/signing.js';
import type { Wire } from './wire.js';

/** What precedes the seed in the PKCS #8 form of an ed25519 key. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface Row {
  readonly [field: string]: unknown;
}

export class Trader {
  readonly wallet: string;
  readonly #privateKey: KeyObject;
  #apiKey = '';
  #secret = '';

  constructor(number: number) {
    const seed = Buffer.alloc(32, 1);
    seed.writeUInt32BE(number);
    const key = { key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' } as const;
    this.#privateKey = createPrivateKey(key);
    const spki = createPublicKey(this.#privateKey).export({ format: 'der', type: 'spki' });
    this.wallet = base58.encode(spki.subarray(-32));
  }

  async join(wire: Wire): Promise<void> {
    const challenge = await called(wire, plain('POST', '/auth/keys/challenge/', { wallet_address: this.wallet }));
    const { message, nonce } = challenge;
    const signature = this.sign(String(message));
    const body = { wallet_address: this.wallet, message, nonce, signature };
    const made = await called(wire, plain('POST', '/auth/keys/create/', body));
    this.#apiKey = String(made['api_key']);
    this.#secret = String(made['secret']);
  }

  sign(message: string): string {
    return sign(null, Buffer.from(message, 'utf8'), this.#privateKey).toString('hex');
  }

  /** The bytes of a signed request. */
  signed(method: string, path: string, body?: object): string {
    const text = body === undefined ? '' : JSON.stringify(body);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = requestSignature(this.#secret, { timestamp, method, pathWithQuery: path, body: text });
    const headers = `SVC-API-KEY: ${this.#apiKey}\r\nSVC-TIMESTAMP: ${timestamp}\r\nSVC-SIGNATURE: ${signature}\r\n`;
    return requestBytes(method, path, headers, text);
  }

  /** Draft, sign, submit. */
  async complete(wire: Wire, path: string, body: object): Promise<Row> {
    const { pubkey, message } = await called(wire, this.signed('POST', path, body));
    const signature = this.sign(String(message));
    return called(wire, this.signed('POST', `${path}${pubkey}/submit/`, { signature }));
  }
}

/** The bytes of a request without signature. */
export const plain = (method: string, path: string, body?: object): string =>
  requestBytes(method, path, '', body === undefined ? '' : JSON.stringify(body));

function requestBytes(method: string, path: string, headers: string, body: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}`;
  if (body === '') return `${head}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Asks and gives the record; throws when the service refuses. */
export function called(wire: Wire, bytes: string): Promise<Row> {
  return new Promise((resolve, reject) => {
    wire.ask(bytes, (status, body) => {
      const text = body.toString('utf8');
      if (status >= 300) reject(new Error(`${bytes.split('\r\n', 1)[0]}: ${text}`));
      else resolve((JSON.parse(text) as { data: Row }).data);
    });
  });
}
