/** What a strategy is shown in a backtest of a recording, kept so that it can be shown again. */

import type { EventFacts, MarketFacts } from '../../trader/market/view.js';
import type { EventStrategy, MarketStrategy, Strategy } from '../../trader/strategy/contract.js';
import type { AnyEvent } from '../../trader/strategy/events.js';
import type { ShownEventLook, ShownLook, ShownMarkets, ShownSubject } from './contract.js';

/** Looks kept of one market or event; of a long recording the first ones are enough. */
const MOST_LOOKS = 500;

/** What is kept of one quoter. */
type Kept =
  | { readonly facts: MarketFacts; readonly looks: ShownLook[] }
  | { readonly event: EventFacts; isFree: boolean; readonly looks: ShownEventLook[] };

/** A strategy that quotes as the given one does and keeps what it is shown. */
export function keepViews(strategy: Strategy): { readonly strategy: Strategy; collectShown(): ShownMarkets } {
  const kept: Kept[] = [];
  const keeping = strategy.scope === 'event' ? keepEvents(strategy, kept) : keepMarkets(strategy, kept);
  const hasLooks = (shown: ShownSubject): boolean => shown.looks.length > 0;
  return { strategy: keeping, collectShown: () => ({ markets: kept.filter(hasLooks), mirrored: null }) };
}

function keepMarkets(strategy: MarketStrategy, kept: Kept[]): MarketStrategy {
  return {
    ...strategy,
    create(params, facts) {
      const quoter = strategy.create(params, facts);
      const market = { facts, looks: [] as ShownLook[] };
      kept.push(market);
      let events: AnyEvent[] = [];
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
}

function keepEvents(strategy: EventStrategy, kept: Kept[]): EventStrategy {
  return {
    ...strategy,
    create(params, facts) {
      const quoter = strategy.create(params, facts);
      const shown = { event: facts, isFree: true, looks: [] as ShownEventLook[] };
      kept.push(shown);
      let events: ShownEventLook['events'][number][] = [];
      return {
        quote(view) {
          if (view.markets.some(({ view: { market } }) => market.makerFeeRateMicros > 0)) shown.isFree = false;
          if (shown.looks.length < MOST_LOOKS) shown.looks.push({ view, events });
          events = [];
          return quoter.quote(view);
        },
        observe(event, conditionId) {
          events.push({ conditionId, event });
          quoter.observe?.(event, conditionId);
        },
      };
    },
  };
}
