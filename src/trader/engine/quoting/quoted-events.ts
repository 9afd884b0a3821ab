/** Which markets are quoted together: for each strategy of whole events and each event one of them. */

import { isDeepStrictEqual } from 'node:util';
import type { Ledger } from '../../ledger/contract.js';
import type { EventFacts, MarketFacts } from '../../market/view.js';
import type { EventStrategy } from '../../strategy/contract.js';
import type { StrategySettings, TraderSettings } from '../settings.js';
import { EventHost, EventSlotHost, NO_EVENT, QuotedEvent } from './event-host.js';
import type { SlotHost } from './quote-host.js';

/** Of the ledger, what events are remembered by. */
type Memory = Pick<Ledger, 'strategyState' | 'setStrategyStateAside' | 'forgetStrategyStates'>;
/** Of the trader's settings, what events are made by. */
type Around = Pick<TraderSettings, 'events' | 'boundedCall'>;

interface Kept {
  readonly quoted: QuotedEvent;
  readonly event: string;
  readonly strategy: StrategySettings;
}

export class QuotedEvents {
  readonly #memory: Memory;
  readonly #kept = new Map<string, Kept>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  /** What a market has of its event: of the one that is there for the same code and parameters, else of a new one. */
  join(strategy: StrategySettings, module: EventStrategy, facts: MarketFacts, around: Around): SlotHost {
    const event = facts.eventConditionId;
    if (event === null) return NO_EVENT;
    const key = `${strategy.name} ${event}`;
    const found = this.#kept.get(key);
    if (found !== undefined && isSameCode(found, strategy)) return new EventSlotHost(found.quoted, facts.conditionId);
    const quoted = new QuotedEvent(
      this.#restore(strategy, module, findEventFacts(event, facts.conditionId, around.events), around),
      strategy.params,
    );
    this.#kept.set(key, { quoted, event, strategy });
    return new EventSlotHost(quoted, facts.conditionId);
  }

  /** A quoter that failed is replaced by one that knows nothing of what it saved. */
  renew(quoted: QuotedEvent, { params }: StrategySettings, module: EventStrategy, around: Around): void {
    quoted.replace(new EventHost(module, params, quoted.facts, around.boundedCall), params);
  }

  /** A strategy that quotes no more. */
  dismiss(strategy: string): void {
    for (const [key, kept] of this.#kept) if (kept.strategy.name === strategy) this.#kept.delete(key);
  }

  /** None of its markets is looked at any more. Within a transaction of the ledger. */
  forget(event: string): void {
    this.#memory.forgetStrategyStates(event);
    for (const [key, kept] of this.#kept) if (kept.event === event) this.#kept.delete(key);
  }

  #restore({ name, params }: StrategySettings, module: EventStrategy, facts: EventFacts, around: Around): EventHost {
    const { eventConditionId: event } = facts;
    const version = module.state?.version;
    const saved = version === undefined ? null : this.#memory.strategyState(name, event, version);
    const host = new EventHost(module, params, facts, around.boundedCall, saved);
    // The next save would write over it. One that has failed saves nothing: whoever replaces it may go on from there.
    if (saved !== null && saved.version === version && host.hasBegunAnew && host.failure === null)
      this.#memory.setStrategyStateAside(name, event, saved.version);
    return host;
  }
}

function isSameCode({ strategy, quoted }: Kept, other: StrategySettings): boolean {
  return strategy.moduleKey === other.moduleKey && isDeepStrictEqual(quoted.params, other.params);
}

/** What the trader's file declares of an event. One that names its markets is known by them first: not every recording keeps its id. */
function findEventFacts(eventConditionId: string, market: string, events: TraderSettings['events']): EventFacts {
  const rule =
    events.find(({ marketConditionIds }) => marketConditionIds.includes(market)) ??
    events.find((each) => each.eventConditionId === eventConditionId);
  const marketConditionIds = Object.freeze([...(rule?.marketConditionIds ?? [])]);
  return Object.freeze({ eventConditionId, outcomes: rule?.outcomes ?? null, marketConditionIds });
}
