/**
 * Startup grace. Orders that rest at the start were placed by the process before. They are judged like any quote, by
 * the age of the book that they were priced from. Canceling them before their book was read costs two requests, two
 * more to place them again, and their place in the queue.
 */

import type { MarketView } from '../../market/view.js';
import type { QuoteSlot } from '../quoting/quote-slot.js';
import type { TraderState } from '../state.js';
import { pausedBecause } from './fleet-bounds.js';
import { LADDER } from './modes.js';

/**
 * True while nothing is known yet about this slot's orders: the own state or this book is being read for the first
 * time, and the process is younger than the maximum age of a book.
 */
export function isInStartupGrace(
  state: TraderState,
  { strategy, conditionId }: QuoteSlot,
  view: MarketView | null,
): boolean {
  if (!mayQuote(state) || pausedBecause(state, conditionId) !== undefined) return false;
  const isReading = !state.modes.isStarted || view === null || state.valuation.equityMicros === null;
  return isReading && ageMs(state) <= strategy.risk.maxBookAgeMs;
}

/** True until the catalog has assigned markets to all strategies that select theirs. */
export function isUnassigned(state: TraderState): boolean {
  if (!mayQuote(state)) return false;
  const selects = state.settings.strategies.some(({ markets }) => markets.ids.length === 0);
  return selects && !state.markets.hasCatalog && ageMs(state) <= state.settings.risk.maxBookAgeMs;
}

/** Under a kill, pause or halt resting orders are canceled at once. */
function mayQuote(state: TraderState): boolean {
  const { mode } = state.mode();
  return mode === 'starting' || LADDER[mode].orders === 'quotes';
}

/** After a clock set back, the process counts as older than any book: resting orders are then canceled. */
function ageMs({ seenMs, bornMs }: TraderState): number {
  if (bornMs === null) return 0;
  return seenMs < bornMs ? Number.POSITIVE_INFINITY : seenMs - bornMs;
}
