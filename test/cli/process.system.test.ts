/** The program as a process: streams, signals, exit codes. Few tests, because each starts Node. */

import { type ChildProcess, spawn } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ServiceClient, venueProfile, Wallet } from '../../src/shell/client/client.js';
import { trader } from '../shell/config/files.js';
import { folderOf } from '../support/folders.js';
import { BIN } from '../support/processes.js';
import { until } from '../support/waiting.js';
import { run } from './run.js';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function twinbook(
  argv: readonly string[],
  cwd: string,
): { child: ChildProcess; ended: Promise<Ended>; said: (text: string) => Promise<string> } {
  const child = spawn(process.execPath, [BIN, ...argv], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let err = '';
  let heard: () => void = () => undefined;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    heard();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  const said = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      heard = () => {
        if (out.includes(text)) resolve(out);
      };
      heard();
      void ended.then(() => reject(new Error(`ended without saying ${text}: ${out}${err}`)));
    });
  return { child, ended, said };
}

/** Without guardian and page. */
const ALONE = 'guardian: { enabled: false }\ndashboard: { enabled: false }';

describe('the process', () => {
  test('exits with the command’s code and prints no stack trace', async () => {
    const cwd = folderOf({ 'trader.yaml': trader('merge: { x: 1 }') });
    const { code, out, err } = await twinbook(['fills', '-c', 'trader.yaml'], cwd).ended;
    expect({ code, out }).toEqual({ code: 4, out: '' });
    expect(err).toMatch(/^trader\.yaml:6:10: merge: unknown key 'x'; known here: enabled, min_shares\n/);
    expect(err.split('\n').slice(1)).toEqual([expect.stringContaining('`twinbook config explain` lists'), '']);
  });

  test('ends quietly when its reader goes away', async () => {
    const cwd = folderOf({});
    const { child, ended } = twinbook(['config', 'schema'], cwd);
    child.stdout?.destroy();
    const { code, err } = await ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  test('the exchange says where it listens, answers there, and stops on a signal', async () => {
    const cwd = folderOf({});
    const { child, ended, said } = twinbook(['exchange', '--port', '0', '--no-crowd', '--data-dir', 'state'], cwd);
    const out = await said('API key');
    const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(out)?.[1];
    expect(out).toContain(`documentation: ${url}/docs/`);
    expect(out).toContain('--demo-account');
    const response = await fetch(`${url}/markets/`);
    expect(response.status).toBe(200);
    const busy = await twinbook(['exchange', '--port', new URL(String(url)).port, '--no-crowd'], cwd).ended;
    expect({ code: busy.code, out: busy.out }).toEqual({ code: 1, out: '' });
    expect(busy.err).toContain('in use');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  test('the demo account of the exchange signs a request and a draft', async () => {
    const { child, ended, said } = twinbook(['exchange', '--port', '0', '--demo-account'], folderOf({}));
    const out = await said('under Authorize');
    const read = (name: string) => new RegExp(`^ *${name} +(\\S+)`, 'm').exec(out)?.[1] ?? '';
    const [baseUrl, seed] = [/^listening on (\S+)\n/.exec(out)?.[1] ?? '', Buffer.from(read('wallet key'), 'hex')];
    const credentials = { apiKey: read('API key'), secret: read('secret') };
    const client = new ServiceClient({ profile: venueProfile('paper'), baseUrl, credentials });
    const wallet = new Wallet(seed);
    expect(wallet.address).toBe(read('wallet'));
    const { rows } = await client.markets.list({ state: 'open' });
    const bid = { is_yes: true, side: 'buy', order_type: 'limit', price: '0.05', amount: '10' } as const;
    const order = await client.place(wallet, { ...bid, market_condition_id: rows[0]?.condition_id ?? '' });
    expect(order.status).toBe('open');
    await client.close();
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  test('a trader that was killed leaves orders that cancel-all finds', async () => {
    const cwd = folderOf({
      'trader.yaml': trader(`exchange: { data_dir: state }\n${ALONE}`, '[s.yaml]'),
      's.yaml': 'strategy: bands',
    });
    const { child, ended, said } = twinbook(['start', '-c', 'trader.yaml'], cwd);
    await said('quoting |');
    const here = (...argv: string[]) => run([...argv, '-c', 'trader.yaml'], { cwd });
    // The exchange has confirmed these orders; a request in flight may be lost with the trader, and one may fill.
    await until(
      async () => JSON.parse((await here('orders', '--open', '--json')).out) as readonly object[],
      (open) => open.length >= 3,
    );
    child.kill('SIGKILL');
    const dead = await ended;
    expect(dead.code).toBeNull();
    expect(await here('pause')).toMatchObject({ code: 3 });
    expect(JSON.parse((await here('status', '--json')).out)).toMatchObject({ running: false, stopped: null });
    // The embedded exchange ended with the trader; this command opens its stored state.
    const canceled = await here('cancel-all', '--verify');
    expect(canceled.code).toBe(0);
    expect(canceled.out, dead.out).toMatch(/^canceled [1-9]\d* orders?; two reads show that none rests\n$/);
  });
});
