/** What the backtests of a sweep say of crossings: as sums, so that folds add up to one figure of a configuration. */

import { ONE } from '../../../shared/base/micros.js';
import { computeMean } from '../../../shared/statistics/moments.js';
import { computeCrossings } from '../../report/analysis/crossings.js';
import { count, formatDuration, formatShares, signedCents } from '../../report/figures.js';
import type { MarketSession } from '../../session/contract.js';
import type { CrossingSummary, CrossingSums, MarkedSum, ModelResult } from '../contract.js';

const NO_CROSSING: CrossingSums = {
  filledMicros: 0,
  unfilledMicros: 0,
  unfilledOrders: 0,
  crossedMs: 0,
  after5s: { sharesMicros: 0, gainMicros: 0 },
  after60s: { sharesMicros: 0, gainMicros: 0 },
};

export function crossingSums(markets: readonly MarketSession[]): CrossingSums {
  const figures = computeCrossings(markets);
  if (figures === null) return NO_CROSSING;
  const { filled, unfilled } = figures;
  const sumMarked = (wanted: number): MarkedSum => {
    const found = unfilled.markouts.find(({ horizon }) => horizon === wanted);
    const sharesMicros = found?.sharesMicros ?? 0;
    return { sharesMicros, gainMicros: Math.round(((found?.markoutMicros ?? 0) * sharesMicros) / ONE) };
  };
  return {
    filledMicros: filled.sharesMicros,
    unfilledMicros: unfilled.sharesMicros,
    unfilledOrders: unfilled.orders,
    crossedMs: Math.round((unfilled.crossed.mean ?? 0) * unfilled.crossed.count),
    after5s: sumMarked(5_000),
    after60s: sumMarked(60_000),
  };
}

/** Figure by figure; null when one of them is not known. */
export function combineCrossings(
  all: readonly (CrossingSums | null)[],
  combine: (values: readonly number[]) => number,
): CrossingSums | null {
  const known = all.filter((sums) => sums !== null);
  if (known.length < all.length) return null;
  const of = (figure: (sums: CrossingSums) => number): number => combine(known.map(figure));
  const sumMarked = (at: 'after5s' | 'after60s'): MarkedSum => ({
    sharesMicros: of((sums) => sums[at].sharesMicros),
    gainMicros: of((sums) => sums[at].gainMicros),
  });
  return {
    filledMicros: of(({ filledMicros }) => filledMicros),
    unfilledMicros: of(({ unfilledMicros }) => unfilledMicros),
    unfilledOrders: of(({ unfilledOrders }) => unfilledOrders),
    crossedMs: of(({ crossedMs }) => crossedMs),
    after5s: sumMarked('after5s'),
    after60s: sumMarked('after60s'),
  };
}

export const roundedMean = (values: readonly number[]): number => Math.round(computeMean(values) ?? 0);

export function crossingSummary(sums: CrossingSums): CrossingSummary {
  const { filledMicros, unfilledMicros, unfilledOrders, crossedMs, after5s, after60s } = sums;
  const aShare = ({ sharesMicros, gainMicros }: MarkedSum) =>
    sharesMicros === 0 ? null : Math.round((gainMicros / sharesMicros) * ONE);
  return {
    filledMicros,
    unfilledMicros,
    unfilledOrders,
    meanCrossedMs: unfilledOrders === 0 ? null : crossedMs / unfilledOrders,
    markout5sMicros: aShare(after5s),
    markout60sMicros: aShare(after60s),
  };
}

/** The figures of a fill model as a person reads them, the same on the terminal and in the page. */
export const CROSSING_COLUMNS: readonly (readonly [
  title: string,
  text: (crossing: ModelResult['crossing']) => string,
])[] = [
  ['Filled at crossings', (crossing) => formatShares(crossing?.filledMicros ?? null)],
  ['Crossed, not filled', (crossing) => formatShares(crossing?.unfilledMicros ?? null)],
  ['Orders', (crossing) => count(crossing?.unfilledOrders ?? null)],
  ['Crossed for, mean', (crossing) => formatDuration(crossing?.meanCrossedMs ?? null)],
  ['Markout 5 s, cents', (crossing) => signedCents(crossing?.markout5sMicros ?? null)],
  ['Markout 60 s, cents', (crossing) => signedCents(crossing?.markout60sMicros ?? null)],
];
