import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AlertCenter, type AlertMessage, type Delivery } from '../../../../src/shell/alerts/alert-center.js';
import type { ChannelConfig } from '../../../../src/shell/config/config.js';
import { AlertStore, locateStore, StoreFile } from '../../../../src/shell/console/store.js';
import { lockWriter } from '../../../../src/trader/ledger/lock.js';
import { run } from '../../../cli/run.js';
import { folderOf, newFolder } from '../../../support/folders.js';
import { FACTS } from '../../alerts/facts.js';
import { trader } from '../../config/files.js';

const MINUTE = 60_000;
const at = (ms: number) => ({ nowMs: ms, steadyMs: ms });
const CHANNEL = { name: 'chat', kind: 'slack', min: 'info', summary: true } as ChannelConfig;

function openFile(path = join(newFolder(), 'console')): StoreFile {
  const file = new StoreFile({ path, note: () => undefined, nowMs: () => 0, steadyMs: () => 0 });
  onTestFinished(() => file.close());
  return file;
}

/** A console's alert center, and its sent messages. */
function openCenter(file: StoreFile, answer: Delivery, nowMs: number) {
  const sent: AlertMessage[] = [];
  const center = new AlertCenter({
    config: { channels: [CHANNEL] },
    run: `${nowMs}`,
    openSender: () => (message) => {
      sent.push(message);
      return Promise.resolve(answer);
    },
    note: () => undefined,
    memory: new AlertStore(file),
    ...at(nowMs),
  });
  return { center, sent };
}

const failed: Delivery = { kind: 'failed', why: 'away', afterMs: null };
const delivered: Delivery = { kind: 'delivered' };

test('what was not delivered is sent by the next console, and what is open is not told anew', async () => {
  const file = openFile();
  const first = openCenter(file, failed, 0);
  first.center.tick({ ...FACTS, isGuarded: false });
  first.center.tick({ ...FACTS, isGuarded: false, ...at(MINUTE) });
  await Promise.resolve();
  first.center.tick({ ...FACTS, isGuarded: false, ...at(MINUTE + 100) });
  expect(first.sent.map(({ kind }) => kind)).toEqual(['guardian_absent']);
  const next = openCenter(file, delivered, 2 * MINUTE);
  next.center.tick({ ...FACTS, isGuarded: false, ...at(2 * MINUTE) });
  await Promise.resolve();
  next.center.tick({ ...FACTS, isGuarded: false, ...at(2 * MINUTE + 2_000) });
  expect(next.sent).toEqual(first.sent);
  const last = openCenter(file, delivered, 3 * MINUTE);
  last.center.tick({ ...FACTS, ...at(4 * MINUTE) });
  expect(last.sent).toMatchObject([{ kind: 'guardian_absent', state: 'cleared' }]);
});

test('a message is sent again although the clock was set back an hour', async () => {
  const { center, sent } = openCenter(openFile(), failed, 60 * MINUTE);
  center.tick({ ...FACTS, gone: 'it has ended', ...at(60 * MINUTE) });
  await Promise.resolve();
  center.tick({ ...FACTS, gone: 'it has ended', nowMs: 0, steadyMs: 60 * MINUTE + 2_000 });
  expect(sent.map(({ kind }) => kind)).toEqual(['trader_gone', 'trader_gone']);
});

test('a person sees what is open, and says that it was seen', async () => {
  const cwd = folderOf({ 'trader.yaml': trader() });
  const config = ['-c', 'trader.yaml'];
  expect((await run(['alerts', ...config], { cwd })).err).toContain('no alerts are recorded');
  const { center, sent } = openCenter(openFile(locateStore(join(cwd, 'twinbook.sqlite'))), delivered, 0);
  center.tick({ ...FACTS, gone: 'it has ended' });
  const list = async () => JSON.parse((await run(['alerts', '--json', ...config], { cwd })).out) as object[];
  expect(await list()).toMatchObject([{ kind: 'trader_gone', severity: 'critical', acknowledgedMs: null }]);
  expect((await run(['alerts', '--ack', 'nothing', ...config], { cwd })).err).toContain('There are: trader_gone.');
  expect((await run(['alerts', '--ack', 'trader_gone', ...config], { cwd })).code).toBe(0);
  await Promise.resolve();
  center.tick({ ...FACTS, gone: 'it has ended', ...at(16 * MINUTE) });
  expect(sent).toHaveLength(1);
  expect(await list()).toMatchObject([{ acknowledgedMs: expect.any(Number) }]);
});

test('that no alert is open is said only while a console watches, and its store can be read', async () => {
  const cwd = folderOf({ 'trader.yaml': trader() });
  const path = locateStore(join(cwd, 'twinbook.sqlite'));
  const file = openFile(path);
  openCenter(file, delivered, 0).center.tick(FACTS);
  const list = async () => {
    const { code, out, err } = await run(['alerts', '-c', 'trader.yaml'], { cwd });
    return [code, `${out}${err}`];
  };
  expect(await list()).toEqual([
    0,
    expect.stringMatching(/^no alert was open\nwarning: no console watches the trader/),
  ]);
  const lock = lockWriter(path, { pid: process.pid, startedMs: 0 });
  onTestFinished(() => lock.release());
  expect(await list()).toEqual([0, 'no alert is open\n']);
  file.attempt((sqlite) => sqlite.prepare('DELETE FROM kept').run(), undefined);
  expect(await list()).toEqual([1, expect.stringContaining('no alerts can be read')]);
});

test('a damaged state is forgotten', () => {
  const file = openFile();
  file.attempt((sqlite) => sqlite.prepare('INSERT INTO kept VALUES (?, ?)').run('alerts', '{"open":5'), null);
  expect(new AlertStore(file).load()).toBeNull();
});
