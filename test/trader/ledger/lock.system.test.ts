import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lockWriter } from '../../../src/trader/ledger/lock.js';
import { HOLDER, newLedgerPath } from './books.js';

it('a writer’s lock dies with a process that was killed', async () => {
  const { path, remove } = newLedgerPath();
  const lock = join(import.meta.dirname, '../../../src/trader/ledger/lock.ts');
  const script = `
    import { lockWriter } from ${JSON.stringify(lock)};
    // Without this reference the lock would be garbage-collected and closed.
    globalThis.held = lockWriter(${JSON.stringify(path)}, { pid: process.pid, startedMs: 0 });
    console.log('locked');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  expect(() => lockWriter(path, HOLDER)).toThrow(`process ${child.pid}`);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  lockWriter(path, HOLDER).release();
  remove();
});
