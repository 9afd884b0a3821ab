/** An exchange that is down, returns, or has another time. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import { endInOrder, exchangeAt, exchangeHere, folderOf, ran, traderYaml } from '../../support/cases.js';
import { freePort } from '../../support/listening.js';
import { lossyProxy } from '../../support/lossy-proxy.js';
import type { Running } from '../../support/processes.js';
import { asTrader, expectAgreement, marketsOf, Taker } from '../../support/venue.js';
import { traderAt } from './trader-at.js';

const CAPITAL = micros(1_000_000_000);

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
    const { folder, start, status } = traderAt(url);
    const trader = start();
    await trader.waitFor(new RegExp(`waiting for the exchange at ${url}: .*connection refused`));
    const second = await exchangeAt(...flags);
    await trader.waitFor(/trades on http/);
    await trader.waitFor(/ fill: /);

    second.running.process.kill('SIGKILL');
    await second.running.exited;
    await trader.waitFor(/the exchange does not answer: .*; the state of resting orders is unknown/);
    const during = await status();
    expect(during.open_orders).toBeGreaterThan(0);
    expect(during.mode).toBe('quoting');

    await exchangeAt(...flags);
    await trader.waitFor(/the exchange answers again/);
    await trader.waitFor(/the exchange answers again[\s\S]* fill: /);
    await stopped(trader);
    await expectAgreement(folder, url, CAPITAL);
  });

  it('that an operator stopped while it was gone is killed when systemd starts it again, and trades otherwise', async () => {
    const url = await freeAddress();
    const { port } = new URL(url);
    const flags = ['--no-rate-limits', '--draft-lifetime-s', '5', '--port', port, '--data-dir', folderOf({})];
    const { running } = await exchangeAt(...flags);
    const paper = readFileSync('config/venues/paper.yaml', 'utf8');
    const open = async (env: Readonly<Record<string, string>>) => {
      const { folder, start, command } = traderAt(url, undefined, {
        'trader.yaml': traderYaml(url).replace('profile: paper', 'profile: ./short.yaml'),
        'short.yaml': paper.replace('draft_lifetime_s: 60', 'draft_lifetime_s: 5'),
      });
      expect((await ran(['keys', 'create', '--plain-text-key', '--file', `${folder}/wallet.json`])).code).toBe(0);
      expect((await command('keys', 'bootstrap')).code).toBe(0);
      const trader = start(env);
      await trader.waitFor(/ fill: /);
      const stop = async () => {
        expect((await command('stop', '--timeout', '120')).output).toContain('may still rest');
        expect(await trader.exited, trader.output()).toBe(1);
      };
      return { stop, startAgain: () => start(env) };
    };
    // No program listens at this socket, so each message to the service manager is lost.
    const unit = await open({ NOTIFY_SOCKET: join(folderOf({}), 'notify') });
    const manual = await open({});
    running.process.kill('SIGKILL');
    await running.exited;
    await Promise.all([unit.stop(), manual.stop()]);

    await exchangeAt(...flags);
    const [killed, next] = [unit.startAgain(), manual.startAgain()];
    await killed.waitFor(/killed: stopped by the operator without proof that no order rests/);
    await next.waitFor(/ fill: /);
    await Promise.all([stopped(killed), stopped(next)]);
  });

  it('stops when it is asked to while it waits', async () => {
    const trader = traderAt(await freeAddress()).start();
    await trader.waitFor(/waiting for the exchange/);
    await endInOrder(trader, 'SIGINT');
    expect(trader.output()).toContain('stopped before the exchange was reached; nothing was placed');
  });
});

const SEED = 42;
const MAKER = `
strategy: log-odds-maker
markets: { select: { state: open, kind: orderbook }, max: 4 }
params: { order_shares: "25" }
`;

it('a trader on an exchange that loses, delays, doubles and garbles ends with the exchange’s ledger, to the micro', async () => {
  const url = await exchangeHere('--seed', '7', '--no-rate-limits', '--draft-lifetime-s', '5');
  const proxy = await lossyProxy(url, SEED, 0.3);
  const { folder, start } = traderAt(proxy.url, undefined, { 'maker.yaml': MAKER });
  const taker = await Taker.join(url, SEED);
  taker.go(await marketsOf(url), 60);
  const trader = start();
  await trader.waitFor(/ fill: /);
  // Every fault several times, at many steps of many orders; then the end, with all unsettled requests.
  await proxy.rage(8);
  await endInOrder(trader);
  await taker.end();
  expect(await expectAgreement(folder, url, CAPITAL, proxy.url)).toBeGreaterThan(5);
});

it('an exchange that revokes the API key stops its trader, which cancels what rests with another key', async () => {
  const url = await exchangeHere('--no-rate-limits');
  const { folder, start, status, resting } = traderAt(url);
  const trader = start();
  await trader.waitFor(/ fill: /);
  const revoking = asTrader(folder, url);
  for (const { key_id } of await revoking.keys.list()) await revoking.keys.revoke(key_id);
  await revoking.close();

  await trader.waitFor(/rejects the API key .*Invalid API key.*; all orders are canceled until an operator resumes/);
  await trader.waitFor(/the wallet created the key key_\w+ to cancel orders/);
  await expect.poll(async () => (await status()).open_orders, { timeout: 60_000, interval: 500 }).toBe(0);
  expect((await status()).mode).toBe('halted');
  // The other key stays valid: this reads with it.
  expect(await resting()).toEqual([]);
  await endInOrder(trader);
});

it('a trader trades on an exchange that speaks as the worm profile says, and their books agree', async () => {
  const url = await exchangeHere('--profile', 'worm', '--seed', '3');
  const yaml = traderYaml(url).replace('profile: paper', 'profile: worm');
  const { folder, start, command } = traderAt(url, undefined, { 'trader.yaml': yaml });
  // Only the paper profile creates a wallet or credentials.
  expect((await ran(['keys', 'create', '--plain-text-key', '--file', `${folder}/wallet.json`])).code).toBe(0);
  expect((await command('keys', 'bootstrap')).code).toBe(0);
  const trader = start();
  await trader.waitFor(/quoting \| markets 4 of 4 quoted/);
  await trader.waitFor(/fill: (buy|sell) [\d.]+ (YES|NO) at 0\.\d+/);
  await stopped(trader);
  expect(trader.output()).not.toContain('refused to sign');
  expect((await command('reconcile')).output).toContain('ledger and exchange agree');
  const doctor = await command('doctor');
  expect(doctor.output).toMatch(/^ok {4}signed request: all \d+ bytes/m);
  expect(doctor.code, doctor.output).toBe(0);
});
