/** Values each fill of the trader at the truth of its time, and tracks the drawdown of its wealth. */

import type { AccountSlot, MarketIndex, ObservedFill } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { ONE } from '../../../shared/base/micros.js';
import type { EventSource } from '../../backtest/contract.js';

/** One market and its truth; traders must not see it. */
export interface SceneMarket {
  readonly source: EventSource;
  readonly index: MarketIndex;
  /** Probability that YES pays, now: in [0, 1]. */
  readonly probability: number;
  /** What YES paid; null before the end. */
  readonly outcome: boolean | null;
}

export class Judge {
  readonly #core: ExchangeCore;
  readonly #account: AccountSlot;
  readonly #markets: ReadonlyMap<number, SceneMarket>;
  readonly #isInformed: () => boolean;
  readonly #startWorth: number;
  #uninformedEdge = 0;
  #informedEdge = 0;
  #fills = 0;
  #shares = 0;
  #highest: number;
  #drawdown = 0;

  /** `isInformed`: whether the account that trades now knows the truth; the trader itself does not. */
  constructor(core: ExchangeCore, account: AccountSlot, markets: readonly SceneMarket[], isInformed: () => boolean) {
    this.#core = core;
    this.#account = account;
    this.#markets = new Map(markets.map((market) => [market.index, market]));
    this.#isInformed = isInformed;
    this.#startWorth = this.worth();
    this.#highest = this.#startWorth;
  }

  /** A fill of the trader; its fee is no edge. */
  countFill({ market, isYes, isBuy, priceMicros, amountMicros, feeMicros }: ObservedFill): void {
    const probability = this.#markets.get(market)?.probability;
    if (probability === undefined) return;
    const shares = amountMicros / ONE;
    const gain = probability - priceMicros / ONE;
    const edge = shares * (isYes === isBuy ? gain : -gain) - feeMicros / ONE;
    if (this.#isInformed()) this.#informedEdge += edge;
    else this.#uninformedEdge += edge;
    this.#fills++;
    this.#shares += shares;
  }

  /** Updates the wealth at the truth. */
  look(): void {
    const worth = this.worth();
    this.#highest = Math.max(this.#highest, worth);
    this.#drawdown = Math.max(this.#drawdown, this.#highest - worth);
  }

  /** Currency and shares at the truth, or at the outcome. */
  worth(): number {
    let worth = this.#core.funds.read(this.#account).total / ONE;
    for (const market of this.#markets.values()) {
      const { yes, no } = this.#core.catalog.market(market.index).shares.read(this.#account);
      const paid = market.outcome === null ? market.probability : Number(market.outcome);
      worth += (yes / ONE) * paid + (no / ONE) * (1 - paid);
    }
    return worth;
  }

  figures() {
    const wealth = this.worth();
    return {
      edge: this.#uninformedEdge + this.#informedEdge,
      uninformedEdge: this.#uninformedEdge,
      informedEdge: this.#informedEdge,
      fills: this.#fills,
      shares: this.#shares,
      wealth,
      result: wealth - this.#startWorth,
      drawdown: this.#drawdown,
    };
  }
}
