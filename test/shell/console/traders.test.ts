/** Several traders in one console: allowed combinations, names, and completeness. */

import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { TraderConfig } from '../../../src/shell/config/config.js';
import { loadTraderConfig } from '../../../src/shell/config/load.js';
import { nameTraders, requireDistinct } from '../../../src/shell/console/console.js';
import { makePageState, makeTraderRow, type ServedTraders } from '../../../src/shell/console/page-state.js';
import { ShownState } from '../../../src/shell/console/trader-state.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { folderOf } from '../../support/folders.js';
import { openPageSession } from '../../support/page-client.js';
import { HOLDER, m } from '../../trader/ledger/books.js';
import { loadedTrader, trader } from '../config/files.js';
import { ACCOUNT, hello, market, NOTHING_BESIDE } from './state-of-markets.js';
import { consoleOf, serveTrader, WATCHING } from './told-trader.js';

const APART = 'dashboard: { port: 0, start: false }';
const SECRET = 'the secret of the page, a long one';
const load = (folder: string, file = 'trader.yaml'): TraderConfig => loadTraderConfig(file, { cwd: folder, env: {} });
const place = (lines = APART): TraderConfig => loadedTrader(lines);

describe('traders of one console', () => {
  test('are each another one, and start no console of their own', () => {
    const [one, two] = [place(), place()];
    expect(() => requireDistinct([one, two])).not.toThrow();
    expect(() => requireDistinct([one, one])).toThrow(
      expect.objectContaining({ message: `${one.file} is named twice` }),
    );
    const link = join(folderOf({}), 'there');
    symlinkSync(join(one.file, '..'), link);
    expect(() => requireDistinct([one, load(link)])).toThrow('share the ledger');
    expect(() => requireDistinct([one, { ...two, control: one.control }])).toThrow('share the control socket');
    expect(() => requireDistinct([one, place('dashboard: { port: 0 }')])).toThrow('dashboard.start is true');
    const hidden = place('dashboard: { enabled: false, start: false }');
    expect(() => requireDistinct([hidden, one])).toThrow('dashboard.enabled is false');
    expect(() => requireDistinct([one, hidden])).not.toThrow();
    expect(() => requireDistinct(Array.from({ length: 17 }, () => one))).toThrow('at most 16');
  });

  test('are named by their files, and by their folders where these are called the same', () => {
    expect(nameTraders(['/a/sun.yaml', '/b/rain.yaml'])).toEqual(['sun', 'rain']);
    expect(nameTraders(['/a/trader.yaml', '/b/trader.yaml', '/c/x.yaml'])).toEqual(['a/trader', 'b/trader', 'x']);
    expect(() => nameTraders(['/1/a/trader.yaml', '/2/a/trader.yaml'])).toThrow('would both be shown as');
  });

  test('have unknown figures before their first message, and the time of the newest stored one', () => {
    const parts = { ...NOTHING_BESIDE, trader: new ShownState(), name: 'one' };
    const unknown = { mode: 'not running', answers: false, open_orders: null, unknown_orders: null };
    expect(makeTraderRow(parts)).toMatchObject({ ...unknown, heard: 77, cash: '', alerts: 2, critical: 1 });
    expect(makePageState(parts, null)).toMatchObject({ ...unknown, heard: null, fill_count: null });
  });
});

test('a console of several shows them all, the dead one as dead with its last word, and stops one or all', async () => {
  const file = trader(`${APART}\nmetrics: { open: true }`);
  const home = folderOf({ 'sun/trader.yaml': file, 'rain/trader.yaml': file, 'dead/trader.yaml': file });
  const [sun, rain, dead] = [load(join(home, 'sun')), load(join(home, 'rain')), load(join(home, 'dead'))];
  const ledger = openLedger(dead.ledger.path, HOLDER);
  ledger.transaction(() => ledger.setCapital(m(500_000_000), 1_000));
  ledger.close();
  const serve = ({ control, ledger: { path } }: TraderConfig) => serveTrader(control.socket, undefined, path);
  const [first, second] = [await serve(sun), await serve(rain)];
  for (const { close } of [first, second]) onTestFinished(close);
  const others = [rain, dead].map((config) => ({ config, guardian: WATCHING }));
  const { url } = await consoleOf({ config: sun, others, secret: SECRET });
  await vi.waitFor(() => expect([first.readers.length, second.readers.length]).toEqual([1, 1]), 10_000);
  for (const { tell } of [first, second]) {
    tell(hello());
    tell({ type: 'frame', time: 5_000, account: ACCOUNT, markets: [market('m')], known: ['m'] });
  }
  const { ask } = await openPageSession(url, SECRET);
  const traders = async () => (await (await ask('/traders')).json()) as ServedTraders;
  await vi.waitFor(async () => expect((await traders()).traders.filter((row) => row.answers)).toHaveLength(2), 10_000);
  expect((await traders()).traders).toMatchObject([
    { name: 'sun/trader', mode: 'quoting', answers: true, heard: 5_000, cash: '990', quoting: 1 },
    { name: 'rain/trader', mode: 'quoting', answers: true },
    { name: 'dead/trader', mode: 'not running', reason: 'no trader is running', answers: false, cash: '500' },
  ]);
  const metrics = await (await fetch(`${url}metrics`)).text();
  expect(metrics.split('\n').filter((line) => line.startsWith('twinbook_up'))).toEqual([
    'twinbook_up{trader="sun/trader"} 1',
    'twinbook_up{trader="rain/trader"} 1',
    'twinbook_up{trader="dead/trader"} 0',
  ]);
  // No guardian is needed for a trader that never ran.
  expect(metrics.match(/^twinbook_guardian_watching\{.*$/gm)).toEqual([
    'twinbook_guardian_watching{trader="sun/trader"} 1',
    'twinbook_guardian_watching{trader="rain/trader"} 1',
  ]);
  expect(metrics.match(/^# TYPE twinbook_up /gm)).toHaveLength(1);
  const press = (path: string) => ask(`/${path}`, { method: 'POST', body: '{"reason":"odd prices"}' });
  expect((await press('actions/kill?trader=rain%2Ftrader')).status).toBe(200);
  expect([first.asked, second.asked]).toEqual([[], [{ command: 'kill', reason: 'odd prices' }]]);
  const killed = await (await press('traders/kill')).json();
  expect(killed).toMatchObject({ text: expect.stringMatching(/^sun\/trader: done; .*dead\/trader: .*stop file/) });
  expect(first.asked).toEqual([{ command: 'kill', reason: 'odd prices' }]);
  expect([sun, rain, dead].map(({ ledger: { path } }) => existsSync(`${path}.kill`))).toEqual([false, false, true]);
});
