import { statSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { openReadOnly } from '../../../src/trader/ledger/ledger.js';
import { exchangeHere, folderOf, makerYaml, traderYaml } from '../../support/cases.js';
import { type Running, twinbook } from '../../support/processes.js';
import { asTrader, restingOrders } from '../../support/venue.js';

const running: Running[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.process.kill('SIGKILL');
    await one.exited;
  }
});

describe('a trader whose ledger can no longer be written', () => {
  it('places nothing more, cancels without it, proves that nothing rests, and exits with 1', async () => {
    const url = await exchangeHere('--no-rate-limits');
    const folder = folderOf({ 'trader.yaml': traderYaml(url), 'maker.yaml': makerYaml() });
    // Room for the schema and some orders; the write-ahead log meets the limit in the middle of quoting.
    const trader = twinbook(['start', '-c', `${folder}/trader.yaml`], {}, 1_200);
    running.push(trader);
    expect(await trader.exited, trader.output()).toBe(1);
    expect(trader.output()).toMatch(/the trader stops: the ledger .* failed/);
    expect(trader.output()).toContain('every order was canceled without the ledger; nothing rests');

    const ledger = openReadOnly(`${folder}/ledger.sqlite`);
    expect(ledger.orders({ limit: 1 }).length).toBe(1);
    ledger.close();
    const client = asTrader(folder, url);
    expect(await restingOrders(client)).toEqual([]);
    await client.close();
  });

  it('is killed for its next start by a disk that has room for the name of the stop file alone', async () => {
    const folder = folderOf({ 'trader.yaml': traderYaml('http://127.0.0.1:9'), 'maker.yaml': makerYaml() });
    const kill = twinbook(['kill', '--reason', 'no room', '-c', `${folder}/trader.yaml`], {}, 0);
    running.push(kill);
    await kill.exited;
    expect(kill.output()).toContain('the next start is killed');
    expect(statSync(`${folder}/ledger.sqlite.kill`).size).toBe(0);
  });
});
