/**
 * Take profit and stop loss of a position, in the space of its outcome. When it is given, a take profit lies above the
 * price that a request will enter at, or above the reference price of a position that exists, a stop loss below it:
 * anything else would close the position at once. The external perpetual-exchange backend has neither (501, code 9201).
 */

import { formatDecimal } from '../../../shared/base/decimal.js';
import type { TpSlChange } from '../contract.js';
import { invalid, type Refusal, refuse } from '../fault.js';
import { asMicros } from '../money.js';
import type { MarginPool } from './pool.js';
import type { TpSlRecord, TriggerType } from './records.js';
import { badPrice } from './rules.js';

/** Prices that close a position, in micros of its outcome's space; null for none. */
export interface TriggerPrices {
  readonly takeProfit: number | null;
  readonly stopLoss: number | null;
}

/** A present key is set, null clears it; inactive prices are dropped. */
export function pricesAfter(before: TpSlRecord | null, change: TpSlChange): TriggerPrices {
  const old = before?.state === 'active' ? before : null;
  return {
    takeProfit: change.takeProfit === undefined ? (old?.takeProfit ?? null) : change.takeProfit,
    stopLoss: change.stopLoss === undefined ? (old?.stopLoss ?? null) : change.stopLoss,
  };
}

/** Refuses a take profit or stop loss that would trigger at once; null when both are valid. */
export function checkPrices(pool: MarginPool, prices: TriggerPrices, entry: number): Refusal | null {
  if (pool.rules.kind === 'hyperliquid') return refuse('hyperliquid_margin_tp_sl_not_supported');
  for (const [field, price] of [
    ['take_profit_price', prices.takeProfit],
    ['stop_loss_price', prices.stopLoss],
  ] as const) {
    const fault = price === null ? null : badPrice(field, price, pool.rules);
    if (fault !== null) return fault;
  }
  const at = formatDecimal(asMicros(entry));
  if (prices.takeProfit !== null && prices.takeProfit <= entry) {
    return invalid('take_profit_price', `Must be above the price of ${at}.`);
  }
  if (prices.stopLoss !== null && prices.stopLoss >= entry) {
    return invalid('stop_loss_price', `Must be below the price of ${at}.`);
  }
  return null;
}

/** Record of these prices; without any price it is `cancelled`. */
export const makeTpSl = ({ takeProfit, stopLoss }: TriggerPrices): TpSlRecord => ({
  takeProfit,
  stopLoss,
  state: takeProfit === null && stopLoss === null ? 'cancelled' : 'active',
  trigger: null,
});

/** The one that the mark has reached. Both only after a move during a pause: then the take profit. */
export function triggerAt(tpSl: TpSlRecord | null, mark: number): TriggerType | null {
  if (tpSl?.state !== 'active') return null;
  if (tpSl.takeProfit !== null && mark >= tpSl.takeProfit) return 'take_profit';
  return tpSl.stopLoss !== null && mark <= tpSl.stopLoss ? 'stop_loss' : null;
}
