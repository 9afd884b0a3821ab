/** An API key that is revoked while its orders rest. */

import { expect, it } from 'vitest';
import type { StatusData } from '../../../src/cli/ledger/status.js';
import { RESTING_STATUSES } from '../../../src/shared/protocol/states.js';
import { endInOrder, exchangeHere, folderOf, makerYaml, ran, started, traderYaml } from '../../support/cases.js';
import { allRows, asTrader } from '../../support/venue.js';

const RESTING: ReadonlySet<string> = new Set(RESTING_STATUSES);

it('stops its trader, which cancels what rests with another one', async () => {
  const url = await exchangeHere('--no-rate-limits');
  const folder = folderOf({ 'trader.yaml': traderYaml(url), 'maker.yaml': makerYaml() });
  const config = `${folder}/trader.yaml`;
  const trader = started(['start', '-c', config]);
  await trader.waitFor(/ fill: /);
  const revoking = asTrader(folder, url);
  for (const { key_id } of await revoking.keys.list()) await revoking.keys.revoke(key_id);
  await revoking.close();

  await trader.waitFor(/rejects the API key .*Invalid API key.*; all orders are canceled until an operator resumes/);
  await trader.waitFor(/made another with the wallet's, key_\w+, to cancel with/);
  const status = async () => JSON.parse((await ran(['status', '--json', '-c', config])).output) as StatusData;
  await expect.poll(async () => (await status()).open_orders, { timeout: 60_000, interval: 500 }).toBe(0);
  expect((await status()).mode).toBe('halted');
  // The other key stays valid: these read with it.
  const reading = asTrader(folder, url);
  const resting = (await allRows(reading, 'orders.list')).filter(({ status }) => RESTING.has(status ?? ''));
  await reading.close();
  expect(resting).toEqual([]);
  await endInOrder(trader);
});
