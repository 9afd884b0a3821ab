/** A service under load, a process of its own: the paper exchange, or the plainest fastify route for comparison. */

import Fastify from 'fastify';
import { type ExchangeOptions, PAPER_DEFAULTS, startExchange } from '../../../src/exchange/exchange.js';
import type { VenueProfile } from '../../../src/shared/protocol/profile.js';

/** A book as the service answers it. */
interface BookEnvelope {
  readonly data: unknown;
}

export interface ServiceOrder {
  /** Answers this text under `/text/`, and what it means under `/object/`. Absent: an exchange is started. */
  readonly bareText?: string;
  readonly exchange?: Partial<ExchangeOptions>;
  readonly rateLimits?: VenueProfile['rate_limits'];
}

/** Counted and written into every answer as in real life, but never reached. */
const OUT_OF_REACH: VenueProfile['rate_limits'] = {
  public_per_minute: 100_000_000,
  signed_per_minute: 100_000_000,
  bootstrap_per_minute: 100_000_000,
};

const profile: VenueProfile = {
  service_name: 'SVC',
  header_prefix: 'SVC',
  base_url: 'http://127.0.0.1',
  draft_message: 'utf8',
  draft_lifetime_s: 60,
  clock_tolerance_s: 30,
  rate_limits: OUT_OF_REACH,
  own_trades: true,
};

async function start(order: ServiceOrder): Promise<number> {
  if (order.bareText !== undefined) return startBare(order.bareText);
  const exchange = await startExchange({
    ...PAPER_DEFAULTS,
    port: 0,
    controls: true,
    crowd: false,
    landingMs: 50,
    profile: { ...profile, rate_limits: order.rateLimits ?? OUT_OF_REACH },
    ...order.exchange,
    logger: { info: () => undefined, warn: console.error, error: console.error },
  });
  return exchange.port;
}

async function startBare(text: string): Promise<number> {
  const envelope = JSON.parse(text) as BookEnvelope;
  const server = Fastify();
  server.get('/object/', (_request, reply) => reply.send(envelope));
  server.get('/text/', (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(text));
  await server.listen({ port: 0, host: '127.0.0.1' });
  return Number(new URL(server.listeningOrigin).port);
}

export type ServiceMessage =
  | { readonly port: number }
  /** Resident memory and the processor time so far. */
  | { readonly rssBytes: number; readonly cpuMicros: number };

process.on('disconnect', () => process.exit(0));
process.on('message', (order: ServiceOrder | 'usage') => {
  if (order !== 'usage') {
    void start(order).then((port) => process.send?.({ port } satisfies ServiceMessage));
    return;
  }
  const { user, system } = process.cpuUsage();
  process.send?.({ rssBytes: process.memoryUsage.rss(), cpuMicros: user + system } satisfies ServiceMessage);
});
