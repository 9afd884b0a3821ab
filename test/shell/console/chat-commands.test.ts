/** Effect of a message to the bot on a trader, and the bot's answer. */

import { expect, onTestFinished, test, vi } from 'vitest';
import type { Acknowledgement } from '../../../src/shell/alerts/alert-center.js';
import { makePerform } from '../../../src/shell/console/telegram.js';
import { ShownState } from '../../../src/shell/console/trader-state.js';
import { loadedTrader } from '../config/files.js';
import { said, serveBot } from './bot-server.js';
import { ACCOUNT, market, toldTrader } from './state-of-markets.js';
import { consoleOf, serveTrader, WATCHING } from './told-trader.js';

const KILLED = {
  kind: 'killed',
  severity: 'critical',
  title: 'the trader is killed',
  text: '',
  sinceMs: 1,
  toldMs: 2,
} as const;

function place(state = toldTrader([market('m')], { ...ACCOUNT, mode: 'paused', reason: 'a guess about Will it?' })) {
  const seen: Acknowledgement[] = [];
  const options = {
    config: loadedTrader(),
    name: 'trader',
    trader: state,
    watch: { open: [{ ...KILLED, acknowledgedMs: null }], isOnDuty: true },
    alerts: { acknowledge: (one: Acknowledgement) => seen.push(one) > 0 },
    store: { read: () => null, write: () => undefined },
    guardian: WATCHING,
    note: () => undefined,
  };
  const ask = (command: Parameters<ReturnType<typeof makePerform>>[0], about: string | null = null, isBare = false) =>
    makePerform(options as unknown as Parameters<typeof makePerform>[0], isBare ? 'bare' : 'full')(command, about, 5);
  return { seen, ask };
}

test('status says how the trader is, and bare of that no figure and no reason', async () => {
  const { ask } = place();
  expect(await ask('status')).toBe(
    [
      'paused, a guess about Will it?',
      'result 1, of this UTC day 2',
      'orders 2 open, 0 unknown; fills of this run 3',
      'alerts: killed',
      'guardian: watching',
    ].join('\n'),
  );
  expect(await ask('status', null, true)).toBe('paused\nalerts: killed');
  expect(await place(new ShownState()).ask('status')).toBe(
    'not running, not connected yet\nalerts: killed\nguardian: watching',
  );
});

test('ack says that one alert was seen, or all', async () => {
  const { ask, seen } = place();
  expect(await ask('ack', 'nothing')).toBe('no such alert is open');
  expect(seen).toEqual([]);
  expect(await ask('ack')).toBe('these alerts are acknowledged, and not sent again while open: killed');
  expect(await ask('ack', 'killed')).toBe('these alerts are acknowledged, and not sent again while open: killed');
  expect(seen).toMatchObject([
    { kind: 'killed', sinceMs: 1 },
    { kind: 'killed', sinceMs: 1 },
  ]);
});

test('a message reaches the trader as a command with who sent it, through a console and once', async () => {
  const server = await serveBot();
  const chat = `{ kind: telegram, address_file: ${server.addressFile}, to: "5", commands: [status, kill], users: [5] }`;
  const config = loadedTrader(`dashboard: { enabled: false }\nalerts: { channels: { chat: ${chat} } }`);
  const { asked, close } = await serveTrader(config.control.socket, undefined, config.ledger.path);
  onTestFinished(close);
  const nowS = Math.floor(Date.now() / 1000);
  server.updates = [said(1, 'kill', nowS), said(2, 'pause', nowS), said(3, 'kill', nowS - 600)];
  const open = () => consoleOf({ config, secret: 'the secret' });
  const first = await open();
  await vi.waitFor(() => expect(server.sent).toHaveLength(3), 10_000);
  await first.close();
  await open();
  await vi.waitFor(() => expect(server.offsets.at(-1)).toBe(4), 10_000);
  expect(asked).toEqual([{ command: 'kill', reason: 'by Telegram, user 5' }]);
  expect(server.sent.map(({ text }) => text)).toEqual([
    'trader: kill is done; status shows the resting orders',
    'trader: not a command; commands are: status, kill',
    expect.stringContaining('trader: kill not done: it was sent'),
  ]);
});
