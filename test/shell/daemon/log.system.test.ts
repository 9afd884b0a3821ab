/** The log on a full disk, and a log that is moved, removed, cut or full. */

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openLog } from '../../../src/shell/daemon/log.js';
import { folderOf } from '../../support/folders.js';
import { untilTrue } from '../../support/waiting.js';

it('a log that cannot be written says so once and stops nobody', () => {
  const said: string[] = [];
  const log = openLog({ level: 'info', file: '/dev/full' }, { write: (line) => void said.push(line) });
  for (let line = 0; line < 1000; line++) log.info({ line, text: 'x'.repeat(10_000) }, 'a line');
  expect(said).toEqual([expect.stringMatching(/^the log \/dev\/full cannot be written: ENOSPC/)]);
});

const unexpected = {
  write: (line: string) => {
    throw new Error(line);
  },
};

it.each([
  ['moved', (file: string) => renameSync(file, `${file}.old`)],
  ['removed', (file: string) => rmSync(file)],
])('a log file that is %s is begun again under its name, and the new file says so', async (_, lose) => {
  const file = `${folderOf({})}/trader.log`;
  const logger = openLog({ level: 'info', file }, unexpected);
  logger.info('before');
  lose(file);
  await untilTrue(() => existsSync(file) && statSync(file).size > 0);
  logger.info('after');
  const messages = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).msg);
  expect(messages).toEqual(['the log was moved or removed; it continues in a new file', 'after']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('a log file that is copied and then cut goes on from its beginning', () => {
  const file = `${folderOf({})}/trader.log`;
  const logger = openLog({ level: 'info', file }, unexpected);
  logger.info('before');
  truncateSync(file);
  logger.info('after');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ msg: 'after' });
});

it('a log file that is full gets another name, and the oldest of them goes', () => {
  const folder = folderOf({ 'trader.log.1': 'older\n', 'trader.log.2': 'oldest\n' });
  const file = `${folder}/trader.log`;
  const logger = openLog({ level: 'info', file }, unexpected, { maxBytes: 10_000, keep: 2 });
  for (let line = 0; line < 15; line++) logger.info({ line, text: 'x'.repeat(900) }, 'a line');
  expect(readdirSync(folder).sort()).toEqual(['trader.log', 'trader.log.1', 'trader.log.2']);
  expect(readFileSync(`${file}.2`, 'utf8')).toBe('older\n');
  const lines = [`${file}.1`, file].flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  expect(lines.map((text) => JSON.parse(text).line)).toEqual(Array.from({ length: 15 }, (_, line) => line));
  expect(statSync(`${file}.1`).size).toBeLessThanOrEqual(10_000);
});
