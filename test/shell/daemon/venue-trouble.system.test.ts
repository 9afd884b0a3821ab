/** An exchange that is down, returns, or has another time. */

import { describe, expect, it } from 'vitest';
import type { StatusData } from '../../../src/cli/ledger/status.js';
import { micros } from '../../../src/shared/base/micros.js';
import { endInOrder, exchangeAt, folderOf, makerYaml, ran, started, traderYaml } from '../../support/cases.js';
import { freePort } from '../../support/listening.js';
import type { Running } from '../../support/processes.js';
import { expectAgreement } from '../../support/venue.js';

const CAPITAL = micros(1_000_000_000);

const folderFor = (url: string): string => folderOf({ 'trader.yaml': traderYaml(url), 'maker.yaml': makerYaml() });

const statusOf = async (folder: string) =>
  JSON.parse((await ran(['status', '--json', '-c', `${folder}/trader.yaml`])).output) as StatusData;

/** An address without a server. */
const freeAddress = async () => `http://127.0.0.1:${await freePort()}`;

async function stopped(trader: Running): Promise<void> {
  await endInOrder(trader);
  expect(trader.output()).toContain('nothing rests at the exchange (read twice)');
}

describe('a trader whose exchange is not there', () => {
  it('waits for it, keeps its orders as unknown when it dies, and goes on when it is back', async () => {
    const url = await freeAddress();
    const flags = ['--no-rate-limits', '--port', new URL(url).port, '--data-dir', folderOf({})];

    const folder = folderFor(url);
    const trader = started(['start', '-c', `${folder}/trader.yaml`]);
    await trader.waitFor(new RegExp(`waiting for the exchange at ${url}: .*connection refused`));
    const second = await exchangeAt(...flags);
    await trader.waitFor(/trades on http/);
    await trader.waitFor(/ fill: /);

    second.running.process.kill('SIGKILL');
    await second.running.exited;
    await trader.waitFor(/the exchange does not answer: .*; the state of resting orders is unknown/);
    const during = await statusOf(folder);
    expect(during.open_orders).toBeGreaterThan(0);
    expect(during.mode).toBe('quoting');

    await exchangeAt(...flags);
    await trader.waitFor(/the exchange answers again/);
    await trader.waitFor(/the exchange answers again[\s\S]* fill: /);
    await stopped(trader);
    await expectAgreement(folder, url, CAPITAL);
  });

  it('stops when it is asked to while it waits', async () => {
    const trader = started(['start', '-c', `${folderFor(await freeAddress())}/trader.yaml`]);
    await trader.waitFor(/waiting for the exchange/);
    await endInOrder(trader, 'SIGINT');
    expect(trader.output()).toContain('stopped before the exchange was reached; nothing was placed');
  });
});
