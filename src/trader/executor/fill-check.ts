/** Whether a fill can belong to the signed order. Pure: returns the difference, changes nothing. */

import { formatDecimal } from '../../shared/base/decimal.js';
import { computeFee, type FeeSchedule } from '../../shared/base/fees.js';
import { add, type Micros, micros, minMicros, sub } from '../../shared/base/micros.js';
import type { BookedFill, OrderRecord } from '../ledger/contract.js';
import { tradeNotional } from '../ledger/rounding.js';

/** Fields of a trade beyond those of its order. */
export type FillDetails = Omit<BookedFill, 'orderPubkey' | 'marketConditionId' | 'isYes' | 'side' | 'seenMs'>;

interface WorstFee {
  readonly schedule: FeeSchedule;
  readonly rateMicros: Micros;
}

/** A venue may round a fee up. */
const FEE_ROUNDING = micros(1);

/**
 * Difference between a trade and the signed order, in words; null when it may be correct. A better price is normal, and
 * so is a missing fee.
 *
 * @param order before this trade is booked
 * @param fees highest known rate of the market and its base
 */
export function fillObjection(order: OrderRecord, trade: FillDetails, fees: WorstFee): string | null {
  return inWords(order, trade, [
    priceObjection(order, trade),
    amountObjection(order, trade),
    feeObjection(order, trade, fees),
  ]);
}

/** The same for a booked trade whose fee arrives later. */
export function lateFeeObjection(order: OrderRecord, trade: FillDetails, fees: WorstFee): string | null {
  return inWords(order, trade, [feeObjection(order, trade, fees)]);
}

function inWords(order: OrderRecord, trade: FillDetails, found: readonly (string | null)[]): string | null {
  const objections = found.filter((text) => text !== null);
  if (objections.length === 0) return null;
  const { side, amountMicros, isYes, priceMicros, pubkey } = order;
  const signed = `${side} ${formatDecimal(amountMicros)} ${isYes ? 'YES' : 'NO'} at ${formatDecimal(priceMicros)}`;
  return `trade ${trade.pubkey} of order ${pubkey} (signed: ${signed}) ${objections.join(', ')}`;
}

function priceObjection({ side, priceMicros: signed }: OrderRecord, { priceMicros }: FillDetails): string | null {
  const isWorse = side === 'buy' ? priceMicros > signed : priceMicros < signed;
  if (!isWorse && priceMicros > 0 && priceMicros < 1_000_000) return null;
  return `came at the price ${formatDecimal(priceMicros)}`;
}

/** An ended order can still bring the fills that its record showed, but no more. */
function amountObjection(order: OrderRecord, { amountMicros }: FillDetails): string | null {
  const { amountMicros: signed, bookedMicros, closedMs, filledMicros, status } = order;
  const left = sub(closedMs === null ? signed : minMicros(signed, filledMicros), bookedMicros);
  if (amountMicros > 0 && amountMicros <= left) return null;
  const came = `came with the amount ${formatDecimal(amountMicros)}, and ${formatDecimal(left)} were left`;
  return closedMs === null ? came : `${came}: it is over, ${status} with ${formatDecimal(filledMicros)} filled`;
}

function feeObjection(order: OrderRecord, trade: FillDetails, { schedule, rateMicros }: WorstFee): string | null {
  const { feeMicros, priceMicros, amountMicros } = trade;
  if (feeMicros === null) return null;
  const notionalMicros = tradeNotional(order.isYes, priceMicros, amountMicros);
  const most = add(computeFee(schedule, rateMicros, { priceMicros, amountMicros, notionalMicros }), FEE_ROUNDING);
  if (feeMicros >= 0 && feeMicros <= most) return null;
  return `came with the fee ${formatDecimal(feeMicros)}, at most ${formatDecimal(most)} is the market's`;
}
