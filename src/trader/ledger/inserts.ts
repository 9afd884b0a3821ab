/** New rows of intents and orders: every column by its name. */

import type { IntentRow, OrderRecord } from './contract.js';
import type { Database } from './database.js';
import * as rows from './rows.js';

/**
 * Within a transaction.
 *
 * @param seq its place among all intents; null for the next one
 */
export function insertIntent(db: Database, intent: IntentRow, seq: number | null = null): void {
  db.run(
    `INSERT INTO intents (seq, id, run_id, kind, market, is_yes, side, price, amount, redeem_yes, redeem_no, order_pubkey,
       fee_rate, strategy, reason, state, draft_pubkey, message, expires_at_s, signature, submit_count, created_ms,
       updated_ms, last_reason, config_hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    seq,
    intent.id,
    intent.runId,
    intent.kind,
    intent.marketConditionId,
    rows.optionalFlag(intent.isYes),
    intent.side,
    intent.priceMicros,
    intent.amountMicros,
    intent.redeemYesMicros,
    intent.redeemNoMicros,
    intent.orderPubkey,
    intent.feeRateMicros,
    intent.strategy,
    intent.reason,
    intent.state,
    intent.draftPubkey,
    intent.message,
    intent.expiresAtS,
    intent.signature,
    intent.submitCount,
    intent.createdMs,
    intent.updatedMs,
    intent.lastReason,
    intent.configHash,
  );
}

/** What may change of an intent. Within a transaction; its row is there. */
export function updateIntent(db: Database, intent: IntentRow): void {
  db.run(
    `UPDATE intents SET state = ?, draft_pubkey = ?, message = ?, expires_at_s = ?, signature = ?, submit_count = ?,
       updated_ms = ?, last_reason = ? WHERE id = ?`,
    intent.state,
    intent.draftPubkey,
    intent.message,
    intent.expiresAtS,
    intent.signature,
    intent.submitCount,
    intent.updatedMs,
    intent.lastReason,
    intent.id,
  );
}

/** Within a transaction; its intent is there. */
export function insertOrder(db: Database, order: OrderRecord): void {
  db.run(
    `INSERT INTO orders (pubkey, intent_id, market, is_yes, side, price, amount, filled, status, created_ms, closed_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    order.pubkey,
    order.intentId,
    order.marketConditionId,
    rows.flag(order.isYes),
    order.side,
    order.priceMicros,
    order.amountMicros,
    order.filledMicros,
    order.status,
    order.createdMs,
    order.closedMs,
  );
}
