/** Terms of the caller's request that its draft must contain. Read from the request, never from the draft. */

import { parseDecimal } from '../../../shared/base/decimal.js';
import { TwinbookError } from '../../../shared/base/errors.js';
import { type Micros, ONE } from '../../../shared/base/micros.js';
import type { DraftTerms } from '../../../shared/protocol/drafts/draft-text.js';
import type { MarginInput, OrderInput } from '../calls.js';

/** Throws TwinbookError usage for text that is not a number. */
export function orderTerms(order: OrderInput): DraftTerms {
  const head = { action: 'place-order', isYes: order.is_yes } as const;
  if (order.order_type === 'limit') {
    const [price, amount] = [decimal('price', order.price), decimal('amount', order.amount)];
    return { ...head, side: order.side, type: 'limit', price, amount };
  }
  return order.side === 'buy'
    ? { ...head, side: 'buy', type: 'market', funds: decimal('funds', order.funds) }
    : { ...head, side: 'sell', type: 'market', amount: decimal('amount', order.amount) };
}

/** Throws TwinbookError usage for text that is not a number. */
export function marginTerms(request: MarginInput): DraftTerms {
  const { is_yes: isYes = true, leverage = 1 } = request;
  const times = leverage === 1 ? ONE : decimal('leverage', String(leverage));
  const head = { action: 'open-margin-position', isYes, leverage: times } as const;
  return request.type === 'market'
    ? { ...head, type: 'market', funds: decimal('funds', request.funds) }
    : { ...head, type: 'limit', price: decimal('price', request.price), shares: decimal('shares', request.shares) };
}

/** Throws TwinbookError usage for text that is not a decimal of at most six places. */
export function decimal(name: string, text: string): Micros {
  const value = parseDecimal(text);
  if (value !== null) return value;
  throw new TwinbookError(
    'usage',
    `${name} must be decimal text with at most 6 places, got ${JSON.stringify(text)}`,
    'Write it as a decimal such as "0.62".',
  );
}
