/** Which of two consoles sends alerts. */

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Duty } from '../../../src/shell/console/watch.js';
import { newFolder } from '../../support/folders.js';

function dutyAt(path: string) {
  const notes: string[] = [];
  const duty = new Duty({ path, startedMs: Date.UTC(2026, 10, 23), note: (text) => notes.push(text) });
  onTestFinished(() => duty.close());
  return { duty, notes };
}

test('of two consoles the first has it, the second says whose it is, and takes it when that one ends', () => {
  const path = join(newFolder(), 'ledger.console');
  const [first, second] = [dutyAt(path), dutyAt(path)];
  const taken = [first.duty.take(), second.duty.take(), second.duty.take(), first.duty.take()];
  expect(taken).toEqual([true, false, false, true]);
  expect(first.notes).toEqual([]);
  expect(second.notes).toEqual([
    expect.stringContaining(
      `warning: process ${process.pid}, started 2026-11-23 00:00:00 UTC, is another console of this trader`,
    ),
  ]);
  first.duty.close();
  expect([second.duty.take(), first.duty.take()]).toEqual([true, false]);
  expect(second.notes.at(-1)).toBe('this console now sends the alerts and stores the history');
});

test('a folder that is not there is told of, and held as soon as it comes', () => {
  const folder = join(newFolder(), 'later');
  const [first, second] = [dutyAt(join(folder, 'ledger.console')), dutyAt(join(folder, 'ledger.console'))];
  expect([first.duty.take(), first.duty.take()]).toEqual([true, true]);
  expect(first.notes).toEqual([expect.stringContaining(`there is no folder ${folder}`)]);
  mkdirSync(folder);
  expect([first.duty.take(), second.duty.take()]).toEqual([true, false]);
});

test('a lock that cannot be used keeps nobody from telling', () => {
  const path = join(newFolder(), 'ledger.console');
  mkdirSync(`${path}.lock`);
  const { duty, notes } = dutyAt(path);
  expect([duty.take(), duty.take()]).toEqual([true, true]);
  expect(notes).toEqual([expect.stringContaining('each alert twice')]);
  rmSync(`${path}.lock`, { recursive: true });
  expect([duty.take(), dutyAt(path).duty.take()]).toEqual([true, false]);
});
