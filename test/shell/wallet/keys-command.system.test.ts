/** `twinbook keys create` and `import`: a key is sealed unless the user declines. A pipe in place of a key file. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isSealedKeyFile, openKeyFile } from '../../../src/shell/wallet/key-file.js';
import { run } from '../../cli/run.js';
import { folderOf } from '../../support/folders.js';

// Sealing takes a second and 256 MiB each time, and many times as long on a loaded machine.
const env = { TWINBOOK_WALLET_PASSPHRASE: 'correct horse' };
const create = ['keys', 'create', '--file', 'wallet.json'];

it('makes no key file without a passphrase, and says what to set', async () => {
  const cwd = folderOf({});
  writeFileSync(join(cwd, 'id.json'), 'c0ffee42'.repeat(8), { mode: 0o600 });
  for (const argv of [create, ['keys', 'import', '--from', 'id.json', '--to', 'wallet.json']]) {
    const ran = await run(argv, { cwd });
    expect(ran).toMatchObject({ code: 4, out: '' });
    expect(ran.err).toContain('no passphrase is set to encrypt');
    expect(ran.err).toContain('TWINBOOK_WALLET_PASSPHRASE_FILE');
    expect(existsSync(join(cwd, 'wallet.json'))).toBe(false);
  }
});

it('seals with a passphrase, dearly for whoever guesses, and without one only when told so', async () => {
  const cwd = folderOf({});
  const path = join(cwd, 'wallet.json');
  const sealed = await run(create, { cwd, env });
  expect(sealed).toMatchObject({ code: 0, err: '' });
  expect(isSealedKeyFile(path)).toBe(true);
  // The default cost of `createKeyFile`.
  expect(JSON.parse(readFileSync(path, 'utf8')).sealed).toMatchObject({ kdf: 'scrypt', n: 2 ** 18, r: 8, p: 1 });
  expect(openKeyFile({ path, passphrase: 'correct horse' }).address).toBe(sealed.out.trim());
  const plain = ['keys', 'create', '--plain-text-key', '--json', '--file', 'plain.json'];
  expect(await run(plain, { cwd, env })).toMatchObject({ code: 2, out: '' });
  expect(JSON.parse((await run(plain, { cwd })).out)).toMatchObject({ sealed: false });
  expect(isSealedKeyFile(join(cwd, 'plain.json'))).toBe(false);
});

it('reading a key does not hang on a pipe, and says what it is', () => {
  const path = join(folderOf({}), 'pipe');
  execFileSync('mkfifo', ['-m', '600', path]);
  expect(() => openKeyFile({ path, passphrase: null })).toThrow('is not a file');
  expect(() => openKeyFile({ path: join(path, 'below'), passphrase: null })).toThrow('a part of its path');
});
