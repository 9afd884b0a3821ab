/**
 * Crossings: the recorded other side came to the price of a resting order of ours. What that filled, and what it left
 * standing, are two faces of one assumption, so that both are told, with what they were worth afterwards.
 */

import type { MarketOutcome } from '../../../shared/protocol/outcome.js';
import type { CrossedOrder, MarketSession } from '../../session/contract.js';
import type { CrossingFigures, MarkoutHorizon } from './contract.js';
import { type Marked, markoutAt } from './markouts.js';
import { sum } from './total.js';
import { computeSpread } from './trading.js';

/** What a reader compares: what is known at once, and what it comes to. */
const CROSSING_HORIZONS: readonly MarkoutHorizon[] = [1_000, 5_000, 60_000, 'settlement'];

/** Null where it is not known: for what really happened. */
export function computeCrossings(markets: readonly MarketSession[]): CrossingFigures | null {
  if (markets.some(({ stoodCrossed }) => stoodCrossed === null)) return null;
  const filled = markets.map(({ fills, outcome }) => ({
    marked: fills.filter(({ atCrossing }) => atCrossing),
    outcome,
  }));
  const unfilled = markets.map(({ stoodCrossed, outcome }) => ({ marked: stoodCrossed ?? [], outcome }));
  return {
    filled: { fills: count(filled), ...computeMarkedShares(filled) },
    unfilled: {
      orders: count(unfilled),
      ...computeMarkedShares(unfilled),
      crossed: computeSpread(unfilled.flatMap(({ marked }) => marked.map(({ crossedMs }: CrossedOrder) => crossedMs))),
    },
  };
}

interface Crossed<T extends Marked> {
  readonly marked: readonly T[];
  readonly outcome: MarketOutcome | null;
}

const count = (markets: readonly Crossed<Marked>[]): number => sum(markets.map(({ marked }) => marked.length));

const computeMarkedShares = (markets: readonly Crossed<Marked>[]) => ({
  sharesMicros: sum(markets.flatMap(({ marked }) => marked.map(({ amountMicros }) => amountMicros))),
  markouts: CROSSING_HORIZONS.map((horizon) => markoutAt(markets, horizon, 'all')),
});
