/** A ledger belongs to one wallet: another key is rejected before any request or signature. */

import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/shell/config/load.js';
import { openOwnWallet } from '../../../src/shell/daemon/session.js';
import { createKeyFile } from '../../../src/shell/wallet/key-file.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { folderOf } from '../../support/folders.js';
import { HOLDER } from '../../trader/ledger/books.js';
import { trader } from '../config/files.js';

test('says whose the ledger is, whose the file, and makes no other wallet in the place of one that is gone', async () => {
  const cwd = folderOf({ 'trader.yaml': trader('') });
  const config = await loadConfig('trader.yaml', { cwd, env: {} });
  const { file } = config.wallet;
  const ledger = openLedger(config.ledger.path, HOLDER);
  onTestFinished(() => ledger.close());
  const said: string[] = [];
  const open = () => openOwnWallet({ config, env: {}, say: (text) => said.push(text) }, ledger).address;
  const own = open();
  expect([open(), said.length]).toEqual([own, 1]);
  // Journals hold copies of ledgers.
  expect(ledger.note('wallet')).not.toContain(own);
  renameSync(file, join(cwd, 'away.json'));
  const missing = {
    code: 'key_invalid',
    message: expect.stringContaining(`belongs to wallet ${own.slice(0, 6)}…, but there is no wallet file`),
  };
  expect(open).toThrow(expect.objectContaining(missing));
  expect(existsSync(file)).toBe(false);
  const other = createKeyFile({ path: file, passphrase: null });
  const wrong = {
    message: expect.stringContaining(`${file} has the key of ${other.address}`),
    hint: expect.stringContaining(`${own.slice(0, 6)}…`),
  };
  expect(open).toThrow(expect.objectContaining(wrong));
  renameSync(join(cwd, 'away.json'), file);
  expect(open()).toBe(own);
});
