/** Detects price jumps and stuck books. */

import { midOf } from './book.js';
import { computeLogOdds } from './estimators.js';
import type { Book, SeenAt, TapeTrade } from './view.js';

/** A change of the mid is a jump when its log-odds exceed both this many sigmas and this size. */
export const JUMP_SIGMAS = 6;
export const JUMP_MIN_LOG_ODDS = 0.25;

/** A book is stuck when this many trades went through its best prices, the first at least this long ago. */
export const FROZEN_TRADES = 2;
export const FROZEN_MS = 10_000;

/** A price jump: a change of the mid that is too large for the elapsed time. */
export interface Jump {
  /** Our clock, ms, when the book with the jump arrived. */
  readonly jumpedMs: number;
  /** Signed change of the log-odds. */
  readonly changeLogOdds: number;
}

/** Detects jumps of one market's mid, and a book that stays unchanged while trades pass through its best prices. */
export class Liveness {
  #unchangedSinceMs: number | null = null;
  #through: { readonly count: number; readonly sinceMs: number } = { count: 0, sinceMs: 0 };
  #lastMid: { readonly logOdds: number; readonly seenMs: number } | null = null;
  jumpLogOdds = 0;
  /** The newest jump; null before the first. Each jump is a new object. */
  jump: Jump | null = null;

  /** Takes in a book without own orders. `changed`: the raw book differs from the previous one. */
  onBook(others: Book, at: SeenAt, changed: boolean, sigmaPerSqrtS: number): void {
    if (changed) {
      this.#unchangedSinceMs = at.seenMs;
      this.#through = { count: 0, sinceMs: 0 };
    }
    const mid = midOf(others);
    if (mid === null) return;
    const logOdds = computeLogOdds(mid);
    const last = this.#lastMid;
    this.#lastMid = { logOdds, seenMs: at.seenMs };
    if (last === null) return;
    const changeLogOdds = logOdds - last.logOdds;
    this.jumpLogOdds = Math.abs(changeLogOdds);
    const usual = sigmaPerSqrtS * Math.sqrt(Math.max(1, (at.seenMs - last.seenMs) / 1000));
    if (this.jumpLogOdds > Math.max(JUMP_MIN_LOG_ODDS, JUMP_SIGMAS * usual))
      this.jump = { jumpedMs: at.seenMs, changeLogOdds };
  }

  /** Takes in a trade at about `atMs`, our clock, and the raw book at that time. */
  onTrade(trade: TapeTrade, atMs: number, book: Book): void {
    if (this.#unchangedSinceMs === null || atMs <= this.#unchangedSinceMs) return;
    const { bids, asks } = book;
    const above = asks[0] !== undefined && trade.priceMicros > asks[0].priceMicros;
    const below = bids[0] !== undefined && trade.priceMicros < bids[0].priceMicros;
    if (!above && !below) return;
    const { count, sinceMs } = this.#through;
    this.#through = { count: count + 1, sinceMs: count === 0 ? atMs : sinceMs };
  }

  /** Shifts stored times after our clock was set back by `byMs`, so that elapsed times stay correct. */
  clockSetBack(byMs: number): void {
    if (this.#unchangedSinceMs !== null) this.#unchangedSinceMs -= byMs;
    if (this.jump !== null) this.jump = { ...this.jump, jumpedMs: this.jump.jumpedMs - byMs };
    if (this.#lastMid !== null) this.#lastMid = { ...this.#lastMid, seenMs: this.#lastMid.seenMs - byMs };
    this.#through = { ...this.#through, sinceMs: this.#through.sinceMs - byMs };
  }

  sinceJumpMs(nowMs: number): number | null {
    return this.jump === null ? null : nowMs - this.jump.jumpedMs;
  }

  unchangedMs(nowMs: number): number {
    return this.#unchangedSinceMs === null ? 0 : nowMs - this.#unchangedSinceMs;
  }

  /** True when the book is stuck at the time of its newest poll: a market without polls is not stuck. */
  isFrozen(bookSentMs: number): boolean {
    return this.#through.count >= FROZEN_TRADES && bookSentMs - this.#through.sinceMs >= FROZEN_MS;
  }
}
