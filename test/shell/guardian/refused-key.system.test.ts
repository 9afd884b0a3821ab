/** A guardian with a revoked key and an unwritable stop file, whose trader is stopped while orders rest. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ServiceClient } from '../../../src/shell/client/client.js';
import { cancelDirectly } from '../../../src/shell/daemon/direct-cancel.js';
import { Heart } from '../../../src/shell/guardian/beat-file.js';
import { runGuardian } from '../../../src/shell/guardian/guardian.js';
import { createKeyFile, loadCredentials, saveCredentials } from '../../../src/shell/wallet/key-file.js';
import { newFolder } from '../../support/folders.js';
import { profile } from '../client/hostile-server.js';
import { startPaper } from '../client/paper.js';

type GuardianOptions = Parameters<typeof runGuardian>[0];

/** One order rests, its trader's heartbeat has stopped, and its guardian has a revoked key. */
async function alarmed(isFenced: boolean, more: Partial<GuardianOptions> = {}) {
  const paper = await startPaper();
  const venue = { ...profile, base_url: paper.exchange.url };
  const folder = newFolder();
  const [walletFile, credentialsFile, logFile, ledgerPath] = ['wallet', 'keys', 'log', 'ledger'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  const wallet = createKeyFile({ path: walletFile, passphrase: null });
  const owner = { baseUrl: venue.base_url, wallet: wallet.address };
  const trader = new ServiceClient({ profile: venue });
  const revoked = await trader.bootstrap(wallet);
  saveCredentials(credentialsFile, owner, revoked);
  await trader.bootstrap(wallet);
  await trader.keys.revoke(revoked.apiKey);
  const market_condition_id = await paper.openMarket();
  const terms = { market_condition_id, is_yes: true, order_type: 'limit', side: 'buy' } as const;
  const { pubkey } = await trader.place(wallet, { ...terms, price: '0.2', amount: '10' });

  writeFileSync(ledgerPath, '');
  const heart = new Heart(ledgerPath, true, () => undefined);
  heart.beat();
  const options: GuardianOptions = {
    ...{ profile: venue, walletFile, credentialsFile, logFile, ledgerPath, isFenced, env: {} },
    // As at a foreign venue: a rejected key is no reason to create another.
    isPaper: false,
    rules: { timeoutMs: 300, lateOrdersMs: 60_000, stays: false, paperPatienceMs: 60_000 },
    markFile: join(folder, 'none', 'mark'),
    cancelEverything: (access) => cancelDirectly({ ...access, profile: venue, allowBlindSigning: false, verify: true }),
    say: () => undefined,
    onUnusedSignal: () => undefined,
    stopAsked: () => new Promise(() => undefined),
    ...more,
  };
  const ended = runGuardian(options);
  onTestFinished(async () => {
    // Without a ledger there is nothing to guard.
    rmSync(ledgerPath, { force: true });
    await ended;
    heart.close();
    await trader.close();
  });
  const stored = () => loadCredentials(credentialsFile, owner, {})?.apiKey;
  const status = async () => (await trader.orders.detail(pubkey ?? '')).status;
  return { status, stored, revoked: revoked.apiKey, log: () => readFileSync(logFile, 'utf8'), heart, folder };
}

it('makes another with the wallet’s, keeps it, and cancels with it', async () => {
  const { status, stored, revoked, log } = await alarmed(false);
  await expect.poll(status, { timeout: 20_000 }).toBe('canceled');
  const key = stored();
  expect(key).toMatch(/^key_/);
  expect(key).not.toBe(revoked);
  expect(log()).toContain(`the wallet created the key ${key} to cancel orders`);
});

it('makes none in a fleet, where a revoked key holds off what was replaced', async () => {
  const { status, stored, revoked, log } = await alarmed(true);
  await expect.poll(() => log().match(/could not cancel: /g)?.length ?? 0, { timeout: 20_000 }).toBeGreaterThan(1);
  expect([await status(), stored()]).toEqual(['open', revoked]);
});

it('writes no stop file after the alarm for which it could not be written', async () => {
  const { heart, log, folder } = await alarmed(false);
  await expect.poll(log, { timeout: 20_000 }).toContain('no stop file was written');
  const beating = setInterval(() => heart.beat(true), 50);
  onTestFinished(() => clearInterval(beating));
  await expect.poll(log, { timeout: 20_000 }).toContain('the trader manages its orders again');
  mkdirSync(join(folder, 'none'));
  await expect.poll(log, { timeout: 20_000 }).toMatch(/quoting was off for .*two reads show that no order rests/s);
  expect(readdirSync(join(folder, 'none'))).toEqual([]);
});

it('writes the stop file of an alarm that is raised while a round of cancels hangs', async () => {
  const cancelEverything = () =>
    new Promise<never>((_, end) => onTestFinished(() => end(new Error('the test has ended'))));
  const { heart, log, folder } = await alarmed(false, { cancelEverything });
  await expect.poll(log, { timeout: 20_000 }).toContain('no stop file was written');
  mkdirSync(join(folder, 'none'));
  heart.beat();
  await expect.poll(() => readdirSync(join(folder, 'none')), { timeout: 20_000 }).toEqual(['mark']);
});
