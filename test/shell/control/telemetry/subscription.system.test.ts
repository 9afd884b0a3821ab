import { expect, onTestFinished, test } from 'vitest';
import type { StatusLine } from '../../../../src/shared/protocol/trader-status.js';
import { followStatus } from '../../../../src/shell/control/control-client.js';
import { newFolder } from '../../../support/folders.js';
import { untilTrue } from '../../../support/waiting.js';
import { ACCOUNT, hello, market } from '../../console/state-of-markets.js';
import { serveTrader } from '../../console/told-trader.js';

const frame = (account: unknown): StatusLine =>
  ({ type: 'frame', time: 1, account, markets: [market('m')], known: ['m'] }) as StatusLine; // some are hostile

/** Lines that a reader receives, and the reason why its connection ended. */
async function readLines(lines: readonly unknown[]) {
  const socket = `${newFolder()}/trader.sock`;
  const server = await serveTrader(socket);
  const heard: StatusLine[] = [];
  const lost: string[] = [];
  const close = followStatus(socket, { line: (line) => heard.push(line), onLost: (why) => lost.push(why) });
  onTestFinished(() => {
    close();
    server.close();
  });
  await untilTrue(() => server.readers.length > 0);
  for (const line of lines) server.tell(line as StatusLine);
  await untilTrue(() => heard.length + lost.length >= lines.length);
  return { heard, lost };
}

test('a status line arrives as it was sent', async () => {
  const lines = [hello(), frame(ACCOUNT)];
  expect(await readLines(lines)).toEqual({ heard: lines, lost: [] });
});

test.each([
  ['an older version', { ...ACCOUNT, cashMicros: '990' }, 'account.cashMicros: expected whole millionths'],
  ['a fraction of a millionth', { ...ACCOUNT, cashMicros: 0.5 }, 'account.cashMicros: expected whole millionths'],
  ['a hostile process', { ...ACCOUNT, budgets: [] }, 'account.budgets: '],
])('a status line of %s is refused, and the error names the field', async (_, account, why) => {
  const { heard, lost } = await readLines([frame(account)]);
  expect(heard).toEqual([]);
  expect(lost).toEqual([expect.stringContaining(`not a trader of this version: ${why}`)]);
});

test('a line that is no status is refused', async () =>
  expect((await readLines([{ type: 'other' }])).lost).toEqual([
    expect.stringContaining('not a trader of this version'),
  ]));
