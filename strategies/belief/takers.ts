/** What uninformed takers bring to a market, learned from our own fills and from public trades. */

import { type BookSide, normalCdf, normalDensity, normalQuantile } from '../../src/trader/strategy/strategy.js';

/** Deviation of the logarithm of a taker's size: of most markets it lies between 1 and 1.5. */
export const SIZE_SIGMA = 1.2;
/** The rate is believed before anything was seen as if so many takers had come in so many seconds. */
const PRIOR_TAKERS = 2;
const PRIOR_SECONDS = 20;
/** The prior size counts as so many takers. */
const PRIOR_SIZES = 1;
/** After so many takers what was learned from the oldest has halved in weight. */
const MEMORY = 200;

/** A side's takers: the sellers whom a bid meets, the buyers whom an ask meets. */
interface SizeModel {
  weight: number;
  logMean: number;
  /** Logarithm of the likelihood of what was seen. */
  score: number;
  /** What the size is measured in: the logarithm of one share in it, at a YES price. */
  readonly logUnit: (price: number) => number;
}

/** In shares, in the currency that YES costs, or in the currency that NO costs: what was seen decides between them. */
const UNITS: readonly SizeModel['logUnit'][] = [() => 0, (price) => Math.log(price), (price) => Math.log1p(-price)];

type LearnedSize = Pick<SizeModel, 'weight' | 'logMean' | 'score'>;

export interface SavedTakers {
  readonly takers: number;
  readonly seconds: number;
  readonly reached: number;
  readonly reaching: number;
  readonly sizes: Readonly<Record<BookSide, readonly LearnedSize[]>>;
}

/** An uninformed taker who met an order of ours, with this probability. */
export interface Visit {
  readonly probability: number;
  readonly shares: number;
  readonly price: number;
  /** Whether it was all that we had: more may have been wanted. */
  readonly isLeast: boolean;
  /** Whether no others stood before ours. */
  readonly wasFirst: boolean;
}

export class Takers {
  #takers = PRIOR_TAKERS;
  #seconds = PRIOR_SECONDS;
  #reached = 1;
  #reaching = 1;
  readonly #sizes: Readonly<Record<BookSide, readonly SizeModel[]>>;

  /** @param priorShares mean size that is believed at first, at a price of one half */
  constructor(priorShares: number) {
    const logMean = Math.log(priorShares) - SIZE_SIGMA ** 2 / 2;
    const models = (): SizeModel[] =>
      UNITS.map((logUnit) => ({ weight: PRIOR_SIZES, logMean: logMean + logUnit(0.5), score: 0, logUnit }));
    this.#sizes = { bid: models(), ask: models() };
  }

  save(): SavedTakers {
    const sizes = (side: BookSide) =>
      this.#sizes[side].map(({ weight, logMean, score }) => ({ weight, logMean, score }));
    return {
      takers: this.#takers,
      seconds: this.#seconds,
      reached: this.#reached,
      reaching: this.#reaching,
      sizes: { bid: sizes('bid'), ask: sizes('ask') },
    };
  }

  restore({ takers, seconds, reached, reaching, sizes }: SavedTakers): void {
    if (sizes.bid.length !== UNITS.length || sizes.ask.length !== UNITS.length)
      throw new RangeError('the saved sizes are in other units');
    [this.#takers, this.#seconds, this.#reached, this.#reaching] = [takers, seconds, reached, reaching];
    for (const side of ['bid', 'ask'] as const)
      for (const [index, model] of this.#sizes[side].entries()) Object.assign(model, sizes[side][index]);
  }

  /** Takers a second and side. */
  get rate(): number {
    return this.#takers / this.#seconds;
  }

  /** A quote of ours was the best of its side for so long. */
  exposed(seconds: number): void {
    this.#seconds += seconds;
    if (this.#takers > MEMORY) {
      this.#seconds /= 2;
      this.#takers /= 2;
    }
  }

  /** Of the takers that should have reached an order behind others, so many did: others show less than they have. */
  get behind(): number {
    return this.#reached / this.#reaching;
  }

  /** An order of ours stood behind so many shares of others at this price for so long. */
  stoodBehind(seconds: number, side: BookSide, ahead: number, price: number): void {
    this.#reaching += this.rate * seconds * this.probabilityAbove(side, ahead, price);
  }

  observeTaker(side: BookSide, { probability, shares, price, isLeast, wasFirst }: Visit): void {
    if (wasFirst) this.#takers += probability;
    else this.#reached += probability;
    for (const model of this.#sizes[side]) learn(model, Math.log(shares) + model.logUnit(price), probability, isLeast);
  }

  /** Mean of the logarithm of a size in shares at this price. */
  logMeanAt(side: BookSide, price: number): number {
    const models = this.#sizes[side];
    let best = Number.NEGATIVE_INFINITY;
    for (const { score } of models) best = Math.max(best, score);
    let [weights, sum] = [0, 0];
    for (const { score, logMean, logUnit } of models) {
      const weight = Math.exp(score - best);
      weights += weight;
      sum += weight * (logMean - logUnit(price));
    }
    return sum / weights;
  }

  /** Probability that a taker at this price wants more than so many shares. */
  probabilityAbove(side: BookSide, shares: number, price: number): number {
    return shares <= 0 ? 1 : normalCdf((this.logMeanAt(side, price) - Math.log(shares)) / SIZE_SIGMA);
  }

  /** How much of a level of so many shares a taker takes on average: one level in as many takers is used up. */
  partTaken(side: BookSide, shares: number, price: number): number {
    return shares <= 0 ? 1 : expectedFill(shares, this.logMeanAt(side, price), SIZE_SIGMA) / shares;
  }
}

function learn(model: SizeModel, log: number, probability: number, isLeast: boolean): void {
  const z = (log - model.logMean) / SIZE_SIGMA;
  const above = normalCdf(-z);
  model.score += probability * Math.log(Math.max(1e-12, isLeast ? above : normalDensity(z)));
  // Of a size that is only known to be larger, what it is on average.
  const value = isLeast ? model.logMean + (SIZE_SIGMA * normalDensity(z)) / Math.max(1e-6, above) : log;
  model.weight = Math.min(MEMORY, model.weight + probability);
  model.logMean += (probability / model.weight) * (value - model.logMean);
}

/** E[min(Q, q)] of a lognormal size Q. */
export function expectedFill(shares: number, logMean: number, sigma: number): number {
  if (shares <= 0) return 0;
  const z = (Math.log(shares) - logMean) / sigma;
  return Math.exp(logMean + sigma ** 2 / 2) * normalCdf(z - sigma) + shares * normalCdf(-z);
}

/** The size that is exceeded with this probability. */
export const sizeExceeded = (probability: number, logMean: number, sigma: number): number =>
  Math.exp(logMean + sigma * normalQuantile(1 - probability));
