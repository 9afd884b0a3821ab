/**
 * Orders of which nothing was filled, after they went into an archive. The ledger keeps their terms for good: an order is never
 * foreign because it is old, and a trade of one, however late, is booked once, by the same rules as any other.
 */

import { micros, ZERO } from '../../../shared/base/micros.js';
import type { OrderStatus, Side } from '../../../shared/protocol/states.js';
import { FINAL_INTENT_STATES, type OrderRecord } from '../contract.js';
import type { Database } from '../database.js';
import type { ArchivedIntents } from './contract.js';

const FINAL = FINAL_INTENT_STATES.map((state) => `'${state}'`).join(', ');

/** Of an intent that is over: nothing will change it, and nothing that stays needs it. */
export const IS_OVER = `intents.state IN (${FINAL}) AND intents.updated_ms < ?
  AND NOT EXISTS (SELECT 1 FROM conversions WHERE conversions.intent_id = intents.id)`;

/** Of an order that moved nothing and never will. The newest stays, so that its place is given out once. */
export const MOVED_NOTHING = `orders.closed_ms < ? AND orders.filled = 0 AND orders.booked = 0 AND orders.failed = 0
  AND orders.seq < (SELECT max(seq) FROM orders)
  AND NOT EXISTS (SELECT 1 FROM fills WHERE fills.order_pubkey = orders.pubkey)
  AND NOT EXISTS (SELECT 1 FROM failed_trades WHERE failed_trades.order_pubkey = orders.pubkey)`;

interface ArchivedColumns {
  readonly pubkey: string;
  readonly intent_id: string;
  readonly market: string;
  readonly is_yes: number;
  readonly side: Side;
  readonly price: number;
  readonly amount: number;
  readonly status: OrderStatus;
  readonly created_ms: number;
  readonly closed_ms: number;
}

/** As its row said when it was archived; null for any other. */
export function archivedOrder(db: Database, pubkey: string): OrderRecord | null {
  const sql = `SELECT archived_orders.*, archived_terms.market FROM archived_orders
    JOIN archived_terms ON archived_terms.id = terms WHERE pubkey = ?`;
  const row = db.get<ArchivedColumns>(sql, pubkey);
  if (row === undefined) return null;
  return {
    pubkey,
    intentId: row.intent_id,
    marketConditionId: row.market,
    isYes: row.is_yes === 1,
    side: row.side,
    priceMicros: micros(row.price),
    amountMicros: micros(row.amount),
    filledMicros: ZERO,
    bookedMicros: ZERO,
    failedMicros: ZERO,
    status: row.status,
    createdMs: row.created_ms,
    closedMs: row.closed_ms,
  };
}

/** As `Ledger.putAway`. */
export function putAway(db: Database, { whole, texts, beforeMs }: ArchivedIntents): void {
  for (const id of whole) {
    const order = `orders.intent_id = ? AND ${MOVED_NOTHING}`;
    db.run(KEEP_TERMS, id);
    db.run(`${KEEP_ORDER} WHERE ${order}`, id, beforeMs);
    db.run(`DELETE FROM orders WHERE ${order} AND pubkey IN (SELECT pubkey FROM archived_orders)`, id, beforeMs);
    const alone = 'NOT EXISTS (SELECT 1 FROM orders WHERE orders.intent_id = intents.id)';
    db.run(`DELETE FROM intents WHERE id = ? AND ${IS_OVER} AND ${alone}`, id, beforeMs);
  }
  const bare = `UPDATE intents SET message = NULL, signature = NULL WHERE id = ? AND state IN (${FINAL}) AND updated_ms < ?`;
  for (const id of texts) db.run(bare, id, beforeMs);
}

const SAME_TERMS = ['run_id', 'market', 'strategy', 'fee_rate', 'config_hash'];

const KEEP_TERMS = `INSERT INTO archived_terms (${SAME_TERMS.join(', ')})
  SELECT ${SAME_TERMS.map((name) => `intents.${name}`).join(', ')} FROM intents JOIN orders ON orders.intent_id = intents.id
  WHERE intents.id = ? ON CONFLICT DO NOTHING`;

const KEEP_ORDER = `INSERT INTO archived_orders
  SELECT orders.pubkey, archived_terms.id, orders.intent_id, orders.is_yes, orders.side, orders.price, orders.amount,
    orders.status, intents.state, orders.created_ms, orders.closed_ms
  FROM orders JOIN intents ON intents.id = orders.intent_id
  JOIN archived_terms ON ${SAME_TERMS.map((name) => `archived_terms.${name} = intents.${name}`).join(' AND ')}`;

/** Makes rows again of an order that was archived, without what only the archive has. */
export function bringBack(db: Database, pubkey: string): void {
  db.run(INTENT_AGAIN, pubkey);
  db.run(ORDER_AGAIN, pubkey);
  db.run('DELETE FROM archived_orders WHERE pubkey = ?', pubkey);
}

const FROM_ARCHIVED = 'FROM archived_orders JOIN archived_terms ON archived_terms.id = terms WHERE pubkey = ?';

const INTENT_AGAIN = `INSERT INTO intents (id, run_id, kind, market, is_yes, side, price, amount, fee_rate, strategy, reason,
    state, draft_pubkey, submit_count, created_ms, updated_ms, last_reason, config_hash)
  SELECT intent_id, run_id, 'place', market, is_yes, side, price, amount, fee_rate, strategy,
    '{"archived":"its reason is in the archive"}', state, pubkey, 1, created_ms, closed_ms, 'back from the archive', config_hash
  ${FROM_ARCHIVED}`;

const ORDER_AGAIN = `INSERT INTO orders (pubkey, intent_id, market, is_yes, side, price, amount, filled, status, created_ms,
    closed_ms)
  SELECT pubkey, intent_id, market, is_yes, side, price, amount, 0, status, created_ms, closed_ms ${FROM_ARCHIVED}`;
