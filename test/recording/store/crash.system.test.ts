/** Real killed processes, and a real full disk. */

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifyRecordings } from '../../../src/recording/inspect/verify.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';
import { at, market, opened, openStore, START_MS } from './writing.js';

const WRITER = join(import.meta.dirname, 'endless-writer.ts');

/** Runs the writer until it has reported this count of numbers, kills it, and returns the last reported number. */
function killedAfter(folder: string, first: number, numbers: number): Promise<number> {
  const argv = ['--import', import.meta.resolve('tsx'), WRITER, folder, String(first)];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.split('\n').length > numbers) child.kill('SIGKILL');
  });
  return new Promise((resolve) => {
    // Output written to the pipe before the kill still arrives.
    child.on('close', () => resolve(Number(said.split('\n').at(-2))));
  });
}

const levelsOf = async (folder: string): Promise<number[]> =>
  (await rowsOf(await opened(folder), START_MS))
    .filter((row) => row.includes(' level '))
    .map((row) => Number(row.split(' ').at(-1)));

it('kill -9 costs nothing that was flushed, time after time', async () => {
  const folder = newFolder();
  let first = 0;
  for (const numbers of [1, 5, 9]) {
    const safe = await killedAfter(folder, first, numbers);
    expect(safe).toBeGreaterThan(first);
    const levels = await levelsOf(folder);
    // Every number appears once and in order; unreported numbers may be missing.
    expect(levels).toEqual(levels.toSorted((a, b) => a - b));
    expect(new Set(levels).size).toBe(levels.length);
    expect(levels.filter((level) => level > first && level <= safe)).toHaveLength(safe - first);
    first = levels.at(-1) ?? 0;
  }
  // A cut last line is reported as damage; there is no other finding.
  const { findings } = await verifyRecordings([folder]);
  const differences = findings.filter(({ severity }) => severity === 'difference').map(({ message }) => message);
  expect(differences.filter((message) => message !== '1 line was cut or broken: skipped')).toEqual([]);
  await (await openStore(folder)).close();
  expect((await levelsOf(folder)).at(-1)).toBe(first);
});

/** A disk of one megabyte; null without permission to mount one. */
function smallDisk(): string | null {
  const folder = join(newFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return null;
  }
  return folder;
}

it('a full disk is an error that harms nothing, and a gap when the recording goes on', async ({ skip }) => {
  const folder = smallDisk();
  if (folder === null) return skip('a small disk of our own needs root');
  try {
    await fillAndGoOn(folder);
  } finally {
    execFileSync('umount', [folder]);
  }
});

async function fillAndGoOn(folder: string): Promise<void> {
  const store = await openStore(join(folder, 'recordings'));
  const sink = store.market(market());
  sink.clear(at(0));
  sink.level(at(0), 0, 400_000, 1_000_000);
  await store.flush();
  let ms = 0;
  const fill = async (): Promise<unknown> => {
    for (;;) {
      for (let row = 0; row < 500; row++) sink.level(at(++ms), 1, 500_000, ms * 1_000_000);
      const failure = await store.flush().then(
        () => null,
        (error: unknown) => error,
      );
      if (failure !== null) return failure;
    }
  };
  expect(await fill()).toMatchObject({ code: 'file_unreadable', message: expect.stringContaining('ENOSPC') });
  await store.close();
  // Flushed data is readable; the failed flush is absent completely.
  const kept = await levelsOf(join(folder, 'recordings'));
  const last = kept.at(-1) ?? 0;
  expect(last).toBeLessThan(ms);
  expect(kept).toHaveLength(1 + last);
  // Frees space on the disk.
  execFileSync('mount', ['-o', 'remount,size=16m', folder]);
  const next = await openStore(join(folder, 'recordings'));
  const again = next.market(market());
  again.clear(at(ms + 10_000));
  again.level(at(ms + 10_000), 0, 410_000, 3_000_000);
  again.end(at(ms + 20_000));
  await next.close();
  const recording = await opened(join(folder, 'recordings'));
  expect(recording.summary?.gaps).toEqual([
    { fromMs: START_MS + last, toMs: START_MS + ms + 10_000, reason: 'nothing was recorded' },
  ]);
  expect((await rowsOf(recording, START_MS)).slice(-3)).toEqual([
    `${ms + 10_000} clear`,
    `${ms + 10_000} level bid 0.41 3`,
    `${ms + 20_000} end`,
  ]);
  expect(await verifyRecordings([join(folder, 'recordings')])).toMatchObject({ findings: [{ severity: 'note' }] });
}
