/** Rows of intents, orders, fills and markets: every column by its name. */

import type { BookedFill, IntentRow, MarketRecord, OrderRecord } from './contract.js';
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

/**
 * Within a transaction; its intent is there.
 *
 * @param seq its place among all orders; null for the next one
 */
export function insertOrder(db: Database, order: OrderRecord, seq: number | null = null): void {
  db.run(
    `INSERT INTO orders (seq, pubkey, intent_id, market, is_yes, side, price, amount, filled, status, created_ms, closed_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    seq,
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

/** What the exchange may change of an order. Within a transaction; its row is there. */
export function updateOrder(db: Database, { pubkey, status, filledMicros, closedMs }: OrderRecord): void {
  const sql = 'UPDATE orders SET status = ?, filled = ?, closed_ms = ? WHERE pubkey = ?';
  db.run(sql, status, filledMicros, closedMs, pubkey);
}

/**
 * Within a transaction; its order is there. Returns its place among all fills.
 *
 * @param seq that place; null for the next one
 */
export function insertFill(db: Database, fill: BookedFill, seq: number | null): number {
  return db.insert(
    `INSERT INTO fills (seq, pubkey, order_pubkey, market, is_yes, side, price, amount, fee, is_maker, timestamp_s, seen_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    seq,
    fill.pubkey,
    fill.orderPubkey,
    fill.marketConditionId,
    rows.flag(fill.isYes),
    fill.side,
    fill.priceMicros,
    fill.amountMicros,
    fill.feeMicros,
    rows.optionalFlag(fill.isMaker),
    fill.timestampS,
    fill.seenMs,
  );
}

/** What is known of a market, in place of what was. Within a transaction. */
export function upsertMarket(db: Database, market: MarketRecord): void {
  db.run(
    `INSERT INTO markets (condition_id, title, state, event, yes_label, no_label, maker_fee_rate, taker_fee_rate,
       resolution_s, seen_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (condition_id) DO UPDATE SET title = excluded.title, state = excluded.state, event = excluded.event,
       yes_label = excluded.yes_label, no_label = excluded.no_label, maker_fee_rate = excluded.maker_fee_rate,
       taker_fee_rate = excluded.taker_fee_rate, resolution_s = excluded.resolution_s, seen_ms = excluded.seen_ms`,
    market.conditionId,
    market.title,
    market.state,
    market.eventConditionId,
    market.yesLabel,
    market.noLabel,
    market.makerFeeRateMicros,
    market.takerFeeRateMicros,
    market.resolutionS,
    market.seenMs,
  );
}
