import { afterAll } from 'vitest';
import type { ExchangeOptions, RunningExchange } from '../../../src/exchange/exchange.js';
import { startTestExchange } from './harness.js';

/** An exchange for all tests of a file. */
export async function sharedExchange(options: Partial<ExchangeOptions> = {}): Promise<RunningExchange> {
  const exchange = await startTestExchange(options);
  afterAll(() => exchange.close());
  return exchange;
}
