/** Runs of the test runner that are cut off, fail or leave processes: none of their processes remains. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isGone, readMark } from '../../src/shared/base/processes.js';
import { folderOf } from './folders.js';
import { endMarked, FILE_MARK, RUN_MARK } from './life.js';
import { program, type Running } from './processes.js';

const ROOT = resolve(import.meta.dirname, '../..');
const SUPPORT = import.meta.dirname;

const config = (folder: string) => `
export default {
  root: ${JSON.stringify(folder)},
  test: {
    include: ['*.test.ts'],
    globalSetup: [${JSON.stringify(join(SUPPORT, 'life-of-run.ts'))}],
    setupFiles: [${JSON.stringify(join(SUPPORT, 'life-of-file.ts'))}],
  },
};
`;

/** Starts a detached process, as a guardian does, a child of it, and a stopped one. */
const inner = (then: string) => `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
it('leaves processes behind', async () => {
  const below = 'require("node:child_process").spawn("sleep", ["3600"], { detached: true })';
  const start = (words) => spawn(process.execPath, ['-e', words + '; setInterval(() => undefined, 1000)'], { detached: true, stdio: 'ignore' });
  const pids = [start(below).pid, start('0').pid];
  process.kill(pids[1], 'SIGSTOP');
  writeFileSync('pids', pids.join(' '));
  console.log('started ' + pids.join(' '));
  ${then}
});
`;

function innerRun(then: string): Running {
  const folder = folderOf({ 'inner.test.ts': inner(then) });
  const file = join(folderOf({ 'vitest.config.mjs': config(folder) }), 'vitest.config.mjs');
  const words = ['-c', 'cd "$1" && shift && exec "$@"', 'sh', folder];
  const vitest = [process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--config', file];
  // A separate run: with the mark it would be a part of this one.
  const running = program('env', ['-u', RUN_MARK, '-u', FILE_MARK, 'sh', ...words, ...vitest]);
  onTestFinished(() => void running.process.kill('SIGKILL'));
  return running;
}

async function startedBy(running: Running): Promise<readonly ReturnType<typeof readMark>[]> {
  const [, pids = ''] = await running.waitFor(/started ([\d ]+)/);
  return pids
    .trim()
    .split(' ')
    .map((pid) => readMark(Number(pid)));
}

async function untilGone(processes: readonly ReturnType<typeof readMark>[]): Promise<void> {
  while (!processes.every(isGone)) await pause(50);
}

const isLinux = process.platform === 'linux';

describe.skipIf(!isLinux)('what a test starts ends', () => {
  it('when its run is killed in the middle', async () => {
    const running = innerRun('await new Promise(() => undefined);');
    const processes = await startedBy(running);
    expect(processes.some(isGone)).toBe(false);
    const mark = /TWINBOOK_TEST_RUN=([\w-]+)/.exec(readFileSync(`/proc/${processes[0]?.pid}/environ`, 'utf8'))?.[1];
    running.process.kill('SIGKILL');
    await running.exited;
    await untilGone(processes);
    // This includes their own children, and the runner's workers.
    while (endMarked(RUN_MARK, mark ?? '').length > 0) await pause(50);
  });

  it.each([
    ['fails', "throw new Error('no');"],
    ['passes', ''],
  ])('with its file, when it %s', async (_, then) => {
    const running = innerRun(then);
    const processes = await startedBy(running);
    await running.exited;
    await untilGone(processes); // The system may need a moment to remove killed processes.
    expect(running.output()).toContain(`left running by a test: ${processes[0]?.pid} `);
  });
});
