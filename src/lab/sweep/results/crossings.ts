/** Crossings in a sweep's backtests, as sums: folds add up to one figure per configuration. */

import { ONE } from '../../../shared/base/micros.js';
import { computeMean } from '../../../shared/statistics/moments.js';
import { computeCrossings } from '../../report/analysis/markouts.js';
import type { MarketSession } from '../../session/contract.js';
import type { CrossingSummary, CrossingSums } from '../contract.js';

const NO_CROSSING: CrossingSums = {
  filledMicros: 0,
  unfilledMicros: 0,
  unfilledOrders: 0,
  crossedMs: 0,
  shares5sMicros: 0,
  gain5sMicros: 0,
  shares60sMicros: 0,
  gain60sMicros: 0,
};

export function crossingSums(markets: readonly MarketSession[]): CrossingSums {
  const figures = computeCrossings(markets);
  if (figures === null) return NO_CROSSING;
  const { filled, unfilled } = figures;
  const sumMarked = (wanted: number): readonly [shares: number, gain: number] => {
    const { sharesMicros = 0, markoutMicros = 0 } = unfilled.markouts.find(({ horizon }) => horizon === wanted) ?? {};
    return [sharesMicros, Math.round(((markoutMicros ?? 0) * sharesMicros) / ONE)];
  };
  const [[shares5sMicros, gain5sMicros], [shares60sMicros, gain60sMicros]] = [sumMarked(5_000), sumMarked(60_000)];
  return {
    filledMicros: filled.sharesMicros,
    unfilledMicros: unfilled.sharesMicros,
    unfilledOrders: unfilled.orders,
    crossedMs: Math.round((unfilled.crossed.mean ?? 0) * unfilled.crossed.count),
    shares5sMicros,
    gain5sMicros,
    shares60sMicros,
    gain60sMicros,
  };
}

/** Figure by figure; null when one is unknown. */
export function combineCrossings(
  all: readonly (CrossingSums | null)[],
  combine: (values: readonly number[]) => number,
): CrossingSums | null {
  const known = all.filter((sums) => sums !== null);
  if (known.length < all.length) return null;
  // The keys are those of its type.
  const figures = Object.keys(NO_CROSSING) as (keyof CrossingSums)[];
  const combined = figures.map((figure) => [figure, combine(known.map((sums) => sums[figure]))] as const);
  return { ...NO_CROSSING, ...Object.fromEntries(combined) };
}

export const roundedMean = (values: readonly number[]): number => Math.round(computeMean(values) ?? 0);

export function crossingSummary(sums: CrossingSums): CrossingSummary {
  const { filledMicros, unfilledMicros, unfilledOrders, crossedMs } = sums;
  const aShare = (gainMicros: number, sharesMicros: number) =>
    sharesMicros === 0 ? null : Math.round((gainMicros / sharesMicros) * ONE);
  return {
    filledMicros,
    unfilledMicros,
    unfilledOrders,
    meanCrossedMs: unfilledOrders === 0 ? null : crossedMs / unfilledOrders,
    markout5sMicros: aShare(sums.gain5sMicros, sums.shares5sMicros),
    markout60sMicros: aShare(sums.gain60sMicros, sums.shares60sMicros),
  };
}
