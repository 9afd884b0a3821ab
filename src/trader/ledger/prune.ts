/** Deletes ended intents, and orders without fills, in batches. Rows that a booking references stay. */

import type { Database } from './database.js';
import { FINAL_INTENT_STATES, type PrunedPage, type PrunePage } from './tables.js';

const FINAL = FINAL_INTENT_STATES.map((state) => `'${state}'`).join(', ');

/** SQL: the oldest of the marked orders, at which the next comparison of order lists ends. */
const MARK = `SELECT min(seq) AS seq, min(created_ms) AS createdMs FROM orders
  WHERE pubkey IN (SELECT value FROM json_each(?))`;

const LAST = 'SELECT max(seq) AS seq FROM (SELECT seq FROM intents WHERE seq > ? ORDER BY seq LIMIT ?)';

const PRUNABLE = `SELECT i.seq, i.id, o.pubkey FROM intents AS i LEFT JOIN orders AS o ON o.intent_id = i.id
  WHERE i.seq > ? AND i.seq <= ? AND i.state IN (${FINAL}) AND i.updated_ms < ?
    AND (o.seq IS NULL OR (o.closed_ms < ? AND o.seq < ? AND o.filled = 0 AND o.booked = 0 AND o.failed = 0
      AND NOT EXISTS (SELECT 1 FROM fills WHERE order_pubkey = o.pubkey)
      AND NOT EXISTS (SELECT 1 FROM failed_trades WHERE order_pubkey = o.pubkey)))
    AND NOT EXISTS (SELECT 1 FROM conversions WHERE intent_id = i.id)`;

/**
 * Checks the next `rows` intents and deletes the prunable ones with their orders and events. Only inside a transaction.
 */
export function prunePage(db: Database, page: PrunePage): PrunedPage & { readonly pubkeys: readonly string[] } {
  const { beforeMs, marked, lagMs, after, keeps } = page;
  const mark = db.get<{ seq: number | null; createdMs: number | null }>(MARK, JSON.stringify(marked));
  const last = db.get<{ seq: number | null }>(LAST, after, page.rows)?.seq ?? null;
  if (mark?.seq == null || mark.createdMs === null) return { rows: 0, after: null, untilMs: null, pubkeys: [] };
  const untilMs = Math.min(beforeMs, mark.createdMs - lagMs);
  if (last === null) return { rows: 0, after: null, untilMs, pubkeys: [] };
  const found = db.all<{ seq: number; id: string; pubkey: string | null }>(
    PRUNABLE,
    after,
    last,
    untilMs,
    untilMs,
    mark.seq,
  );
  const pubkeys: string[] = [];
  let rows = 0;
  for (const { seq, id, pubkey } of found) {
    if (keeps(id) || (pubkey !== null && keeps(pubkey))) continue;
    rows += db.run('DELETE FROM events WHERE subject IN (?, ?)', id, pubkey ?? id);
    if (pubkey !== null) {
      rows += db.run('DELETE FROM orders WHERE pubkey = ?', pubkey);
      pubkeys.push(pubkey);
    }
    rows += db.run('DELETE FROM intents WHERE seq = ?', seq);
  }
  return { rows, after: last, untilMs, pubkeys };
}
