import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { driverFor, SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';

describe('the binding of SQLite', () => {
  it.each([
    ['20.19.0', 'better-sqlite3'],
    ['20.20.2', 'better-sqlite3'],
    ['22.12.0', 'better-sqlite3-13'],
    ['24.19.0', 'better-sqlite3-13'],
    ['26.1.0', 'better-sqlite3-13'],
  ])('of Node %s is %s', (version, name) => expect(driverFor(version)).toBe(name));

  it('that is used is the one of this Node, and works', () => {
    expect(createRequire(import.meta.url)(driverFor(process.versions.node))).toBe(SqliteDriver);
    expect(new SqliteDriver(':memory:').prepare('SELECT 6 * 7').pluck().get()).toBe(42);
  });
});
