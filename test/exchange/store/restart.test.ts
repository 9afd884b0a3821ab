import { chmodSync, cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { newFolder } from '../../support/folders.js';
import { control, micros, openMarket, send, startTestExchange, TestTrader } from '../http/harness.js';

let folder: string;
beforeEach(() => (folder = newFolder()));
afterEach(() => chmodSync(folder, 0o700));

/** All data that a trader can read about his account. */
async function everything(trader: TestTrader, market: string): Promise<unknown> {
  const own = '/orders/ /trades/ /share-splits/ /share-merges/ /account/assets/ /auth/keys/ /account/'.split(' ');
  const open = [`/markets/${market}/`, `/markets/${market}/book/`, `/markets/${market}/trades/`, '/events/'];
  const reads = [
    ...own.map((path) => trader.get(path)),
    ...[...open, `/paper/accounts/${trader.wallet}/`].map((path) => send(trader.base, 'GET', path)),
  ];
  return (await Promise.all(reads)).map((answer) => ({ data: answer.data, meta: answer.meta }));
}

describe('a data folder', () => {
  it('brings everything back, and drafts of before can still be submitted', async () => {
    const first = await startTestExchange({ dataDir: join(folder, 'new', 'deep') });
    const trader = await TestTrader.join(first.url);
    const market = await openMarket(first.url);
    await trader.order(market, true, 'buy', '0.4', '10');
    const terms = { is_yes: false, side: 'buy', order_type: 'limit', price: '0.6', amount: '4' };
    const draft = await trader.post('/orders/', { market_condition_id: market, ...terms });
    const before = await everything(trader, market);
    await first.close();

    const second = await startTestExchange({ dataDir: join(folder, 'new', 'deep') });
    trader.base = second.url;
    expect(await everything(trader, market)).toEqual(before);
    const taken = await trader.submit('/orders/', draft);
    // His own resting bid blocks it: an order never trades with its own account.
    expect(taken.row['status']).toBe('canceled');
    await second.close();
  });

  it('keeps the clock going forward after it was moved', async () => {
    const first = await startTestExchange({ dataDir: folder });
    await control(first.url, '/clock/', { advance_s: 7200 });
    const trader = await TestTrader.join(first.url);
    await first.close();
    const second = await startTestExchange({ dataDir: folder });
    const { headers } = await send(second.url, 'GET', '/markets/');
    expect(Date.parse(headers.get('date') ?? '')).toBeGreaterThan(Date.now() + 7_100_000);
    trader.base = second.url;
    expect((await trader.get('/account/')).status).toBe(200);
    await second.close();
  });

  it('takes new settings without touching what the old ones did', async () => {
    const first = await startTestExchange({ dataDir: folder, startingFunds: micros(500) });
    const [early] = [await TestTrader.join(first.url)];
    await first.close();
    const second = await startTestExchange({ dataDir: folder, startingFunds: micros(700), seed: 99 });
    const late = await TestTrader.join(second.url);
    const funds = async (wallet: string) => (await send(second.url, 'GET', `/paper/accounts/${wallet}/`)).row['funds'];
    expect(await funds(early.wallet)).toMatchObject({ total: '500' });
    expect(await funds(late.wallet)).toMatchObject({ total: '700' });
    await second.close();
  });

  it('shows no quotes of a crowd that was killed', async () => {
    const killed = await startTestExchange({ dataDir: folder, crowd: true });
    const copy = newFolder();
    cpSync(folder, copy, { recursive: true });
    await killed.close();
    const second = await startTestExchange({ dataDir: copy });
    const { rows } = await send(second.url, 'GET', '/markets/');
    const { row } = await send(second.url, 'GET', `/markets/${rows[0]?.['condition_id']}/book/`);
    expect(row).toMatchObject({ bid: [], ask: [] });
    await second.close();
  });

  it('belongs to one exchange at a time, and its secrets to its owner', async () => {
    const first = await startTestExchange({ dataDir: folder });
    expect(statSync(join(folder, 'exchange.sqlite')).mode & 0o077).toBe(0);
    const locked = { code: 'ledger_locked', message: expect.stringContaining(`process ${process.pid}`) };
    await expect(startTestExchange({ dataDir: folder })).rejects.toMatchObject(locked);
    await first.close();
    await (await startTestExchange({ dataDir: folder })).close();
  });

  it('that cannot be used is said so', async () => {
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'odd'));
    const text = 'this is not a database, but it is long enough to be one'.repeat(99);
    writeFileSync(join(folder, 'odd', 'exchange.sqlite'), text);
    for (const dataDir of ['file', 'file/below', 'odd'].map((name) => join(folder, name)))
      await expect(startTestExchange({ dataDir })).rejects.toMatchObject({ code: 'file_unreadable' });
  });

  it.each([2, 99])('of format %i, which another version wrote, is refused', async (format) => {
    const db = new SqliteDriver(join(folder, 'exchange.sqlite'));
    db.pragma(`user_version = ${format}`);
    db.close();
    const newer = { code: 'ledger_newer', message: expect.stringContaining(`has format ${format}`) };
    await expect(startTestExchange({ dataDir: folder })).rejects.toMatchObject(newer);
  });
});

it('an address that is in use is port_busy, with what to do', async () => {
  const first = await startTestExchange();
  const busy = { code: 'port_busy', hint: expect.stringContaining('port') };
  await expect(startTestExchange({ port: first.port, dataDir: folder })).rejects.toMatchObject(busy);
  await first.close();
  // The folder is unlocked again.
  await (await startTestExchange({ dataDir: folder })).close();
});
