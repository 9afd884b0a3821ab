/** How the exchange converts price and amount into currency (decisions, "Rounding of a trade"). */

import { complement, type Micros, mul, sub } from '../../shared/base/micros.js';

/**
 * Currency that a trade of `amountMicros` shares at `priceMicros` (in the space of the own outcome) moves, fees apart.
 * At YES price p the YES side pays or receives floor(p × amount) and the NO side the rest of the amount, so that the two
 * sides of a minted or burned set always add up.
 */
export function tradeNotional(isYes: boolean, priceMicros: Micros, amountMicros: Micros): Micros {
  if (isYes) return mul(priceMicros, amountMicros, 'floor');
  return sub(amountMicros, mul(complement(priceMicros), amountMicros, 'floor'));
}
