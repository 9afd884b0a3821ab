/** Runs one strategy on one event: asked once for all its markets, whose slots then take what it said of them. */

import { isDeepStrictEqual } from 'node:util';
import type { EventFacts, MarketView, WholeEventView } from '../../market/view.js';
import { checkEventQuotes } from '../../strategy/check.js';
import {
  type EventQuoter,
  type EventStrategy,
  NO_QUOTES,
  type Quotes,
  type SavedState,
} from '../../strategy/contract.js';
import type { AnyEvent, EventKind } from '../../strategy/events.js';
import type { ParamValues } from '../../strategy/params.js';
import { type BoundedCall, HostedQuoter } from './hosted-quoter.js';
import type { SlotHost } from './quote-host.js';

type EventQuotes = Readonly<Record<string, Quotes>>;

export class EventHost extends HostedQuoter<EventQuoter<EventKind>> {
  readonly facts: EventFacts;

  /** @param saved what a quoter of this strategy saved last in this event, in whatever version */
  constructor(
    strategy: EventStrategy,
    params: ParamValues,
    facts: EventFacts,
    call: BoundedCall,
    saved: SavedState | null = null,
  ) {
    const create = (remembered: unknown): EventQuoter<EventKind> => strategy.create(params, facts, remembered);
    super({ create, state: strategy.state, saved, call });
    this.facts = facts;
  }

  /** By condition id; null once anything has gone wrong, in whichever market. */
  quote(view: WholeEventView): EventQuotes | null {
    return this.ask(
      (quoter) => quoter.quote(view),
      (said) => checkEventQuotes(said, view),
    );
  }

  observe(event: AnyEvent, conditionId: string): void {
    this.tell((quoter) => quoter.observe?.(event, conditionId), event.kind === 'fill');
  }
}

/** What the markets of an event share: its quoter, and what it said of them at the newest turn. */
export class QuotedEvent {
  #host: EventHost;
  #params: ParamValues;
  #said: EventQuotes | null = null;
  /** Parameters that it was handed last and did not take; null: none. */
  #refused: ParamValues | null = null;

  constructor(host: EventHost, params: ParamValues) {
    this.#host = host;
    this.#params = params;
  }

  /** Those that it quotes by. */
  get params(): ParamValues {
    return this.#params;
  }

  /** As of a `SlotHost`. Each of its markets hands them over; its quoter is told once. */
  takeParams(next: ParamValues): boolean {
    if (isDeepStrictEqual(this.#params, next)) return true;
    if (this.#refused === next) return false;
    const isTaken = this.#host.takeParams(next);
    if (isTaken) this.#params = next;
    this.#refused = isTaken ? null : next;
    return isTaken;
  }

  get host(): EventHost {
    return this.#host;
  }

  get facts(): EventFacts {
    return this.#host.facts;
  }

  /** A quoter that failed is replaced by another, made with these. */
  replace(host: EventHost, params: ParamValues): void {
    this.#host = host;
    this.#params = params;
    this.#said = null;
  }

  /** Null: none of its markets may quote, so it is not asked. */
  ask(view: WholeEventView | null): void {
    this.#said = view === null ? null : this.#host.quote(view);
  }

  said(conditionId: string): Quotes {
    const { failure } = this.#host;
    if (failure !== null) return NO_QUOTES(`strategy stopped: ${failure}`);
    return this.#said?.[conditionId] ?? NO_QUOTES('its event has not been quoted yet');
  }
}

/** What the slot of one of its markets has of it. */
export class EventSlotHost implements SlotHost {
  readonly quoted: QuotedEvent;
  readonly #conditionId: string;

  constructor(quoted: QuotedEvent, conditionId: string) {
    this.quoted = quoted;
    this.#conditionId = conditionId;
  }

  get failure(): string | null {
    return this.quoted.host.failure;
  }

  takeFailure(): string | null {
    return this.quoted.host.takeFailure();
  }

  get hasBegunAnew(): boolean {
    return this.quoted.host.hasBegunAnew;
  }

  takeMemoryTrouble(): string | null {
    return this.quoted.host.takeMemoryTrouble();
  }

  isSaveDue(nowMs: number): boolean {
    return this.quoted.host.isSaveDue(nowMs);
  }

  save(nowMs: number): SavedState | null {
    return this.quoted.host.save(nowMs);
  }

  quote(_view: MarketView): Quotes {
    return this.quoted.said(this.#conditionId);
  }

  takeParams(next: ParamValues): boolean {
    return this.quoted.takeParams(next);
  }

  observe(event: AnyEvent): void {
    this.quoted.host.observe(event, this.#conditionId);
  }
}

/** A market that belongs to no event has nothing to be quoted together with. */
export const NO_EVENT: SlotHost = {
  failure: null,
  hasBegunAnew: false,
  takeFailure: () => null,
  takeMemoryTrouble: () => null,
  isSaveDue: () => false,
  save: () => null,
  quote: () => NO_QUOTES('the market belongs to no event, and its strategy quotes whole events'),
  observe: () => undefined,
  takeParams: () => false,
};
