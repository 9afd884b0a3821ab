/** Trials of a strategy, their results, and a quoter with one interface for a market or a whole event. */

import type { EventFacts, MarketFacts, MarketView, WholeEventView } from '../../trader/market/view.js';
import { checkEventQuotes } from '../../trader/strategy/check.js';
import type {
  AnyEvent,
  EventKind,
  EventQuoter,
  ParamValues,
  Quoter,
  Quotes,
  Strategy,
} from '../../trader/strategy/contract.js';

/** A strategy with the parameters of the trial. */
export interface TriedStrategy {
  readonly strategy: Strategy;
  readonly params: ParamValues;
}

/** One observation of a market; `events` are passed before its quotes are requested. */
export interface ShownLook {
  readonly view: MarketView;
  readonly events: readonly AnyEvent[];
}

/** Observations of one market in order of our clock, for one quoter. */
export interface ShownMarket {
  readonly facts: MarketFacts;
  readonly looks: readonly ShownLook[];
}

/** One observation of all markets of an event, with the earlier events by market. */
export interface ShownEventLook {
  readonly view: WholeEventView;
  readonly events: readonly { readonly conditionId: string; readonly event: AnyEvent }[];
}

/** Observations of one event, for strategies of whole events. */
export interface ShownEvent {
  readonly event: EventFacts;
  /** Whether none of its markets has fees. */
  readonly isFree: boolean;
  readonly looks: readonly ShownEventLook[];
}

/** What one quoter sees. */
export type ShownSubject = ShownMarket | ShownEvent;

/** Markets or events of a trial. Both lists have equal length, with each one's mirror at the same index. */
export interface ShownMarkets<S extends ShownSubject = ShownSubject> {
  readonly markets: readonly S[];
  /** The same with YES and NO exchanged; null for events. */
  readonly mirrored: readonly S[] | null;
}

/** Result of one check. `not asked`: its requirement is missing; `text` names it. */
export interface CheckResult {
  readonly name: string;
  readonly verdict: 'ok' | 'failed' | 'not asked';
  /** One sentence: the number of observations, or the first error and its place. */
  readonly text: string;
}

/** Quotes for one market, and its view. */
export interface MarketQuotes {
  readonly quotes: Quotes;
  readonly view: MarketView;
}

export interface TrialQuoter {
  /** Passes the events before the observation of this number, from 0. */
  tell(look: number): void;
  /** Its quotes at that observation, for each market of the view. Throws the strategy's errors. */
  ask(look: number): readonly MarketQuotes[];
  save(): unknown;
}

/** Throws the strategy's errors, and TypeError without a view of its kind. */
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

/** Throws TypeError when quotes of a market are missing, or are for a foreign market. */
function askEvent(quoter: EventQuoter, view: WholeEventView): readonly MarketQuotes[] {
  const said = quoter.quote(view);
  const wrong = checkEventQuotes(said, view);
  if (wrong !== null) throw new TypeError(wrong);
  return view.markets.map(({ view: of }) => ({ quotes: said[of.market.conditionId] as Quotes, view: of }));
}

/** A name for people. */
export const nameShown = (shown: ShownSubject): string =>
  'event' in shown ? shown.event.eventConditionId : shown.facts.conditionId;
