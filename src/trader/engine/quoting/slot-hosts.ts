/** Selects the quoter of a slot: one per market, or one that its strategy shares over the whole event. */

import { isDeepStrictEqual } from 'node:util';
import type { Ledger } from '../../ledger/contract.js';
import type { EventFacts, MarketFacts, MarketView, WholeEventView } from '../../market/view.js';
import { checkEventQuotes, checkQuotes } from '../../strategy/check.js';
import {
  type EventQuoter,
  type EventStrategy,
  type MarketStrategy,
  NO_QUOTES,
  type Quotes,
  type SavedState,
} from '../../strategy/contract.js';
import type { AnyEvent, EventKind } from '../../strategy/events.js';
import type { ParamValues } from '../../strategy/params.js';
import type { StrategySettings, TraderSettings } from '../settings.js';
import { type BoundedCall, StrategySandbox } from './strategy-sandbox.js';

/** The quoter of a slot's market. */
export interface SlotHost {
  /** Null for a market without an event, of a strategy that quotes whole events. */
  readonly sandbox: StrategySandbox | null;
  /** Null for a strategy of single markets. */
  readonly quoted: QuotedEvent | null;
  /** The quotes; none after any failure. */
  quote(view: MarketView): Quotes;
  observe(event: AnyEvent): void;
  /** Passes new parameters to its quoter; false when a new quoter is needed. */
  takeParams(next: ParamValues): boolean;
}

/** Host with a quoter of this market alone. */
export function hostMarket(
  strategy: MarketStrategy,
  params: ParamValues,
  facts: MarketFacts,
  call: BoundedCall,
  saved: SavedState | null = null,
): SlotHost {
  const create = (remembered: unknown) => strategy.create(params, facts, remembered);
  const sandbox = new StrategySandbox(create, strategy.state, call, saved);
  return {
    sandbox,
    quoted: null,
    quote: (view) => {
      const quotes = sandbox.ask(
        (quoter) => quoter.quote(view),
        (said) => checkQuotes(said, view),
      );
      return quotes ?? NO_QUOTES(`strategy stopped: ${sandbox.failure ?? 'no quoter'}`);
    },
    observe: (event) => sandbox.tell((quoter) => quoter.observe?.(event), event.kind === 'fill'),
    takeParams: (next) => sandbox.takeParams(next),
  };
}

/** A market without an event has no other markets to be quoted with. */
export const NO_EVENT: SlotHost = {
  sandbox: null,
  quoted: null,
  quote: () => NO_QUOTES('the market belongs to no event, and its strategy quotes whole events'),
  observe: () => undefined,
  takeParams: () => false,
};

/** Shared by the markets of an event: its quoter and the quotes of the newest turn. */
export class QuotedEvent {
  readonly facts: EventFacts;
  readonly #strategy: EventStrategy;
  readonly #call: BoundedCall;
  #params: ParamValues;
  #sandbox: StrategySandbox<EventQuoter<EventKind>>;
  #said: Readonly<Record<string, Quotes>> | null = null;
  /** The last parameters that the quoter rejected; null without any. */
  #refused: ParamValues | null = null;

  constructor(
    strategy: EventStrategy,
    params: ParamValues,
    facts: EventFacts,
    call: BoundedCall,
    saved: SavedState | null = null,
  ) {
    this.#strategy = strategy;
    this.#params = params;
    this.facts = facts;
    this.#call = call;
    this.#sandbox = this.#open(saved);
  }

  #open(saved: SavedState | null): StrategySandbox<EventQuoter<EventKind>> {
    const strategy = this.#strategy;
    const create = (remembered: unknown) => strategy.create(this.#params, this.facts, remembered);
    return new StrategySandbox(create, strategy.state, this.#call, saved);
  }

  get sandbox(): StrategySandbox {
    return this.#sandbox;
  }

  /** Current parameters of the quoter. */
  get params(): ParamValues {
    return this.#params;
  }

  /** Replaces a failed quoter by one with these parameters and without saved state. */
  renew(params: ParamValues): void {
    this.#params = params;
    this.#sandbox = this.#open(null);
    this.#said = null;
  }

  /** Null: none of its markets may quote, so the quoter is not asked. */
  ask(view: WholeEventView | null): void {
    this.#said =
      view &&
      this.#sandbox.ask(
        (quoter) => quoter.quote(view),
        (said) => checkEventQuotes(said, view),
      );
  }

  /** The host of one of its markets' slots. */
  host(conditionId: string): SlotHost {
    const sandbox = () => this.#sandbox;
    return {
      get sandbox() {
        return sandbox();
      },
      quoted: this,
      quote: () => this.#saidOf(conditionId),
      observe: (event) => this.#sandbox.tell((quoter) => quoter.observe?.(event, conditionId), event.kind === 'fill'),
      takeParams: (next) => this.#takeParams(next),
    };
  }

  #saidOf(conditionId: string): Quotes {
    const { failure } = this.#sandbox;
    if (failure !== null) return NO_QUOTES(`strategy stopped: ${failure}`);
    return this.#said?.[conditionId] ?? NO_QUOTES('its event has not been quoted yet');
  }

  /** Each market of the event passes them on; the quoter gets them once. */
  #takeParams(next: ParamValues): boolean {
    if (isDeepStrictEqual(this.#params, next)) return true;
    if (this.#refused === next) return false;
    const isTaken = this.#sandbox.takeParams(next);
    if (isTaken) this.#params = next;
    this.#refused = isTaken ? null : next;
    return isTaken;
  }
}

/** Calls of the ledger for saved state. */
type Memory = Pick<Ledger, 'strategyState' | 'setStrategyStateAside' | 'forgetStrategyStates'>;
/** Settings of the trader for new quoters. */
type Around = Pick<TraderSettings, 'events' | 'boundedCall'>;

interface Kept {
  readonly quoted: QuotedEvent;
  readonly event: string;
  readonly strategy: StrategySettings;
}

/** Creates hosts from saved state. Keeps one quoter per event and strategy of whole events. */
export class SlotHosts {
  readonly #memory: Memory;
  readonly #kept = new Map<string, Kept>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** True when any event is quoted as a whole. */
  get haveEvents(): boolean {
    return this.#kept.size > 0;
  }

  /** For an event the existing quoter of the same code and parameters, else a new one. */
  open(strategy: StrategySettings, facts: MarketFacts, around: Around): SlotHost {
    const { module, params } = strategy;
    if (module.scope === 'event') return this.#join(strategy, module, facts, around);
    return this.#restore(strategy, facts.conditionId, (saved) =>
      hostMarket(module, params, facts, around.boundedCall, saved),
    );
  }

  #join(strategy: StrategySettings, module: EventStrategy, facts: MarketFacts, around: Around): SlotHost {
    const event = facts.eventConditionId;
    if (event === null) return NO_EVENT;
    const key = `${strategy.name} ${event}`;
    const found = this.#kept.get(key);
    if (found !== undefined && isSameCode(found, strategy)) return found.quoted.host(facts.conditionId);
    const eventFacts = findEventFacts(event, facts.conditionId, around.events);
    const quoted = this.#restore(
      strategy,
      event,
      (saved) => new QuotedEvent(module, strategy.params, eventFacts, around.boundedCall, saved),
    );
    this.#kept.set(key, { quoted, event, strategy });
    return quoted.host(facts.conditionId);
  }

  /** Drops a strategy that no longer quotes. */
  dismiss(strategy: string): void {
    for (const [key, kept] of this.#kept) if (kept.strategy.name === strategy) this.#kept.delete(key);
  }

  /** Drops an event without tracked markets. Call within a ledger transaction. */
  forget(event: string): void {
    this.#memory.forgetStrategyStates(event);
    for (const [key, kept] of this.#kept) if (kept.event === event) this.#kept.delete(key);
  }

  #restore<T extends Pick<SlotHost, 'sandbox'>>(
    { name, module }: StrategySettings,
    memoryId: string,
    make: (saved: SavedState | null) => T,
  ): T {
    const version = module.state?.version;
    const saved = version === undefined ? null : this.#memory.strategyState(name, memoryId, version);
    const made = make(saved);
    // The next save would overwrite it. A failed quoter saves nothing: its replacement may continue from there.
    const hasBegunAnew = made.sandbox?.hasBegunAnew === true && made.sandbox.failure === null;
    if (saved !== null && saved.version === version && hasBegunAnew)
      this.#memory.setStrategyStateAside(name, memoryId, saved.version);
    return made;
  }
}

function isSameCode({ strategy, quoted }: Kept, other: StrategySettings): boolean {
  return strategy.moduleKey === other.moduleKey && isDeepStrictEqual(quoted.params, other.params);
}

/** Declaration of an event in the trader's file. Its named markets identify it first: not every recording keeps its id. */
function findEventFacts(eventConditionId: string, market: string, events: TraderSettings['events']): EventFacts {
  const rule =
    events.find(({ marketConditionIds }) => marketConditionIds.includes(market)) ??
    events.find((each) => each.eventConditionId === eventConditionId);
  const marketConditionIds = Object.freeze([...(rule?.marketConditionIds ?? [])]);
  return Object.freeze({ eventConditionId, outcomes: rule?.outcomes ?? null, marketConditionIds });
}
