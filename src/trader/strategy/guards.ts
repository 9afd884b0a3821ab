/** Reasons of the market itself not to quote, for strategies to share. Risk has limits of its own behind these. */

import type { MarketView } from '../market/view.js';

/** When a strategy leaves a market alone; all in ms. */
export interface GuardSetting {
  /** Oldest book to quote on, ms. */
  readonly maxBookAgeMs: number;
  /** How long to stay out after the price jumped, ms. */
  readonly jumpPauseMs: number;
  /** No quotes from so long before resolution, ms. */
  readonly haltBeforeMs: number;
}

/** Why this market must not be quoted now, in one sentence; null when nothing speaks against it. */
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
