/** Whether what left a ledger is in its archives. */

import type Sqlite from 'better-sqlite3';
import { SqliteDriver } from '../../../shared/base/sqlite-driver.js';
import { Database } from '../database.js';
import { countArchive, findDamage } from './archive-copies.js';
import { type ArchiveListing, findOwner, openArchive } from './archive-file.js';

/** One archive that could be read. */
export interface InspectedArchive extends ArchiveListing {
  readonly intents: number;
  /** Of which nothing was filled. */
  readonly orders: number;
}

/** What was found, in words. */
export interface ArchiveInspection {
  readonly archives: readonly InspectedArchive[];
  /** Archives that cannot be used, one sentence each. */
  readonly problems: readonly string[];
  /** Orders that are in none, one sentence each month. */
  readonly lost: readonly string[];
  /** The same of months that may have gone for their room. */
  readonly notes: readonly string[];
}

/** An order is noted some while after its intent, whose month counts, ms. */
const ORDER_AFTER_INTENT_MS = 3_600_000;

/**
 * Holds a ledger, open anywhere or nowhere, against archives: each can be read, is its own, and every order that left is in one. Reads all
 * of them. A month older than all that are there may have gone for its room, and is a note. Throws as `openReadOnly` does.
 */
export function inspectArchives(ledgerPath: string, archives: readonly ArchiveListing[]): ArchiveInspection {
  // Says in words what is no ledger.
  Database.openReadOnly(ledgerPath).close();
  const db = new SqliteDriver(ledgerPath, { readonly: true });
  try {
    const owner = db.prepare<[], string>('SELECT id FROM runs ORDER BY rowid LIMIT 1').pluck().get() ?? '';
    const sql = `SELECT ${MONTH} AS month, count(*) AS count FROM archived_orders GROUP BY 1`;
    const missing = new Map(
      db
        .prepare<[], Counted>(sql)
        .all()
        .map(({ month, count }) => [month, count]),
    );
    const problems: string[] = [];
    const whole: InspectedArchive[] = [];
    for (const archive of archives) {
      const damage = findDamage(archive.path) ?? findStranger(archive.path, owner);
      if (damage === null) whole.push({ ...archive, ...countArchive(archive.path) });
      else problems.push(`the archive of ${archive.month} (${archive.path}) cannot be used: ${damage}`);
      if (damage !== null) continue;
      for (const { month, count } of findHere(db, archive)) missing.set(month, (missing.get(month) ?? 0) - count);
    }
    const { lost, gone } = divide(missing, whole[0]?.month ?? null);
    return { archives: whole, problems, lost, notes: gone };
  } finally {
    db.close();
  }
}

interface Counted {
  readonly month: string;
  readonly count: number;
}

const MONTH = `strftime('%Y-%m', (created_ms - ${ORDER_AFTER_INTENT_MS}) / 1000, 'unixepoch')`;

function findStranger(path: string, owner: string): string | null {
  const sqlite = openArchive(path);
  try {
    const found = findOwner(sqlite);
    return found === null || found === owner ? null : 'it is of another ledger';
  } finally {
    sqlite.close();
  }
}

/** Orders of the ledger that left for this archive, by their months. */
function findHere(db: Sqlite.Database, { path, month }: ArchiveListing): Counted[] {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const [fromMs, toMs] = [Date.UTC(year, number - 1), Date.UTC(year, number) + ORDER_AFTER_INTENT_MS];
  db.prepare('ATTACH ? AS archive').run(path);
  try {
    const sql = `SELECT ${MONTH} AS month, count(*) AS count FROM archived_orders
      WHERE created_ms >= ? AND created_ms < ? AND EXISTS (SELECT 1 FROM archive.orders
        WHERE archive.orders.pubkey = archived_orders.pubkey) GROUP BY 1`;
    return db.prepare<[number, number], Counted>(sql).all(fromMs, toMs);
  } finally {
    db.exec('DETACH archive');
  }
}

function divide(missing: ReadonlyMap<string, number>, oldest: string | null) {
  const lost: string[] = [];
  const gone: string[] = [];
  for (const [month, count] of [...missing].sort(([a], [b]) => a.localeCompare(b))) {
    if (count <= 0) continue;
    const text = `${count} orders of ${month} that left the ledger are in no archive`;
    if (oldest !== null && month < oldest)
      gone.push(`${text}: it went for its room (ledger.archive.max_mb), or is lost`);
    else lost.push(text);
  }
  return { lost, gone };
}
