/** Markets: a row each, recorded and quoted time, and left-out data. */

import type { Coverage, MarketSession } from '../../session/contract.js';
import { listMoves, sharesMoved } from '../../session/holdings.js';
import { markoutAt } from './markouts.js';
import type { MarketResult } from './split.js';
import { share, sumIfAll } from './total.js';
import { computeFillRatio, computeVolume } from './trading.js';

export type MarketAnalysis = ReturnType<typeof marketAnalysis>;

export function marketAnalysis(market: MarketSession, result: MarketResult) {
  const { conditionId, title, eventTitle, category, outcome, fills, quoting, coverage } = market;
  return {
    conditionId,
    title,
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
    markout60sMicros: markoutAt([{ marked: fills, outcome }], 60_000, 'all').markoutMicros,
    peakInventoryMicros: peakInventory(market),
    endYesMicros: result.yesMicros,
    endNoMicros: result.noMicros,
    endValueMicros: result.endValueMicros,
    valuedAt: result.valuedAt,
    coverage,
  };
}

/** Largest |YES - NO| right after any move. */
function peakInventory(market: MarketSession): number {
  let [net, peak] = [0, 0];
  for (const move of listMoves(market)) {
    const { yes, no } = sharesMoved(move);
    net += yes - no;
    peak = Math.max(peak, Math.abs(net));
  }
  return peak;
}

/** Shares (|YES - NO|) held at a market's settlement: redeemed, or still to be redeemed. */
export function carriedIntoSettlement(market: MarketSession, { yesMicros, noMicros }: MarketResult): number {
  let carried = market.outcome === null ? 0 : Math.abs(yesMicros - noMicros);
  for (const { kind, yesMicros: yes, noMicros: no } of market.conversions)
    if (kind === 'redeem') carried += Math.abs(yes - no);
  return carried;
}

/** Of several markets, or of several recordings of one. */
export function sumCoverages(parts: readonly Coverage[]): Coverage {
  const sum = (name: keyof Coverage): number => parts.reduce((total, part) => total + part[name], 0);
  return {
    spanMs: sum('spanMs'),
    gapMs: sum('gapMs'),
    gaps: sum('gaps'),
    events: sum('events'),
    trades: sum('trades'),
    skipped: sum('skipped'),
  };
}

/** Of all markets; `coveredShare` is null without a recording. */
export function sumCoverage(markets: readonly MarketSession[]) {
  const recorded = markets.map(({ coverage }) => coverage).filter((coverage) => coverage !== null);
  const { spanMs, gapMs, gaps, events, trades, skipped } = sumCoverages(recorded);
  return {
    markets: markets.length,
    marketsPlayed: markets.filter(isPlayed).length,
    marketsQuoted: markets.filter(({ quoting }) => quoting.ordersPlaced > 0).length,
    marketsTraded: markets.filter(({ fills }) => fills.length > 0).length,
    marketsWithoutOutcome: markets.filter(({ outcome }) => outcome === null).length,
    marketsWithoutRecording: markets.length - recorded.length,
    spanMs,
    coveredShare: share(spanMs - gapMs, spanMs),
    gaps,
    gapMs,
    events,
    trades,
    skipped,
  };
}

/** A market without an order while a limit halted the trader most of its time was not played: its 0 is no result. */
function isPlayed({ quoting: { ordersPlaced, haltedMs, openForMs } }: MarketSession): boolean {
  return ordersPlaced > 0 || haltedMs === null || openForMs === null || 2 * haltedMs <= openForMs;
}

interface RunMarkets {
  readonly markets: readonly { readonly conditionId: string; readonly isPlayed: boolean }[];
}

/** Condition ids; a run that played fewer markets has no result in the others. */
export function playedByAll(runs: readonly RunMarkets[]): ReadonlySet<string> {
  const [first, ...others] = runs.map(
    ({ markets }) => new Set(markets.filter((market) => market.isPlayed).map(({ conditionId }) => conditionId)),
  );
  return new Set([...(first ?? [])].filter((id) => others.every((played) => played.has(id))));
}

/** Market time: the time each market was open while the trader ran. Null when unknown. */
export function computeQuotingShare(markets: readonly MarketSession[]) {
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
