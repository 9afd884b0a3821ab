/** The trader's messages about a scheduled backup. */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { locateBackupFolder } from '../../../src/shell/backup/backups.js';
import { loadTraderConfig } from '../../../src/shell/config/load.js';
import { backUpLedger } from '../../../src/shell/daemon/daemon.js';
import { openLog } from '../../../src/shell/daemon/log.js';
import { Screen } from '../../../src/shell/daemon/status-text.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { folderOf } from '../../support/folders.js';
import { HOLDER } from '../../trader/ledger/books.js';
import { trader } from '../config/files.js';

test('says why none was made, and nothing when one was', async () => {
  const cwd = folderOf({ 'trader.yaml': trader('') });
  const config = loadTraderConfig('trader.yaml', { cwd, env: {} });
  const ledger = openLedger(config.ledger.path, HOLDER);
  onTestFinished(() => ledger.close());
  const said: string[] = [];
  const screen = new Screen({ out: (text) => said.push(text), isUnread: () => false });
  const log = openLog(config.log, { write: () => undefined });
  const folder = locateBackupFolder(config.ledger.path);
  writeFileSync(folder, 'a file where the folder should be');
  const why = await backUpLedger(config.ledger, log, screen);
  expect(why).toContain(join(cwd, 'twinbook.sqlite.backups'));
  expect(said.join('')).toContain(`the ledger could not be backed up: ${why}`);
  rmSync(folder);
  expect(await backUpLedger(config.ledger, log, screen)).toBeNull();
});
