import { setTimeout as pause } from 'node:timers/promises';
import { it } from 'vitest';
import { send, startTestExchange } from './harness.js';

it('an exchange with a crowd lives on by itself', async () => {
  const exchange = await startTestExchange({ crowd: true });
  const { rows } = await send(exchange.url, 'GET', '/markets/');
  const path = (row: Record<string, unknown>) => `/markets/${String(row['condition_id'])}/book/`;
  const books = async () =>
    JSON.stringify(await Promise.all(rows.map(async (row) => (await send(exchange.url, 'GET', path(row))).data)));
  const first = await books();
  // The test's own time limit is the only one.
  while ((await books()) === first) await pause(20);
  await exchange.close();
});
