/** The columns of each table, and how a row becomes what the rest of the trader sees. */

import { add, type Micros, micros, sub, ZERO } from '../../shared/base/micros.js';
import type { MarketState, OrderStatus, Side } from '../../shared/protocol/states.js';
import type {
  BookedConversion,
  BookedFill,
  BookingRow,
  ConversionKind,
  FailedTradeRow,
  IntentChange,
  IntentKind,
  IntentRow,
  IntentState,
  MarketRecord,
  OrderChange,
  OrderRecord,
} from './contract.js';

/** A row of the table `intents`, as SQLite gives it. */
export interface IntentColumns {
  readonly id: string;
  readonly run_id: string;
  readonly kind: IntentKind;
  readonly market: string;
  readonly is_yes: number | null;
  readonly side: Side | null;
  readonly price: number | null;
  readonly amount: number | null;
  readonly redeem_yes: number | null;
  readonly redeem_no: number | null;
  readonly order_pubkey: string | null;
  readonly fee_rate: number;
  readonly strategy: string;
  readonly reason: string;
  readonly state: IntentState;
  readonly draft_pubkey: string | null;
  readonly message: string | null;
  readonly expires_at_s: number | null;
  readonly signature: string | null;
  readonly submit_count: number;
  readonly created_ms: number;
  readonly updated_ms: number;
  readonly last_reason: string;
  readonly config_hash: string;
}

const optionalMicros = (value: number | null): Micros | null => (value === null ? null : micros(value));
const optionalBoolean = (value: number | null): boolean | null => (value === null ? null : value === 1);
/** A truth value as SQLite keeps it: 1 or 0. */
export const flag = (value: boolean): number => (value ? 1 : 0);
/** A truth value as SQLite keeps it; null stays null. */
export const optionalFlag = (value: boolean | null): number | null => (value === null ? null : flag(value));

/** The intent that a row of the table holds. */
export const toIntent = (row: IntentColumns): IntentRow => ({
  id: row.id,
  runId: row.run_id,
  kind: row.kind,
  marketConditionId: row.market,
  isYes: optionalBoolean(row.is_yes),
  side: row.side,
  priceMicros: optionalMicros(row.price),
  amountMicros: optionalMicros(row.amount),
  redeemYesMicros: optionalMicros(row.redeem_yes),
  redeemNoMicros: optionalMicros(row.redeem_no),
  orderPubkey: row.order_pubkey,
  feeRateMicros: micros(row.fee_rate),
  strategy: row.strategy,
  reason: row.reason,
  state: row.state,
  draftPubkey: row.draft_pubkey,
  message: row.message,
  expiresAtS: row.expires_at_s,
  signature: row.signature,
  submitCount: row.submit_count,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
  lastReason: row.last_reason,
  configHash: row.config_hash,
});

/** Field by field: this is done for every step of every order, and copying with `...` takes as long as writing the row. */
export const applyChange = (row: IntentRow, change: IntentChange): IntentRow => ({
  id: row.id,
  runId: row.runId,
  kind: row.kind,
  marketConditionId: row.marketConditionId,
  isYes: row.isYes,
  side: row.side,
  priceMicros: row.priceMicros,
  amountMicros: row.amountMicros,
  redeemYesMicros: row.redeemYesMicros,
  redeemNoMicros: row.redeemNoMicros,
  orderPubkey: row.orderPubkey,
  feeRateMicros: row.feeRateMicros,
  strategy: row.strategy,
  reason: row.reason,
  state: change.state,
  draftPubkey: change.draftPubkey === undefined ? row.draftPubkey : change.draftPubkey,
  message: change.message === undefined ? row.message : change.message,
  expiresAtS: change.expiresAtS === undefined ? row.expiresAtS : change.expiresAtS,
  signature: change.signature === undefined ? row.signature : change.signature,
  submitCount: change.submitCount ?? row.submitCount,
  createdMs: row.createdMs,
  updatedMs: change.updatedMs,
  lastReason: change.lastReason ?? row.lastReason,
  configHash: row.configHash,
});

/** As `applyChange`. */
export const applyOrderChange = (order: OrderRecord, { status, filledMicros, closedMs }: OrderChange): OrderRecord => ({
  pubkey: order.pubkey,
  intentId: order.intentId,
  marketConditionId: order.marketConditionId,
  isYes: order.isYes,
  side: order.side,
  priceMicros: order.priceMicros,
  amountMicros: order.amountMicros,
  filledMicros,
  bookedMicros: order.bookedMicros,
  failedMicros: order.failedMicros,
  status,
  createdMs: order.createdMs,
  closedMs,
});

/** A row of the table of orders, as SQLite gives it. */
export interface OrderColumns {
  readonly pubkey: string;
  readonly intent_id: string;
  readonly market: string;
  readonly is_yes: number;
  readonly side: Side;
  readonly price: number;
  readonly amount: number;
  readonly filled: number;
  readonly booked: number;
  readonly failed: number;
  readonly status: OrderStatus;
  readonly created_ms: number;
  readonly closed_ms: number | null;
}

/** The order that a row of the table holds. */
export const toOrder = (row: OrderColumns): OrderRecord => ({
  pubkey: row.pubkey,
  intentId: row.intent_id,
  marketConditionId: row.market,
  isYes: row.is_yes === 1,
  side: row.side,
  priceMicros: micros(row.price),
  amountMicros: micros(row.amount),
  filledMicros: micros(row.filled),
  bookedMicros: micros(row.booked),
  failedMicros: micros(row.failed),
  status: row.status,
  createdMs: row.created_ms,
  closedMs: row.closed_ms,
});

/** A row of the table of fills, as SQLite gives it. */
export interface FillColumns {
  readonly pubkey: string;
  readonly order_pubkey: string;
  readonly market: string;
  readonly is_yes: number;
  readonly side: Side;
  readonly price: number;
  readonly amount: number;
  readonly fee: number | null;
  readonly is_maker: number | null;
  readonly timestamp_s: number;
  readonly seen_ms: number;
}

/** The fill that a row of the table holds. */
export const toFill = (row: FillColumns): BookedFill => ({
  pubkey: row.pubkey,
  orderPubkey: row.order_pubkey,
  marketConditionId: row.market,
  isYes: row.is_yes === 1,
  side: row.side,
  priceMicros: micros(row.price),
  amountMicros: micros(row.amount),
  feeMicros: optionalMicros(row.fee),
  isMaker: optionalBoolean(row.is_maker),
  timestampS: row.timestamp_s,
  seenMs: row.seen_ms,
});

/** A row of the table of conversions, as SQLite gives it. */
export interface ConversionColumns {
  readonly pubkey: string;
  readonly intent_id: string;
  readonly kind: ConversionKind;
  readonly market: string;
  readonly yes: number;
  readonly no: number;
  readonly cash: number;
  readonly yes_cost: number | null;
  readonly seen_ms: number;
}

/** The conversion that a row of the table holds. */
export const toConversion = (row: ConversionColumns): BookedConversion => ({
  pubkey: row.pubkey,
  intentId: row.intent_id,
  kind: row.kind,
  marketConditionId: row.market,
  yesMicros: micros(row.yes),
  noMicros: micros(row.no),
  cashMicros: micros(row.cash),
  yesCostMicros: optionalMicros(row.yes_cost),
  seenMs: row.seen_ms,
});

/** A failed trade, with what its order says of it. */
export interface FailedTradeColumns {
  readonly pubkey: string;
  readonly market: string;
  readonly is_yes: number;
}

/** The failed trade that such a row holds. */
export const toFailedTrade = ({ pubkey, market, is_yes }: FailedTradeColumns): FailedTradeRow => ({
  pubkey,
  marketConditionId: market,
  isYes: is_yes === 1,
});

/** A row of the table of markets, as SQLite gives it. */
export interface MarketColumns {
  readonly condition_id: string;
  readonly title: string;
  readonly state: MarketState;
  readonly event: string | null;
  readonly yes_label: string | null;
  readonly no_label: string | null;
  readonly maker_fee_rate: number;
  readonly taker_fee_rate: number;
  readonly resolution_s: number | null;
  readonly seen_ms: number;
}

/** The market that a row of the table holds. */
export const toMarket = (row: MarketColumns): MarketRecord => ({
  conditionId: row.condition_id,
  title: row.title,
  state: row.state,
  eventConditionId: row.event,
  yesLabel: row.yes_label,
  noLabel: row.no_label,
  makerFeeRateMicros: micros(row.maker_fee_rate),
  takerFeeRateMicros: micros(row.taker_fee_rate),
  resolutionS: row.resolution_s,
  seenMs: row.seen_ms,
});

/**
 * Whether a trade that comes again says what is booked; when each was seen is no part of it. What either leaves out, as any venue
 * may, contradicts nothing.
 */
export const isSameTrade = (booked: BookedFill, told: BookedFill): boolean =>
  booked.orderPubkey === told.orderPubkey &&
  booked.marketConditionId === told.marketConditionId &&
  booked.isYes === told.isYes &&
  booked.side === told.side &&
  booked.priceMicros === told.priceMicros &&
  booked.amountMicros === told.amountMicros &&
  (told.feeMicros === null || booked.feeMicros === null || told.feeMicros === booked.feeMicros) &&
  (told.isMaker === null || booked.isMaker === null || told.isMaker === booked.isMaker) &&
  booked.timestampS === told.timestampS;

/** One posting of a booking, as SQLite gives it. */
export interface BookingColumns {
  readonly id: number;
  readonly kind: BookingRow['kind'];
  readonly time_ms: number;
  readonly account: string | null;
  readonly amount: number | null;
  readonly market: string | null;
  readonly strategy: string | null;
}

/** The booking that a row is of, before any of its postings. */
export const toBooking = (row: BookingColumns): BookingRow => ({
  id: row.id,
  kind: row.kind,
  timeMs: row.time_ms,
  marketConditionId: row.market,
  strategy: row.strategy,
  cashMicros: ZERO,
  realisedMicros: ZERO,
  feesMicros: ZERO,
});

/** The booking with one of its postings. */
export function withPosting(booking: BookingRow, { account, amount }: BookingColumns): BookingRow {
  if (account === null || amount === null) return booking;
  const moved = micros(amount);
  if (account === 'cash') return { ...booking, cashMicros: add(booking.cashMicros, moved) };
  // A gain is negative in double entry.
  if (account === 'realised') return { ...booking, realisedMicros: sub(booking.realisedMicros, moved) };
  if (account === 'fees') return { ...booking, feesMicros: add(booking.feesMicros, moved) };
  const [kind, market] = account.split('/');
  return kind === 'shares' && market !== undefined ? { ...booking, marketConditionId: market } : booking;
}
