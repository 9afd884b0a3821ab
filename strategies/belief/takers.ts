/** Learns the rate and the sizes of uninformed takers from own fills. */

import { type BookSide, normalCdf, normalDensity, normalQuantile } from '../../src/trader/strategy/strategy.js';
import type { Saved } from './saved.js';

/** Prior standard deviation of the logarithm of a taker's size. In most markets the deviation is 0.8 to 1.5. */
export const SIZE_SIGMA = 1.2;
/** Weight of the prior deviation, as a number of takers. */
const PRIOR_DEVIATIONS = 8;
/**
 * Minimum of the learned deviation; its maximum is the prior. Informed takers want the largest sizes. Their sizes would
 * raise the deviation and thus our order sizes, and informed takers would fill these orders.
 */
const LEAST_SIGMA = 0.4;
/** Before the first taker, an offer is limited to the size that one in this many takers exceeds. */
const KNOWN_AT_FIRST = 10;
/** The same limit after many takers; it stays, as in some markets only informed takers want the largest sizes. */
const KNOWN_AT_MOST = 200;
/** The prior rate of takers is `PRIOR_TAKERS` takers in `PRIOR_SECONDS` seconds. */
const PRIOR_TAKERS = 2;
const PRIOR_SECONDS = 20;
/** Time, s, in which the distance of an unobserved rate from its prior falls by a factor of e. */
const FADES_S = 300;
/** Weight of the prior mean size, as a number of takers. */
const PRIOR_SIZES = 1;
/** Half-life of learned values, as a number of takers. */
const MEMORY = 200;

/** Sizes of the takers of one side: sellers who meet a bid, or buyers who meet an ask. */
interface SizeModel {
  weight: number;
  logMean: number;
  /** Variance of the logarithm of a taker's shares. */
  variance: number;
  /** This side's `logMean`, combined with the evidence of the other side. */
  pooled: number;
  /** Log-likelihood of the observed sizes if takers choose sizes in this unit. */
  score: number;
  /** Logarithm of the size of one share in the model's unit, at a YES price. */
  readonly logUnit: (price: number) => number;
}

/**
 * Possible units of takers' sizes: shares, currency for YES, or currency for NO. The observed sizes show which unit
 * applies. At a price of 0.5 all three are equivalent.
 */
const UNITS: readonly SizeModel['logUnit'][] = [
  () => 0,
  (price) => Math.log(2 * price),
  (price) => Math.log(2 - 2 * price),
];
/** Prior standard deviation of the difference between the mean logarithmic sizes of the two sides. */
const SIDES_DIFFER = 0.3;

/** Observation of a taker, possibly uninformed, who reached an own order. */
export interface Visit {
  /** Probability that the taker was uninformed. */
  readonly probability: number;
  /** Shares taken; null if unknown, because the taker took only a probe. */
  readonly shares: number | null;
  readonly price: number;
  /** True if the whole order was taken, so that the taker may have wanted more. */
  readonly isLeast: boolean;
  /** True if the best own order had no others' orders ahead of it. */
  readonly wasFirst: boolean;
  /** True if orders of others were ahead of an own order that was reached. */
  readonly wasBehind: boolean;
}

export class Takers {
  #takers = PRIOR_TAKERS;
  #seconds = PRIOR_SECONDS;
  #reached = 1;
  #reaching = 1;
  #sigma = SIZE_SIGMA;
  readonly #sizes: Readonly<Record<BookSide, readonly SizeModel[]>>;

  /** @param priorShares prior mean size at a price of 0.5 */
  constructor(priorShares: number) {
    const logMean = Math.log(priorShares) - SIZE_SIGMA ** 2 / 2;
    const models = (): SizeModel[] =>
      UNITS.map((logUnit) => ({
        weight: PRIOR_SIZES,
        logMean,
        variance: SIZE_SIGMA ** 2,
        pooled: logMean,
        score: 0,
        logUnit,
      }));
    this.#sizes = { bid: models(), ask: models() };
  }

  save(): Saved['takers'] {
    const sizes = (side: BookSide) =>
      this.#sizes[side].map(({ weight, logMean, variance, score }) => ({ weight, logMean, variance, score }));
    return {
      takers: this.#takers,
      seconds: this.#seconds,
      reached: this.#reached,
      reaching: this.#reaching,
      sizes: { bid: sizes('bid'), ask: sizes('ask') },
    };
  }

  restore({ takers, seconds, reached, reaching, sizes }: Saved['takers']): void {
    if (sizes.bid.length !== UNITS.length || sizes.ask.length !== UNITS.length)
      throw new RangeError('the saved taker sizes do not have the units of this version');
    [this.#takers, this.#seconds, this.#reached, this.#reaching] = [takers, seconds, reached, reaching];
    for (const side of ['bid', 'ask'] as const)
      for (const [index, model] of this.#sizes[side].entries()) Object.assign(model, sizes[side][index]);
    this.#pool();
  }

  /** Takers per second on each side. */
  get rate(): number {
    return this.#takers / this.#seconds;
  }

  /** Records that an own quote was the best of its side for this time. */
  addExposure(seconds: number): void {
    this.#seconds += seconds;
    if (this.#takers > MEMORY) {
      this.#seconds /= 2;
      this.#takers /= 2;
    }
  }

  /** Moves the rate of takers towards its prior, after a time in which no own order was first in the queue. */
  fade(seconds: number): void {
    const kept = Math.exp(-seconds / FADES_S);
    this.#takers = PRIOR_TAKERS + kept * (this.#takers - PRIOR_TAKERS);
    this.#seconds = PRIOR_SECONDS + kept * (this.#seconds - PRIOR_SECONDS);
  }

  /** Ratio of actual to expected takers who reach an order behind others: others may have more shares than visible. */
  get behind(): number {
    return this.#reached / this.#reaching;
  }

  /** Records that an own order rested for this time behind this many shares of others. */
  stoodBehind(seconds: number, side: BookSide, ahead: number, price: number): void {
    this.#reaching += this.rate * seconds * this.probabilityAbove(side, ahead, price);
  }

  observeTaker(side: BookSide, { probability, shares, price, isLeast, wasFirst, wasBehind }: Visit): void {
    if (wasFirst) this.#takers += probability;
    if (wasBehind) this.#reached += probability;
    if (shares === null) return;
    const sigma = this.#sigma;
    for (const model of this.#sizes[side])
      learn(model, Math.log(shares) + model.logUnit(price), { probability, isLeast, sigma });
    this.#pool();
  }

  #pool(): void {
    pool(this.#sizes.bid, this.#sizes.ask);
    pool(this.#sizes.ask, this.#sizes.bid);
    this.#sigma = sigmaOf(this.#sizes);
  }

  /** Standard deviation of the logarithm of a taker's size; one value for both sides. */
  get sigma(): number {
    return this.#sigma;
  }

  /** Mean size of a taker, in shares, at this price. */
  meanAt(side: BookSide, price: number): number {
    return Math.exp(this.logMeanAt(side, price) + this.#sigma ** 2 / 2);
  }

  /** Mean logarithm of a taker's size in shares at this price. */
  logMeanAt(side: BookSide, price: number): number {
    const models = this.#sizes[side];
    const best = bestScore(models);
    let [weights, sum] = [0, 0];
    for (const { score, pooled, logUnit } of models) {
      const weight = Math.exp(score - best);
      weights += weight;
      sum += weight * (pooled - logUnit(price));
    }
    return sum / weights;
  }

  /** Probability with which takers exceed the largest offered size; it falls with each observed taker. */
  rareAt(side: BookSide): number {
    const seen = (this.#sizes[side][0]?.weight ?? PRIOR_SIZES) - PRIOR_SIZES;
    return 1 / Math.min(KNOWN_AT_MOST, KNOWN_AT_FIRST + seen);
  }

  /** Standard deviation of the estimate of `logMeanAt`. It is larger after few takers or if several units fit. */
  logMeanDeviation(side: BookSide, price: number): number {
    const models = this.#sizes[side];
    const best = bestScore(models);
    const mean = this.logMeanAt(side, price);
    let [weights, sum] = [0, 0];
    for (const { score, pooled, logUnit, weight: seen } of models) {
      const weight = Math.exp(score - best);
      weights += weight;
      sum += weight * ((pooled - logUnit(price) - mean) ** 2 + this.#sigma ** 2 / seen);
    }
    return Math.sqrt(sum / weights);
  }

  /** Probability that a taker at this price wants more than this many shares. */
  probabilityAbove(side: BookSide, shares: number, price: number): number {
    return shares <= 0 ? 1 : normalCdf((this.logMeanAt(side, price) - Math.log(shares)) / this.#sigma);
  }

  /** Mean fraction that one taker takes from a level of this many shares. */
  partTaken(side: BookSide, shares: number, price: number): number {
    return shares <= 0 ? 1 : expectedFill(shares, this.logMeanAt(side, price), this.#sigma) / shares;
  }
}

interface SeenSize extends Pick<Visit, 'probability' | 'isLeast'> {
  /** Standard deviation of the logarithm before this observation. */
  readonly sigma: number;
}

function learn(model: SizeModel, log: number, { probability, isLeast, sigma }: SeenSize): void {
  const z = (log - model.pooled) / sigma;
  const above = Math.max(1e-6, normalCdf(-z));
  model.score += probability * Math.log(Math.max(1e-12, isLeast ? normalCdf(-z) : normalDensity(z) / sigma));
  // If only a lower bound of the size is known, `value` and `square` are the moments of a size above it.
  const value = isLeast ? model.pooled + (sigma * normalDensity(z)) / above : log;
  const square = sigma ** 2 * (isLeast ? 1 + (z * normalDensity(z)) / above : z ** 2);
  model.weight = Math.min(MEMORY, model.weight + probability);
  model.logMean += (probability / model.weight) * (value - model.logMean);
  model.variance += (probability / (PRIOR_DEVIATIONS + model.weight)) * (square - model.variance);
}

const bestScore = (models: readonly SizeModel[]): number => {
  let best = Number.NEGATIVE_INFINITY;
  for (const { score } of models) best = Math.max(best, score);
  return best;
};

/** Standard deviation of the logarithm from both sides' sizes, weighted by how well each unit fits. */
function sigmaOf(sizes: Readonly<Record<BookSide, readonly SizeModel[]>>): number {
  let [weights, sum] = [0, 0];
  for (const side of ['bid', 'ask'] as const) {
    const best = bestScore(sizes[side]);
    for (const { score, variance, weight: seen } of sizes[side]) {
      const weight = Math.exp(score - best) * (PRIOR_DEVIATIONS + seen);
      weights += weight;
      sum += weight * variance;
    }
  }
  return Math.min(SIZE_SIGMA, Math.max(LEAST_SIGMA, Math.sqrt(sum / weights)));
}

/** Combines the estimates of both sides for each unit of `own`, over the possible units of `others`. */
function pool(own: readonly SizeModel[], others: readonly SizeModel[]): void {
  const best = bestScore(others);
  for (const model of own) {
    let [weights, sum] = [0, 0];
    for (const other of others) {
      const weight = Math.exp(other.score - best);
      weights += weight;
      sum += weight * pooledWith(other, model);
    }
    model.pooled = sum / weights;
  }
}

/** The mean of both sides, moved towards the side's own estimate. With more takers of the side, the move is larger. */
function pooledWith(other: SizeModel, own: SizeModel): number {
  const common = (own.weight * own.logMean + other.weight * other.logMean) / (own.weight + other.weight);
  const byChance = SIZE_SIGMA ** 2 * (1 / own.weight + 1 / other.weight);
  const variance = SIDES_DIFFER ** 2 + Math.max(0, (own.logMean - other.logMean) ** 2 - 4 * byChance);
  return common + (own.weight / (own.weight + SIZE_SIGMA ** 2 / variance)) * (own.logMean - common);
}

/** Mean fill of an order of `shares` by a taker with a lognormal size Q: E[min(Q, shares)]. */
export function expectedFill(shares: number, logMean: number, sigma: number): number {
  if (shares <= 0) return 0;
  const z = (Math.log(shares) - logMean) / sigma;
  return Math.exp(logMean + sigma ** 2 / 2) * normalCdf(z - sigma) + shares * normalCdf(-z);
}

/** Size in shares that a taker exceeds with the given probability. */
export const sizeExceeded = (probability: number, logMean: number, sigma: number): number =>
  Math.exp(logMean + sigma * normalQuantile(1 - probability));
