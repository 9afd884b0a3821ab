/** Attacks by another user of the machine on a trader whose folder is accessible. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { HOLDER } from './books.js';

/** Folder that other users can access, unlike the temporary folder. */
function sharedFolder(): string {
  const folder = mkdtempSync('/tmp/twinbook-shared-');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  return folder;
}

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

describe('another user of the machine', () => {
  it('cannot keep a trader from starting after a crash', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can act as another user');
    const path = join(sharedFolder(), 'ledger.sqlite');
    const before = process.umask(0o022);
    openLedger(path, HOLDER).close();
    process.umask(before);
    const root = join(import.meta.dirname, '../../..');
    const env = { ...process.env, NODE_OPTIONS: '' };
    const child = spawn(process.execPath, ['-e', HOLD_IT, `${path}.lock`], {
      cwd: root,
      env,
      uid: NOBODY,
      gid: NOBODY,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.on('error', () => undefined);
    onTestFinished(() => void child.kill('SIGKILL'));
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    // Any other output means that the other user cannot load SQLite from this folder.
    if (/MODULE|EACCES/.test(String(said))) skip(`another user cannot read ${root}`);
    expect(String(said).trim()).toBe('SQLITE_CANTOPEN');
    openLedger(path, HOLDER).close();
  });
});
