/**
 * What a look at one market is worth at most, kept from one decision to the next: an index only grows while nothing is learned
 * of its market, so the one of a later moment holds until then. Only what may be the best is reckoned anew, and the choice
 * is that of reckoning all of them. Once there is one for a market, asking it allocates nothing.
 */

import { type RestingQuote, type StaleMarket, staleIndex } from './stale-index.js';

/** Computed for this fraction of a read's age ahead: a larger one lasts longer but excludes less. */
const AHEAD_PART = 0.1;
const LEAST_AHEAD_MS = 1000;
/** The index comes from a table: it may seem to fall by this factor where it is constant. */
const ROUNDING = 1 + 1e-6;

export class LookWorth {
  #most = Number.POSITIVE_INFINITY;
  #fromMs = Number.POSITIVE_INFINITY;
  #untilMs = Number.NEGATIVE_INFINITY;
  // The market at that time.
  #seenMs = 0;
  #price = 0;
  #usualDistance = 0;
  #sigmaPerSqrtS = 0;
  #jumpsPerS = 0;
  #takersPerS = 0;
  #markMove = 0;
  #quotes: readonly RestingQuote[] = [];

  /** The current index if above `best`, else any value up to `best`. New markets, however many, are worth 0. */
  indexAbove(best: number, market: StaleMarket, nowMs: number): number {
    const { seenMs } = market;
    if (seenMs === null) return 0;
    const holds = nowMs >= this.#fromMs && nowMs <= this.#untilMs && this.#isAsBefore(market);
    if (!holds) this.#remember(market, seenMs, nowMs);
    return this.#most > best ? staleIndex(market, nowMs) : best;
  }

  #isAsBefore(market: StaleMarket): boolean {
    return (
      this.#seenMs === market.seenMs &&
      this.#price === market.price &&
      this.#sigmaPerSqrtS === market.sigmaPerSqrtS &&
      this.#takersPerS === market.takersPerS &&
      this.#markMove === (market.markMove ?? 0) &&
      this.#jumpsPerS === market.jumpsPerS &&
      this.#usualDistance === market.usualDistance &&
      areSame(this.#quotes, market.quotes)
    );
  }

  #remember(market: StaleMarket, seenMs: number, nowMs: number): void {
    this.#seenMs = seenMs;
    this.#price = market.price;
    this.#usualDistance = market.usualDistance;
    this.#sigmaPerSqrtS = market.sigmaPerSqrtS;
    this.#jumpsPerS = market.jumpsPerS;
    this.#takersPerS = market.takersPerS;
    this.#markMove = market.markMove ?? 0;
    this.#quotes = market.quotes;
    this.#fromMs = nowMs;
    this.#untilMs = nowMs + Math.max(LEAST_AHEAD_MS, AHEAD_PART * (nowMs - seenMs));
    this.#most = staleIndex(market, this.#untilMs) * ROUNDING;
  }
}

function areSame(a: readonly RestingQuote[], b: readonly RestingQuote[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const [one, other] = [a[i], b[i]];
    if (one?.side !== other?.side || one?.priceMicros !== other?.priceMicros) return false;
    if (one?.remainingMicros !== other?.remainingMicros) return false;
  }
  return true;
}
