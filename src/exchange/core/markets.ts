/** Creates markets and moves them from state to state. */

import type { MarketOutcome } from '../../shared/protocol/outcome.js';
import { isSettledMarket, MARKET_STATES, type MarketState } from '../../shared/protocol/states.js';
import type { MarketSpec, Result, Wire } from './contract.js';
import type { CoreContext } from './core-context.js';
import { invalid, mapResult, ok, type Refusal, refuse } from './fault.js';
import type { Margin } from './margin/margin.js';
import type { Market } from './market.js';
import { RECORDED_ACCOUNT } from './matching/matching.js';
import type { RecordedFeed } from './matching/recorded-feed.js';
import type { Orders } from './orders.js';
import { detailRow } from './records/market-rows.js';

/** The controls of markets. A change answers the market's detail. */
export class Markets {
  readonly #context: CoreContext;
  readonly #orders: Orders;
  readonly #margin: Margin;
  readonly #feed: RecordedFeed;

  constructor(context: CoreContext, orders: Orders, margin: Margin, feed: RecordedFeed) {
    this.#context = context;
    this.#orders = orders;
    this.#margin = margin;
    this.#feed = feed;
  }

  create(spec: MarketSpec) {
    const { catalog, nowMs } = this.#context;
    return mapResult(catalog.create(nowMs, spec), ({ index, shares, card }) => {
      shares.ensureAccount(RECORDED_ACCOUNT);
      return { index, condition_id: card.conditionId };
    });
  }

  /**
   * Leaving `open` cancels the open orders. A market may also go back, because an answer can be disputed; a settled state
   * is final. `canceled` is `resolve(null)`; `resolved` needs an outcome and is refused.
   */
  setState(conditionId: string, state: MarketState) {
    return this.#change(conditionId, (market) => {
      if (!MARKET_STATES.includes(state)) return invalid('state', `Must be one of: ${MARKET_STATES.join(', ')}.`);
      if (state === 'resolved') return invalid('state', 'Resolve the market with its outcome instead.');
      if (isSettledMarket(market.state)) return invalid('state', `The market is ${market.state}, which is final.`);
      // A canceled market has no outcome; `outcome` is still null.
      this.#move(market, state);
      return null;
    });
  }

  setPaused(conditionId: string, paused: boolean) {
    return this.#change(conditionId, (market) => {
      market.paused = paused;
      if (market.isTradable) this.#feed.onReopen(market);
      this.#margin.sweep(market);
      return null;
    });
  }

  setUnbacked(conditionId: string, unbacked: boolean) {
    return this.#change(conditionId, (market) => {
      market.unbacked = unbacked;
      return null;
    });
  }

  /** Null cancels the market: every share redeems at 0.5. A number cancels it too: a YES share redeems at it. */
  resolve(conditionId: string, outcome: MarketOutcome | null) {
    return this.#change(conditionId, (market) => {
      if (isSettledMarket(market.state)) return invalid('is_yes', `The market is ${market.state} already.`);
      market.outcome = outcome;
      this.#move(market, typeof outcome === 'boolean' ? 'resolved' : 'canceled');
      return null;
    });
  }

  #change(conditionId: string, change: (market: Market) => Refusal | null): Result<Wire<'marketDetail'>> {
    const { catalog } = this.#context;
    const market = catalog.byId(conditionId);
    if (market === null) return refuse('not_found');
    return change(market) ?? ok(detailRow(catalog, market));
  }

  #move(market: Market, state: MarketState): void {
    market.state = state;
    this.#margin.marketMoved(market, isSettledMarket(state));
    if (isSettledMarket(state)) market.tape.settle();
    const { orderbook: trading } = market;
    if (trading !== null && state !== 'open') this.#orders.cancelAll(trading);
  }
}
