/** The paper exchange under load, a process of its own. */

import { type ExchangeOptions, PAPER_DEFAULTS, startExchange } from '../../../src/exchange/exchange.js';
import type { VenueProfile } from '../../../src/shared/protocol/profile.js';

export interface ServiceOrder {
  readonly exchange?: Partial<ExchangeOptions>;
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
  const exchange = await startExchange({
    ...PAPER_DEFAULTS,
    port: 0,
    controls: true,
    crowd: false,
    landingMs: 50,
    profile,
    ...order.exchange,
    logger: { info: () => undefined, warn: console.error, error: console.error },
  });
  return exchange.port;
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
