/** Converts price and amount into currency with the exchange's rounding (docs: "Rounding of a trade"). */

import { complement, type Micros, mul, sub } from '../../shared/base/micros.js';

/**
 * Currency that a trade moves before fees, at the price of its own outcome. At YES price p the YES side pays or
 * receives floor(p × amount), and the NO side the rest of the amount, so both sides of a set add up exactly.
 */
export function tradeNotional(isYes: boolean, priceMicros: Micros, amountMicros: Micros): Micros {
  if (isYes) return mul(priceMicros, amountMicros, 'floor');
  return sub(amountMicros, mul(complement(priceMicros), amountMicros, 'floor'));
}
