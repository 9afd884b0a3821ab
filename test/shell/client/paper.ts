/** A paper exchange for one test, a market in it, and a client whose network the test controls. */

import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import {
  type ExchangeOptions,
  PAPER_DEFAULTS,
  type RunningExchange,
  startExchange,
} from '../../../src/exchange/exchange.js';
import { ServiceClient } from '../../../src/shell/client/client.js';
import type { ClientOptions } from '../../../src/shell/client/contract.js';
import type { Message } from '../../../src/shell/client/message.js';
import { type Sender, Transport } from '../../../src/shell/client/transport.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { profile } from './hostile-server.js';

type Attempt = Awaited<ReturnType<Sender['send']>>;

/** Fate of one message: it arrives, its answer is lost, it is lost itself, or it is never sent. */
export type Fate = 'arrives' | 'answer lost' | 'lost' | 'never leaves';

/** A network over real sockets whose losses the test controls. */
export class LossyNetwork implements Sender {
  fateOf: (message: Message) => Fate = () => 'arrives';
  /** Changes the answer. */
  answered: (message: Message, attempt: Attempt) => Attempt | Promise<Attempt> = (_, attempt) => attempt;
  readonly carried: string[] = [];
  readonly #wire = new Transport(16);

  async send(message: Message, headers: Readonly<Record<string, string>>, timeoutMs: number): Promise<Attempt> {
    const fate = this.fateOf(message);
    if (fate === 'never leaves') return { kind: 'failure', reason: 'connection refused', sent: false };
    this.carried.push(`${message.method} ${message.url.pathname}`);
    if (fate === 'lost') return { kind: 'failure', reason: 'lost on the way', sent: true };
    const attempt = await this.#wire.send(message, headers, timeoutMs);
    if (fate === 'answer lost') return { kind: 'failure', reason: 'connection reset', sent: true };
    return this.answered(message, attempt);
  }

  close(): void {
    this.#wire.close();
  }
}

/** The error that the work throws, or its result without an error. */
export const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (record) => ({ resolved: record }),
    (error: unknown) => error,
  );

export type Paper = Awaited<ReturnType<typeof startPaper>>;

/** Closed automatically after the test. */
export async function startPaper(options: Partial<ExchangeOptions> = {}, clientOptions: Partial<ClientOptions> = {}) {
  const settings = { profile, port: 0, controls: true, crowd: false, landingMs: 5, rateLimits: false };
  const exchange = await startExchange({ ...PAPER_DEFAULTS, ...settings, ...options });
  const network = new LossyNetwork();
  const budgets = { signed: 100_000, public: 100_000 };
  const own = { profile: options.profile ?? profile, baseUrl: exchange.url, budgets };
  const client = new ServiceClient({ ...own, ...clientOptions }, network);
  const wallet = new Wallet(randomBytes(32));
  onTestFinished(async () => {
    await client.close();
    await exchange.close();
  });
  await client.bootstrap(wallet);
  return { exchange, client, network, wallet, ...controlsOf(exchange) };
}

function controlsOf(exchange: RunningExchange) {
  const control = async (path: string, body: unknown): Promise<unknown> => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${exchange.url}/paper${path}`, request);
    if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  /** Opens a new market with an order book. */
  const openMarket = async (): Promise<string> => {
    const made = await control('/markets/', { title: 'Will it rain?', config: { kind: 'orderbook' } });
    // The shape is the interface's; a wrong one fails the next calls.
    return (made as { data: { condition_id: string } }).data.condition_id;
  };
  return { control, openMarket };
}
