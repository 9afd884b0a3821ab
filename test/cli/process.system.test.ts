/** The program as a process: streams, signals, exit codes. Few tests, because each starts Node. */

import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ServiceClient, venueProfile, Wallet } from '../../src/shell/client/client.js';
import { trader } from '../shell/config/files.js';
import { endInOrder, folderOf, started } from '../support/cases.js';
import { BIN } from '../support/processes.js';
import { until } from '../support/waiting.js';
import { run } from './run.js';

/** Without guardian and page. */
const ALONE = 'guardian: { enabled: false }\ndashboard: { enabled: false }';

describe('the process', () => {
  test('exits with the command’s code and prints no stack trace', () => {
    const cwd = folderOf({ 'trader.yaml': trader('merge: { x: 1 }') });
    const words = [BIN, 'fills', '-c', 'trader.yaml'];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 4, stdout: '' });
    expect(stderr).toMatch(/^trader\.yaml:6:10: merge: unknown key 'x'; known here: enabled, min_shares\n/);
    expect(stderr.split('\n').slice(1)).toEqual([expect.stringContaining('`twinbook config explain` lists'), '']);
  });

  test.each([
    [0, ['config', 'show']],
    [0, ['data', 'query', '--csv', 'select * from range(1000000000000)', resolve('data/sample')]],
    [1, ['kill', '--verify']],
  ])('ends quietly with exit code %i if the readers of %j go away', async (code, words) => {
    const config = join(folderOf({ 'trader.yaml': trader() }), 'trader.yaml');
    const { process: child, exited, output } = started([...words, '-c', config]);
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    expect([await exited, output()]).toEqual([code, '']);
  });

  test.each([
    ['full device', `"$0" "$@" > /dev/full`],
    ['file that takes only the beginning', `ulimit -f 4; trap '' XFSZ; "$0" "$@" > schema.json`],
  ])('says that the output is incomplete, and fails, if the output is a %s', (_, script) => {
    const words = ['-c', script, process.execPath, BIN, 'config', 'schema'];
    const { status, stderr } = spawnSync('bash', words, { cwd: folderOf({}), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^cannot write the output \(E\w+\): .*\n$/),
    });
  });

  test('the exchange says where it listens, answers there, and stops on a signal', async () => {
    const exchange = started(['exchange', '--port', '0', '--no-crowd', '--data-dir', join(folderOf({}), 'state')]);
    await exchange.waitFor(/API key/);
    const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(exchange.output())?.[1];
    expect(exchange.output()).toContain(`documentation: ${url}/docs/`);
    expect(exchange.output()).toContain('--demo-account');
    expect((await fetch(`${url}/markets/`)).status).toBe(200);
    const busy = started(['exchange', '--port', new URL(String(url)).port, '--no-crowd']);
    expect(await busy.exited).toBe(1);
    expect(busy.output()).toContain('in use');
    expect(busy.output()).not.toContain('listening on');
    await endInOrder(exchange);
  });

  test('the demo account of the exchange signs a request and a draft', async () => {
    const exchange = started(['exchange', '--port', '0', '--demo-account']);
    await exchange.waitFor(/under Authorize/);
    const out = exchange.output();
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
    await endInOrder(exchange);
  });

  test('a trader that was killed leaves orders that cancel-all finds', async () => {
    const cwd = folderOf({
      'trader.yaml': trader(`exchange: { data_dir: state }\n${ALONE}`, '[s.yaml]'),
      's.yaml': 'strategy: bands',
    });
    const running = started(['start', '-c', join(cwd, 'trader.yaml')]);
    await running.waitFor(/quoting \|/);
    const here = (...argv: string[]) => run([...argv, '-c', 'trader.yaml'], { cwd });
    // The exchange has confirmed these orders; a request in flight may be lost with the trader, and one may fill.
    await until(
      async () => JSON.parse((await here('orders', '--open', '--json')).out) as readonly object[],
      (open) => open.length >= 3,
    );
    running.process.kill('SIGKILL');
    expect(await running.exited).toBeNull();
    expect(await here('pause')).toMatchObject({ code: 3 });
    expect(JSON.parse((await here('status', '--json')).out)).toMatchObject({ running: false, stopped: null });
    // The embedded exchange ended with the trader; this command opens its stored state.
    const canceled = await here('cancel-all', '--verify');
    expect(canceled.code).toBe(0);
    expect(canceled.out, running.output()).toMatch(/^canceled [1-9]\d* orders?; two reads show that none rests\n$/);
  });
});
