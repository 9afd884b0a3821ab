import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { Database } from '../../../src/trader/ledger/database.js';
import { newFolder } from '../../support/folders.js';
import { testWithLedger } from './ledger-tests.js';

/** Returns the file of a ledger, and a function that writes rows of some size. */
function newDatabase() {
  const path = join(newFolder(), 'ledger.sqlite');
  const database = Database.open(path);
  const write = (rows: number): void =>
    database.transaction(() => {
      for (let row = 0; row < rows; row++)
        database.run('INSERT INTO notes (key, value) VALUES (hex(randomblob(8)), hex(randomblob(500)))');
    });
  return { database, write, bytes: () => statSync(path).size };
}

describe('the log of a ledger', () => {
  it('is carried over where nothing waits, once it is long', () => {
    const { database, write, bytes } = newDatabase();
    const empty = bytes();
    write(399);
    database.rest();
    expect(bytes()).toBe(empty);
    write(100);
    expect(bytes()).toBe(empty);
    database.rest();
    expect(bytes()).toBeGreaterThan(empty + 400_000);
    database.close();
  });

  it('is carried over by a commit where it became eight times as long', () => {
    const { database, write, bytes } = newDatabase();
    const empty = bytes();
    write(3199);
    expect(bytes()).toBe(empty);
    write(1);
    expect(bytes()).toBeGreaterThan(empty + 2_000_000);
    database.close();
  });

  testWithLedger('gives its room back once a long reader has gone', (ledger, path) => {
    const size = () => statSync(`${path}-wal`).size;
    const write = (events: number, text: string) => {
      ledger.transaction(() => {
        for (let i = 0; i < events; i++) ledger.addEvent({ timeMs: i, severity: 'info', kind: 'test', text });
      });
      ledger.rest();
    };
    const reader = new SqliteDriver(path, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM runs').get();
    write(5_000, 'x'.repeat(2_000));
    write(500, 'x');
    expect(size()).toBeGreaterThan(8_000_000);
    reader.exec('COMMIT');
    reader.close();
    write(500, 'x');
    write(1, 'x');
    expect(size()).toBeLessThanOrEqual(4_000_000);
  });
});
