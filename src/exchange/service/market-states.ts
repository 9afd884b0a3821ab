/** Meaning of the filter values `open`, `under_review`, `closed` and `resolved` for a market. */

import { isSettledMarket } from '../../shared/protocol/states.js';
import type { MarketFacts } from '../core/market-facts.js';

/** Whether the market trades now. */
export const isOpen = ({ state }: MarketFacts): boolean => state === 'open';

/** An answer was given or is awaited, and nothing is paid yet. */
export const isUnderReview = ({ state }: MarketFacts): boolean =>
  state === 'answer_proposed' || state === 'waiting_to_resolve';

/** It traded, does not now, and is not settled: under review or interrupted. */
export const isClosed = (market: MarketFacts): boolean => isUnderReview(market) || market.state === 'interrupted';

/** Settled: resolved or canceled. */
export const isResolved = ({ state }: MarketFacts): boolean => isSettledMarket(state);

/** Whether a time is between two others, inclusive, all Unix seconds; false for null. */
export const isWithin = (second: number | null, from: number, to: number): boolean =>
  second !== null && second >= from && second <= to;
