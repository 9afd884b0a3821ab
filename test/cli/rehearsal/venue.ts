/** A venue for rehearsals: another exchange in this process, behind a proxy that alters answers. */

import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { StepLine } from '../../../src/cli/rehearsal/steps.js';
import { PAPER_DEFAULTS, startExchange } from '../../../src/exchange/exchange.js';
import { must } from '../../../src/shared/base/errors.js';
import { RESTING_STATUSES } from '../../../src/shared/protocol/states.js';
import { ServiceClient } from '../../../src/shell/client/client.js';
import { readProfile } from '../../../src/shell/config/config.js';
import { venueFile } from '../../../src/shell/config/shipped.js';
import { loadCredentials, openKeyFile } from '../../../src/shell/wallet/key-file.js';
import { PAPER_COSIGNERS } from '../../exchange/cosigners.js';
import { trader } from '../../shell/config/files.js';
import { alteringProxy } from '../../support/altering-proxy.js';
import { folderOf } from '../../support/folders.js';
import { run } from '../run.js';

export const profile = readProfile(venueFile('worm'), '/');
export const [COSIGNER = ''] = PAPER_COSIGNERS;
export const LIVE = ['--live', '--i-accept-that-this-trades'];
export const STEPS = [
  ...['keys', 'clock', 'rate limits and headers', 'account', 'market', 'draft', 'signed', 'submitted', 'seen'],
  ...['canceled', 'gone', 'ledger'],
];

export const never = new Promise<void>(() => undefined);

interface Told {
  readonly result: StepLine['result'];
  readonly steps: readonly StepLine[];
}

export type Venue = Awaited<ReturnType<typeof venue>>;

/** A live trader's file beside its keys, for an exchange that behaves as the worm profile says. */
export async function venue(lines = '', draftLifetimeS = 60) {
  const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, draftLifetimeS });
  onTestFinished(() => exchange.close());
  const proxy = await alteringProxy(exchange.url);
  const yaml = trader(lines).replace('profile: paper', `profile: worm, base_url: "${proxy.url}"`);
  const cwd = folderOf({ 'trader.yaml': yaml });
  expect((await run(['keys', 'create', '--plain-text-key', '--file', 'wallet.json'], { cwd })).code).toBe(0);
  expect((await run(['keys', 'bootstrap', '-c', 'trader.yaml'], { cwd })).code).toBe(0);
  // Requests that the venue received, by method and path.
  const asked: string[] = [];
  proxy.alter = ({ method, path }) => {
    asked.push(`${method} ${path}`);
    return {};
  };
  const wallet = () => openKeyFile({ path: join(cwd, 'wallet.json'), passphrase: null });
  const client = () => {
    const owner = { baseUrl: proxy.url, wallet: wallet().address };
    const credentials = must(loadCredentials(join(cwd, 'credentials.json'), owner, {}), 'credentials');
    const made = new ServiceClient({ profile, baseUrl: exchange.url, credentials });
    onTestFinished(() => made.close());
    return made;
  };
  const rehearse = async (args: readonly string[], stopAsked = never) => {
    const ran = await run(['rehearse', '-c', 'trader.yaml', '--json', ...args], { cwd, stopAsked: () => stopAsked });
    const told: Told = ran.out === '' ? { result: 'ok', steps: [] } : JSON.parse(ran.out);
    return { code: ran.code, err: ran.err, ...told };
  };
  // This wallet's orders as the exchange itself has them, read without the proxy.
  const orders = async () => {
    const rows = (await client().orders.list({ limit: 100 })).rows;
    const resting = rows.filter(({ status }) => status !== null && RESTING_STATUSES.includes(status));
    return { all: rows.length, resting: resting.length };
  };
  return { cwd, proxy, asked, rehearse, orders, client, wallet };
}
