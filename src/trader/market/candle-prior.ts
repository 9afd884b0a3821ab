/** Estimates a market's volatility from two days of price bars, as the prior until enough books are seen. */

import type { Candle } from '../../shared/protocol/records.js';
import { Volatility } from './estimators.js';

/** Length of a bar, seconds. */
export const BAR_S = 300;
/** Time span of the requested bars, seconds. */
export const CANDLES_S = 2 * 86_400;

/** Unix seconds: bars that begin at `fromS` or later and before `toS`. */
export interface CandleSpan {
  readonly fromS: number;
  readonly toS: number;
}

/** Volatility and price of a market before its first book. */
export interface LearnedFromBars {
  readonly sigmaPerSqrtS: number;
  /** Seconds from the first bar to the end of the last. */
  readonly spanS: number;
  /** Time-weighted mean of the newest close, YES price. */
  readonly meanPrice: number;
}

/** Result of checking the bars of one answer. */
export type CandlesRead =
  /** `learned` is null when the answer holds fewer than two bars. */
  | { readonly ok: true; readonly learned: LearnedFromBars | null }
  /** `because` says in one sentence why the bars are rejected. */
  | { readonly ok: false; readonly because: string };

/**
 * Feeds the closing prices to the volatility estimator. One invalid bar rejects the whole answer.
 *
 * @param gridStep half the current spread, at least half a tick: closes alternate between bid and ask
 */
export function readCandles(rows: readonly Candle[], span: CandleSpan, gridStep: number): CandlesRead {
  const bars = [...rows].sort((a, b) => a.timestamp - b.timestamp);
  let beforeS = Number.NEGATIVE_INFINITY;
  const volatility = new Volatility();
  for (const bar of bars) {
    const because = findNonsense(bar, span, beforeS);
    if (because !== null) return { ok: false, because: `bar ${bar.timestamp}: ${because}` };
    beforeS = bar.timestamp;
    volatility.observe(Number(bar.close), (bar.timestamp + BAR_S) * 1000, gridStep);
  }
  const [first, ...others] = bars;
  if (first === undefined || others.length === 0) return { ok: true, learned: null };
  const spanS = beforeS + BAR_S - first.timestamp;
  const priceSeconds = bars.reduce(
    (sum, { timestamp, close }, at) => sum + Number(close) * ((bars[at + 1]?.timestamp ?? beforeS + BAR_S) - timestamp),
    0,
  );
  return { ok: true, learned: { sigmaPerSqrtS: volatility.sigmaPerSqrtS, spanS, meanPrice: priceSeconds / spanS } };
}

function findNonsense(bar: Candle, { fromS, toS }: CandleSpan, beforeS: number): string | null {
  const { timestamp } = bar;
  // The endpoint's schema has checked that these are decimals.
  const [open, high, low, close] = [Number(bar.open), Number(bar.high), Number(bar.low), Number(bar.close)];
  if (!bar.is_yes) return 'it is a NO bar, and YES bars were requested';
  if (timestamp % BAR_S !== 0) return `it does not begin with an interval of ${BAR_S} s`;
  if (timestamp < fromS || timestamp >= toS) return 'it lies outside the requested time span';
  if (timestamp === beforeS) return 'it appears twice';
  if (!(low > 0 && high < 1)) return 'its prices are not between 0 and 1';
  const isWithin = (price: number): boolean => price >= low && price <= high;
  return isWithin(open) && isWithin(close) ? null : 'its open or close lies outside its range from low to high';
}
