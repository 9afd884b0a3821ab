/** Figures for each market and each event, and sums of coverage and quoted time over markets. */

import { bootstrapSum } from '../../../shared/statistics/bootstrap.js';
import { computeMoments } from '../../../shared/statistics/moments.js';
import { sharpePerSample } from '../../../shared/statistics/sharpe.js';
import type { Coverage, MarketSession } from '../../session/contract.js';
import { listMoves, sharesMoved } from '../../session/holdings.js';
import { type MarketResult, share } from './split.js';
import { computeFillRatio, computeVolume, markoutAt } from './trading.js';

/** Minimum number of events for a reliable confidence interval. */
export const FEW_EVENTS = 20;

/** Minimum number of events for a confidence interval or a Sharpe ratio; with fewer events both are meaningless. */
export const LEAST_EVENTS = 8;

/** Lower and upper end of a 95 % confidence interval, from 2,000 resampled sets of events. */
type Interval = readonly [low: number, high: number];
type EventFigures = ReturnType<typeof computeEventFigures>;

/** Returns the confidence interval of the result; null if the interval is unknown or events are too few. */
export const shownInterval = ({ events, intervalMicros }: EventFigures): Interval | null =>
  events < LEAST_EVENTS ? null : intervalMicros;

/** Returns the Sharpe ratio per event; null if the ratio is unknown or events are too few. */
export const shownSharpe = ({ events, sharpe }: EventFigures): number | null => (events < LEAST_EVENTS ? null : sharpe);

/**
 * Computes statistics over all events with a fill or a result other than 0. `sharpe`: mean / deviation of the results,
 * not annualised; null for fewer than two events. `caveat`: limits of these figures, in words.
 */
export function computeEventFigures(markets: readonly MarketAnalysis[], seed: number) {
  const each = markets.map((market) => ({ event: eventOf(market), fills: market.fills, ...market.result }));
  const results = [...resultsByEvent(each).values()];
  const { mean, standardDeviation } = computeMoments(results);
  return {
    events: results.length,
    won: results.filter((result) => result > 0).length,
    lost: results.filter((result) => result < 0).length,
    meanMicros: mean,
    deviationMicros: standardDeviation,
    sharpe: sharpePerSample(results),
    intervalMicros: drawInterval(results, seed),
    caveat: caveatFor(results.length),
  };
}

/** Returns the event's id, else its title, else the market's id. Markets of one event resolve together. */
export const eventOf = (market: Pick<MarketSession, 'eventConditionId' | 'eventTitle' | 'conditionId'>): string =>
  market.eventConditionId ?? (market.eventTitle || market.conditionId);

export function resultsByEvent(
  markets: readonly { readonly event: string; readonly resultMicros: number; readonly fills: number }[],
): ReadonlyMap<string, number> {
  const results = new Map<string, number>();
  for (const { event, fills, resultMicros } of markets)
    if (fills > 0 || resultMicros !== 0) results.set(event, (results.get(event) ?? 0) + resultMicros);
  return results;
}

/** Computes a bootstrap confidence interval; null for fewer than two results. */
export function drawInterval(results: readonly number[], seed: number): Interval | null {
  const interval = bootstrapSum(results, seed);
  return interval === null ? null : [Math.round(interval.low), Math.round(interval.high)];
}

function caveatFor(events: number): string {
  if (events === 0) return 'Nothing was filled, so there is no result per event.';
  const jumps =
    'A settlement is a jump, and the markets of one event settle together: a Sharpe ratio of daily returns would be too high. This ratio is per event and must not be annualised.';
  if (events === 1)
    return `${jumps} One event is one sample: neither a deviation nor an interval can be computed from it.`;
  return events < FEW_EVENTS ? `${jumps} With ${events} events the ratio is rough and the interval too narrow.` : jumps;
}

export type MarketAnalysis = ReturnType<typeof marketAnalysis>;

export function marketAnalysis(market: MarketSession, result: MarketResult) {
  const { conditionId, title, eventConditionId, eventTitle, category, outcome, fills, quoting, coverage } = market;
  return {
    conditionId,
    title,
    eventConditionId,
    eventTitle,
    category,
    outcome,
    isPlayed: isPlayed(market),
    result: result.split,
    fills: fills.length,
    ...computeVolume(fills),
    fillRatioShare: computeFillRatio([market]).fillRatioShare,
    ordersPlaced: quoting.ordersPlaced,
    twoSidedShare: share(quoting.twoSidedMs, quoting.openForMs),
    markout60sMicros: markoutAt([market], 60_000, 'all').markoutMicros,
    peakInventoryMicros: peakInventory(market),
    endYesMicros: result.yesMicros,
    endNoMicros: result.noMicros,
    endValueMicros: result.endValueMicros,
    valuedAt: result.valuedAt,
    coverage,
  };
}

function peakInventory(market: MarketSession): number {
  let [net, peak] = [0, 0];
  for (const move of listMoves(market)) {
    const { yes, no } = sharesMoved(move);
    net += yes - no;
    peak = Math.max(peak, Math.abs(net));
  }
  return peak;
}

export function sumCoverages(parts: readonly Coverage[]): Coverage {
  const total = { spanMs: 0, gapMs: 0, gaps: 0, events: 0, trades: 0, skipped: 0 };
  // Each market's coverage has the same keys as the total.
  for (const name of Object.keys(total) as (keyof Coverage)[]) for (const part of parts) total[name] += part[name];
  return total;
}

/** Sums the coverage of markets. `coveredShare`: fraction of recorded time outside gaps; null without a recording. */
export function sumCoverage(markets: readonly MarketSession[]) {
  const recorded = markets.map(({ coverage }) => coverage).filter((coverage) => coverage !== null);
  const total = sumCoverages(recorded);
  return {
    markets: markets.length,
    marketsPlayed: markets.filter(isPlayed).length,
    marketsQuoted: markets.filter(({ quoting }) => quoting.ordersPlaced > 0).length,
    marketsTraded: markets.filter(({ fills }) => fills.length > 0).length,
    marketsWithoutOutcome: markets.filter(({ outcome }) => outcome === null).length,
    marketsWithoutRecording: markets.length - recorded.length,
    ...total,
    coveredShare: share(total.spanMs - total.gapMs, total.spanMs),
  };
}

/** A market without an order counts as not played if a limit halted the trader for more than half of the open time. */
const isPlayed = ({ quoting: { ordersPlaced, haltedMs, openForMs } }: MarketSession): boolean =>
  ordersPlaced > 0 || haltedMs === null || openForMs === null || 2 * haltedMs <= openForMs;

export function playedByAll(
  runs: readonly { readonly markets: readonly Pick<MarketAnalysis, 'conditionId' | 'isPlayed'>[] }[],
): ReadonlySet<string> {
  const [first, ...others] = runs.map(
    ({ markets }) => new Set(markets.filter((market) => market.isPlayed).map(({ conditionId }) => conditionId)),
  );
  return new Set([...(first ?? [])].filter((id) => others.every((played) => played.has(id))));
}
