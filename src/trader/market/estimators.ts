/**
 * Streaming estimators of volatility, arrival rate and trade flow. The polling rate of a market must not change its
 * estimated volatility.
 */

/** Log-odds are clipped to ±7 (p = 0.0009 and 0.9991): beyond that, one tick would look like a jump. */
const MAX_LOG_ODDS = 7;
const MIN_PROBABILITY = 1 / (1 + Math.exp(MAX_LOG_ODDS));

/** ln(p / (1 - p)) of a probability from 0 to 1, clipped to the range where a tick is meaningful. */
export function computeLogOdds(probability: number): number {
  if (probability <= 0) return -MAX_LOG_ODDS;
  if (probability >= 1) return MAX_LOG_ODDS;
  return Math.max(-MAX_LOG_ODDS, Math.min(MAX_LOG_ODDS, Math.log(probability / (1 - probability))));
}

const decay = (elapsedMs: number, halfLifeMs: number): number => 2 ** (-Math.max(0, elapsedMs) / halfLifeMs);

/** Lowest volatility of log-odds per square root of a second; it equals 0.03 per square root of a day. */
export const SIGMA_FLOOR = 0.0001;

/** Prior volatility; it weighs as one sample and decays like one. */
const USUAL_SIGMA = 0.002;
const PRIOR_SAMPLES = 1;

/** A volatility sample ends when the price has moved this many grid steps, so that rounding hardly matters. */
const CLOSING_STEPS = 3;

/** Minimum length of a volatility sample: shorter price changes are mostly bid-ask bounce. */
const MIN_SAMPLE_MS = 1000;

/** Half-life of a volatility sample: 300 s or eight samples, whichever is longer. */
const HALF_LIFE_S = 300;
const HALF_LIFE_SAMPLES = 8;

/** A change beyond this many sigmas counts as a jump and is clipped to this size. */
const MAX_SIGMAS = 6;

/** Prior of the jump rate: one jump per hour. Observed jumps have a half-life of one day. */
const PRIOR_JUMPS = 1;
const PRIOR_JUMP_SECONDS = 3600;
const JUMP_HALF_LIFE_MS = 86_400_000;

/** Start of a volatility sample. */
interface SampleStart {
  readonly logOdds: number;
  readonly atMs: number;
  /** Grid step of the price, converted to log-odds at the sample's first price. */
  readonly step: number;
}

/**
 * Volatility of log-odds from irregular reads of a rounded price. A sample lasts until the price has moved far enough
 * to drown rounding. By Wald's identity, the mean squared change over a stopping time is sigma^2 times its mean length,
 * so the polling rate does not matter. Source: Andersen, Dobrev, Schaumburg, "Duration-based volatility estimation"
 * (2009).
 */
export class Volatility {
  #squares = 0;
  #seconds = 0;
  #samples = 0;
  #start: SampleStart | null = null;
  #last: { readonly logOdds: number; readonly atMs: number } | null = null;
  #priorSigma = USUAL_SIGMA;
  #priorSamples = PRIOR_SAMPLES;
  #jumps = 0;
  #seenSeconds = 0;
  /** Current estimate; at least `SIGMA_FLOOR`. */
  sigmaPerSqrtS = USUAL_SIGMA;

  /** Estimated jumps per second: price changes too large for the volatility. */
  get jumpsPerS(): number {
    return (this.#jumps + PRIOR_JUMPS) / (this.#seenSeconds + PRIOR_JUMP_SECONDS);
  }

  /** Sets the prior from another source: candles or another run. */
  setPrior(sigmaPerSqrtS: number): void {
    this.#priorSigma = Math.max(SIGMA_FLOOR, sigmaPerSqrtS);
    this.sigmaPerSqrtS = this.#estimate();
  }

  /** Shifts stored times after our clock was set back by `byMs`, so that elapsed times stay correct. */
  clockSetBack(byMs: number): void {
    if (this.#start !== null) this.#start = { ...this.#start, atMs: this.#start.atMs - byMs };
    if (this.#last !== null) this.#last = { ...this.#last, atMs: this.#last.atMs - byMs };
  }

  /** @param gridStep distance of adjacent observable prices: half a tick for a mid */
  observe(probability: number, atMs: number, gridStep: number): void {
    const logOdds = computeLogOdds(probability);
    this.#start ??= startAt(probability, logOdds, atMs, gridStep);
    const { step } = this.#start;
    if (this.#last !== null) {
      const elapsedMs = Math.max(0, atMs - this.#last.atMs);
      const kept = decay(elapsedMs, JUMP_HALF_LIFE_MS);
      this.#jumps *= kept;
      this.#seenSeconds = this.#seenSeconds * kept + elapsedMs / 1000;
    }
    this.#last = { logOdds, atMs };
    const { change, seconds } = this.#open();
    if (change >= CLOSING_STEPS * step && seconds * 1000 >= MIN_SAMPLE_MS) {
      this.#close(change, seconds, step);
      this.#start = startAt(probability, logOdds, atMs, gridStep);
    }
    this.sigmaPerSqrtS = this.#estimate();
  }

  /** Change and length of the unfinished sample. */
  #open(): { readonly change: number; readonly seconds: number } {
    if (this.#start === null || this.#last === null) return { change: 0, seconds: 0 };
    const seconds = Math.max(0, this.#last.atMs - this.#start.atMs) / 1000;
    return { change: Math.abs(this.#last.logOdds - this.#start.logOdds), seconds };
  }

  #close(change: number, seconds: number, step: number): void {
    const bound = Math.max(CLOSING_STEPS * step, MAX_SIGMAS * this.sigmaPerSqrtS * Math.sqrt(seconds));
    if (change > bound) this.#jumps += 1;
    const kept = 2 ** -Math.min(seconds / HALF_LIFE_S, 1 / HALF_LIFE_SAMPLES);
    this.#priorSamples *= kept;
    this.#squares = kept * this.#squares + computeSquaredChange(Math.min(change, bound), step);
    this.#seconds = kept * this.#seconds + seconds;
    this.#samples = kept * this.#samples + 1;
  }

  #estimate(): number {
    const { change, seconds } = this.#open();
    const step = this.#start?.step ?? 0;
    const time = this.#seconds + seconds;
    if (time <= 0) return this.#priorSigma;
    const least = (CLOSING_STEPS * step) ** 2;
    const squares = this.#squares + computeSquaredChange(change, step);
    const believed = this.#samples < 1 / 2 ? this.#priorSigma ** 2 : this.#squares / this.#seconds;
    // A long unfinished sample is evidence of low volatility, so it adds weight.
    const samples = this.#samples + (least > 0 ? (seconds * believed) / least : 0);
    const variance = Math.max(squares > 0 ? squares : least / 6, SIGMA_FLOOR ** 2 * Number.EPSILON) / time;
    const prior = this.#priorSamples * 2 * Math.log(this.#priorSigma);
    const logVariance = (samples * Math.log(variance) + prior) / (samples + this.#priorSamples);
    return Math.max(SIGMA_FLOOR, Math.exp(logVariance / 2));
  }
}

function startAt(probability: number, logOdds: number, atMs: number, gridStep: number): SampleStart {
  const p = Math.max(MIN_PROBABILITY, Math.min(1 - MIN_PROBABILITY, probability));
  return { logOdds, atMs, step: gridStep / (p * (1 - p)) };
}

/** Squared change less the expected squared rounding error. */
const computeSquaredChange = (change: number, step: number): number => Math.max(0, change ** 2 - step ** 2 / 6);

/** Rate of random arrivals: a decaying count with a prior. */
export class Arrivals {
  #count = 0;
  #atMs = Number.NEGATIVE_INFINITY;
  #sinceMs: number | null = null;
  readonly #priorPerS: number;

  constructor(priorPerS: number) {
    this.#priorPerS = priorPerS;
  }

  clockSetBack(byMs: number): void {
    this.#atMs -= byMs;
    if (this.#sinceMs !== null) this.#sinceMs -= byMs;
  }

  /** Observations may arrive out of time order. */
  observe(atMs: number): void {
    const nowMs = Math.max(this.#atMs, atMs);
    this.#count = this.#countAt(nowMs) + decay(nowMs - atMs, ARRIVALS_HALF_LIFE_MS);
    this.#sinceMs = Math.min(this.#sinceMs ?? atMs, atMs);
    this.#atMs = nowMs;
  }

  /** Arrivals per second, from the decayed count, the time since the first arrival, and the prior. */
  perSAt(nowMs: number): number {
    const seenS = this.#sinceMs === null ? 0 : Math.max(0, nowMs - this.#sinceMs) / 1000;
    const meanLifeS = ARRIVALS_HALF_LIFE_MS / Math.LN2 / 1000;
    const seconds = meanLifeS * -Math.expm1(-seenS / meanLifeS);
    return (this.#countAt(nowMs) + PRIOR_ARRIVALS) / (seconds + PRIOR_ARRIVALS / this.#priorPerS);
  }

  #countAt(nowMs: number): number {
    return this.#count === 0 ? 0 : this.#count * decay(nowMs - this.#atMs, ARRIVALS_HALF_LIFE_MS);
  }
}

const ARRIVALS_HALF_LIFE_MS = 900_000;
/** Weight of the prior, in arrivals. */
const PRIOR_ARRIVALS = 5;

export const FLOW_HALF_LIFE_MS = 60_000;

/** Decaying sums of recent taker trades. */
export class Flow {
  #atMs = Number.NEGATIVE_INFINITY;
  #bought = 0;
  #sold = 0;
  #priceSum = 0;

  clockSetBack(byMs: number): void {
    this.#atMs -= byMs;
  }

  /** Trades may arrive out of time order; a late one is added with its decayed weight. */
  observe(trade: { readonly price: number; readonly shares: number; readonly bought: boolean }, atMs: number): void {
    const nowMs = Math.max(this.#atMs, atMs);
    const kept = this.#keptAt(nowMs);
    const weight = trade.shares * decay(nowMs - atMs, FLOW_HALF_LIFE_MS);
    this.#bought = this.#bought * kept + (trade.bought ? weight : 0);
    this.#sold = this.#sold * kept + (trade.bought ? 0 : weight);
    this.#priceSum = this.#priceSum * kept + weight * trade.price;
    this.#atMs = nowMs;
  }

  /**
   * Size-weighted mean price of recent trades; null without trades. Decay scales all weights alike, so it does not
   * depend on the time.
   */
  get tradePrice(): number | null {
    const sum = this.#bought + this.#sold;
    return sum <= 0 ? null : Math.max(0, Math.min(1, this.#priceSum / sum));
  }

  /** Mean price, imbalance and rate of recent public trades at `nowMs`. */
  at(nowMs: number) {
    const sum = this.#bought + this.#sold;
    if (sum <= 0) return { tradePrice: null, tradeWeightShares: 0, flowImbalance: 0, flowSharesPerS: 0 };
    const weight = sum * this.#keptAt(nowMs);
    return {
      tradePrice: this.tradePrice,
      tradeWeightShares: weight,
      flowImbalance: (this.#bought - this.#sold) / sum,
      // The decay factor integrates to half-life / ln 2.
      flowSharesPerS: (weight * Math.LN2 * 1000) / FLOW_HALF_LIFE_MS,
    };
  }

  #keptAt(nowMs: number): number {
    return this.#atMs === Number.NEGATIVE_INFINITY ? 0 : decay(nowMs - this.#atMs, FLOW_HALF_LIFE_MS);
  }
}
