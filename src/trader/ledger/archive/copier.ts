/** Finds what may leave a ledger and copies it into its archives, some rows at a time; the ledger is only read. */

import { FINAL_INTENT_STATES } from '../contract.js';
import { Database } from '../database.js';
import {
  type ArchivedIntent,
  type ArchivedOrder,
  type ArchivedRows,
  formatMonth,
  writeArchive,
} from './archive-file.js';
import { IS_OVER, MOVED_NOTHING } from './archived-orders.js';
import type { ArchivedIntents } from './contract.js';

/** The newest stay, whatever their age: who counts what was done of late reads them. */
const NEWEST_INTENTS = 2_000;

/** What was copied, and where the search goes on; null at the end. */
export interface CopiedRows {
  readonly archived: ArchivedIntents;
  readonly next: number | null;
}

interface Candidate {
  readonly seq: number;
  readonly id: string;
  readonly created_ms: number;
  readonly whole: number;
}

/** What a search in a ledger would take out. */
export interface Expendable {
  readonly intents: number;
  readonly orders: number;
  /** Intents that stay, and lose their texts. */
  readonly texts: number;
  /** Our clock, ms; null for none. */
  readonly oldestMs: number | null;
}

const FROM = 'FROM intents LEFT JOIN orders ON orders.intent_id = intents.id';
const NOT_NEWEST = `intents.seq <= (SELECT max(seq) FROM intents) - ?`;
const WHOLE = `(${IS_OVER} AND (orders.pubkey IS NULL OR (${MOVED_NOTHING})))`;
const BARE = `(intents.message IS NOT NULL AND intents.updated_ms < ?
  AND intents.state IN (${FINAL_INTENT_STATES.map((state) => `'${state}'`).join(', ')}))`;

/** What may leave whole stands with 1, what only loses its texts with 0. */
const CANDIDATES = `SELECT intents.seq, intents.id, intents.created_ms, ${WHOLE} AS whole ${FROM}
  WHERE intents.seq > ? AND ${NOT_NEWEST} AND (${WHOLE} OR ${BARE}) ORDER BY intents.seq LIMIT ?`;

/** Looks into a ledger, beside whoever writes it. */
export class ArchiveCopier {
  readonly #db: Database;
  readonly #beforeMs: number;
  readonly #newest: number;

  /** @param beforeMs only what was over before this moment, our clock, ms. Throws as `openReadOnly` does. */
  constructor(ledgerPath: string, beforeMs: number, newest = NEWEST_INTENTS) {
    this.#newest = newest;
    this.#db = Database.openReadOnly(ledgerPath);
    this.#beforeMs = beforeMs;
  }

  /** Copies at most `most` intents behind this place, with their orders. On return they are on the disk. */
  copy(after: number, most: number): CopiedRows {
    const times = [this.#beforeMs, this.#beforeMs];
    const found = this.#db.all<Candidate>(CANDIDATES, ...times, after, this.#newest, ...times, this.#beforeMs, most);
    const whole = found.filter((row) => row.whole === 1).map(({ id }) => id);
    const texts = found.filter((row) => row.whole !== 1).map(({ id }) => id);
    for (const month of new Set(found.map((row) => formatMonth(row.created_ms)))) {
      const rows = found.filter((row) => formatMonth(row.created_ms) === month);
      writeArchive(this.#db.path, month, this.#ledgerId, this.#readRows(rows));
    }
    return {
      archived: { whole, texts, beforeMs: this.#beforeMs },
      next: found.length < most ? null : (found.at(-1)?.seq ?? null),
    };
  }

  count(): Expendable {
    const times = [this.#beforeMs, this.#beforeMs];
    const sql = `SELECT count(*) FILTER (WHERE whole = 1) AS intents, count(*) FILTER (WHERE whole = 1 AND pubkey IS NOT NULL) AS orders,
      count(*) FILTER (WHERE whole <> 1) AS texts, min(created_ms) AS oldestMs
      FROM (SELECT intents.created_ms, orders.pubkey, ${WHOLE} AS whole ${FROM} WHERE ${NOT_NEWEST} AND (${WHOLE} OR ${BARE}))`;
    const found = this.#db.get<Expendable>(sql, ...times, this.#newest, ...times, this.#beforeMs);
    return found ?? { intents: 0, orders: 0, texts: 0, oldestMs: null };
  }

  close(): void {
    this.#db.close();
  }

  /** Its first run: nothing ever removes that, and no other ledger has it. */
  get #ledgerId(): string {
    return this.#db.get<{ id: string }>('SELECT id FROM runs ORDER BY rowid LIMIT 1')?.id ?? '';
  }

  #readRows(found: readonly Candidate[]): ArchivedRows {
    const one = <Row>(sql: string) => found.flatMap(({ id }) => this.#db.all<Row>(sql, id));
    return {
      intents: one<ArchivedIntent>('SELECT * FROM intents WHERE id = ?'),
      orders: one<ArchivedOrder>(
        'SELECT orders.* FROM orders WHERE intent_id = ? AND filled = 0 AND booked = 0 AND failed = 0',
      ),
    };
  }
}
