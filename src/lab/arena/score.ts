/** Random draws of a simulation: its configuration, its feeds, and the score whose final sign decides the outcome. */

import { normalCdf } from '../../shared/base/random.js';
import type { FeedValue } from '../../shared/protocol/seam.js';
import { logit, sigmoid } from '../../trader/strategy/maths/log-odds.js';
import type { Conditions } from './contract.js';

/** Offset that separates the seeds of feeds from all other seeds of a world. */
const SEEDS_APART = 2 ** 35;
/** Minimum distance of a feed's value from 0 and 1, because no model reports certainty. */
const NEAREST_TO_SURE = 0.0005;

/** Returns a feed: a function that takes the true probability each second and returns the newest known feed value. */
export function openTruthFeed(conditionId: string, seed: number, conditions: Pick<Conditions, 'feedSd' | 'feedLagS'>) {
  const { feedSd: sd, feedLagS } = conditions;
  const random = new PythonRandom(seed + SEEDS_APART);
  let values: FeedValue[] = [];
  return (atMs: number, probability: number): FeedValue | null => {
    const within = Math.min(1 - NEAREST_TO_SURE, Math.max(NEAREST_TO_SURE, probability));
    const p = sigmoid(logit(within) + random.gauss(0, sd));
    values.push({ conditionId, p, bid: null, ask: null, sd, atMs, validUntilMs: null });
    const known = values.findLastIndex((value) => value.atMs <= atMs - feedLagS * 1000);
    values = values.slice(Math.max(0, known));
    return known < 0 ? null : (values[0] ?? null);
  };
}

const WORDS = 624;
const MIDDLE = 397;
const NORMAL_MAGIC = (4 * Math.exp(-0.5)) / Math.sqrt(2);

/**
 * Generates the random numbers of Python's `random` module, bit for bit. The published simulator uses that module, and
 * equal seeds must give equal markets here. The generator is MT19937 (Matsumoto, Nishimura, "Mersenne Twister", 1998).
 */
export class PythonRandom {
  readonly #state = new Uint32Array(WORDS);
  #next = WORDS;
  /** Second value of the newest pair that `gauss` has computed; null if that value is already used. */
  #spare: number | null = null;

  /** `seed`: a safe integer, 0 or more. */
  constructor(seed: number) {
    const low = seed >>> 0;
    const high = Math.floor(seed / 2 ** 32);
    const key = high === 0 ? [low] : [low, high];
    const mt = this.#state;
    mt[0] = 19_650_218;
    for (let i = 1; i < WORDS; i++) mt[i] = Math.imul(1_812_433_253, this.#mixWord(i - 1)) + i;
    let at = 1;
    const stir = (factor: number, addend: number): void => {
      mt[at] = ((mt[at] ?? 0) ^ Math.imul(this.#mixWord(at - 1), factor)) + addend;
      if (++at < WORDS) return;
      mt[0] = mt[WORDS - 1] ?? 0;
      at = 1;
    };
    for (let k = 0; k < WORDS; k++) stir(1_664_525, (key[k % key.length] ?? 0) + (k % key.length));
    for (let k = 0; k < WORDS - 1; k++) stir(1_566_083_941, -at);
    mt[0] = 0x80000000;
  }

  random(): number {
    const high = this.#word() >>> 5;
    return (high * 67_108_864 + (this.#word() >>> 6)) / 9_007_199_254_740_992;
  }

  uniform(from: number, to: number): number {
    return from + (to - from) * this.random();
  }

  gauss(mean: number, deviation: number): number {
    const spare = this.#spare;
    if (spare !== null) {
      this.#spare = null;
      return mean + spare * deviation;
    }
    const angle = this.random() * 2 * Math.PI;
    const radius = Math.sqrt(-2 * Math.log(1 - this.random()));
    this.#spare = Math.sin(angle) * radius;
    return mean + Math.cos(angle) * radius * deviation;
  }

  lognormal(mean: number, deviation: number): number {
    for (;;) {
      const first = this.random();
      const second = 1 - this.random();
      const z = (NORMAL_MAGIC * (first - 0.5)) / second;
      if ((z * z) / 4 <= -Math.log(second)) return Math.exp(mean + z * deviation);
    }
  }

  randint(from: number, to: number): number {
    const count = to - from + 1;
    const bits = Math.floor(Math.log2(count)) + 1;
    for (;;) {
      const value = this.#word() >>> (32 - bits);
      if (value < count) return from + value;
    }
  }

  poisson(mean: number): number {
    const threshold = Math.exp(-mean);
    let product = 1;
    let draws = 0;
    while (product > threshold) {
      product *= this.random();
      draws++;
    }
    return draws - 1;
  }

  #mixWord(index: number): number {
    const word = this.#state[index] ?? 0;
    return word ^ (word >>> 30);
  }

  #word(): number {
    if (this.#next >= WORDS) this.#twist();
    let word = this.#state[this.#next++] ?? 0;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #twist(): void {
    const mt = this.#state;
    for (let i = 0; i < WORDS; i++) {
      const joined = ((mt[i] ?? 0) & 0x80000000) | ((mt[(i + 1) % WORDS] ?? 0) & 0x7fffffff);
      mt[i] = (mt[(i + MIDDLE) % WORDS] ?? 0) ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }
}

/** Start of a simulation, exchange clock, Unix ms: 2027-01-15, 8:00 UTC. */
export const START_MS = 1_800_000_000_000;
export const STEP_MS = 1000;
export const STEPS = 2000;

export const seedOfMarket = (seed: number, place: number): number => seed + place * 2 ** 34;

export type LadderSide = 'bid' | 'ask';

export type Configuration = Readonly<ReturnType<typeof drawConfiguration>>;

/** Draws the challenge's configuration from a seed (whole number, 0 or more), in the published simulator's order. */
export function drawConfiguration(seed: number) {
  const random = new PythonRandom(seed);
  const competitorSides: readonly LadderSide[] = ['bid', 'ask'];
  return {
    steps: STEPS,
    initialScore: random.uniform(-0.75, 0.75),
    /** Standard deviation of the score's small moves per step. */
    diffusionSigma: 0.02,
    /** Jumps per step. */
    jumpIntensity: random.uniform(0.0008, 0.003),
    jumpSigma: random.uniform(0.2, 0.6),
    jumpMean: random.uniform(-0.04, 0.04),
    /** Uninformed orders per step. */
    retailRate: random.uniform(0.154, 0.352),
    /** Mean size of an uninformed order, currency, and the standard deviation of the size's logarithm. */
    retailMeanNotional: random.uniform(2.64, 6.336),
    retailSigma: 1.2,
    /** Size of each order of the competitor, currency, and distance of its best orders from the fair price, ticks. */
    competitorNotional: random.uniform(24, 72),
    competitorSpread: random.randint(1, 4),
    competitorSides,
    informedPart: 1,
    /** Number of steps between announcements, each a normally distributed jump of the score; 0 for no announcements. */
    newsEverySteps: 0,
    newsSigma: 0,
  };
}

/** Hidden truth of a market. `isYes` is valid only after all steps. */
export type Truth = Readonly<Pick<ReturnType<typeof startScore>, 'step' | 'probability' | 'isYes'>>;

/** Total probability of the jump counts that `probabilityAbove` omits; it changes no published decimal of an edge. */
const TAIL = 1e-13;

export function startScore(config: Configuration, seed: number) {
  const random = new PythonRandom(seed);
  let score = config.initialScore;
  let stepsLeft = config.steps;
  return {
    get value() {
      return score;
    },
    get isYes() {
      return score > 0;
    },
    get probability() {
      return probabilityAbove(score, stepsLeft, config);
    },
    step() {
      const { diffusionSigma, jumpIntensity, jumpMean, jumpSigma, newsEverySteps, newsSigma } = config;
      let move = random.gauss(0, diffusionSigma);
      for (let jumps = random.poisson(jumpIntensity); jumps > 0; jumps--) move += random.gauss(jumpMean, jumpSigma);
      stepsLeft--;
      // A step has an announcement if the number of remaining steps is a multiple of `newsEverySteps`, but not 0.
      const isNews = newsEverySteps > 0 && stepsLeft > 0 && stepsLeft % newsEverySteps === 0;
      if (isNews) move += random.gauss(0, newsSigma);
      score += move;
    },
  };
}

/** Returns the probability that the score is above 0 after `steps` steps: a sum over the Poisson number of jumps. */
export function probabilityAbove(score: number, steps: number, config: Configuration): number {
  if (steps === 0) return score > 0 ? 1 : 0;
  const { diffusionSigma, jumpIntensity, jumpMean, jumpSigma, newsEverySteps, newsSigma } = config;
  const expected = jumpIntensity * steps;
  const newsLeft = newsEverySteps > 0 ? Math.floor((steps - 1) / newsEverySteps) : 0;
  const variance = steps * diffusionSigma ** 2 + newsLeft * newsSigma ** 2;
  let weight = Math.exp(-expected);
  let weights = 0;
  let sum = 0;
  for (let jumps = 0; ; jumps++) {
    const deviation = Math.sqrt(variance + jumps * jumpSigma ** 2);
    sum += weight * normalCdf((score + jumps * jumpMean) / deviation);
    weights += weight;
    if (1 - weights < TAIL) return sum / weights;
    weight *= expected / (jumps + 1);
  }
}
