/**
 * Exceptions from invariant 8. The trader cannot count shares of a trade reported as failed whose order is finished, of
 * a settled trade that is revoked, or above the ordered amount.
 */

import type { ExchangeSide } from './exchange-side.js';
import type { PlainAccount } from './plain-account.js';

export class TurnedTrades {
  readonly #exchange: ExchangeSide;
  /** Permanent, because orders submitted meanwhile remain. */
  readonly #excused = new Set<string>();

  constructor(exchange: ExchangeSide) {
    this.#exchange = exchange;
  }

  /** By market, in millionths of a share. */
  look(account: PlainAccount): ReadonlyMap<string, number> {
    const { core, account: ours, trades, fills } = this.#exchange;
    const sums = new Map<string, number>();
    for (const pubkey of trades.lies) {
      const fill = fills.get(pubkey);
      if (fill === undefined) continue;
      const { conditionId } = core.catalog.market(fill.market).card;
      sums.set(conditionId, (sums.get(conditionId) ?? 0) + fill.amountMicros);
    }
    for (const { pubkey, orderPubkey, market, amount, hadSettled } of trades.failed.values()) {
      const rests = /^(open|partially_filled)$/.test(core.orders.row(ours, orderPubkey)?.status ?? '');
      if (hadSettled || (!rests && !account.isBooked(pubkey))) this.#excused.add(pubkey);
      if (this.#excused.has(pubkey)) sums.set(market, (sums.get(market) ?? 0) + amount);
    }
    return sums;
  }
}
