/** Fills and conversions of a ledger in the words of a session. */

import { complement, sub, ZERO } from '../../../shared/base/micros.js';
import type {
  FillRow,
  IntentRow,
  ConversionRecord as LedgerConversion,
  OrderRecord,
} from '../../../trader/ledger/contract.js';
import { tradeNotional } from '../../../trader/ledger/rounding.js';
import { type ConversionRecord, type FillRecord, MARKOUT_HORIZONS_MS } from '../../session/contract.js';
import type { RecordedPrices } from './contract.js';

export interface Trading {
  readonly orders: ReadonlyMap<string, OrderRecord>;
  readonly intents: ReadonlyMap<string, IntentRow>;
  readonly prices: RecordedPrices | null;
  /** After it there is no middle any more. */
  readonly closeMs: number;
}

export function fillOf(row: FillRow, { orders, intents, prices, closeMs }: Trading): FillRecord {
  const timeMs = row.timestampS * 1000;
  const order = orders.get(row.orderPubkey);
  const isBuy = row.side === 'buy';
  const notional = tradeNotional(row.isYes, row.priceMicros, row.amountMicros);
  return {
    timeMs,
    seenMs: row.seenMs,
    orderPubkey: row.orderPubkey,
    strategy: intents.get(order?.intentId ?? '')?.strategy ?? '',
    side: row.isYes === isBuy ? 'bid' : 'ask',
    isYes: row.isYes,
    isBuy,
    priceMicros: row.isYes ? row.priceMicros : complement(row.priceMicros),
    amountMicros: row.amountMicros,
    cashMicros: isBuy ? sub(ZERO, notional) : notional,
    feeMicros: row.feeMicros ?? ZERO,
    isMaker: row.isMaker,
    // The trade is timed to the second: the middle before that second is surely from before the trade.
    markMicros: prices?.at(timeMs - 1).middleMicros ?? null,
    marksAfterMicros: MARKOUT_HORIZONS_MS.map((horizon) =>
      timeMs + horizon > closeMs ? null : (prices?.at(timeMs + horizon).middleMicros ?? null),
    ),
    restedMs: row.isMaker === false || order === undefined ? null : Math.max(0, timeMs - order.createdMs),
    joinedBehindMicros: null,
  };
}

export const conversionOf = (row: LedgerConversion, prices: RecordedPrices | null): ConversionRecord => ({
  kind: row.kind,
  timeMs: row.seenMs,
  yesMicros: row.yesMicros,
  noMicros: row.noMicros,
  cashMicros: row.cashMicros,
  markMicros: prices?.at(row.seenMs).middleMicros ?? null,
});

/** A redemption pays for the winning shares: which they were, unless as many of both were redeemed. */
export function outcomeOf(conversions: readonly LedgerConversion[]): boolean | null {
  for (const { kind, yesMicros, noMicros, cashMicros } of conversions) {
    if (kind !== 'redeem' || yesMicros === noMicros) continue;
    if (cashMicros === yesMicros) return true;
    if (cashMicros === noMicros) return false;
  }
  return null;
}
