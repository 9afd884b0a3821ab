/** An exchange that is away, comes back, or lives in another time. */

import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import type { StatusData } from '../../../src/shell/control/status.js';
import { exchangeAt, exchangeHere, folderOf, makerYaml, ran, started, traderYaml } from '../../support/cases.js';
import type { Running } from '../../support/processes.js';
import { expectAgreement, paper } from '../../support/venue.js';

const CAPITAL = micros(1_000_000_000);

const folderFor = (url: string): string => folderOf({ 'trader.yaml': traderYaml(url), 'maker.yaml': makerYaml() });

const statusOf = async (folder: string) =>
  JSON.parse((await ran(['status', '--json', '-c', `${folder}/trader.yaml`])).output) as StatusData;

/** Where nobody listens yet. */
async function freeAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((done) => server.close(() => done()));
  return `http://127.0.0.1:${port}`;
}

async function stopped(trader: Running): Promise<void> {
  trader.process.kill('SIGTERM');
  expect(await trader.exited, trader.output()).toBe(0);
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
    await trader.waitFor(/the exchange does not answer: .*; what rests there is unknown, not gone/);
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
    trader.process.kill('SIGINT');
    expect(await trader.exited).toBe(0);
    expect(trader.output()).toContain('stopped before the exchange was reached; nothing was placed');
  });
});

describe('a trader whose clock is not the exchange’s', () => {
  it('finds out that it is five minutes off, says so, and trades in the exchange’s time', async () => {
    const url = await exchangeHere('--no-rate-limits');
    await paper(url, '/clock/', { advance_s: 300 });
    const folder = folderFor(url);
    const trader = started(['start', '-c', `${folder}/trader.yaml`]);
    const [, seconds] = await trader.waitFor(/clock differs from the exchange's by (\d+\.\d) s/);
    expect(Math.round(Number(seconds) / 10)).toBe(30);
    await trader.waitFor(/ fill: /);

    // Once more while orders rest and requests are on their way.
    await paper(url, '/clock/', { advance_s: 300 });
    await trader.waitFor(/clock differs from the exchange's by (59\d|60\d)\.\d s/);
    await trader.waitFor(/by (59\d|60\d)\.\d s[\s\S]* fill: /);
    await stopped(trader);
    await expectAgreement(folder, url, CAPITAL);
  });
});
