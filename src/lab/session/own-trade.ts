/** One of our own trades, as an exchange tells it, as a session's fill. */

import { complement, type Micros, sub, ZERO } from '../../shared/base/micros.js';
import { tradeNotional } from '../../trader/ledger/rounding.js';
import { type FillRecord, MARKOUT_HORIZONS_MS } from './contract.js';

type ToldAsItIs = 'timeMs' | 'seenMs' | 'orderPubkey' | 'strategy' | 'isYes' | 'isBuy' | 'isMaker';

/** Times on the session's clock. */
export interface ReportedTrade extends Pick<FillRecord, ToldAsItIs> {
  /** In the space of its own outcome. */
  readonly ownPriceMicros: Micros;
  readonly amountMicros: Micros;
  readonly feeMicros: Micros | null;
  /** When its order came to rest, about; null when that is not known. */
  readonly restingFromMs: number | null;
}

/** Trades are named by their second: what was known a moment before it is surely from before the trade. */
export const BEFORE_TRADE_MS = 1;

/** When a trade was, of which the exchange names the second: the middle of it, unless it was seen before. */
export const tradeTimeMs = (timestampS: number, seenMs: number): number =>
  Math.max(timestampS * 1000, Math.min(timestampS * 1000 + 500, seenMs));

/**
 * @param markMicros the others' middle before the trade
 * @param markAt the middle some time after it; null when it is not known, or beyond the session's end
 */
export function toFillRecord(
  trade: ReportedTrade,
  markMicros: number | null,
  markAt: (timeMs: number) => number | null,
): FillRecord {
  const { timeMs, isYes, isBuy, isMaker, ownPriceMicros, amountMicros, restingFromMs } = trade;
  const notional = tradeNotional(isYes, ownPriceMicros, amountMicros);
  const restedMs = restingFromMs === null ? null : Math.max(0, Math.round(timeMs - restingFromMs));
  return {
    timeMs,
    seenMs: trade.seenMs,
    orderPubkey: trade.orderPubkey,
    strategy: trade.strategy,
    side: isYes === isBuy ? 'bid' : 'ask',
    isYes,
    isBuy,
    priceMicros: isYes ? ownPriceMicros : complement(ownPriceMicros),
    amountMicros,
    cashMicros: isBuy ? sub(ZERO, notional) : notional,
    feeMicros: trade.feeMicros ?? ZERO,
    isMaker,
    markMicros,
    marksAfterMicros: MARKOUT_HORIZONS_MS.map((horizonMs) => markAt(timeMs + horizonMs)),
    restedMs: isMaker === false ? 0 : restedMs,
    joinedBehindMicros: null,
    atCrossing: null,
  };
}
