/** Views of a strategy in a backtest of a recording, kept for repetition. */

import type { EventStrategy, MarketStrategy, Strategy } from '../../trader/strategy/contract.js';
import type { ShownEventLook, ShownLook, ShownMarkets, ShownSubject } from './trial.js';

/** Maximum views kept per market or event; the first ones of a long recording are enough. */
const MOST_LOOKS = 500;

/** A strategy that quotes like the given one and keeps its views. */
export function keepViews(strategy: Strategy): { readonly strategy: Strategy; collectShown(): ShownMarkets } {
  const kept: ShownSubject[] = [];
  const keeping = strategy.scope === 'event' ? keepEvents(strategy, kept) : keepMarkets(strategy, kept);
  const hasLooks = (shown: ShownSubject): boolean => shown.looks.length > 0;
  return { strategy: keeping, collectShown: () => ({ markets: kept.filter(hasLooks), mirrored: null }) };
}

const keepMarkets = (strategy: MarketStrategy, kept: ShownSubject[]): MarketStrategy => ({
  ...strategy,
  create(params, facts) {
    const looks: ShownLook[] = [];
    kept.push({ facts, looks });
    return keepLooks(strategy.create(params, facts), looks, (event) => event);
  },
});

const keepEvents = (strategy: EventStrategy, kept: ShownSubject[]): EventStrategy => ({
  ...strategy,
  create(params, event) {
    const looks: ShownEventLook[] = [];
    const charges = ({ view }: ShownEventLook) =>
      view.markets.some(({ view: { market } }) => market.makerFeeRateMicros > 0);
    kept.push({
      event,
      looks,
      get isFree() {
        return !looks.some(charges);
      },
    });
    return keepLooks(strategy.create(params, event), looks, (happened, conditionId) => ({
      conditionId,
      event: happened,
    }));
  },
});

/** A quoter that quotes like the given one; `describe` builds the kept record of its inputs. */
function keepLooks<View, Quotes, Told extends readonly unknown[], Event>(
  quoter: { quote(view: View): Quotes; observe?(...told: Told): void },
  looks: { readonly view: View; readonly events: readonly Event[] }[],
  describe: (...told: Told) => Event,
) {
  let events: Event[] = [];
  return {
    quote(view: View): Quotes {
      if (looks.length < MOST_LOOKS) looks.push({ view, events });
      events = [];
      return quoter.quote(view);
    },
    observe(...told: Told): void {
      events.push(describe(...told));
      quoter.observe?.(...told);
    },
  };
}
