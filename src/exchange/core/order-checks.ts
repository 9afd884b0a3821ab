/** First checks of a drafted order: fields, grid and limits. State and balance follow, and again at the submit. */

import { formatDecimal } from '../../shared/base/decimal.js';
import { must } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { OrderRequest, Result } from './contract.js';
import { invalid, ok } from './fault.js';
import type { Trading } from './market.js';
import { BUY_NO, BUY_YES, isBuyLeg, isYesLeg, type Leg, SELL_NO, SELL_YES } from './matching/order-pool.js';
import { asMicros, buyLock } from './money.js';

/** A well-formed order for its market: the sizes of its type, null for the others. */
export interface CheckedOrder {
  readonly leg: Leg;
  readonly price: Micros | null;
  readonly amount: Micros | null;
  readonly funds: Micros | null;
}

type Field = 'price' | 'amount' | 'funds';

/** The order in numbers, or the refusal with the first wrong field. */
export function checkOrder(request: OrderRequest, trading: Trading): Result<CheckedOrder> {
  const buys = request.side === 'buy';
  const isLimit = request.order_type === 'limit';
  const wanted: readonly Field[] = isLimit ? ['price', 'amount'] : [buys ? 'funds' : 'amount'];
  for (const field of ['price', 'amount', 'funds'] as const) {
    const value = request[field];
    if (wanted.includes(field) !== (value !== undefined)) {
      const what = `a ${request.order_type} ${request.side}`;
      return invalid(field, value === undefined ? `This field is required for ${what}.` : `Not a field of ${what}.`);
    }
    if (value === undefined) continue;
    const fault = offGrid(field, value, trading);
    if (fault !== null) return invalid(field, fault);
  }
  const leg = request.is_yes ? (buys ? BUY_YES : SELL_YES) : buys ? BUY_NO : SELL_NO;
  const { price = null, amount = null, funds = null } = request;
  return ok({ leg, price, amount, funds });
}

function offGrid(field: Field, value: Micros, trading: Trading): string | null {
  const { config } = trading;
  const [step, least, most] = {
    price: [trading.tick, config.min_price, config.max_price] as const,
    amount: [trading.lot, config.min_amount, config.max_amount] as const,
    funds: [trading.fundsStep, config.min_funds, config.max_funds] as const,
  }[field];
  if (value % step !== 0) return `Must be a multiple of ${formatDecimal(asMicros(step))}.`;
  if (value < least) return `Ensure this value is greater than or equal to ${formatDecimal(least)}.`;
  if (value > most) return `Ensure this value is less than or equal to ${formatDecimal(most)}.`;
  // A minimum of 0 in the market's limits still means more than nothing.
  return value > 0 ? null : 'Must be positive.';
}

/** Needs and locks of an open order: currency for a buy (the purse of a market buy), shares for a sell. */
export function computeLock(order: CheckedOrder, trading: Trading): number {
  if (order.funds !== null) return order.funds;
  const amount = must(order.amount, 'the amount of an order');
  if (!isBuyLeg(order.leg)) return amount;
  return buyLock(must(order.price, 'the price of a limit order'), amount, trading.lockRate);
}

/** Terms that the wallet signs. */
export function makeDraftTerms(order: CheckedOrder): DraftTerms {
  const action = 'place-order';
  const isYes = isYesLeg(order.leg);
  if (order.funds !== null) return { action, isYes, side: 'buy', type: 'market', funds: order.funds };
  const amount = must(order.amount, 'the amount of an order');
  if (order.price === null) return { action, isYes, side: 'sell', type: 'market', amount };
  const side = isBuyLeg(order.leg) ? 'buy' : 'sell';
  return { action, isYes, side, type: 'limit', price: order.price, amount: asMicros(amount) };
}
