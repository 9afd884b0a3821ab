/** Shared reasons for a strategy not to quote a market. Risk has its own limits behind them. */

import type { MarketView } from '../market/view.js';

/** Conditions under which a strategy does not quote; all in ms. */
export interface GuardSetting {
  /** Maximum age of the book, ms. */
  readonly maxBookAgeMs: number;
  /** Pause after a price jump, ms. */
  readonly jumpPauseMs: number;
  /** No quotes within this time before resolution, ms. */
  readonly haltBeforeMs: number;
}

/** Why this market must not be quoted now, in one sentence; null when it may be. */
export function whyNoQuotes(view: MarketView, setting: GuardSetting): string | null {
  const { health, market, timeToResolutionMs } = view;
  if (market.phase !== 'open') return `the market is ${market.phase}, not open`;
  if (health.crossed || health.locked) return 'the book is crossed or locked: it is stale or wrong';
  if (health.frozen) return 'the book is frozen: trades go through it and it does not follow';
  if (health.bookAgeMs > setting.maxBookAgeMs) {
    return `the book is ${health.bookAgeMs} ms old, at most ${setting.maxBookAgeMs} ms are accepted`;
  }
  if (health.sinceJumpMs !== null && health.sinceJumpMs < setting.jumpPauseMs) {
    return `the price jumped ${health.sinceJumpMs} ms ago, quotes pause for ${setting.jumpPauseMs} ms`;
  }
  if (timeToResolutionMs !== null && timeToResolutionMs <= setting.haltBeforeMs) {
    const seconds = Math.round(timeToResolutionMs / 1000);
    return `the market resolves in ${seconds} s, quotes end ${setting.haltBeforeMs / 1000} s before`;
  }
  return null;
}
