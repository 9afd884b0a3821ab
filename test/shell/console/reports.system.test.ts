import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Reports } from '../../../src/shell/console/own-commands.js';
import { folderOf } from '../../support/folders.js';
import { untilTrue } from '../../support/waiting.js';

/** A command that writes its arguments into the report when it is told to, or fails. */
const COMMAND = `
import { existsSync, writeFileSync } from 'node:fs';
const args = process.argv.slice(2);
console.error('first line\\n 50 %  half');
if (args.some((arg) => arg.endsWith('market=bad'))) {
  console.error('nothing fits\\n  Change it.');
  process.exit(1);
}
if (args[0] === 'parity') console.log(args.join(' ')), process.exit(0);
const path = args[args.indexOf('--report') + 1];
setInterval(() => existsSync(process.argv[1] + '.go') && (writeFileSync(path, args.slice(0, -1).join(' ')), process.exit(0)), 20);
`;

function place() {
  const folder = folderOf({ 'command.mjs': COMMAND });
  for (const id of ['a', 'bad']) mkdirSync(join(folder, 'recordings', `market=${id}`), { recursive: true });
  const at = (name: string) => join(folder, name);
  const places = {
    ledger: { path: at('ledger.sqlite') },
    recording: { dir: at('recordings') },
    journal: { dir: at('runs') },
  };
  const reports = new Reports({ file: 'trader.yaml', ...places }, at('command.mjs'));
  onTestFinished(() => reports.close());
  return { folder, reports };
}

test('a backtest is made with progress, one at a time, and then read by its name alone', async () => {
  const { folder, reports } = place();
  const nothing = { isWorking: false, said: '', parity: '', journals: [], reports: [] };
  expect(reports.view()).toEqual({ ...nothing, recordings: ['market=bad', 'market=a'] });
  expect(reports.start('backtest', 'market=c').refusal).toBe('there is no recording market=c');
  expect(reports.start('backtest', 'market=a').refusal).toBeNull();
  expect(reports.start('ledger', null).refusal).toBe('another report is being made');
  await untilTrue(() => reports.view().said === 'backtest: 50 %  half');
  const older = '2001-01-01 00.00.00 UTC ledger.html';
  writeFileSync(join(folder, 'ledger.sqlite.reports', older), '');
  mkdirSync(join(folder, 'command.mjs.go'));
  await untilTrue(() => !reports.view().isWorking);
  const [name = '', next] = reports.view().reports;
  expect(next).toBe(older);
  expect(reports.view().said).toBe(`${name} is ready`);
  const data = join(folder, 'recordings', 'market=a');
  expect(reports.read(name)).toBe(`backtest --data ${data} -c trader.yaml --report`);
  expect(reports.read(`../ledger.sqlite.reports/${name}`)).toBeNull();
});

test('a run with a journal is compared with its backtests, and the comparison is shown', async () => {
  const { folder, reports } = place();
  mkdirSync(join(folder, 'runs', 'mx1'), { recursive: true });
  writeFileSync(join(folder, 'runs', 'mx1', 'run.json'), '');
  expect(reports.view().journals).toEqual(['mx1']);
  expect(reports.start('parity', 'mx2').refusal).toBe('there is no journal of run mx2');
  expect(reports.start('parity', 'mx1').refusal).toBeNull();
  await untilTrue(() => !reports.view().isWorking);
  expect(reports.view()).toMatchObject({
    said: 'the comparison of run mx1 with its backtests is below',
    parity: 'parity mx1 -c trader.yaml\n',
    reports: [],
  });
});

test('a command that fails leaves its message with the hint', async () => {
  const { reports } = place();
  reports.start('backtest', 'market=bad');
  await untilTrue(() => !reports.view().isWorking);
  expect(reports.view()).toMatchObject({ said: 'backtest: nothing fits Change it.', reports: [] });
});
