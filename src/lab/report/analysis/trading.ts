/** Figures about orders and fills: posted and filled amounts, queue positions, and markouts. */

import { type MarketOutcome, yesValue } from '../../../shared/protocol/outcome.js';
import { clusteredMean } from '../../../shared/statistics/bootstrap.js';
import { computeMean, quantileOfSorted, sortValues } from '../../../shared/statistics/moments.js';
import { type FillRecord, MARKOUT_HORIZONS_MS, type MarketSession } from '../../session/contract.js';
import { share, sum, sumIfAll } from './split.js';

/** Horizon of a markout: time after the fill, ms, or `settlement`. */
export type MarkoutHorizon = number | 'settlement';
/** Side of fills in a markout. `late`: fills of the trader's orders that arrived late and traded as takers. */
export type MarkoutSide = 'all' | 'bid' | 'ask' | 'late';
export type Markout = ReturnType<typeof markoutAt>;

const HORIZONS: readonly MarkoutHorizon[] = [...MARKOUT_HORIZONS_MS, 'settlement'];
const SIDES: readonly MarkoutSide[] = ['all', 'bid', 'ask', 'late'];

export const computeMarkouts = (markets: readonly MarketSession[]): readonly Markout[] =>
  HORIZONS.flatMap((horizon) => SIDES.map((side) => markoutAt(markets, horizon, side)));

export const findMarkout = (markouts: readonly Markout[], horizon: MarkoutHorizon, side: MarkoutSide = 'all') =>
  markouts.find((row) => row.horizon === horizon && row.side === side);

/**
 * Computes markouts of one horizon and side, per share: effective half-spread = markout + adverse selection. The three
 * figures cover only fills whose mid at the horizon is known. `effectiveMicros` is null if one of these fills has no
 * known mid at its own time. The standard error is clustered by market, because fills of one market share a price path.
 * The standard error is null with fewer than two markets.
 */
export function markoutAt(markets: readonly MarketSession[], horizon: MarkoutHorizon, side: MarkoutSide) {
  const tallies = markets.map((market) => tallyMarket(market, horizon, side)).filter(({ fills }) => fills > 0);
  const later = mean(tallies, (tally) => tally.markout);
  const effective = tallies.some((tally) => tally.unmarked > 0) ? null : mean(tallies, (tally) => tally.effective);
  const [markoutMicros, effectiveMicros] = [later?.mean ?? null, effective?.mean ?? null];
  return {
    horizon,
    side,
    fills: tallies.reduce((total, tally) => total + tally.fills, 0),
    sharesMicros: tallies.reduce((total, tally) => total + tally.shares, 0),
    markets: tallies.length,
    effectiveMicros,
    markoutMicros,
    standardErrorMicros: later?.standardError ?? null,
    adverseMicros: markoutMicros === null || effectiveMicros === null ? null : effectiveMicros - markoutMicros,
  };
}

type MarketTally = ReturnType<typeof tallyMarket>;

/** Sums a market's fills with a known mid at the horizon. `markout` and `effective`: price micros × share micros. */
function tallyMarket(market: MarketSession, horizon: MarkoutHorizon, side: MarkoutSide) {
  const tally = { fills: 0, shares: 0, markout: 0, effective: 0, unmarked: 0 };
  for (const fill of market.fills) {
    const later = laterMark(fill, market.outcome, horizon);
    if (later === null || !isOf(fill, side)) continue;
    const sign = fill.side === 'bid' ? 1 : -1;
    tally.fills += 1;
    tally.shares += fill.amountMicros;
    tally.markout += fill.amountMicros * sign * (later - fill.priceMicros);
    if (fill.markMicros === null) tally.unmarked += 1;
    else tally.effective += fill.amountMicros * sign * (fill.markMicros - fill.priceMicros);
  }
  return tally;
}

const isOf = ({ side: own, isMaker }: FillRecord, side: MarkoutSide): boolean =>
  side === 'all' || (side === 'late' ? isMaker === false : own === side);

function laterMark(fill: FillRecord, outcome: MarketOutcome | null, horizon: MarkoutHorizon): number | null {
  if (horizon !== 'settlement') return fill.marksAfterMicros[HORIZONS.indexOf(horizon)] ?? null;
  return outcome === null ? null : yesValue(outcome);
}

const mean = (tallies: readonly MarketTally[], value: (tally: MarketTally) => number) =>
  clusteredMean(tallies.map((tally) => ({ sum: value(tally), weight: tally.shares })));

export function computeTrading(markets: readonly MarketSession[]) {
  const fills = markets.flatMap((market) => market.fills);
  const resting = fills.filter(isResting);
  const ordersPlaced = sum(markets.map(({ quoting }) => quoting.ordersPlaced));
  return {
    fills: fills.length,
    makerFills: fills.filter((fill) => fill.isMaker === true).length,
    takerFills: fills.filter((fill) => fill.isMaker === false).length,
    ...computeVolume(fills),
    ...computeFillRatio(markets),
    /** Shares filled because a recorded order arrived, not because of a recorded trade; null for live fills. */
    atCrossingMicros: sumIfAll(
      fills.map(({ atCrossing, amountMicros }) => (atCrossing === null ? null : atCrossing ? amountMicros : 0)),
    ),
    ordersPlaced,
    ordersCanceled: sum(markets.map(({ quoting }) => quoting.ordersCanceled)),
    ordersFilled: new Set(resting.map((fill) => fill.orderPubkey)).size,
    queue: computeQueue(markets, resting),
    rested: computeSpread(resting.map((fill) => fill.restedMs)),
    noticed: computeSpread(fills.map((fill) => (fill.seenMs === null ? null : fill.seenMs - fill.timeMs))),
    neverNoticed: fills.filter((fill) => fill.seenMs === null).length,
  };
}

/** Returns true if the trader's order was the resting one; assumed true if the exchange does not name the maker. */
const isResting = (fill: FillRecord): boolean => fill.isMaker !== false;

/** Sums traded shares and currency. Purchases of YES and sales of NO count as bought, other fills as sold. */
export function computeVolume(fills: readonly FillRecord[]) {
  const shares = (side: FillRecord['side']): number =>
    sum(fills.filter((fill) => fill.side === side).map((fill) => fill.amountMicros));
  return {
    boughtMicros: shares('bid'),
    soldMicros: shares('ask'),
    turnoverMicros: sum(fills.map((fill) => Math.abs(fill.cashMicros))),
  };
}

export function computeFillRatio(markets: readonly MarketSession[]) {
  const postedMicros = sum(markets.map(({ quoting }) => quoting.postedMicros));
  const resting = markets.flatMap(({ fills }) => fills.filter(isResting));
  const restingFilledMicros = sum(resting.map((fill) => fill.amountMicros));
  return { postedMicros, restingFilledMicros, fillRatioShare: share(restingFilledMicros, postedMicros) };
}

/** Mean shares ahead of an order when it joined the queue, for all and for filled orders; null if unknown. */
function computeQueue(markets: readonly MarketSession[], resting: readonly FillRecord[]) {
  const quoted = markets.map(({ quoting }) => quoting).filter(({ ordersPlaced }) => ordersPlaced > 0);
  // An order with several fills counts once in the mean.
  const filled = new Map(resting.map((fill) => [fill.orderPubkey, fill.joinedBehindMicros]));
  return {
    meanAheadMicros: share(
      sumIfAll(quoted.map(({ joinedBehindMicros }) => joinedBehindMicros)),
      sum(quoted.map(({ ordersPlaced }) => ordersPlaced)),
    ),
    filledMeanAheadMicros: computeMean([...filled.values()].filter((ahead) => ahead !== null)),
  };
}

/** Returns the distribution of the values; null without values. `p90`: 90 % of the values are below it. */
function computeSpread(values: readonly (number | null)[]) {
  const known = sortValues(values.filter((value) => value !== null));
  const at = (part: number): number | null => quantileOfSorted(known, part);
  return { count: known.length, mean: computeMean(known), median: at(0.5), p90: at(0.9) };
}
