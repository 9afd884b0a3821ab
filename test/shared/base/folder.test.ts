import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { makeFolder, SHARED_FOLDER } from '../../../src/shared/base/files.js';

const root = mkdtempSync(join(tmpdir(), 'twinbook-folder-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('makes what is missing, and nothing when it is there', () => {
  const deep = join(root, 'a', 'b', 'c');
  makeFolder(deep);
  makeFolder(deep);
  expect(existsSync(deep)).toBe(true);
});

it('is for its owner alone unless told', () => {
  const mode = (path: string) => statSync(path).mode & 0o777;
  const [own, shared] = [join(root, 'own'), join(root, 'of', 'all')];
  makeFolder(own);
  makeFolder(shared, SHARED_FOLDER);
  expect([mode(own), mode(shared), mode(join(root, 'of'))]).toEqual([
    0o700,
    0o777 & ~process.umask(),
    0o777 & ~process.umask(),
  ]);
});

it.skipIf(!existsSync('/proc'))('gives up where no folder can be made, in place of trying for ever', () => {
  expect(() => makeFolder('/proc/twinbook/data')).toThrow();
});
