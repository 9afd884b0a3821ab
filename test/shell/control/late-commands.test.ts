/** A hung trader later finds old commands in its socket; their sender is gone, and may have killed it since. */

import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { askTrader } from '../../../src/shell/control/control-client.js';
import { systemMs } from '../../../src/shell/control/control-protocol.js';
import { serveControl } from '../../../src/shell/control/control-server.js';
import { folderOf } from '../../support/folders.js';

const REQUESTS = {
  resume: { reason: 'the week is over' },
  unkill: { reason: 'the week is over' },
  flatten: {},
  config: { action: 'apply', reason: '', hash: '', dryRun: false },
  pause: { reason: 'operator' },
  kill: { reason: 'operator' },
  'cancel-all': { verify: false },
  'reduce-only': { reason: 'operator' },
} as const;

/** Names of the commands that a trader executes with these fields. */
async function obeyedOf(more: object): Promise<readonly string[]> {
  const path = join(folderOf({}), 'twinbook.sock');
  const obeyed: string[] = [];
  const server = await serveControl(path, {
    answer: async ({ command }) => {
      obeyed.push(command);
      return { ok: true, data: {} };
    },
    subscribe: () => null,
  });
  onTestFinished(() => server.close());
  const requests = Object.entries(REQUESTS).map(([command, of]) => ({ command, ...of, ...more }));
  await answersTo(path, requests);
  return obeyed;
}

/** Sends each request as a line. Resolves with the answers once there are as many, or the server hangs up. */
const answersTo = (path: string, requests: readonly object[]) =>
  new Promise<string>((resolve) => {
    let answers = '';
    const lines = requests.map((request) => `${JSON.stringify(request)}\n`);
    const socket = connect(path, () => socket.write(lines.join('')));
    socket.on('data', (chunk) => {
      answers += chunk;
      if (answers.split('\n').length > lines.length) socket.destroy();
    });
    socket.on('close', () => resolve(answers));
  });

test('what takes risk again, or sells, is not done late, by a clock that is never set; what stops is', async () =>
  expect(await obeyedOf({ waitsUntil: systemMs() - 1 })).toEqual(['pause', 'kill', 'cancel-all', 'reduce-only']));

test.each([{ waitsUntil: systemMs() + 3_600_000 }, {}])(
  'everything is done that somebody waits for, or may: %j',
  async (more) => expect(await obeyedOf(more)).toEqual(Object.keys(REQUESTS)),
);

test('whoever asks says until when it waits', async () => {
  const path = join(folderOf({}), 'twinbook.sock');
  const lines: string[] = [];
  const server = createServer((socket) => {
    socket.setEncoding('utf8').on('data', (line: string) => {
      lines.push(line);
      socket.end('{"ok":true,"data":{}}\n');
    });
  }).listen(path);
  onTestFinished(() => void server.close());
  const before = systemMs();
  await askTrader({ command: 'unkill', reason: 'seen to' }, { socket: path, timeoutMs: 5_000 });
  const { waitsUntil, ...asked } = JSON.parse(lines[0] ?? '');
  expect(asked).toEqual({ command: 'unkill', reason: 'seen to' });
  expect(waitsUntil).toBeGreaterThanOrEqual(before + 5_000);
  expect(waitsUntil).toBeLessThanOrEqual(systemMs() + 5_000);
});

test('an error of the trader costs the peer its connection, and neither the server nor another peer anything', async () => {
  const path = join(folderOf({}), 'twinbook.sock');
  const fail = (): never => {
    throw new Error('the ledger is broken');
  };
  const server = await serveControl(path, {
    answer: async ({ command }) => (command === 'ping' ? { ok: true, data: {} } : fail()),
    subscribe: fail,
  });
  onTestFinished(() => server.close());
  const refusal = '{"ok":false,"error":"Error: the ledger is broken"}\n';
  // The server hangs up: a second answer to this peer never comes.
  expect(await answersTo(path, [{ command: 'subscribe' }, { command: 'ping' }])).toBe(refusal);
  expect(await answersTo(path, [{ command: 'status' }])).toBe(refusal);
  expect(await answersTo(path, [{ command: 'ping' }])).toBe('{"ok":true,"data":{}}\n');
});
