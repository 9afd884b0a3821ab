/** The exchange under test in its own process, which isolates its memory and its end. */

import type { Micros } from '../../../src/shared/base/micros.js';
import { PROFILE, startTestExchange } from '../../exchange/http/harness.js';

export interface ServerOrder {
  /** Null: everything is in memory. */
  readonly dataDir: string | null;
  readonly seed: number;
}

export type ServerMessage = { readonly url: string } | { readonly heapBytes: number };

/** Counted and written into every answer as usual, but never reached. */
const OUT_OF_REACH = { public_per_minute: 1e8, signed_per_minute: 1e8, bootstrap_per_minute: 1e8 };

async function start({ dataDir, seed }: ServerOrder): Promise<void> {
  const exchange = await startTestExchange({
    dataDir,
    seed,
    rateLimits: true,
    landingMs: 50,
    startingFunds: 10_000_000_000 as Micros,
    profile: { ...PROFILE, rate_limits: OUT_OF_REACH },
    logger: { info: () => undefined, warn: console.error, error: console.error },
  });
  process.send?.({ url: exchange.url } satisfies ServerMessage);
  process.on('message', (message) => {
    if (message === 'end') void exchange.close().then(() => process.disconnect());
  });
}

process.on('message', (message: ServerOrder | 'heap' | 'end') => {
  if (message === 'heap') {
    // Present only with --expose-gc; without it the figure is an upper bound.
    globalThis.gc?.();
    process.send?.({ heapBytes: process.memoryUsage().heapUsed } satisfies ServerMessage);
  } else if (message !== 'end') void start(message);
});
