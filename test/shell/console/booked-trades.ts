/** Trades in a ledger, each with its intent and its order. */

import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { fillOf, intentOf, m, ONE, orderOf } from '../../trader/ledger/books.js';

export interface Trade {
  /** Id of the intent; the order is `order-…`, the fill `fill-…`. */
  readonly id: string;
  readonly market: string;
  readonly strategy?: string;
  readonly side?: 'buy' | 'sell';
  readonly isYes?: boolean;
  readonly price: number;
  readonly shares: number;
  readonly timeS?: number;
  readonly seenMs?: number;
}

export function bookTrades(ledger: Ledger, trades: readonly Trade[]): void {
  ledger.transaction(() => {
    ledger.setCapital(m(1_000 * ONE), 1);
    for (const { id, market, strategy = 'maker', side = 'buy', isYes = true, price, shares, ...times } of trades) {
      const { timeS = 1_000, seenMs = timeS * 1000 + 400 } = times;
      const terms = { marketConditionId: market, side, isYes, priceMicros: m(price), amountMicros: m(shares * ONE) };
      const reason = '{"factors":{"sigma":0.5},"book_age_ms":7}';
      ledger.addIntent(intentOf({ ...terms, id, strategy, reason, draftPubkey: `order-${id}` }));
      ledger.addOrder(orderOf({ ...terms, pubkey: `order-${id}`, intentId: id }));
      const fill = { pubkey: `fill-${id}`, orderPubkey: `order-${id}`, timestampS: timeS, seenMs };
      ledger.bookFill(fillOf({ ...terms, ...fill }));
    }
  });
}
