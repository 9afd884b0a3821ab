/** Trust in an incoming book: whether it is stuck, whether it jumped, and when it last changed. */

import { midOf } from './book.js';
import { computeLogOdds } from './estimators.js';
import type { Book, SeenAt, TapeTrade } from './view.js';

/** A change of the mid is a jump when it exceeds this many sigmas of its time and this size. */
export const JUMP_SIGMAS = 6;
export const JUMP_MIN_LOG_ODDS = 0.25;

/** A book is stuck when this many trades went through its best prices, the first at least this long ago. */
export const FROZEN_TRADES = 2;
export const FROZEN_MS = 10_000;

/** Newest change of the mid that was too large for its time. */
export interface Jump {
  /** Our clock, ms, of the book that showed it. */
  readonly jumpedMs: number;
  /** Signed change of the log-odds. */
  readonly changeLogOdds: number;
}

/**
 * Watches the books and trades of one market for jumps, and for a book that stands still while trades go through it.
 */
export class Liveness {
  #unchangedSinceMs: number | null = null;
  #through: { readonly count: number; readonly sinceMs: number } = { count: 0, sinceMs: 0 };
  #lastMid: { readonly logOdds: number; readonly seenMs: number } | null = null;
  jumpLogOdds = 0;
  /** The same object until the next jump; null before the first. */
  jump: Jump | null = null;

  /** A new book without own orders; `changed` tells whether the raw book differs from the one before. */
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

  /** A trade at about `atMs`, our clock, while the raw book was this one. */
  onTrade(trade: TapeTrade, atMs: number, book: Book): void {
    if (this.#unchangedSinceMs === null || atMs <= this.#unchangedSinceMs) return;
    const { bids, asks } = book;
    const above = asks[0] !== undefined && trade.priceMicros > asks[0].priceMicros;
    const below = bids[0] !== undefined && trade.priceMicros < bids[0].priceMicros;
    if (!above && !below) return;
    const { count, sinceMs } = this.#through;
    this.#through = { count: count + 1, sinceMs: count === 0 ? atMs : sinceMs };
  }

  /** Keeps the time since each event. */
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

  /** Judged by the newest book's poll: a market that is not read is not stuck. */
  isFrozen(bookSentMs: number): boolean {
    return this.#through.count >= FROZEN_TRADES && bookSentMs - this.#through.sinceMs >= FROZEN_MS;
  }
}
