import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { SqliteDriver } from '../../src/shared/base/sqlite-driver.js';
import { FaultyDisk, LOSS_MODES, onDisk } from './faulty-disk.js';

const missing = FaultyDisk.missing();
if (missing !== null) console.warn(`the tests of the faulty disk are skipped: ${missing}`);

const onFile = (work: (disk: FaultyDisk, path: string) => void) =>
  onDisk((disk, folder) => work(disk, join(folder, 'numbers.sqlite')));

type Sync = 'OFF' | 'NORMAL' | 'FULL';

function opened(path: string, synchronous: Sync): Sqlite.Database {
  const sqlite = new SqliteDriver(path);
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma(`synchronous = ${synchronous}`);
  sqlite.exec('CREATE TABLE IF NOT EXISTS numbers (n INTEGER PRIMARY KEY, filler TEXT)');
  return sqlite;
}

const add = (sqlite: Sqlite.Database, n: number) =>
  sqlite.prepare('INSERT INTO numbers VALUES (?, ?)').run(n, 'x'.repeat(3000));

function count(path: string): number {
  const sqlite = new SqliteDriver(path);
  try {
    expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    return Number(sqlite.prepare('SELECT count(*) FROM numbers').pluck().get());
  } finally {
    sqlite.close();
  }
}

/** Numbers of the written sectors. Their contents include SQLite's random salts. */
const sectorsIn = (bytes: Buffer): string =>
  Array.from({ length: Math.ceil(bytes.length / 512) }, (_, n) =>
    bytes.subarray(n * 512, n * 512 + 512).some((byte) => byte !== 0) ? '#' : '.',
  ).join('');

describe.skipIf(missing !== null)('a faulty disk', () => {
  it.each(LOSS_MODES)('keeps what was synced when the power goes (%s)', (mode) =>
    onFile((disk, path) => {
      const sqlite = opened(path, 'FULL');
      for (let n = 0; n < 50; n++) add(sqlite, n);
      disk.crash(1, mode);
      sqlite.close();
      expect(count(path)).toBe(50);
    }),
  );

  it('loses what was not', () =>
    onFile((disk, path) => {
      const sqlite = opened(path, 'NORMAL');
      for (let n = 0; n < 50; n++) add(sqlite, n);
      disk.crash(1, 'all');
      sqlite.close();
      expect(disk.counts().lost).toBeGreaterThan(50);
      expect(() => count(path)).toThrow('no such table');
    }));

  it('leaves the same files after the same operations with the same seed, and others with another', () => {
    const left = (seed: number) => {
      let sectors = '';
      onFile((disk, path) => {
        const sqlite = opened(path, 'FULL');
        sqlite.pragma('synchronous = OFF');
        for (let n = 0; n < 20; n++) add(sqlite, n);
        disk.crash(seed, 'torn');
        sqlite.close();
        sectors = sectorsIn(readFileSync(`${path}-wal`));
      });
      return sectors;
    };
    expect(left(3)).toBe(left(3));
    expect(new Set([1, 2, 3, 4, 5].map(left)).size).toBeGreaterThan(1);
  });

  it('breaks a file whose syncs were left out', () => {
    let broken = 0;
    for (let seed = 1; seed <= 20; seed++) {
      onFile((disk, path) => {
        const sqlite = opened(path, 'FULL');
        for (let n = 0; n < 20; n++) add(sqlite, n);
        sqlite.pragma('wal_checkpoint(TRUNCATE)');
        sqlite.pragma('synchronous = OFF');
        for (let n = 20; n < 60; n++) add(sqlite, n);
        sqlite.pragma('wal_checkpoint(TRUNCATE)');
        disk.crash(seed, 'torn');
        sqlite.close();
        try {
          if (count(path) !== 60) broken += 1;
        } catch {
          broken += 1;
        }
      });
    }
    expect(broken).toBeGreaterThan(10);
  });

  it.each([
    { kind: 'write', error: 'EIO', code: 'SQLITE_IOERR_WRITE' },
    { kind: 'write', error: 'ENOSPC', code: 'SQLITE_FULL' },
    { kind: 'sync', error: 'EIO', code: 'SQLITE_IOERR_FSYNC' },
    { kind: 'sync', error: 'ENOSPC', code: 'SQLITE_IOERR_FSYNC' },
    { kind: 'write', error: 'power-loss', code: 'SQLITE_IOERR_WRITE' },
    { kind: 'sync', error: 'power-loss', code: 'SQLITE_IOERR_FSYNC' },
  ] as const)('fails the third $kind with $error as SQLite knows it ($code)', ({ kind, error, code }) =>
    onFile((disk, path) => {
      const sqlite = opened(path, 'FULL');
      disk.failAt({ kind, error, at: 3, file: 'numbers.sqlite' });
      let added = 0;
      const addAll = () => {
        for (; added < 10; added++) add(sqlite, added);
      };
      expect(addAll).toThrow(expect.objectContaining({ code }));
      expect(disk.counts().failures).toBe(1);
      sqlite.close();
      expect(count(path)).toBeGreaterThanOrEqual(added);
      expect(count(path)).toBeLessThanOrEqual(added + 1);
    }),
  );

  it('never makes durable what a failed sync should have, though the next sync succeeds', () =>
    onFile((disk, path) => {
      const sqlite = opened(path, 'FULL');
      add(sqlite, 0);
      disk.failAt({ kind: 'sync', error: 'EIO', at: 1 });
      expect(() => add(sqlite, 1)).toThrow();
      // SQLite itself continues as if the sync had worked, so the caller must stop.
      add(sqlite, 2);
      disk.crash(1, 'none');
      sqlite.close();
      expect(count(path)).toBeLessThan(3);
    }));

  it('fails by chance, and heals', () =>
    onFile((disk, path) => {
      const sqlite = opened(path, 'FULL');
      disk.failAt({ kind: 'any', error: 'EIO', chance: 0.2, seed: 5 });
      let failed = 0;
      for (let n = 0; n < 100; n++) {
        try {
          add(sqlite, n);
        } catch {
          failed += 1;
        }
      }
      expect(failed).toBeGreaterThan(20);
      expect(failed).toBeLessThan(80);
      disk.heal();
      for (let n = 100; n < 200; n++) add(sqlite, n);
      sqlite.close();
      expect(count(path)).toBeGreaterThanOrEqual(200 - failed);
    }));

  it('is no concern of other folders', () =>
    onFile((disk, path) => {
      onFile((_, other) => {
        const [mine, theirs] = [opened(path, 'NORMAL'), opened(other, 'NORMAL')];
        add(theirs, 1);
        disk.crash(1, 'all');
        add(theirs, 2);
        mine.close();
        theirs.close();
        expect(count(other)).toBe(2);
      });
    }));
});
