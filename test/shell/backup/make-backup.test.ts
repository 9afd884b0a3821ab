/** Backups that cannot be made. */

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { locateBackupFolder, makeBackup } from '../../../src/shell/backup/backups.js';
import { folderOf } from '../../support/folders.js';

const NOW_MS = Date.UTC(2026, 0, 1);

const failBackup = async (keptFreeBytes: number, files = {}) => {
  const path = join(folderOf(files), 'ledger.sqlite');
  writeFileSync(path, 'this is no database');
  writeFileSync(`${path}-wal`, Buffer.alloc(2_500_000));
  const attempt = makeBackup({ path, backups: { maxBytes: 1e9 } }, NOW_MS, keptFreeBytes);
  const error: unknown = await attempt.catch((reason: unknown) => reason);
  return { error, files: readdirSync(locateBackupFolder(path)) };
};

it('a backup that would take the space which the ledger needs is refused before its copy', async () => {
  const { error, files } = await failBackup(1e18);
  const text =
    /^the ledger's copy needs 3 MB, and \d+ MB are free: less than 1000000000000 MB would be left free on the disk of/;
  expect(error).toMatchObject({ code: 'file_unreadable', message: expect.stringMatching(text) });
  expect(files).toEqual([]);
});

it('a failed copy reports the reason of its thread', async () => {
  const { error } = await failBackup(0);
  const text = /^the ledger .*ledger\.sqlite cannot be copied: file is not a database$/;
  expect(error).toMatchObject({ code: 'file_unreadable', message: expect.stringMatching(text) });
});

it('a backup removes the copies of ended processes, and keeps a copy that another process is writing', async () => {
  const copies = [process.pid, process.ppid, 999_999_999].map((pid) => `1.sqlite.unchecked.${pid}`);
  const listed = Object.fromEntries(copies.map((name) => [`ledger.sqlite.backups/${name}-wal`, '']));
  const { files } = await failBackup(1e18, { ...listed, 'ledger.sqlite.backups/0.sqlite.unchecked': '' });
  expect(files).toEqual([`${copies[1]}-wal`]);
});
