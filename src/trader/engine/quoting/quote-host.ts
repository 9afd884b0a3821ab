/** Runs one strategy on one market, and keeps what goes wrong in it from touching anything else. */

import type { MarketFacts, MarketView } from '../../market/view.js';
import { checkQuotes } from '../../strategy/check.js';
import type { Quoter, Quotes, SavedState, Strategy, StrategyEvent } from '../../strategy/contract.js';
import { MAX_STATE_BYTES, NO_QUOTES } from '../../strategy/contract.js';
import type { ParamValues } from '../../strategy/params.js';

/**
 * Calls a function and gives up on it after a bounded time by throwing. The shell supplies it, because only a shell can
 * measure time; a shell on virtual time may simply call.
 */
export type BoundedCall = <T>(call: () => T) => T;

/** After a failure the market stays unquoted until it is resumed: a strategy that threw once may have broken state. */
export class QuoteHost {
  readonly #call: BoundedCall;
  readonly #quoter: Quoter | null;
  /** Null for a module that declares no state. */
  readonly #version: number | null;
  #failure: string | null = null;
  #memoryTrouble: string | null = null;
  #hasBegunAnew = false;

  /** @param saved what a quoter of this strategy saved last in this market, in whatever version */
  constructor(
    strategy: Strategy,
    params: ParamValues,
    facts: MarketFacts,
    call: BoundedCall,
    saved: SavedState | null = null,
  ) {
    this.#call = call;
    this.#version = strategy.state?.version ?? null;
    const create = (state: unknown): Quoter => call(() => strategy.create(params, facts, state));
    const restored = this.#restoreQuoter(saved, create);
    this.#hasBegunAnew = saved !== null && restored === null;
    this.#quoter = restored ?? this.#createQuoter(create);
  }

  /** Null, with the reason in `takeMemoryTrouble`, when what was saved cannot be gone on from. */
  #restoreQuoter(saved: SavedState | null, create: (state: unknown) => Quoter): Quoter | null {
    if (saved === null || this.#version === null) return null;
    if (saved.version !== this.#version) {
      this.#memoryTrouble = `it begins anew: what was saved is of version ${saved.version}, and it reads version ${this.#version}`;
      return null;
    }
    try {
      return create(JSON.parse(saved.text));
    } catch (error) {
      this.#memoryTrouble = `it begins anew: what was saved cannot be gone on from: ${describe(error)}`;
      return null;
    }
  }

  #createQuoter(create: (state: unknown) => Quoter): Quoter | null {
    try {
      const quoter = create(undefined);
      if (typeof quoter?.quote !== 'function') this.#failure = 'create() returned no object with a quote function';
      return quoter;
    } catch (error) {
      this.#failure = `create() failed: ${describe(error)}`;
      return null;
    }
  }

  /** Whether there was something saved that its quoter was not made from. */
  get hasBegunAnew(): boolean {
    return this.#hasBegunAnew;
  }

  /** Why it could not go on from what was saved, or why nothing is saved of it; said once. */
  takeMemoryTrouble(): string | null {
    const trouble = this.#memoryTrouble;
    this.#memoryTrouble = null;
    return trouble;
  }

  /** What the quoter wants to be created with next time; null when there is nothing that can be kept. */
  save(): SavedState | null {
    const quoter = this.#quoter;
    if (this.#failure !== null || this.#version === null || quoter?.save === undefined) return null;
    try {
      const text: unknown = JSON.stringify(this.#call(() => quoter.save?.()));
      const bytes = typeof text === 'string' ? Buffer.byteLength(text) : 0;
      if (typeof text === 'string' && bytes <= MAX_STATE_BYTES) return { version: this.#version, text };
      const what =
        typeof text === 'string' ? `${bytes} bytes, at most ${MAX_STATE_BYTES}` : 'nothing that JSON can hold';
      this.#memoryTrouble = `nothing is saved of it: save() gave ${what}`;
    } catch (error) {
      this.#failure = `save() failed: ${describe(error)}`;
    }
    return null;
  }

  /** Why this market's strategy is stopped; null while it works. */
  get failure(): string | null {
    return this.#failure;
  }

  /** The quotes, or none once anything has gone wrong. */
  quote(view: MarketView): Quotes {
    const quoter = this.#quoter;
    if (this.#failure !== null || quoter === null)
      return NO_QUOTES(`strategy stopped: ${this.#failure ?? 'no quoter'}`);
    try {
      const quotes = this.#call(() => quoter.quote(view));
      const nonsense = checkQuotes(quotes, view);
      if (nonsense === null) return quotes;
      this.#failure = `quote() returned nonsense: ${nonsense}`;
    } catch (error) {
      this.#failure = `quote() failed: ${describe(error)}`;
    }
    return NO_QUOTES(`strategy stopped: ${this.#failure}`);
  }

  observe(event: StrategyEvent): void {
    const quoter = this.#quoter;
    if (this.#failure !== null || quoter?.observe === undefined) return;
    try {
      this.#call(() => quoter.observe?.(event));
    } catch (error) {
      this.#failure = `observe() failed: ${describe(error)}`;
    }
  }
}

/** What was thrown, shortened: a strategy may throw anything, of any length. */
function describe(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
