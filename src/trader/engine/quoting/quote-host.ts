/** Runs one strategy on one market, and keeps what goes wrong in it from touching anything else. */

import type { MarketFacts, MarketView } from '../../market/view.js';
import { checkQuotes } from '../../strategy/check.js';
import type { MarketStrategy, Quoter, Quotes, SavedState } from '../../strategy/contract.js';
import { NO_QUOTES } from '../../strategy/contract.js';
import type { AnyEvent, EventKind } from '../../strategy/events.js';
import type { ParamValues } from '../../strategy/params.js';
import { type BoundedCall, HostedQuoter } from './hosted-quoter.js';

/** What a slot has of the quoter that speaks for its market. */
export interface SlotHost {
  /** Why this market's strategy is stopped; null while it works. */
  readonly failure: string | null;
  /** The same, once for each failure: for whoever tells it. */
  takeFailure(): string | null;
  /** Whether there was something saved that its quoter was not made from. */
  readonly hasBegunAnew: boolean;
  takeMemoryTrouble(): string | null;
  isSaveDue(nowMs: number): boolean;
  save(nowMs: number): SavedState | null;
  /** The quotes, or none once anything has gone wrong. */
  quote(view: MarketView): Quotes;
  observe(event: AnyEvent): void;
  /** Hands its quoter other parameters; false where another is to be made. */
  takeParams(next: ParamValues): boolean;
}

export class QuoteHost extends HostedQuoter<Quoter<EventKind>> implements SlotHost {
  /** @param saved what a quoter of this strategy saved last in this market, in whatever version */
  constructor(
    strategy: MarketStrategy,
    params: ParamValues,
    facts: MarketFacts,
    call: BoundedCall,
    saved: SavedState | null = null,
  ) {
    const create = (remembered: unknown): Quoter<EventKind> => strategy.create(params, facts, remembered);
    super({ create, state: strategy.state, saved, call });
  }

  quote(view: MarketView): Quotes {
    const quotes = this.ask(
      (quoter) => quoter.quote(view),
      (said) => checkQuotes(said, view),
    );
    return quotes ?? NO_QUOTES(`strategy stopped: ${this.failure ?? 'no quoter'}`);
  }

  observe(event: AnyEvent): void {
    this.tell((quoter) => quoter.observe?.(event), event.kind === 'fill');
  }
}
