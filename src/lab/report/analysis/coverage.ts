/** How much of the markets' time was recorded, and what was left out of it. */

import type { MarketSession } from '../../session/contract.js';
import type { CoverageFigures, QuotingShare } from './contract.js';
import { share, sum, sumIfAll } from './total.js';

export function sumCoverage(markets: readonly MarketSession[]): CoverageFigures {
  const recorded = markets.map(({ coverage }) => coverage).filter((coverage) => coverage !== null);
  const spanMs = sum(recorded.map((coverage) => coverage.spanMs));
  const gapMs = sum(recorded.map((coverage) => coverage.gapMs));
  return {
    markets: markets.length,
    marketsPlayed: markets.filter(isPlayed).length,
    marketsQuoted: markets.filter(({ quoting }) => quoting.ordersPlaced > 0).length,
    marketsTraded: markets.filter(({ fills }) => fills.length > 0).length,
    marketsWithoutOutcome: markets.filter(({ outcome }) => outcome === null).length,
    marketsWithoutRecording: markets.length - recorded.length,
    spanMs,
    coveredShare: share(spanMs - gapMs, spanMs),
    gaps: sum(recorded.map((coverage) => coverage.gaps)),
    gapMs,
    events: sum(recorded.map((coverage) => coverage.events)),
    trades: sum(recorded.map((coverage) => coverage.trades)),
    skipped: sum(recorded.map((coverage) => coverage.skipped)),
  };
}

/** A market without an order while a limit had halted the trader for most of its time was not played. */
export function isPlayed({ quoting: { ordersPlaced, haltedMs, openForMs } }: MarketSession): boolean {
  return ordersPlaced > 0 || haltedMs === null || openForMs === null || 2 * haltedMs <= openForMs;
}

interface RunMarkets {
  readonly markets: readonly { readonly conditionId: string; readonly isPlayed: boolean }[];
}

/** Condition ids; who played fewer markets has earned and lost nothing in the others. */
export function playedByAll(runs: readonly RunMarkets[]): ReadonlySet<string> {
  const [first, ...others] = runs.map(
    ({ markets }) => new Set(markets.filter((market) => market.isPlayed).map(({ conditionId }) => conditionId)),
  );
  return new Set([...(first ?? [])].filter((id) => others.every((played) => played.has(id))));
}

export function computeQuotingShare(markets: readonly MarketSession[]): QuotingShare {
  const openForMs = sumIfAll(markets.map(({ quoting }) => quoting.openForMs));
  const twoSidedMs = sumIfAll(markets.map(({ quoting }) => quoting.twoSidedMs));
  const oneSidedMs = sumIfAll(markets.map(({ quoting }) => quoting.oneSidedMs));
  return {
    openForMs,
    twoSidedMs,
    oneSidedMs,
    twoSidedShare: share(twoSidedMs, openForMs),
    oneSidedShare: share(oneSidedMs, openForMs),
  };
}
