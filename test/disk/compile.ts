/** Compiles `faulty-disk.c` to a loadable library with the machine's C compiler, once per version of the source. */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SOURCE = join(import.meta.dirname, 'faulty-disk.c');
const ROOT = resolve(import.meta.dirname, '../..');
/** The headers of the SQLite version that loads it. */
const HEADERS = join(ROOT, 'node_modules/better-sqlite3/deps/sqlite3');
const CACHE = join(ROOT, 'node_modules/.cache/twinbook');

/** The path of the library, or the reason why it is missing: a test that needs it must report that it was skipped. */
export function compiledDisk(): { readonly path: string } | { readonly missing: string } {
  if (process.platform !== 'linux') return { missing: `the faulty disk is written for Linux, not ${process.platform}` };
  if (spawnSync('cc', ['--version']).status !== 0) return { missing: 'there is no C compiler (cc) here' };
  if (!existsSync(join(HEADERS, 'sqlite3ext.h'))) return { missing: `there are no headers of SQLite in ${HEADERS}` };
  const hash = createHash('sha256')
    .update(readFileSync(SOURCE))
    .update(readFileSync(join(HEADERS, 'sqlite3ext.h')));
  const path = join(CACHE, `faulty-disk-${process.arch}-${hash.digest('hex').slice(0, 16)}.so`);
  if (!existsSync(path)) compile(path);
  return { path };
}

function compile(path: string): void {
  mkdirSync(CACHE, { recursive: true });
  // Several processes may compile at once; each renames a whole library into place.
  const own = `${path}.${process.pid}`;
  execFileSync('cc', ['-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', '-I', HEADERS, '-o', own, SOURCE]);
  renameSync(own, path);
}
