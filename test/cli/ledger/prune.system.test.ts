/** `ledger prune` beside a running trader: it continues, agrees with the exchange, and so does the next start. */

import { expect, it } from 'vitest';
import type { StatusData } from '../../../src/cli/ledger/status.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { exchangeHere, folderOf, makerYaml, ran, started, traderYaml } from '../../support/cases.js';
import { until } from '../../support/waiting.js';
import { HOLDER } from '../../trader/ledger/books.js';
import { addCanceled } from '../../trader/ledger/canceled-orders.js';

const ORDERS = 2_000;

it('deletes old orders through the trader, which goes on and agrees with the exchange', async () => {
  const url = await exchangeHere('--no-rate-limits');
  const folder = folderOf({ 'trader.yaml': traderYaml(url), 'maker.yaml': makerYaml() });
  const file = `${folder}/trader.yaml`;
  const command = (...args: readonly string[]) => ran([...args, '-c', file]);
  const status = async () => JSON.parse((await command('status', '--json')).output) as StatusData;
  const count = async (table: string) => {
    const { output } = await command('ledger', 'query', '--json', `select count(*) n from ${table}`);
    return (JSON.parse(output) as readonly { readonly n: number }[])[0]?.n ?? 0;
  };
  const first = started(['start', '-c', file]);
  await first.waitFor(/ orders [1-9]/);
  expect((await command('stop')).code).toBe(0);
  await first.exited;
  const ledger = openLedger(`${folder}/ledger.sqlite`, HOLDER);
  const { id } = ledger.runs()[0] ?? { id: '' };
  ledger.transaction(() => {
    for (let i = 0; i < ORDERS; i++) addCanceled(ledger, `old-${i}`, Date.UTC(2001, 0, 1) + i, id);
  });
  ledger.close();

  const second = started(['start', '-c', file]);
  await second.waitFor(/ orders [1-9]/);
  expect((await command('ledger', 'prune', '--before', '2002-01-01')).code).toBe(1);
  expect((await command('ledger', 'backup')).code).toBe(0);
  // Orders of 2001 were added after those of the first run: they are pruned once the comparison has passed them.
  const left = await until(
    async () => {
      await command('reconcile');
      expect((await command('ledger', 'prune', '--before', '2002-01-01')).code).toBe(0);
      return (await count("orders where pubkey like 'old-%'")) + (await count("intents where id like '%-old-%'"));
    },
    (rows) => rows === 0,
  );
  expect(left).toBe(0);
  const { fills } = await status();
  expect((await command('reconcile')).code).toBe(0);
  await until(status, (now) => now.mode === 'quoting' && now.fills >= fills);
  expect((await command('stop')).code).toBe(0);
  await second.exited;
  expect((await command('ledger', 'verify')).code).toBe(0);

  const third = started(['start', '-c', file]);
  await third.waitFor(/ orders [1-9]/);
  expect((await command('reconcile')).code).toBe(0);
  expect((await status()).mode).toBe('quoting');
  expect((await command('stop')).code).toBe(0);
  await third.exited;
});
