import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answered, control, micros, openMarket, send, startTestExchange, TestTrader } from '../http/harness.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'twinbook-exchange-'));
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

/** Everything that a trader can see of himself. */
async function everything(trader: TestTrader, market: string): Promise<unknown> {
  const own = [
    '/orders/',
    '/trades/',
    '/share-splits/',
    '/share-merges/',
    '/account/assets/',
    '/auth/keys/',
    '/account/',
  ];
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
    const draft = await trader.post('/orders/', {
      ...{ market_condition_id: market, is_yes: false, side: 'buy', order_type: 'limit', price: '0.6', amount: '4' },
    });
    const before = await everything(trader, market);
    await first.close();

    const second = await startTestExchange({ dataDir: join(folder, 'new', 'deep') });
    trader.base = second.url;
    expect(await everything(trader, market)).toEqual(before);
    const taken = await trader.submit('/orders/', draft);
    // His own resting bid stands in the way: an order never trades with its own account.
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

  it('belongs to one exchange at a time, and its secrets to its owner', async () => {
    const first = await startTestExchange({ dataDir: folder });
    expect(statSync(join(folder, 'exchange.sqlite')).mode & 0o077).toBe(0);
    await expect(startTestExchange({ dataDir: folder })).rejects.toMatchObject({
      code: 'ledger_locked',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await first.close();
    await (await startTestExchange({ dataDir: folder })).close();
  });

  it('that cannot be used is said so', async () => {
    writeFileSync(join(folder, 'file'), '');
    for (const dataDir of [join(folder, 'file'), join(folder, 'file', 'below')]) {
      await expect(startTestExchange({ dataDir })).rejects.toMatchObject({ code: 'file_unreadable' });
    }
    mkdirSync(join(folder, 'odd'));
    writeFileSync(
      join(folder, 'odd', 'exchange.sqlite'),
      'this is not a database, but it is long enough to be one'.repeat(99),
    );
    await expect(startTestExchange({ dataDir: join(folder, 'odd') })).rejects.toMatchObject({
      code: 'file_unreadable',
    });
  });

  it('of a later version is refused', async () => {
    const db = new Database(join(folder, 'exchange.sqlite'));
    db.pragma('user_version = 99');
    db.close();
    await expect(startTestExchange({ dataDir: folder })).rejects.toMatchObject({ code: 'ledger_newer' });
  });
});

describe('the address', () => {
  it('that is in use is port_busy, with what to do', async () => {
    const first = await startTestExchange();
    await expect(startTestExchange({ port: first.port, dataDir: folder })).rejects.toMatchObject({
      code: 'port_busy',
      hint: expect.stringContaining('port'),
    });
    await first.close();
    // The folder was let go of.
    await (await startTestExchange({ dataDir: folder })).close();
  });

  it('must be loopback', async () => {
    for (const host of ['0.0.0.0', '192.168.1.1', 'example.com', '::']) {
      await expect(startTestExchange({ host })).rejects.toMatchObject({ code: 'usage' });
    }
  });
});

describe('kill -9', () => {
  const root = resolve(import.meta.dirname, '../../..');

  async function spawnExchange(crowd: string): Promise<{ child: ChildProcess; url: string }> {
    const script = join(import.meta.dirname, 'child.ts');
    const child = spawn(process.execPath, ['--import', 'tsx', script, folder, crowd], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: child.stdout })) return { child, url: line };
    throw new Error('the exchange ended before it listened');
  }

  async function kill(child: ChildProcess): Promise<void> {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  it.each([
    ['quiet', 3],
    ['crowd', 2],
  ])(
    'loses nothing that was acknowledged (%s)',
    async (crowd, rounds) => {
      let { child, url } = await spawnExchange(crowd);
      const trader = await TestTrader.join(url);
      const market = await openMarket(url);
      const acknowledged = new Map<string, unknown>();
      for (let round = 0; round < rounds; round++) {
        // Orders go out one after the other until the exchange dies under one of them.
        const dying = { now: false };
        const trading = tradeUntilDead(trader, market, acknowledged, () => dying.now, round);
        await trading.started;
        await kill(child);
        dying.now = true;
        await trading.done;
        ({ child, url } = await spawnExchange(crowd));
        trader.base = url;
        for (const [pubkey, status] of acknowledged) {
          const { row } = await trader.get(`/orders/${pubkey}/`);
          expect(row['status'], `round ${round}`).toBe(status);
        }
      }
      expect(acknowledged.size).toBeGreaterThanOrEqual(rounds);
      const orders = (await trader.get('/orders/?status=open&limit=100')).rows;
      const { row } = await send(url, 'GET', `/paper/accounts/${trader.wallet}/`);
      const funds = row['funds'] as { total: string; locked: string };
      // Nobody trades in this market: all the money is there, and the open orders lock at least their price.
      expect(funds.total).toBe('10000');
      const locked = orders.reduce((sum, order) => sum + 10_000 * Number(order['amount']), 0);
      expect(micros(funds.locked)).toBeGreaterThanOrEqual(locked);
      await kill(child);
    },
    120_000,
  );

  function tradeUntilDead(
    trader: TestTrader,
    market: string,
    acknowledged: Map<string, unknown>,
    isDead: () => boolean,
    round: number,
  ): { started: Promise<void>; done: Promise<void> } {
    let start = (): void => undefined;
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const run = async () => {
      // A different moment of the flow in every round: after so many answered calls.
      for (let n = 0; !isDead(); n++) {
        const answer: Answered | null = await trader.order(market, true, 'buy', '0.01', '1').catch(() => null);
        if (answer === null) return start();
        expect(answer.status).toBe(200);
        acknowledged.set(String(answer.row['pubkey']), answer.row['status']);
        if (n === round) start();
      }
    };
    return { started, done: run() };
  }
});
