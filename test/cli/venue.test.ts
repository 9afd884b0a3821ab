/** Commands that use the exchange directly, against a real one in this process. */

import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PAPER_DEFAULTS, type RunningExchange, startExchange } from '../../src/exchange/exchange.js';
import { must } from '../../src/shared/base/errors.js';
import { parseDecimal } from '../../src/shared/base/micros.js';
import { ServiceClient } from '../../src/shell/client/client.js';
import { readProfile } from '../../src/shell/config/config.js';
import { venueFile } from '../../src/shell/config/shipped.js';
import { loadCredentials, openKeyFile, saveCredentials } from '../../src/shell/wallet/key-file.js';
import { openLedger } from '../../src/trader/ledger/ledger.js';
import { trader } from '../shell/config/files.js';
import { folderOf } from '../support/folders.js';
import { fillOf, HOLDER, intentOf, m, ONE, orderOf } from '../trader/ledger/books.js';
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

/** The wallet's own signed client. */
async function withClient<T>(
  use: (client: ServiceClient, place: (price: string) => Promise<string>) => Promise<T>,
): Promise<T> {
  const wallet = openKeyFile({ path: join(cwd, 'wallet.json'), passphrase: null });
  const owner = { baseUrl: exchange.url, wallet: wallet.address };
  const credentials = must(loadCredentials(join(cwd, 'credentials.json'), owner, {}), 'credentials');
  const client = new ServiceClient({ profile, baseUrl: exchange.url, credentials });
  const place = async (price: string): Promise<string> => {
    const market = await theMarket();
    const body = { market_condition_id: market, is_yes: true, side: 'buy', order_type: 'limit', price, amount: '10' };
    const drafted = (await client.call('orders.create', { body })).outcome;
    if (drafted.kind !== 'answered') throw new Error(JSON.stringify(drafted));
    const { pubkey, message } = drafted.data;
    const [priceMicros, amount] = [must(parseDecimal(price), price), m(10 * ONE)];
    const signer = wallet.draftSigner({
      serviceName: profile.service_name,
      draftMessage: 'utf8',
      allowBlindSigning: false,
      loadDraft: () => ({
        intentId: 'i',
        marketConditionId: market,
        draftPubkey: pubkey,
        message,
        terms: { action: 'place-order', isYes: true, side: 'buy', type: 'limit', price: priceMicros, amount },
      }),
    });
    const signed = signer.sign('i');
    if (!signed.ok) throw new Error(signed.reason);
    const submitted = await client.call('orders.submit', { params: { pubkey }, body: { signature: signed.signature } });
    expect(submitted.outcome).toMatchObject({ kind: 'answered', data: { status: 'open' } });
    return pubkey;
  };
  try {
    return await use(client, place);
  } finally {
    await client.close();
  }
}

async function theMarket(): Promise<string> {
  const listed = (await (await fetch(`${exchange.url}/markets/`)).json()) as { data: { condition_id: string }[] };
  const [first] = listed.data;
  if (first !== undefined) return first.condition_id;
  const made = await fetch(`${exchange.url}/paper/markets/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Rain?', config: { kind: 'orderbook' } }),
  });
  return ((await made.json()) as { data: { condition_id: string } }).data.condition_id;
}

describe('keys', () => {
  test('create, show, bootstrap, list and revoke', async () => {
    const address = await withKeys();
    expect(address).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    expect((await twinbook('keys show')).out).toBe(`${address}\n`);
    for (const file of ['wallet.json', 'credentials.json']) expect(statSync(join(cwd, file)).mode & 0o777).toBe(0o600);
    const [key] = JSON.parse((await twinbook('keys list --json')).out) as { key_id: string; revoked_at: null }[];
    expect(key).toMatchObject({ revoked_at: null });
    expect(await twinbook(`keys revoke ${key?.key_id}`)).toMatchObject({ code: 0, out: `${key?.key_id} is revoked\n` });
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
    expect(await twinbook('keys bootstrap')).toMatchObject({ out: '', err: expect.stringContaining('does not hold') });
    writeFileSync(file, before);
    expect(JSON.parse((await twinbook('keys list --json')).out)).toHaveLength(1);
  });

  test('a key that the venue did not revoke stays in the file', async () => {
    const address = await withKeys();
    const row = { data: { key_id: 'key', created: 1, revoked_at: null }, meta: {}, error: null };
    const venue = createServer((_, answer) => answer.end(JSON.stringify(row)));
    await new Promise<void>((listening) => venue.listen(0, '127.0.0.1', listening));
    const { port } = venue.address() as AddressInfo;
    const owner = { baseUrl: `http://127.0.0.1:${port}`, wallet: address };
    const file = join(cwd, 'credentials.json');
    saveCredentials(file, owner, { apiKey: 'key', secret: 'c2VjcmV0' });
    const yaml = readFileSync(join(cwd, 'trader.yaml'), 'utf8').replace(exchange.url, owner.baseUrl);
    writeFileSync(join(cwd, 'trader.yaml'), yaml);
    const ran = await twinbook('keys revoke key');
    venue.closeAllConnections();
    venue.close();
    expect(ran).toMatchObject({ out: '', err: expect.stringContaining('is not revoked') });
    expect(loadCredentials(file, owner, {})).toMatchObject({ apiKey: 'key' });
  });

  test('create never overwrites, and nothing that is printed is the key', async () => {
    await withKeys();
    const again = await run(['keys', 'create', '--plain-text-key', '--file', 'wallet.json'], { cwd });
    expect(again).toMatchObject({ code: 1, out: '' });
    const wallet = openKeyFile({ path: join(cwd, 'wallet.json'), passphrase: null });
    const secret = must(
      loadCredentials(join(cwd, 'credentials.json'), { baseUrl: exchange.url, wallet: wallet.address }, {}),
      'credentials',
    ).secret;
    for (const line of ['keys show', 'keys list', 'keys bootstrap', 'config show', 'doctor']) {
      const { out, err } = await twinbook(line);
      expect(out + err).not.toContain(secret);
      expect(out + err).not.toContain('secret_key');
    }
  });
});

describe('cancel-all without a trader', () => {
  test('cancels every order and proves that none rests', async () => {
    await withKeys();
    await withClient(async (client, place) => {
      await place('0.41');
      await place('0.42');
      const ran = await twinbook('cancel-all --verify');
      expect(ran).toEqual({
        code: 0,
        out: 'canceled 2 orders; two reads show that none rests\n',
        err: 'The trader is not running; canceling at the exchange directly.\n',
      });
      const { outcome } = await client.call('orders.list', { query: { status: ['open', 'partially_filled'] } });
      expect(outcome).toMatchObject({ kind: 'answered', data: [] });
    });
  });

  test('says when the exchange is down', async () => {
    await withKeys();
    await exchange.close();
    expect(await twinbook('cancel-all --verify')).toMatchObject({ code: 1, err: expect.stringContaining('refused') });
    exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, crowd: false });
  });
});

describe('reconcile without a trader', () => {
  test('agrees, differs and agrees again', async () => {
    await withKeys();
    openLedger(join(cwd, 'twinbook.sqlite'), HOLDER).close();
    expect(await twinbook('reconcile')).toEqual({ code: 0, out: 'ledger and exchange agree\n', err: '' });
    const pubkey = await withClient((_, place) => place('0.42'));
    const differing = await twinbook('reconcile --json');
    expect(differing.code).toBe(6);
    expect(JSON.parse(differing.out)).toEqual([
      {
        ...{ what: 'order', subject: pubkey, ledger: 'unknown', accepted: null },
        exchange: 'buy 10 YES at 0.42, open, 0 filled',
      },
    ]);
    const market = await theMarket();
    const ledger = openLedger(join(cwd, 'twinbook.sqlite'), HOLDER);
    ledger.transaction(() => {
      ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
      ledger.addIntent(intentOf({ marketConditionId: market, state: 'live', draftPubkey: pubkey }));
      ledger.addOrder(orderOf({ pubkey, marketConditionId: market }));
    });
    expect(await twinbook('reconcile')).toMatchObject({ code: 0 });
    ledger.transaction(() =>
      ledger.bookFill(fillOf({ pubkey: 'invented', orderPubkey: pubkey, marketConditionId: market })),
    );
    ledger.close();
    const invented = await twinbook('reconcile');
    expect(invented.code).toBe(6);
    expect(invented.out).toContain('invented');
  });
});

describe('doctor', () => {
  const results = (out: string): Record<string, string> =>
    Object.fromEntries(
      (JSON.parse(out) as { name: string; result: string }[]).map(({ name, result }) => [name, result]),
    );

  test('finds a working set-up in order', async () => {
    await withKeys();
    const { code, out } = await twinbook('doctor --json');
    expect(results(out)).toEqual({
      // This trader file names no strategy file.
      configuration: 'warn',
      'data folder': 'ok',
      signing: 'ok',
      'draft signing': 'ok',
      wallet: 'ok',
      credentials: 'ok',
      venue: 'ok',
      clock: 'ok',
      'request budget (public)': 'ok',
      'signed call': 'ok',
      'signed request': 'ok',
      'request budget (signed)': 'ok',
    });
    expect(code).toBe(0);
  });

  test('says what a first start will make', async () => {
    const { code, out } = await twinbook('doctor --json');
    expect(results(out)).toMatchObject({ wallet: 'warn', credentials: 'warn', venue: 'ok', clock: 'ok' });
    expect(code).toBe(0);
  });

  test('sees a clock that is wrong, and that the client corrects for it', async () => {
    await withKeys();
    await fetch(`${exchange.url}/paper/clock/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ advance_s: 300 }),
    });
    const { out } = await twinbook('doctor');
    expect(out).toMatch(/^warn {2}clock: this clock is (299|300|301)\.\d s behind the venue's/m);
    expect(out).toContain('ok    signed call');
  });

  test('fails where the key lies open', async () => {
    await withKeys();
    chmodSync(join(cwd, 'wallet.json'), 0o644);
    const { code, out } = await twinbook('doctor --json');
    expect(results(out)).toMatchObject({ wallet: 'fail', venue: 'ok' });
    expect(code).toBe(1);
  });

  test('fails where the venue does not answer', async () => {
    await withKeys();
    await exchange.close();
    const { code, out } = await twinbook('doctor --json');
    expect(results(out)).toMatchObject({ venue: 'fail', wallet: 'ok' });
    expect(code).toBe(1);
    exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, crowd: false });
  });

  test('stops at a configuration that cannot be used', async () => {
    const broken = folderOf({ 'trader.yaml': trader('x: 1') });
    const ran = await run(['doctor', '-c', 'trader.yaml'], { cwd: broken });
    expect(ran).toMatchObject({ code: 4, err: '' });
    expect(ran.out).toMatch(/^fail {2}configuration: trader\.yaml:6:1: unknown key 'x'/);
  });
});
