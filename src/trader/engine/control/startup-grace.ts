/**
 * What rests when a process begins has been unattended since the one before it, and is judged like any other quote: by
 * the age of the book that it was priced from. Cancelling an order before its book was read costs two requests, two
 * more to place it again, and its place in the queue, while the start still asks the exchange what is ours.
 */

import type { MarketView } from '../../market/view.js';
import type { QuoteSlot } from '../quoting/quote-slot.js';
import type { TraderState } from '../state.js';
import { pausedBecause } from './fleet-bounds.js';
import { LADDER } from './modes.js';

/**
 * True while nothing can be said yet of this slot's orders: own state or this book is being read for the first time, and
 * the process is not older than a book may be.
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

/** Whether it is not known yet which strategies quote which markets: some are given theirs by the catalog. */
export function isUnassigned(state: TraderState): boolean {
  if (!mayQuote(state)) return false;
  const selects = state.settings.strategies.some(({ markets }) => markets.ids.length === 0);
  return selects && !state.markets.hasCatalog && ageMs(state) <= state.settings.risk.maxBookAgeMs;
}

/** Under a kill, a pause or a halt there is nothing to wait for: what rests is pulled at once. */
function mayQuote(state: TraderState): boolean {
  const { mode } = state.mode();
  return mode === 'starting' || LADDER[mode].orders === 'quotes';
}

/** A clock that was set back makes the process older than any book may be: what rests is then pulled. */
function ageMs({ seenMs, bornMs }: TraderState): number {
  if (bornMs === null) return 0;
  return seenMs < bornMs ? Number.POSITIVE_INFINITY : seenMs - bornMs;
}
