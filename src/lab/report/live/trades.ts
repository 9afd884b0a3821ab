/** Fills and conversions of a ledger in the words of a session. */

import { inferOutcome, type MarketOutcome } from '../../../shared/protocol/outcome.js';
import type {
  BookedFill,
  IntentRow,
  BookedConversion as LedgerConversion,
  OrderRecord,
} from '../../../trader/ledger/contract.js';
import type { ConversionRecord, FillRecord } from '../../session/contract.js';
import { BEFORE_TRADE_MS, toFillRecord, tradeTimeMs } from '../../session/own-trade.js';
import type { RecordedPrices } from './contract.js';

export interface Trading {
  readonly orders: ReadonlyMap<string, OrderRecord>;
  readonly intents: ReadonlyMap<string, IntentRow>;
  readonly prices: RecordedPrices | null;
  /** Whether our times are on the exchange's clock; else the second that it names has to do. */
  readonly isOneClock: boolean;
  /** After it there is no middle any more. */
  readonly closeMs: number;
}

export function readFillRecord(row: BookedFill, { orders, intents, prices, isOneClock, closeMs }: Trading): FillRecord {
  const order = orders.get(row.orderPubkey);
  const trade = {
    timeMs: isOneClock ? tradeTimeMs(row.timestampS, row.seenMs) : row.timestampS * 1000,
    seenMs: row.seenMs,
    orderPubkey: row.orderPubkey,
    strategy: intents.get(order?.intentId ?? '')?.strategy ?? '',
    isYes: row.isYes,
    isBuy: row.side === 'buy',
    isMaker: row.isMaker,
    ownPriceMicros: row.priceMicros,
    amountMicros: row.amountMicros,
    feeMicros: row.feeMicros,
    restingFromMs: order?.createdMs ?? null,
  };
  const markAt = (timeMs: number): number | null => prices?.at(timeMs).middleMicros ?? null;
  const markMicros = markAt(trade.timeMs - BEFORE_TRADE_MS);
  return toFillRecord(trade, markMicros, (timeMs) => (timeMs > closeMs ? null : markAt(timeMs)));
}

export const toConversionRecord = (row: LedgerConversion, prices: RecordedPrices | null): ConversionRecord => ({
  kind: row.kind,
  timeMs: row.seenMs,
  yesMicros: row.yesMicros,
  noMicros: row.noMicros,
  cashMicros: row.cashMicros,
  yesCostMicros: row.yesCostMicros,
  markMicros: prices?.at(row.seenMs).middleMicros ?? null,
});

/** The outcome that redemptions paid for, unless as many shares of both were redeemed. */
export function readOutcome(conversions: readonly LedgerConversion[]): MarketOutcome | null {
  for (const { kind, yesMicros, noMicros, cashMicros } of conversions) {
    const outcome = kind === 'redeem' ? inferOutcome(yesMicros, noMicros, cashMicros) : null;
    if (outcome !== null) return outcome;
  }
  return null;
}
