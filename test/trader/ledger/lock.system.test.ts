/** The writer lock against other processes: one that was killed, and one of another user of the machine. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { lockWriter } from '../../../src/trader/ledger/lock.js';
import { newFolder, sharedFolder } from '../../support/folders.js';
import { HOLDER } from './books.js';

const ROOT = join(import.meta.dirname, '../../..');

it('a writer’s lock dies with a process that was killed', async () => {
  const path = join(newFolder(), 'ledger.sqlite');
  const lock = join(ROOT, 'src/trader/ledger/lock.ts');
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
});

const NOBODY = 65_534;
const HOLD_IT = `
try {
  const Sqlite = require('better-sqlite3');
  const sqlite = new Sqlite(process.argv[1], { readonly: true });
  sqlite.exec('BEGIN');
  sqlite.prepare('SELECT * FROM holder').all();
  console.log('held');
  setInterval(() => undefined, 1000);
} catch (error) {
  console.log(error.code);
}`;

it('another user of the machine cannot keep a trader from starting after a crash', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root can act as another user');
  const path = join(sharedFolder(), 'ledger.sqlite');
  const before = process.umask(0o022);
  openLedger(path, HOLDER).close();
  process.umask(before);
  const child = spawn(process.execPath, ['-e', HOLD_IT, `${path}.lock`], {
    cwd: ROOT,
    env: { ...process.env, NODE_OPTIONS: '' },
    uid: NOBODY,
    gid: NOBODY,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.on('error', () => undefined);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  // Any other output means that the other user cannot load SQLite from this folder.
  if (/MODULE|EACCES/.test(String(said))) skip(`another user cannot read ${ROOT}`);
  expect(String(said).trim()).toBe('SQLITE_CANTOPEN');
  openLedger(path, HOLDER).close();
});
