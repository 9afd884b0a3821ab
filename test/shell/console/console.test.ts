/** The console over real sockets, beside a trader with prepared telemetry. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { StatusLine } from '../../../src/shared/protocol/trader-status.js';
import type { PageState } from '../../../src/shell/console/page-state.js';
import { askTrader } from '../../../src/shell/control/control-client.js';
import type { ControlResponse } from '../../../src/shell/control/control-protocol.js';
import { newFolder } from '../../support/folders.js';
import { openPageSession } from '../../support/page-client.js';
import { loadedTrader } from '../config/files.js';
import { ACCOUNT, hello, market } from './state-of-markets.js';
import { type Answer, consoleOf, OBEYED, serveTrader } from './told-trader.js';

const SECRET = 'the secret of the page, a long one';
const OTHER_SECRET = 'another secret, as long as the first';
const FRAME: StatusLine = { type: 'frame', time: 5_000, account: ACCOUNT, markets: [market('m')], known: ['m'] };

/** @param isOwner whether the trader at the control socket holds the lock of the ledger */
async function place(answer: Answer, lines = '', isOwner = true) {
  const config = loadedTrader(`dashboard: { port: 0 }\n${lines}`);
  const server = await serveTrader(config.control.socket, answer, isOwner ? config.ledger.path : '');
  const { asked, readers, tell } = server;
  onTestFinished(() => server.close());
  const { url, notes, close, traderGone } = await consoleOf({ config, secret: SECRET });
  const { ask } = await openPageSession(url, SECRET);
  const state = async () => (await (await ask('/state')).json()) as PageState;
  const press = (action: string, reason: string) =>
    ask(`/actions/${action}`, { method: 'POST', body: JSON.stringify({ reason }) });
  await vi.waitFor(() => expect(readers).toHaveLength(1), 10_000);
  return { notes, config, ask, asked, server, state, press, tell, close, traderGone };
}

describe('the console', () => {
  test('is there, and says why, where an alert channel has no readable address', async () => {
    const alerts =
      'alerts: { channels: { chat: { kind: slack, address_file: nowhere } }, heartbeat: { url_file: nowhere } }';
    const { state, notes } = await place(() => OBEYED, alerts);
    expect((await state()).now).toBeGreaterThan(0);
    expect(notes).toEqual([expect.stringMatching(/^alert channel chat cannot deliver alerts: .*nowhere/)]);
  });

  test('shows what the trader tells', async () => {
    const { state, tell } = await place(() => OBEYED);
    tell(hello());
    tell(FRAME);
    await vi.waitFor(async () => expect((await state()).mode).toBe('quoting'), 10_000);
    expect(await state()).toMatchObject({
      answers: true,
      heard: 5_000,
      guardian: 'watching',
      pid: process.pid,
      cash: '990',
      result: '1',
      fill_count: 3,
      budget: ['public', 'signed'].map((scope) => ({ scope, limit: 300, remaining: 200 })),
      markets: [{ id: 'm', bid: '0.59', ask: null, fair: '0.6', yes: '5', open_orders: 2 }],
      orders: [],
    });
  });

  test.each([
    ['that hangs', true, 'did not answer within 1.5 s'],
    ['whose control socket is used by another trader', false, 'does not write the ledger'],
  ])('kills a trader %s by the stop file, and shows only its own trader', async (_, isOwner, why) => {
    const answer = () => (isOwner ? new Promise<ControlResponse>(() => undefined) : OBEYED);
    const { ask, asked, config, press, state, tell } = await place(answer, '', isOwner);
    tell(hello());
    const shown = isOwner ? { pid: process.pid, reason: '' } : { pid: 0, reason: expect.stringContaining(why) };
    await vi.waitFor(async () => expect(await state()).toMatchObject(shown), 10_000);
    const diff = ask('/views/diff');
    const [paused, killed] = await Promise.all([press('pause', ''), press('kill', 'odd prices')]);
    expect(await (await diff).text()).toContain(why);
    expect(paused.status).toBe(409);
    expect(await paused.json()).toMatchObject({ error: expect.stringContaining(why) });
    expect(killed.status).toBe(200);
    expect(await killed.json()).toMatchObject({ text: expect.stringContaining('the stop file kills it') });
    expect(readFileSync(`${config.ledger.path}.kill`, 'utf8')).toBe('odd prices\n');
    expect(asked).toHaveLength(isOwner ? 3 : 0);
  });

  test('leaves its port and the control socket to the next trader while it tells that its trader is gone', async () => {
    const waiting = join(newFolder(), 'address');
    writeFileSync(waiting, 'https://192.0.2.1/never', { mode: 0o600 });
    const alerts = `alerts: { channels: { chat: { kind: slack, address_file: ${waiting} } } }`;
    const { config, server, state, tell, traderGone } = await place(() => OBEYED, alerts);
    tell(hello());
    tell({ type: 'bye', time: 6_000, reason: 'the disk is full', proven: false });
    const closed = server.readers.map((reader) => new Promise<void>((resolve) => reader.once('close', resolve)));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const told = vi.fn();
    void traderGone().then(told);
    for (const reader of server.readers) reader.end();
    await vi.waitFor(() => expect(state()).rejects.toThrow(), 10_000);
    await Promise.all(closed);
    const ping = () => askTrader({ command: 'ping' }, { socket: config.control.socket, timeoutMs: 60_000 });
    await ping();
    await vi.advanceTimersByTimeAsync(10_000);
    // The trader would hear a reconnected console before this ping.
    await ping();
    expect([server.readers.length, told.mock.calls]).toEqual([1, []]);
  });

  test('beside another one of the same trader says so, shows the page, and leaves the telling to it', async () => {
    const { config, notes, close } = await place(() => OBEYED);
    const { url, notes: later } = await consoleOf({ config, secret: OTHER_SECRET });
    expect((await (await openPageSession(url, OTHER_SECRET)).ask('/state')).status).toBe(200);
    expect(later).toEqual([expect.stringMatching(/^warning: process \d+, .* is another console of this trader/)]);
    await close();
    await vi.waitFor(() => expect(later.at(-1)).toContain('now sends the alerts and stores the history'), 10_000);
    expect(notes).toEqual([]);
  });
});
