/**
 * What fills were worth some time later. Weighted by shares; the error is clustered by market, because fills of one
 * market share one price path.
 */

import { type MarketOutcome, yesValue } from '../../../shared/protocol/outcome.js';
import { type Cluster, clusteredMean } from '../../../shared/statistics/clustered-mean.js';
import { type FillRecord, MARKOUT_HORIZONS_MS, type MarketSession } from '../../session/contract.js';
import type { Markout, MarkoutHorizon, MarkoutSide } from './contract.js';

export const HORIZONS: readonly MarkoutHorizon[] = [...MARKOUT_HORIZONS_MS, 'settlement'];
const SIDES: readonly MarkoutSide[] = ['all', 'bid', 'ask'];

/** A fill, or what would have been one: prices in YES space. */
export type Marked = Pick<FillRecord, 'side' | 'priceMicros' | 'amountMicros' | 'markMicros' | 'marksAfterMicros'>;

interface Traded {
  readonly marked: readonly Marked[];
  readonly outcome: MarketOutcome | null;
}

export const computeMarkouts = (markets: readonly Pick<MarketSession, 'fills' | 'outcome'>[]): readonly Markout[] => {
  const traded = markets.map(({ fills, outcome }) => ({ marked: fills, outcome }));
  return HORIZONS.flatMap((horizon) => SIDES.map((side) => markoutAt(traded, horizon, side)));
};

export function markoutAt(markets: readonly Traded[], horizon: MarkoutHorizon, side: MarkoutSide): Markout {
  const tallies = markets.map((market) => tallyMarket(market, horizon, side)).filter(({ fills }) => fills > 0);
  const sharesMicros = tallies.reduce((total, tally) => total + tally.shares, 0);
  const later = mean(tallies, (tally) => tally.markout);
  const effective = tallies.some((tally) => tally.unmarked > 0) ? null : mean(tallies, (tally) => tally.effective);
  const [markoutMicros, effectiveMicros] = [later?.mean ?? null, effective?.mean ?? null];
  return {
    horizon,
    side,
    fills: tallies.reduce((total, tally) => total + tally.fills, 0),
    sharesMicros,
    markets: tallies.length,
    effectiveMicros,
    markoutMicros,
    standardErrorMicros: later?.standardError ?? null,
    adverseMicros: markoutMicros === null || effectiveMicros === null ? null : effectiveMicros - markoutMicros,
  };
}

/** Of one market's fills whose middle at the horizon is known. Products are in micros of price times shares. */
interface Tally {
  fills: number;
  shares: number;
  markout: number;
  effective: number;
  /** Fills whose middle at the fill is not known. */
  unmarked: number;
}

function tallyMarket(market: Traded, horizon: MarkoutHorizon, side: MarkoutSide): Tally {
  const tally: Tally = { fills: 0, shares: 0, markout: 0, effective: 0, unmarked: 0 };
  for (const fill of market.marked) {
    const later = laterMark(fill, market.outcome, horizon);
    if (later === null || (side !== 'all' && fill.side !== side)) continue;
    const sign = fill.side === 'bid' ? 1 : -1;
    tally.fills += 1;
    tally.shares += fill.amountMicros;
    tally.markout += fill.amountMicros * sign * (later - fill.priceMicros);
    if (fill.markMicros === null) tally.unmarked += 1;
    else tally.effective += fill.amountMicros * sign * (fill.markMicros - fill.priceMicros);
  }
  return tally;
}

function laterMark(fill: Marked, outcome: MarketOutcome | null, horizon: MarkoutHorizon): number | null {
  if (horizon !== 'settlement') return fill.marksAfterMicros[HORIZONS.indexOf(horizon)] ?? null;
  return outcome === null ? null : yesValue(outcome);
}

const mean = (tallies: readonly Tally[], value: (tally: Tally) => number) =>
  clusteredMean(tallies.map((tally): Cluster => ({ sum: value(tally), weight: tally.shares })));
