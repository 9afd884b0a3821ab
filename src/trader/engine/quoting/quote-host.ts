/** Runs one strategy on one market, and keeps what goes wrong in it from touching anything else. */

import type { MarketFacts, MarketView } from '../../market/view.js';
import { checkQuotes } from '../../strategy/check.js';
import type { Quoter, Quotes, Strategy, StrategyEvent } from '../../strategy/contract.js';
import { NO_QUOTES } from '../../strategy/contract.js';
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
  #failure: string | null = null;

  constructor(strategy: Strategy, params: ParamValues, facts: MarketFacts, call: BoundedCall) {
    this.#call = call;
    let quoter: Quoter | null = null;
    try {
      quoter = call(() => strategy.create(params, facts));
      if (typeof quoter?.quote !== 'function') this.#failure = 'create() returned no object with a quote function';
    } catch (error) {
      this.#failure = `create() failed: ${describe(error)}`;
    }
    this.#quoter = quoter;
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
