/** Gives the room that rows have left back to the disk. */

import { SqliteDriver } from '../../../shared/base/sqlite-driver.js';

/** A part of the file below this is not worth writing all of it anew. */
const WORTH = 0.2;

/**
 * Writes the ledger anew without its free pages where they are many; whoever calls it holds its lock. Takes as much room as the ledger
 * while it works, and changes nothing when it ends in the middle. Throws what SQLite throws.
 */
export function compactLedger(path: string): boolean {
  const sqlite = new SqliteDriver(path, { fileMustExist: true });
  try {
    const figure = (name: string) => Number(sqlite.pragma(name, { simple: true }));
    if (figure('freelist_count') < figure('page_count') * WORTH) return false;
    sqlite.pragma('synchronous = FULL');
    sqlite.exec('VACUUM');
    sqlite.pragma('wal_checkpoint(TRUNCATE)');
    return true;
  } finally {
    sqlite.close();
  }
}
