import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Database } from '../../../src/trader/ledger/database.js';
import { newFolder } from '../../support/folders.js';

/** Returns the file of a ledger, and a function that writes rows of some size. */
function newDatabase() {
  const path = join(newFolder(), 'ledger.sqlite');
  const database = Database.open(path);
  const write = (rows: number): void =>
    database.transaction(() => {
      for (let row = 0; row < rows; row++) {
        database.run('INSERT INTO notes (key, value) VALUES (hex(randomblob(8)), hex(randomblob(500)))');
      }
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
});
