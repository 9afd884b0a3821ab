/** Volatility of a market from two days of price bars: the prior until its books show more. */

import type { Candle } from '../../shared/protocol/records.js';
import { Volatility } from './estimators.js';

/** Length of a bar, seconds. */
export const BAR_S = 300;
/** Requested time span, seconds. */
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

/** Result of an answer. */
export type CandlesRead =
  /** Null for fewer than two bars. */
  | { readonly ok: true; readonly learned: LearnedFromBars | null }
  /** One sentence: why the rows are not used. */
  | { readonly ok: false; readonly because: string };

/**
 * Runs the estimator of books over the closes. Trades print now at the bid, now at the ask, so the grid of a close is half of what
 * others' spread is now, or half a tick where that is more. One row that makes no sense and none is believed.
 *
 * @param gridStep price
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
  // Decimals, checked by the endpoint's schema.
  const [open, high, low, close] = [Number(bar.open), Number(bar.high), Number(bar.low), Number(bar.close)];
  if (!bar.is_yes) return 'it is of NO, and YES was asked for';
  if (timestamp % BAR_S !== 0) return `it does not begin with an interval of ${BAR_S} s`;
  if (timestamp < fromS || timestamp >= toS) return 'it is outside of the span that was asked for';
  if (timestamp === beforeS) return 'it came twice';
  if (!(low > 0 && high < 1)) return 'its prices are not between 0 and 1';
  const isWithin = (price: number): boolean => price >= low && price <= high;
  return isWithin(open) && isWithin(close) ? null : 'its open or close lies outside of its low and high';
}
