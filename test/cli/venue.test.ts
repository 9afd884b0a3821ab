/** Commands that use the exchange directly, against a real one in this process. */

import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { PAPER_DEFAULTS, type RunningExchange, startExchange } from '../../src/exchange/exchange.js';
import { must } from '../../src/shared/base/errors.js';
import { ServiceClient } from '../../src/shell/client/client.js';
import { readProfile } from '../../src/shell/config/config.js';
import { loadConfig } from '../../src/shell/config/load.js';
import { venueFile } from '../../src/shell/config/shipped.js';
import { openOwnWallet } from '../../src/shell/daemon/session.js';
import { loadCredentials, openKeyFile, saveCredentials } from '../../src/shell/wallet/key-file.js';
import type { Wallet } from '../../src/shell/wallet/wallet.js';
import { openLedger } from '../../src/trader/ledger/ledger.js';
import { lockWriter } from '../../src/trader/ledger/lock.js';
import { trader } from '../shell/config/files.js';
import { alteringProxy } from '../support/altering-proxy.js';
import { folderOf } from '../support/folders.js';
import { listeningWeb } from '../support/listening.js';
import { fillOf, HOLDER, intentOf, orderOf } from '../trader/ledger/books.js';
import { type Ran, run } from './run.js';

const profile = readProfile(venueFile('paper'), '/');
let exchange: RunningExchange;
let cwd: string;

const twinbook = (line: string): Promise<Ran> => run([...line.split(' '), '-c', 'trader.yaml'], { cwd });

beforeEach(async () => {
  exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, crowd: false, controls: true });
  const yaml = trader().replace('profile: paper', `profile: paper, base_url: "${exchange.url}"`);
  cwd = folderOf({ 'trader.yaml': yaml });
});
afterEach(() => exchange.close());

/** A wallet file and credentials, made with the commands. */
async function withKeys(): Promise<string> {
  const created = await run(['keys', 'create', '--plain-text-key', '--file', 'wallet.json'], { cwd });
  expect(created.code).toBe(0);
  expect(await twinbook('keys bootstrap')).toMatchObject({ code: 0, err: '' });
  return created.out.trim();
}

const credentialsOf = (wallet: Wallet) =>
  must(loadCredentials(join(cwd, 'credentials.json'), { baseUrl: exchange.url, wallet: wallet.address }, {}), 'a key');

/** The wallet's own signed client, and a market M in which it places orders. */
async function ownClient() {
  const wallet = openKeyFile({ path: join(cwd, 'wallet.json'), passphrase: null });
  const client = new ServiceClient({ profile, baseUrl: exchange.url, credentials: credentialsOf(wallet) });
  onTestFinished(() => client.close());
  await control('/markets/', { title: 'Rain?', condition_id: 'M', config: { kind: 'orderbook' } });
  const bid = { market_condition_id: 'M', is_yes: true, side: 'buy', order_type: 'limit', amount: '10' } as const;
  const place = async (price: string): Promise<string> => {
    const { pubkey, status } = await client.place(wallet, { ...bid, price });
    expect(status).toBe('open');
    return pubkey ?? '';
  };
  return { client, place };
}

const control = (path: string, body: object) =>
  fetch(`${exchange.url}/paper${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('keys', () => {
  test('create, show, bootstrap, list and revoke', async () => {
    const address = await withKeys();
    expect(address).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    expect((await twinbook('keys show')).out).toBe(`${address}\n`);
    for (const file of ['wallet.json', 'credentials.json']) expect(statSync(join(cwd, file)).mode & 0o777).toBe(0o600);
    const [key] = JSON.parse((await twinbook('keys list --json')).out) as { key_id: string; revoked_at: null }[];
    expect(key).toMatchObject({ revoked_at: null });
    const beginning = key?.key_id.slice(0, -1);
    expect(await twinbook(`keys revoke ${beginning}`)).toMatchObject({ code: 0, out: `${key?.key_id} is revoked\n` });
    // Its credentials are also removed from the file.
    expect(await twinbook('keys list')).toMatchObject({
      code: 1,
      err: expect.stringContaining('there are no API credentials'),
    });
  });

  test('bootstrap makes no key where its secret could not be stored', async () => {
    await withKeys();
    const file = join(cwd, 'credentials.json');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, '{}');
    expect(await twinbook('keys bootstrap')).toMatchObject({
      out: '',
      err: expect.stringContaining('does not contain'),
    });
    writeFileSync(file, before);
    const env = { TWINBOOK__WALLET__CREDENTIALS: '/proc/none/credentials.json' };
    expect(await run(['keys', 'bootstrap', '-c', 'trader.yaml'], { cwd, env })).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse((await twinbook('keys list --json')).out)).toHaveLength(1);
  });

  test('a key that the venue did not revoke stays in the file', async () => {
    const address = await withKeys();
    const row = { data: { key_id: 'key', created: 1, revoked_at: null }, meta: {}, error: null };
    const venue = await listeningWeb((_, answer) => answer.end(JSON.stringify(row)));
    const owner = { baseUrl: venue.url, wallet: address };
    const file = join(cwd, 'credentials.json');
    saveCredentials(file, owner, { apiKey: 'key', secret: 'c2VjcmV0' });
    const yaml = readFileSync(join(cwd, 'trader.yaml'), 'utf8').replace(exchange.url, owner.baseUrl);
    writeFileSync(join(cwd, 'trader.yaml'), yaml);
    const ran = await twinbook('keys revoke key');
    expect(ran).toMatchObject({ out: '', err: expect.stringContaining('is not revoked') });
    expect(loadCredentials(file, owner, {})).toMatchObject({ apiKey: 'key' });
  });

  test('create never overwrites, and nothing that is printed is the key', async () => {
    await withKeys();
    const again = await run(['keys', 'create', '--plain-text-key', '--file', 'wallet.json'], { cwd });
    expect(again).toMatchObject({ code: 1, out: '' });
    const { secret } = credentialsOf(openKeyFile({ path: join(cwd, 'wallet.json'), passphrase: null }));
    for (const line of ['keys show', 'keys list', 'keys bootstrap', 'config show', 'doctor']) {
      const { out, err } = await twinbook(line);
      expect(out + err).not.toContain(secret);
      expect(out + err).not.toContain('secret_key');
    }
  });
});

describe('cancel-all without a trader', () => {
  test('cancels every order, also those that the list shows late, and proves that none rests', async () => {
    await withKeys();
    const { client, place } = await ownClient();
    await place('0.41');
    await place('0.42');
    const proxy = await alteringProxy(exchange.url);
    let late = 3;
    proxy.answer = (body, { method, path }) =>
      method === 'GET' && path.startsWith('/orders/?') && late-- > 0
        ? JSON.stringify({ ...JSON.parse(body), data: [] })
        : body;
    const yaml = readFileSync(join(cwd, 'trader.yaml'), 'utf8').replace(exchange.url, proxy.url);
    writeFileSync(join(cwd, 'trader.yaml'), yaml);
    await twinbook('keys bootstrap');
    expect(await twinbook('cancel-all --verify')).toEqual({
      code: 0,
      out: 'canceled 2 orders; two reads show that none rests\n',
      err: 'The trader is not running; canceling at the exchange directly.\n',
    });
    expect((await client.orders.list({ status: ['open', 'partially_filled'] })).rows).toEqual([]);
  });

  test('proves nothing for a ledger of another wallet, and neither does kill; reconcile refuses', async () => {
    const former = await withKeys();
    const config = await loadConfig('trader.yaml', { cwd, env: {} });
    const ledger = openLedger(config.ledger.path, HOLDER);
    openOwnWallet({ config, env: {}, say: () => undefined }, ledger);
    ledger.close();
    rmSync(join(cwd, 'wallet.json'));
    const own = await withKeys();
    await (await ownClient()).place('0.41');
    const whose = `belongs to wallet ${former.slice(0, 6)}…, but ${join(cwd, 'wallet.json')} has the key of ${own}`;
    for (const [line, asked] of [
      ['cancel-all', 1],
      ['cancel-all --verify', 0],
      ['kill --verify', 0],
    ] as const) {
      const { code, out, err } = await twinbook(line);
      expect([code, err]).toEqual([1, expect.stringContaining(whose)]);
      expect(out).toContain(
        `asked to cancel ${asked} order${asked === 1 ? '' : 's'}; it is not proven that none rests\n`,
      );
    }
    expect(await twinbook('reconcile')).toMatchObject({ code: 4, out: '', err: expect.stringContaining(whose) });
  });

  test('says when the exchange is down', async () => {
    await withKeys();
    await exchange.close();
    expect(await twinbook('cancel-all --verify')).toMatchObject({ code: 1, err: expect.stringContaining('refused') });
    exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, crowd: false });
  });
});

test('kill past a trader that hangs says why nothing is proven', async () => {
  await withKeys();
  const [key] = JSON.parse((await twinbook('keys list --json')).out) as { key_id: string }[];
  const { client } = await ownClient();
  await client.keys.revoke(key?.key_id ?? '');
  const lock = lockWriter(join(cwd, 'twinbook.sqlite'), HOLDER);
  onTestFinished(() => lock.release());
  const { code, out, err } = await twinbook('kill --verify --timeout 1');
  expect([code, out]).toEqual([5, 'killed: operator\nasked to cancel 0 orders; it is not proven that none rests\n']);
  expect(err).toMatch(/the exchange refused the list of open orders: [\s\S]*`twinbook keys bootstrap` makes a new key/);
});

test('reconcile without a trader agrees, differs and agrees again', async () => {
  await withKeys();
  openLedger(join(cwd, 'twinbook.sqlite'), HOLDER).close();
  expect(await twinbook('reconcile')).toEqual({ code: 0, out: 'ledger and exchange agree\n', err: '' });
  const { place } = await ownClient();
  const pubkey = await place('0.42');
  const differing = await twinbook('reconcile --json');
  expect(differing.code).toBe(6);
  expect(JSON.parse(differing.out)).toEqual([
    {
      ...{ what: 'order', subject: pubkey, ledger: 'unknown', accepted: null },
      exchange: 'buy 10 YES at 0.42, open, 0 filled',
    },
  ]);
  const ledger = openLedger(join(cwd, 'twinbook.sqlite'), HOLDER);
  ledger.transaction(() => {
    ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
    ledger.addIntent(intentOf({ marketConditionId: 'M', state: 'live', draftPubkey: pubkey }));
    ledger.addOrder(orderOf({ pubkey, marketConditionId: 'M' }));
  });
  expect(await twinbook('reconcile')).toMatchObject({ code: 0 });
  const fill = fillOf({ pubkey: 'invented', orderPubkey: pubkey, marketConditionId: 'M' });
  ledger.transaction(() => ledger.bookFill(fill));
  ledger.close();
  const invented = await twinbook('reconcile');
  expect(invented.code).toBe(6);
  expect(invented.out).toContain('invented');
});

describe('doctor', () => {
  const results = (out: string): Record<string, string> =>
    Object.fromEntries(
      (JSON.parse(out) as { name: string; result: string }[]).map(({ name, result }) => [name, result]),
    );

  test('says what a first start will make, and then finds it in order', async () => {
    const first = await twinbook('doctor --json');
    expect(results(first.out)).toMatchObject({ wallet: 'warn', credentials: 'warn', venue: 'ok', clock: 'ok' });
    expect(first.code).toBe(0);
    writeFileSync(join(cwd, 'twinbook.sqlite'), 'the ledger of a lost wallet');
    expect(results((await twinbook('doctor --json')).out)).toMatchObject({ wallet: 'fail' });
    rmSync(join(cwd, 'twinbook.sqlite'));
    await withKeys();
    const { code, out } = await twinbook('doctor --json');
    const [signing, venue] = [
      ['signing', 'draft signing', 'wallet', 'credentials'],
      ['venue', 'clock', 'signed call'],
    ];
    const requests = ['request budget (public)', 'signed request', 'request budget (signed)'];
    const fine = ['data folder', ...signing, ...venue, ...requests].map((name) => [name, 'ok']);
    // This trader file names no strategy file.
    expect(results(out)).toEqual({ configuration: 'warn', ...Object.fromEntries(fine) });
    expect(code).toBe(0);
  });

  test('sees a clock that is wrong and corrected, a refused call, an open key, and a venue that is down', async () => {
    await withKeys();
    const failing = async (checks: object) => {
      const { code, out } = await twinbook('doctor --json');
      expect(results(out)).toMatchObject(checks);
      expect(code).toBe(1);
    };
    await control('/clock/', { advance_s: 300 });
    const { out } = await twinbook('doctor');
    expect(out).toMatch(/^warn {2}clock: this clock is (299|300|301)\.\d s behind the venue's/m);
    expect(out).toContain('ok    signed call');
    const file = join(cwd, 'credentials.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"secret": ?"/, '$&x'));
    await failing({ venue: 'ok', 'signed call': 'fail' });
    chmodSync(join(cwd, 'wallet.json'), 0o644);
    await failing({ wallet: 'fail', venue: 'ok' });
    chmodSync(join(cwd, 'wallet.json'), 0o600);
    await exchange.close();
    await failing({ venue: 'fail', wallet: 'ok' });
    exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, crowd: false });
  });

  test('stops at a configuration that cannot be used', async () => {
    const ran = await run(['doctor', '-c', 'trader.yaml'], { cwd: folderOf({ 'trader.yaml': trader('x: 1') }) });
    expect(ran).toMatchObject({ code: 4, err: '' });
    expect(ran.out).toMatch(/^fail {2}configuration: trader\.yaml:6:1: unknown key 'x'/);
  });
});
