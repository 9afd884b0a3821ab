/** One quoter of a tried strategy, asked alike whether it quotes a market or a whole event. */

import type { MarketFacts, MarketView, WholeEventView } from '../../trader/market/view.js';
import { checkEventQuotes } from '../../trader/strategy/check.js';
import type { EventQuoter, EventStrategy, MarketStrategy, Quoter, Quotes } from '../../trader/strategy/contract.js';
import type { EventKind } from '../../trader/strategy/events.js';
import type { ParamValues } from '../../trader/strategy/params.js';
import type { ShownEvent, ShownEventLook, ShownLook, ShownMarket, ShownSubject, TriedStrategy } from './contract.js';

/** What was said of one market, and what was to be seen of it. */
export interface MarketQuotes {
  readonly quotes: Quotes;
  readonly view: MarketView;
}

export interface TrialQuoter {
  /** Tells it what happened before its look of this number, from 0. */
  tell(look: number): void;
  /** What it says at that look, of each market that it was shown. Throws what the strategy throws. */
  ask(look: number): readonly MarketQuotes[];
  save(): unknown;
}

/** Throws what the strategy throws, and TypeError where it is not shown what it quotes. */
export function makeTrialQuoter(
  { strategy, params }: TriedStrategy,
  shown: ShownSubject,
  saved?: unknown,
): TrialQuoter {
  if (strategy.scope === 'event') {
    if (!('event' in shown)) throw new TypeError(`${strategy.name} quotes events, and was to be shown a market`);
    return new OfEvent(strategy, params, shown, saved);
  }
  if ('event' in shown) throw new TypeError(`${strategy.name} quotes markets, and was to be shown an event`);
  return new OfMarket(strategy, params, shown, saved);
}

/** A name for people. */
export const nameShown = (shown: ShownSubject): string =>
  'event' in shown ? shown.event.eventConditionId : shown.facts.conditionId;

class OfMarket implements TrialQuoter {
  readonly #quoter: Quoter<EventKind>;
  readonly #looks: readonly ShownLook[];

  constructor(strategy: MarketStrategy, params: ParamValues, { facts, looks }: ShownMarket, saved: unknown) {
    this.#quoter = createFrom(strategy, params, facts, saved);
    this.#looks = looks;
  }

  tell(look: number): void {
    for (const event of this.#looks[look]?.events ?? []) this.#quoter.observe?.(event);
  }

  ask(look: number): readonly MarketQuotes[] {
    const view = this.#looks[look]?.view;
    return view === undefined ? [] : [{ quotes: this.#quoter.quote(view), view }];
  }

  save(): unknown {
    return this.#quoter.save?.();
  }
}

const createFrom = (
  strategy: MarketStrategy,
  params: ParamValues,
  facts: MarketFacts,
  saved: unknown,
): Quoter<EventKind> => (saved === undefined ? strategy.create(params, facts) : strategy.create(params, facts, saved));

class OfEvent implements TrialQuoter {
  readonly #quoter: EventQuoter<EventKind>;
  readonly #looks: readonly ShownEventLook[];

  constructor(strategy: EventStrategy, params: ParamValues, { event, looks }: ShownEvent, saved: unknown) {
    this.#quoter = saved === undefined ? strategy.create(params, event) : strategy.create(params, event, saved);
    this.#looks = looks;
  }

  tell(look: number): void {
    for (const { event, conditionId } of this.#looks[look]?.events ?? []) this.#quoter.observe?.(event, conditionId);
  }

  ask(look: number): readonly MarketQuotes[] {
    const view = this.#looks[look]?.view;
    return view === undefined ? [] : askEvent(this.#quoter, view);
  }

  save(): unknown {
    return this.#quoter.save?.();
  }
}

/** Throws TypeError where quotes of a market are missing, and of one that is none of the event's. */
function askEvent(quoter: EventQuoter, view: WholeEventView): readonly MarketQuotes[] {
  const said = quoter.quote(view);
  const wrong = checkEventQuotes(said, view);
  if (wrong !== null) throw new TypeError(wrong);
  return view.markets.map(({ view: of }) => ({ quotes: said[of.market.conditionId] as Quotes, view: of }));
}
