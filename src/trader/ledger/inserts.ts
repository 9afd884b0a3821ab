/** Rows of intents, orders, fills and markets: every column is named once, with what of the record it holds. */

import type { BookedFill, IntentRow, MarketRecord, OrderRecord } from './contract.js';
import type { Database, SqlValue } from './database.js';
import * as rows from './rows.js';

type Columns<T> = Readonly<Record<string, (of: T) => SqlValue>>;

const INTENT = {
  id: (intent) => intent.id,
  run_id: (intent) => intent.runId,
  kind: (intent) => intent.kind,
  market: (intent) => intent.marketConditionId,
  is_yes: (intent) => rows.optionalFlag(intent.isYes),
  side: (intent) => intent.side,
  price: (intent) => intent.priceMicros,
  amount: (intent) => intent.amountMicros,
  redeem_yes: (intent) => intent.redeemYesMicros,
  redeem_no: (intent) => intent.redeemNoMicros,
  order_pubkey: (intent) => intent.orderPubkey,
  fee_rate: (intent) => intent.feeRateMicros,
  strategy: (intent) => intent.strategy,
  reason: (intent) => intent.reason,
  state: (intent) => intent.state,
  draft_pubkey: (intent) => intent.draftPubkey,
  message: (intent) => intent.message,
  expires_at_s: (intent) => intent.expiresAtS,
  signature: (intent) => intent.signature,
  submit_count: (intent) => intent.submitCount,
  created_ms: (intent) => intent.createdMs,
  updated_ms: (intent) => intent.updatedMs,
  last_reason: (intent) => intent.lastReason,
  config_hash: (intent) => intent.configHash,
} satisfies Columns<IntentRow>;

const ORDER = {
  pubkey: (order) => order.pubkey,
  intent_id: (order) => order.intentId,
  market: (order) => order.marketConditionId,
  is_yes: (order) => rows.flag(order.isYes),
  side: (order) => order.side,
  price: (order) => order.priceMicros,
  amount: (order) => order.amountMicros,
  filled: (order) => order.filledMicros,
  status: (order) => order.status,
  created_ms: (order) => order.createdMs,
  closed_ms: (order) => order.closedMs,
} satisfies Columns<OrderRecord>;

const FILL = {
  pubkey: (fill) => fill.pubkey,
  order_pubkey: (fill) => fill.orderPubkey,
  market: (fill) => fill.marketConditionId,
  is_yes: (fill) => rows.flag(fill.isYes),
  side: (fill) => fill.side,
  price: (fill) => fill.priceMicros,
  amount: (fill) => fill.amountMicros,
  fee: (fill) => fill.feeMicros,
  is_maker: (fill) => rows.optionalFlag(fill.isMaker),
  timestamp_s: (fill) => fill.timestampS,
  seen_ms: (fill) => fill.seenMs,
} satisfies Columns<BookedFill>;

const MARKET = {
  condition_id: (market) => market.conditionId,
  title: (market) => market.title,
  state: (market) => market.state,
  event: (market) => market.eventConditionId,
  yes_label: (market) => market.yesLabel,
  no_label: (market) => market.noLabel,
  maker_fee_rate: (market) => market.makerFeeRateMicros,
  taker_fee_rate: (market) => market.takerFeeRateMicros,
  resolution_s: (market) => market.resolutionS,
  seen_ms: (market) => market.seenMs,
} satisfies Columns<MarketRecord>;

/** What makes a row of a record: its statement, and what that binds. */
interface RowStatement<T> {
  readonly sql: string;
  bind(of: T): readonly SqlValue[];
}

const valuesOf = <T>(columns: Columns<T>, names: readonly string[]) => {
  const reads = names.flatMap((name) => columns[name] ?? []);
  return (of: T): readonly SqlValue[] => reads.map((read) => read(of));
};

/** Every column, and `more` that are no part of the record, before them. */
function insertion<T>(table: string, columns: Columns<T>, ...more: readonly string[]): RowStatement<T> {
  const names = Object.keys(columns);
  const all = [...more, ...names];
  const sql = `INSERT INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`;
  return { sql, bind: valuesOf(columns, names) };
}

/** Columns `changing` of the row with the same `key`. */
function change<T, C extends Columns<T>>(
  table: string,
  columns: C,
  key: keyof C & string,
  ...changing: readonly (keyof C & string)[]
): RowStatement<T> {
  const sql = `UPDATE ${table} SET ${changing.map((name) => `${name} = ?`).join(', ')} WHERE ${key} = ?`;
  return { sql, bind: valuesOf(columns, [...changing, key]) };
}

const NEW_INTENT = insertion<IntentRow>('intents', INTENT, 'seq');
const CHANGED_INTENT = change<IntentRow, typeof INTENT>(
  'intents',
  INTENT,
  'id',
  'state',
  'draft_pubkey',
  'message',
  'expires_at_s',
  'signature',
  'submit_count',
  'updated_ms',
  'last_reason',
);
const NEW_ORDER = insertion<OrderRecord>('orders', ORDER, 'seq');
const CHANGED_ORDER = change<OrderRecord, typeof ORDER>('orders', ORDER, 'pubkey', 'status', 'filled', 'closed_ms');
const NEW_FILL = insertion<BookedFill>('fills', FILL, 'seq');
const NEW_MARKET = insertion<MarketRecord>('markets', MARKET);
const KNOWN_MARKET = Object.keys(MARKET).flatMap((name) =>
  name === 'condition_id' ? [] : `${name} = excluded.${name}`,
);
const EITHER_MARKET = `${NEW_MARKET.sql} ON CONFLICT (condition_id) DO UPDATE SET ${KNOWN_MARKET.join(', ')}`;

/**
 * Within a transaction.
 *
 * @param seq its place among all intents; null for the next one
 */
export function insertIntent(db: Database, intent: IntentRow, seq: number | null = null): void {
  db.run(NEW_INTENT.sql, seq, ...NEW_INTENT.bind(intent));
}

/** What may change of an intent. Within a transaction; its row is there. */
export function updateIntent(db: Database, intent: IntentRow): void {
  db.run(CHANGED_INTENT.sql, ...CHANGED_INTENT.bind(intent));
}

/**
 * Within a transaction; its intent is there.
 *
 * @param seq its place among all orders; null for the next one
 */
export function insertOrder(db: Database, order: OrderRecord, seq: number | null = null): void {
  db.run(NEW_ORDER.sql, seq, ...NEW_ORDER.bind(order));
}

/** What the exchange may change of an order. Within a transaction; its row is there. */
export function updateOrder(db: Database, order: OrderRecord): void {
  db.run(CHANGED_ORDER.sql, ...CHANGED_ORDER.bind(order));
}

/**
 * Within a transaction; its order is there. Returns its place among all fills.
 *
 * @param seq that place; null for the next one
 */
export function insertFill(db: Database, fill: BookedFill, seq: number | null): number {
  return db.insert(NEW_FILL.sql, seq, ...NEW_FILL.bind(fill));
}

/** What is known of a market, in place of what was. Within a transaction. */
export function upsertMarket(db: Database, market: MarketRecord): void {
  db.run(EITHER_MARKET, ...NEW_MARKET.bind(market));
}
