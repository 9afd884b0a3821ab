/**
 * Estimates that are updated once per observation and forget by time, not by count: polls come irregularly, and a
 * market that is looked at less often must not look calmer or wilder for it.
 */

/** Log-odds are clipped here (p = 0.0009 and 0.9991): beyond, one tick is a leap that says nothing. */
const MAX_LOG_ODDS = 7;

/** ln(p / (1 - p)) of a probability from 0 to 1, held within the range where a tick still means something. */
export function logOddsOf(probability: number): number {
  if (probability <= 0) return -MAX_LOG_ODDS;
  if (probability >= 1) return MAX_LOG_ODDS;
  return Math.max(-MAX_LOG_ODDS, Math.min(MAX_LOG_ODDS, Math.log(probability / (1 - probability))));
}

const decay = (elapsedMs: number, halfLifeMs: number): number => 2 ** (-Math.max(0, elapsedMs) / halfLifeMs);

/** Five minutes: long enough for some dozens of polls, short enough to notice that news has come. */
export const VOLATILITY_HALF_LIFE_MS = 300_000;

/** 0.0005 a square root of a second is 0.15 in log-odds a day: no listed market is calmer for long. */
export const SIGMA_FLOOR = 0.0005;

/** What is believed before anything was seen, and for how many seconds of observation that belief counts. */
const PRIOR_SIGMA = 0.002;
const PRIOR_SECONDS = 30;

/** Changes within less than this are mostly the bounce of a quote; they are measured together. */
const MIN_SAMPLE_MS = 1000;

/** One change counts as at most so many sigmas (or this much): a jump widens quotes, but does not rule for an hour. */
const MAX_SIGMAS = 6;
const MAX_CHANGE = 0.5;

/** Volatility of log-odds: the decayed sum of squared changes over the decayed time in which they happened. */
export class Volatility {
  #squares = PRIOR_SIGMA ** 2 * PRIOR_SECONDS;
  #seconds = PRIOR_SECONDS;
  #last: { readonly logOdds: number; readonly atMs: number } | null = null;

  get sigmaPerSqrtS(): number {
    return Math.max(SIGMA_FLOOR, Math.sqrt(this.#squares / this.#seconds));
  }

  /** What was seen last is as long ago as before. */
  clockSetBack(byMs: number): void {
    if (this.#last !== null) this.#last = { ...this.#last, atMs: this.#last.atMs - byMs };
  }

  observe(probability: number, atMs: number): void {
    const logOdds = logOddsOf(probability);
    const last = this.#last;
    if (last === null) {
      this.#last = { logOdds, atMs };
      return;
    }
    const elapsedMs = atMs - last.atMs;
    if (elapsedMs < MIN_SAMPLE_MS) return;
    const seconds = elapsedMs / 1000;
    const bound = Math.max(MAX_CHANGE, MAX_SIGMAS * this.sigmaPerSqrtS * Math.sqrt(seconds));
    const change = Math.min(bound, Math.abs(logOdds - last.logOdds));
    const kept = decay(elapsedMs, VOLATILITY_HALF_LIFE_MS);
    this.#squares = this.#squares * kept + change * change;
    this.#seconds = this.#seconds * kept + seconds;
    this.#last = { logOdds, atMs };
  }
}

export const FLOW_HALF_LIFE_MS = 60_000;

/** What takers did lately, as sums that decay with time. */
export class Flow {
  #atMs = Number.NEGATIVE_INFINITY;
  #bought = 0;
  #sold = 0;
  #priceSum = 0;

  clockSetBack(byMs: number): void {
    this.#atMs -= byMs;
  }

  /** Trades may come out of order; a late one counts as decayed as it is. */
  observe(trade: { readonly price: number; readonly shares: number; readonly bought: boolean }, atMs: number): void {
    const nowMs = Math.max(this.#atMs, atMs);
    const kept = this.#keptAt(nowMs);
    const weight = trade.shares * decay(nowMs - atMs, FLOW_HALF_LIFE_MS);
    this.#bought = this.#bought * kept + (trade.bought ? weight : 0);
    this.#sold = this.#sold * kept + (trade.bought ? 0 : weight);
    this.#priceSum = this.#priceSum * kept + weight * trade.price;
    this.#atMs = nowMs;
  }

  /** As in the estimates at any time: what decays with time is its weight. */
  get tradePrice(): number | null {
    const sum = this.#bought + this.#sold;
    return sum <= 0 ? null : Math.max(0, Math.min(1, this.#priceSum / sum));
  }

  /** The estimates as of now; reading changes nothing. */
  at(nowMs: number): FlowEstimates {
    const sum = this.#bought + this.#sold;
    if (sum <= 0) return { tradePrice: null, tradeWeightShares: 0, flowImbalance: 0, flowSharesPerS: 0 };
    const weight = sum * this.#keptAt(nowMs);
    return {
      tradePrice: this.tradePrice,
      tradeWeightShares: weight,
      flowImbalance: (this.#bought - this.#sold) / sum,
      // The integral of the decay is its half-life over ln 2.
      flowSharesPerS: (weight * Math.LN2 * 1000) / FLOW_HALF_LIFE_MS,
    };
  }

  #keptAt(nowMs: number): number {
    return this.#atMs === Number.NEGATIVE_INFINITY ? 0 : decay(nowMs - this.#atMs, FLOW_HALF_LIFE_MS);
  }
}

/** Average price, imbalance and speed of the latest public trades; each fades with time. */
export interface FlowEstimates {
  readonly tradePrice: number | null;
  readonly tradeWeightShares: number;
  readonly flowImbalance: number;
  readonly flowSharesPerS: number;
}
