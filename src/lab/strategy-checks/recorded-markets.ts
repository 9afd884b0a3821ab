/** What a strategy is shown in a backtest of a recording, kept so that it can be shown again. */

import type { MarketFacts } from '../../trader/market/view.js';
import type { Strategy, StrategyEvent } from '../../trader/strategy/contract.js';
import type { ShownLook, ShownMarkets } from './contract.js';

/** Looks kept of one market; of a long recording the first ones are enough. */
const MOST_LOOKS = 500;

/** A strategy that quotes as the given one does and keeps what it is shown. */
export function keepViews(strategy: Strategy): { readonly strategy: Strategy; collectShown(): ShownMarkets } {
  const markets: { facts: MarketFacts; looks: ShownLook[] }[] = [];
  const keeping: Strategy = {
    ...strategy,
    create(params, facts) {
      const quoter = strategy.create(params, facts);
      const market = { facts, looks: [] as ShownLook[] };
      markets.push(market);
      let events: StrategyEvent[] = [];
      return {
        quote(view) {
          if (market.looks.length < MOST_LOOKS) market.looks.push({ view, events });
          events = [];
          return quoter.quote(view);
        },
        observe(event) {
          events.push(event);
          quoter.observe?.(event);
        },
      };
    },
  };
  return {
    strategy: keeping,
    collectShown: () => ({ markets: markets.filter(({ looks }) => looks.length > 0), mirrored: null }),
  };
}
