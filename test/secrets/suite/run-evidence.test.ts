import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createKeyFile, saveCredentials } from '../../../src/shell/wallet/key-file.js';
import { folderOf } from '../../support/folders.js';
import { searchRun } from './run-evidence.js';

it('finds a secret of one folder in what another program of the run said, and nothing where nothing is', async () => {
  const folder = folderOf({ 'removed/1/ledger.txt': 'fills and orders', 'output/start.txt': 'quoting' });
  createKeyFile({ path: join(folder, 'removed/1/wallet.json'), passphrase: null });
  const owner = { baseUrl: 'http://venue', wallet: 'w' };
  saveCredentials(join(folder, 'removed/1/credentials.json'), owner, { apiKey: 'k', secret: 'a secret of the venue' });
  expect(await searchRun(folder)).toMatchObject({ secrets: 3, files: 2, leaks: [] });
  writeFileSync(join(folder, 'output/other.txt'), Buffer.from('so: a secret of the venue').toString('hex'));
  writeFileSync(join(folder, 'removed/1/exchange.sqlite'), 'a secret of the venue');
  const { leaks } = await searchRun(folder);
  // Otherwise the search at the end of this run would also find it.
  unlinkSync(join(folder, 'output/other.txt'));
  expect(leaks.map(({ file, form }) => `${file} ${form}`)).toEqual(['output/other.txt hex']);
});
