/** What a strategy is tried on, what is said of it, and one quoter of it, asked alike whether it quotes a market or a whole event. */

import type { EventFacts, MarketFacts, MarketView, WholeEventView } from '../../trader/market/view.js';
import { checkEventQuotes } from '../../trader/strategy/check.js';
import type { EventQuoter, Quoter, Quotes, Strategy } from '../../trader/strategy/contract.js';
import type { AnyEvent, EventKind } from '../../trader/strategy/events.js';
import type { ParamValues } from '../../trader/strategy/params.js';

/** A strategy with the parameters that it is tried with. */
export interface TriedStrategy {
  readonly strategy: Strategy;
  readonly params: ParamValues;
}

/** One look at a market; `events` are told before its quotes are asked for. */
export interface ShownLook {
  readonly view: MarketView;
  readonly events: readonly AnyEvent[];
}

/** Looks at one market in the order of our clock; one quoter sees them all. */
export interface ShownMarket {
  readonly facts: MarketFacts;
  readonly looks: readonly ShownLook[];
}

/** One look at all markets of an event; what happened before it, in which market. */
export interface ShownEventLook {
  readonly view: WholeEventView;
  readonly events: readonly { readonly conditionId: string; readonly event: AnyEvent }[];
}

/** Looks at one event, for strategies that quote whole ones. */
export interface ShownEvent {
  readonly event: EventFacts;
  /** Whether none of its markets charges fees. */
  readonly isFree: boolean;
  readonly looks: readonly ShownEventLook[];
}

/** What one quoter sees. */
export type ShownSubject = ShownMarket | ShownEvent;

/** The markets or events of a trial. Both lists are as long, and one and its mirror stand at the same place. */
export interface ShownMarkets<S extends ShownSubject = ShownSubject> {
  readonly markets: readonly S[];
  /** The same with YES and NO exchanged; null for events. */
  readonly mirrored: readonly S[] | null;
}

/** What one check found. `not asked`: what it needs is not there, and `text` says what. */
export interface CheckResult {
  readonly name: string;
  readonly verdict: 'ok' | 'failed' | 'not asked';
  /** One sentence: how much was looked at, or the first thing that is wrong and where. */
  readonly text: string;
}

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
    const quoter: EventQuoter<EventKind> = strategy.create(params, shown.event, saved);
    return {
      tell(look) {
        for (const { event, conditionId } of shown.looks[look]?.events ?? []) quoter.observe?.(event, conditionId);
      },
      ask: (look) => shown.looks.slice(look, look + 1).flatMap(({ view }) => askEvent(quoter, view)),
      save: () => quoter.save?.(),
    };
  }
  if ('event' in shown) throw new TypeError(`${strategy.name} quotes markets, and was to be shown an event`);
  const quoter: Quoter<EventKind> = strategy.create(params, shown.facts, saved);
  return {
    tell(look) {
      for (const event of shown.looks[look]?.events ?? []) quoter.observe?.(event);
    },
    ask: (look) => shown.looks.slice(look, look + 1).map(({ view }) => ({ quotes: quoter.quote(view), view })),
    save: () => quoter.save?.(),
  };
}

/** Throws TypeError where quotes of a market are missing, and of one that is none of the event's. */
function askEvent(quoter: EventQuoter, view: WholeEventView): readonly MarketQuotes[] {
  const said = quoter.quote(view);
  const wrong = checkEventQuotes(said, view);
  if (wrong !== null) throw new TypeError(wrong);
  return view.markets.map(({ view: of }) => ({ quotes: said[of.market.conditionId] as Quotes, view: of }));
}

/** A name for people. */
export const nameShown = (shown: ShownSubject): string =>
  'event' in shown ? shown.event.eventConditionId : shown.facts.conditionId;
