import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openKeyFile } from '../../../src/shell/wallet/key-file.js';
import { folderOf } from '../../support/folders.js';

it('reading a key does not hang on a pipe, and says what it is', () => {
  const path = join(folderOf({}), 'pipe');
  execFileSync('mkfifo', ['-m', '600', path]);
  expect(() => openKeyFile({ path, passphrase: null })).toThrow('is not a file');
  expect(() => openKeyFile({ path: join(path, 'below'), passphrase: null })).toThrow('a part of its path');
});
