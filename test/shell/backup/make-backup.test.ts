/** Backups that cannot be made. */

import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { locateBackupFolder, makeBackup } from '../../../src/shell/backup/backups.js';
import { folderOf } from '../../support/folders.js';

const NOW_MS = Date.UTC(2026, 0, 1);

const failBackup = async (keptFreeBytes: number, folder = folderOf({})) => {
  const path = join(folder, 'ledger.sqlite');
  writeFileSync(path, 'this is no database');
  writeFileSync(`${path}-wal`, Buffer.alloc(2_500_000));
  const attempt = makeBackup({ path, backups: { maxBytes: 1e9 } }, NOW_MS, keptFreeBytes);
  return { error: await attempt.catch((reason: unknown) => reason), files: readdirSync(locateBackupFolder(path)) };
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

it('a backup removes old copies, and keeps a copy that another process may be writing', async () => {
  const copy = 'ledger.sqlite.backups/1.sqlite.unchecked';
  for (const hours of [0, -2, 2]) {
    const folder = folderOf({ [copy]: '' });
    const seconds = Date.now() / 1000 + hours * 3600;
    utimesSync(join(folder, copy), seconds, seconds);
    expect((await failBackup(1e18, folder)).files).toEqual(hours === 0 ? ['1.sqlite.unchecked'] : []);
  }
});
