import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { makeFolder } from '../../../src/shared/base/folder.js';

const root = mkdtempSync(join(tmpdir(), 'twinbook-folder-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('makes what is missing, and nothing when it is there', () => {
  const deep = join(root, 'a', 'b', 'c');
  makeFolder(deep);
  makeFolder(deep);
  expect(existsSync(deep)).toBe(true);
});

it.skipIf(!existsSync('/proc'))('gives up where no folder can be made, in place of trying for ever', () => {
  expect(() => makeFolder('/proc/twinbook/data')).toThrow();
});
