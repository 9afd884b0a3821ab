import fs, { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leaveStopFile, locateStopFile, readStopFile, removeStopFile } from '../../../src/shell/control/stop-file.js';
import { folderOf } from '../../support/folders.js';

const failing = (code: string) => () => {
  throw Object.assign(new Error(`${code}: it fails`), { code });
};

const place = (): string => locateStopFile(join(folderOf({}), 'ledger.sqlite'));

describe('the stop file', () => {
  it('stands beside the ledger, gives its reason and keeps the older one', () => {
    const path = place();
    expect(path.endsWith('/ledger.sqlite.kill')).toBe(true);
    expect(readStopFile(path)).toBeNull();
    leaveStopFile(path, 'odd prices');
    leaveStopFile(path, 'a later reason');
    expect(readStopFile(path)).toBe('odd prices');
    expect(readFileSync(path, 'utf8')).toBe('odd prices\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    removeStopFile(path);
    expect(readStopFile(path)).toBeNull();
    removeStopFile(path);
  });

  it('is never there without its reason, and leaves no other file behind', () => {
    const path = place();
    expect(seenAtEachWrite(path, () => leaveStopFile(path, 'odd prices'))).toEqual([null]);
    expect(readStopFile(path)).toBe('odd prices');
    expect(readdirSync(dirname(path))).toEqual(['ledger.sqlite.kill']);
  });

  it('is empty on a full disk, and stops nevertheless', () => {
    const path = place();
    withFs({ writeSync: failing('ENOSPC') }, () => leaveStopFile(path, 'odd prices'));
    expect(readStopFile(path)).toMatch(/^the stop file .* exists$/);
    expect(readdirSync(dirname(path))).toEqual(['ledger.sqlite.kill']);
  });

  it('is told where it is there and may not last', () => {
    const path = place();
    const leave = () => withFs({ fsyncSync: failing('EIO') }, () => leaveStopFile(path, 'odd prices'));
    expect(leave).toThrow(/cannot be written: EIO/);
    expect(readStopFile(path)).toBe('odd prices');
    expect(readdirSync(dirname(path))).toEqual(['ledger.sqlite.kill']);
  });

  it.each([
    ['', /^the stop file .*\.kill exists$/],
    ['\n \n', /^the stop file .*\.kill exists$/],
    ['a\nb\u0007c\u2028d', /^a b c d$/],
    ['x'.repeat(10_000), /^x{500}$/],
  ])('stops whatever is in it: %j', (text, reason) => {
    const path = place();
    writeFileSync(path, text);
    expect(readStopFile(path)).toMatch(reason);
  });

  it('stops when it is a link that leads nowhere, which nobody can leave another one over', () => {
    const path = place();
    symlinkSync(join(path, 'nowhere'), path);
    leaveStopFile(path, 'why');
    expect(readStopFile(path)).toMatch(/exists and cannot be read: E/);
    rmSync(path);
    symlinkSync('/nowhere/at/all', path);
    leaveStopFile(path, 'why');
    expect(readStopFile(path)).toMatch(/exists and cannot be read: ENOENT/);
    removeStopFile(path);
    expect(readStopFile(path)).toBeNull();
  });

  it('stops when it cannot be read, and says so when it can be neither written nor removed', () => {
    const path = place();
    mkdirSync(path);
    expect(readStopFile(path)).toMatch(/cannot be read: EISDIR/);
    expect(() => removeStopFile(path)).toThrow(/cannot be removed/);
    expect(() => leaveStopFile(join(path, 'none', 'x.kill'), 'why')).toThrow(/cannot be written: ENOENT/);
  });
});

/** Runs the work with these functions in place of those of `node:fs`. */
function withFs(changes: Partial<typeof fs>, work: () => void): void {
  const usual = Object.fromEntries(Object.keys(changes).map((name) => [name, Reflect.get(fs, name)]));
  Object.assign(fs, changes);
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(fs, usual);
    syncBuiltinESMExports();
  }
}

/** The file's content for a trader just before each write. */
function seenAtEachWrite(path: string, work: () => void): (string | null)[] {
  const seen: (string | null)[] = [];
  const write = fs.writeSync;
  // Keeps the overloads of the original: its arguments are passed on.
  const writeSync = ((...args: Parameters<typeof write>) => {
    seen.push(readStopFile(path));
    return write(...args);
  }) as typeof write;
  withFs({ writeSync }, work);
  return seen;
}
