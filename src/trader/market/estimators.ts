/** Streaming estimators of volatility, trade arrivals and taker behaviour. The polling rate must not bias them. */

import { type Micros, ONE } from '../../shared/base/micros.js';
import type { Candle } from '../../shared/protocol/records.js';
import type { Book, SeenAt, TapeTrade } from './view.js';

/** Log-odds are clipped to ±7 (p = 0.0009 and 0.9991). Beyond these bounds, one tick would look like a jump. */
const MAX_LOG_ODDS = 7;
const MIN_PROBABILITY = 1 / (1 + Math.exp(MAX_LOG_ODDS));

/** Returns the log-odds ln(p / (1 - p)) of a probability p, clipped to ±`MAX_LOG_ODDS`. */
export function computeLogOdds(probability: number): number {
  if (probability <= 0) return -MAX_LOG_ODDS;
  if (probability >= 1) return MAX_LOG_ODDS;
  return Math.max(-MAX_LOG_ODDS, Math.min(MAX_LOG_ODDS, Math.log(probability / (1 - probability))));
}

/** Returns the weight factor of an observation after this time; 0 after infinite time (no earlier observation). */
const decay = (elapsedMs: number, halfLifeMs: number): number => 2 ** (-Math.max(0, elapsedMs) / halfLifeMs);

/** Lowest volatility of log-odds per square root of a second; it equals 0.03 per square root of a day. */
const SIGMA_FLOOR = 0.0001;

/** Prior volatility of log-odds, per square root of a second. The prior weighs and decays like one sample. */
const USUAL_SIGMA = 0.002;

/** A volatility sample ends when the price has moved by this many grid steps, so that rounding hardly matters. */
const CLOSING_STEPS = 3;

/** Minimum length of a volatility sample, ms: changes within a shorter time are mostly bid-ask bounce. */
const MIN_SAMPLE_MS = 1000;

/** Half-life of a volatility sample's weight: the longer of 300 s and eight samples. */
const HALF_LIFE_S = 300;
const HALF_LIFE_SAMPLES = 8;

/** A sample's price change of more standard deviations than this counts as a jump and is clipped. */
const MAX_SIGMAS = 6;

/** Prior of the jump rate: one jump per hour. The weight of an observed jump has a half-life of one day. */
const PRIOR_JUMPS = 1;
const PRIOR_JUMP_SECONDS = 3600;
const JUMP_HALF_LIFE_MS = 86_400_000;

/**
 * Estimates the volatility of log-odds from irregular reads of a rounded price. A sample lasts until the price change
 * is large compared with rounding. By Wald's identity, the mean squared change of samples is sigma^2 times their mean
 * length, so the polling rate does not matter. Source: Andersen, Dobrev, Schaumburg, "Duration-based volatility
 * estimation" (2009).
 */
export class Volatility {
  #squares = 0;
  #seconds = 0;
  #samples = 0;
  #start: ReturnType<typeof startAt> | null = null;
  #last: { readonly logOdds: number; readonly atMs: number } | null = null;
  #priorSigma = USUAL_SIGMA;
  #priorSamples = 1;
  #jumps = 0;
  #seenSeconds = 0;
  /** Current estimate of the log-odds volatility, per square root of a second; at least `SIGMA_FLOOR`. */
  sigmaPerSqrtS = USUAL_SIGMA;

  /** Estimated number of price jumps per second. A jump exceeds `MAX_SIGMAS` standard deviations. */
  get jumpsPerS(): number {
    return (this.#jumps + PRIOR_JUMPS) / (this.#seenSeconds + PRIOR_JUMP_SECONDS);
  }

  setPrior(sigmaPerSqrtS: number): void {
    this.#priorSigma = Math.max(SIGMA_FLOOR, sigmaPerSqrtS);
    this.sigmaPerSqrtS = this.#estimate();
  }

  /** Shifts the stored times by `byMs` after our clock was set back, so that elapsed times stay correct. */
  clockSetBack(byMs: number): void {
    if (this.#start !== null) this.#start = { ...this.#start, atMs: this.#start.atMs - byMs };
    if (this.#last !== null) this.#last = { ...this.#last, atMs: this.#last.atMs - byMs };
  }

  /** @param gridStep distance between two adjacent observable prices: half a tick for a mid */
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

  /** Returns the absolute change of the log-odds in the unfinished volatility sample, and the sample's length. */
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
    // A long unfinished sample is evidence of low volatility, so the estimate includes the unfinished sample.
    const samples = this.#samples + (least > 0 ? (seconds * believed) / least : 0);
    const variance = Math.max(squares > 0 ? squares : least / 6, SIGMA_FLOOR ** 2 * Number.EPSILON) / time;
    const prior = this.#priorSamples * 2 * Math.log(this.#priorSigma);
    const logVariance = (samples * Math.log(variance) + prior) / (samples + this.#priorSamples);
    return Math.max(SIGMA_FLOOR, Math.exp(logVariance / 2));
  }
}

/** Begins a volatility sample. `step`: step of the price grid, converted to log-odds at the sample's first price. */
function startAt(probability: number, logOdds: number, atMs: number, gridStep: number) {
  const p = Math.max(MIN_PROBABILITY, Math.min(1 - MIN_PROBABILITY, probability));
  return { logOdds, atMs, step: gridStep / (p * (1 - p)) };
}

/** Returns the squared price change minus the expected squared rounding error; at least 0. */
const computeSquaredChange = (change: number, step: number): number => Math.max(0, change ** 2 - step ** 2 / 6);

/** Estimates the rate of random arrivals from a decaying count and a prior rate. */
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

  /** Counts one arrival. Arrivals may be passed in any order of time. */
  observe(atMs: number): void {
    const nowMs = Math.max(this.#atMs, atMs);
    this.#count = this.#countAt(nowMs) + decay(nowMs - atMs, ARRIVALS_HALF_LIFE_MS);
    this.#sinceMs = Math.min(this.#sinceMs ?? atMs, atMs);
    this.#atMs = nowMs;
  }

  /** Returns arrivals per second, from the decayed count, the time since the first arrival, and the prior rate. */
  perSAt(nowMs: number): number {
    const seenS = this.#sinceMs === null ? 0 : Math.max(0, nowMs - this.#sinceMs) / 1000;
    const meanLifeS = ARRIVALS_HALF_LIFE_MS / Math.LN2 / 1000;
    const seconds = meanLifeS * -Math.expm1(-seenS / meanLifeS);
    return (this.#countAt(nowMs) + PRIOR_ARRIVALS) / (seconds + PRIOR_ARRIVALS / this.#priorPerS);
  }

  #countAt(nowMs: number): number {
    return this.#count * decay(nowMs - this.#atMs, ARRIVALS_HALF_LIFE_MS);
  }
}

const ARRIVALS_HALF_LIFE_MS = 900_000;
const PRIOR_ARRIVALS = 5;

const FLOW_HALF_LIFE_MS = 60_000;

/** Decaying sums of recent taker trades. */
export class Flow {
  #atMs = Number.NEGATIVE_INFINITY;
  #bought = 0;
  #sold = 0;
  #priceSum = 0;

  clockSetBack(byMs: number): void {
    this.#atMs -= byMs;
  }

  /** Adds a trade with its decayed weight. Trades may be added in any order of time. */
  observe(trade: { readonly price: number; readonly shares: number; readonly bought: boolean }, atMs: number): void {
    const nowMs = Math.max(this.#atMs, atMs);
    const kept = decay(nowMs - this.#atMs, FLOW_HALF_LIFE_MS);
    const weight = trade.shares * decay(nowMs - atMs, FLOW_HALF_LIFE_MS);
    this.#bought = this.#bought * kept + (trade.bought ? weight : 0);
    this.#sold = this.#sold * kept + (trade.bought ? 0 : weight);
    this.#priceSum = this.#priceSum * kept + weight * trade.price;
    this.#atMs = nowMs;
  }

  /** Size-weighted mean price of recent trades; null before the first trade. */
  get tradePrice(): number | null {
    const sum = this.#bought + this.#sold;
    return sum <= 0 ? null : Math.max(0, Math.min(1, this.#priceSum / sum));
  }

  /** Returns mean price, weight, imbalance and volume per second of recent public trades at `nowMs`. */
  at(nowMs: number) {
    const sum = this.#bought + this.#sold;
    if (sum <= 0) return { tradePrice: null, tradeWeightShares: 0, flowImbalance: 0, flowSharesPerS: 0 };
    const weight = sum * decay(nowMs - this.#atMs, FLOW_HALF_LIFE_MS);
    return {
      tradePrice: this.tradePrice,
      tradeWeightShares: weight,
      flowImbalance: (this.#bought - this.#sold) / sum,
      // The integral of the decay factor over time is half-life / ln 2.
      flowSharesPerS: (weight * Math.LN2 * 1000) / FLOW_HALF_LIFE_MS,
    };
  }
}

/** Half-life of an observation's weight in the taker statistics, ms. */
const HALF_LIFE_MS = 3_600_000;
/** Weight of a prior in the taker statistics, as a number of trades or swept levels. */
const BELIEF = 20;
/** Prior means, ticks: distance between trade and mid, and move of the mid after a taker takes a whole level. */
const USUAL_DISTANCE_TICKS = 2;
const USUAL_MOVE_TICKS = 1.5;

/** Trade times are rounded to whole seconds, so their error is at most half a second. */
const HALF_SECOND_MS = 500;
const MAX_LOOKS = 32;
const MAX_WAITING = 32;

class FadingMean {
  #count = 0;
  #sum = 0;
  #atMs = Number.NEGATIVE_INFINITY;

  add(value: number, nowMs: number): void {
    const kept = decay(nowMs - this.#atMs, HALF_LIFE_MS);
    this.#count = this.#count * kept + 1;
    this.#sum = this.#sum * kept + value;
    this.#atMs = Math.max(this.#atMs, nowMs);
  }

  /** Returns the decayed mean. The prior mean `belief` has the weight of `BELIEF` observations. */
  with(belief: number, nowMs: number): number {
    const kept = decay(nowMs - this.#atMs, HALF_LIFE_MS);
    return (this.#sum * kept + BELIEF * belief) / (this.#count * kept + BELIEF);
  }
}

/** Taker statistics over all markets of a category, in ticks. */
export class CategoryFlow {
  readonly distance = new FadingMean();
  readonly move = new FadingMean();
}

/** Parts of a polled book that are compared with trades, and the times of the poll. */
interface PolledMid {
  readonly sentMs: number;
  readonly seenMs: number;
  /** Twice the mid of the book without own orders, an exact integer; null if that book has no mid. */
  readonly twiceMid: number | null;
  /** Best levels of the received book, own orders included. */
  readonly bid: Book['bids'][number] | undefined;
  readonly ask: Book['asks'][number] | undefined;
}

/** Estimates the behaviour of takers by comparing each trade with the books before and after it. */
export class TakerFlow {
  readonly #own = new CategoryFlow();
  #category = new CategoryFlow();
  #looks: PolledMid[] = [];
  /** Swept levels (a taker took all their shares) for which no later book has arrived. */
  #waiting: { readonly sign: 1 | -1; readonly twiceMid: number; readonly atMs: number }[] = [];

  /** Uses a category's statistics as the prior, and adds this market's observations to these statistics. */
  joinCategory(category: CategoryFlow): void {
    this.#category = category;
  }

  onBook(raw: Book, others: Book, { sentMs, seenMs }: SeenAt, tickMicros: Micros): void {
    const [bid, ask] = [others.bids[0]?.priceMicros, others.asks[0]?.priceMicros];
    const twiceMid = bid === undefined || ask === undefined || bid >= ask ? null : bid + ask;
    this.#looks.push({ sentMs, seenMs, twiceMid, bid: raw.bids[0], ask: raw.asks[0] });
    if (this.#looks.length > MAX_LOOKS) this.#looks.shift();
    if (this.#waiting.length > 0) this.#judge(tickMicros);
  }

  /** Compares a trade with the books before and after it. `atMs`: estimated time of the trade, our clock. */
  onTrade(trade: TapeTrade, atMs: number, tickMicros: Micros): void {
    const before = this.#looks.findLast(({ seenMs }) => seenMs <= atMs);
    if (before === undefined || before.twiceMid === null) return;
    const { twiceMid } = before;
    const ticks = Math.abs(2 * trade.priceMicros - twiceMid) / 2 / tickMicros;
    for (const flow of [this.#own, this.#category]) flow.distance.add(ticks, atMs);
    if (!hasSwept(trade, before) || this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push({ sign: trade.taker === 'buy' ? 1 : -1, twiceMid, atMs });
    this.#judge(tickMicros);
  }

  #judge(tickMicros: Micros): void {
    this.#waiting = this.#waiting.filter(({ sign, twiceMid, atMs }) => {
      const after = this.#looks.find((look) => look.sentMs >= atMs + HALF_SECOND_MS && look.twiceMid !== null);
      if (after === undefined || after.twiceMid === null) return true;
      const ticks = (sign * (after.twiceMid - twiceMid)) / 2 / tickMicros;
      for (const flow of [this.#own, this.#category]) flow.move.add(ticks, atMs);
      return false;
    });
  }

  /** Returns kappa, per unit of price. The rate of takers at distance d from the mid falls as exp(-kappa d). */
  kappaAt(nowMs: number, tickMicros: Micros): number {
    const believed = this.#category.distance.with(USUAL_DISTANCE_TICKS, nowMs);
    // A mean distance of zero would make kappa infinite.
    return 1 / ((tickMicros / ONE) * Math.max(LEAST_DISTANCE_TICKS, this.#own.distance.with(believed, nowMs)));
  }

  /** Returns the mid's expected move, in the taker's direction, after a taker takes a whole level; 0 or more. */
  sweepMoveAt(nowMs: number, tickMicros: Micros): number {
    const believed = this.#category.move.with(USUAL_MOVE_TICKS, nowMs);
    return (tickMicros / ONE) * Math.max(0, this.#own.move.with(believed, nowMs));
  }

  /** Drops all stored books after our clock was set back, because their times cannot be compared with new trades. */
  clockSetBack(): void {
    this.#looks = [];
    this.#waiting = [];
  }
}

const LEAST_DISTANCE_TICKS = 0.1;

/** Returns true if the trade took the whole best level: it passed the level's price or took all its shares. */
function hasSwept({ taker, priceMicros, amountMicros }: TapeTrade, { bid, ask }: PolledMid): boolean {
  const met = taker === 'buy' ? ask : bid;
  if (met === undefined) return false;
  const past = taker === 'buy' ? priceMicros - met.priceMicros : met.priceMicros - priceMicros;
  return past > 0 || (past === 0 && amountMicros >= met.amountMicros);
}

/** Length of a price bar (candle), s. */
export const BAR_S = 300;
/** A closing price counts at most this long, s, so that one trade at a false price has little weight. */
const LONGEST_CLOSE_S = 3_600;
/** Total time span of the requested price bars, s. */
export const CANDLES_S = 2 * 86_400;

/** Time span of requested price bars, Unix s: each bar begins at `fromS` or later, and before `toS`. */
interface CandleSpan {
  readonly fromS: number;
  readonly toS: number;
}

/** A market's volatility and mean price, estimated from price bars. */
interface LearnedFromBars {
  readonly sigmaPerSqrtS: number;
  /** Time from the beginning of the first bar to the end of the last bar, s. */
  readonly spanS: number;
  /** Time for which a closing price counts in `meanPrice`, s; shorter than `spanS` if bars are missing for long. */
  readonly coveredS: number;
  /** Time-weighted mean of the price bars' closing prices, as a YES price. */
  readonly meanPrice: number;
}

/**
 * Estimates volatility and mean price from the bars' closing prices. Returns null for fewer than two bars, and a
 * sentence with the reason if any bar is invalid.
 *
 * @param gridStep half the current spread, at least half a tick, because closes alternate between bid and ask
 */
export function readCandles(
  rows: readonly Candle[],
  span: CandleSpan,
  gridStep: number,
): LearnedFromBars | string | null {
  const bars = [...rows].sort((a, b) => a.timestamp - b.timestamp);
  let beforeS = Number.NEGATIVE_INFINITY;
  const volatility = new Volatility();
  for (const bar of bars) {
    const because = findNonsense(bar, span, beforeS);
    if (because !== null) return `bar ${bar.timestamp}: ${because}`;
    beforeS = bar.timestamp;
    volatility.observe(Number(bar.close), (bar.timestamp + BAR_S) * 1000, gridStep);
  }
  const [first, ...others] = bars;
  if (first === undefined || others.length === 0) return null;
  const spanS = beforeS + BAR_S - first.timestamp;
  let [coveredS, priceSeconds] = [0, 0];
  for (const [at, { timestamp, close }] of bars.entries()) {
    const untilNextS = (bars[at + 1]?.timestamp ?? timestamp + BAR_S) - timestamp;
    const countedS = Math.min(LONGEST_CLOSE_S, untilNextS);
    coveredS += countedS;
    priceSeconds += Number(close) * countedS;
  }
  return { sigmaPerSqrtS: volatility.sigmaPerSqrtS, spanS, coveredS, meanPrice: priceSeconds / coveredS };
}

function findNonsense(bar: Candle, { fromS, toS }: CandleSpan, beforeS: number): string | null {
  const { timestamp } = bar;
  // The HTTP client has already checked that all prices of a bar are decimal numbers.
  const [open, high, low, close] = [Number(bar.open), Number(bar.high), Number(bar.low), Number(bar.close)];
  if (!bar.is_yes) return 'the bar is of NO, but YES bars were requested';
  if (timestamp % BAR_S !== 0) return `its time is not a multiple of ${BAR_S} s`;
  if (timestamp < fromS || timestamp >= toS) return 'the bar lies outside the requested time span';
  if (timestamp === beforeS) return 'the bar appears twice';
  if (!(low > 0 && high < 1)) return 'its prices are not between 0 and 1';
  const isWithin = (price: number): boolean => price >= low && price <= high;
  return isWithin(open) && isWithin(close) ? null : 'open or close of the bar lies outside its range from low to high';
}
