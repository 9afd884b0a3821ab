/** What goes wrong, how often, and how often it did. */

import type { Random } from '../../src/base/random.js';

/** Probabilities, each per request unless it says otherwise. */
export interface Faults {
  readonly requestLost: number;
  /** It worked, and nobody is told. */
  readonly answerLost: number;
  readonly deliveredTwice: number;
  /** A proxy's page in place of an answer; nothing happened. */
  readonly gatewayBefore: number;
  /** The same, but it worked. */
  readonly gatewayAfter: number;
  /** A write works and answers the service's own internal error. */
  readonly errorAfter: number;
  /** The body of the answer is cut off. */
  readonly cut: number;
  readonly throttled: number;
  /** Of a draft. */
  readonly signingDown: number;
  /** Up to a minute under way, long after its sender gave up. */
  readonly tail: number;
  /** From here on this list misses its newest row, for some seconds. */
  readonly behind: number;
  /** Mean of either way, ms. */
  readonly delayMs: number;
  /** Per step of the trader; and while something signed is under way. */
  readonly crash: number;
  readonly crashPending: number;
  /** The exchange cannot be reached for some seconds: per second. */
  readonly outage: number;
  /** An operator intervenes: per second. */
  readonly command: number;
  /** A market is paused for some seconds: per second. */
  readonly marketPaused: number;
  /** Our clock minus the exchange's, ms, at first; and by how much it jumps in the middle. */
  readonly clockOffMs: number;
  readonly clockStepMs: number;
}

export const CALM: Faults = {
  requestLost: 0,
  answerLost: 0,
  deliveredTwice: 0,
  gatewayBefore: 0,
  gatewayAfter: 0,
  errorAfter: 0,
  cut: 0,
  throttled: 0,
  signingDown: 0,
  tail: 0,
  behind: 0,
  delayMs: 20,
  crash: 0,
  crashPending: 0,
  outage: 0,
  command: 0,
  marketPaused: 0,
  clockOffMs: 0,
  clockStepMs: 0,
};

/** The faults of one seed. A third of them is left out each time, so that none hides what the others bring about. */
export function drawFaults(random: Random): Faults {
  const upTo = (most: number): number => (random.chance(1 / 3) ? 0 : most * random.uniform());
  const crash = upTo(0.001);
  return {
    requestLost: upTo(0.08),
    answerLost: upTo(0.1),
    deliveredTwice: upTo(0.05),
    gatewayBefore: upTo(0.05),
    gatewayAfter: upTo(0.05),
    errorAfter: upTo(0.08),
    cut: upTo(0.05),
    throttled: upTo(0.02),
    signingDown: upTo(0.05),
    tail: upTo(0.02),
    behind: upTo(0.05),
    delayMs: 10 + random.exponential(150),
    crash,
    crashPending: 10 * crash,
    outage: upTo(0.01),
    command: upTo(0.08),
    marketPaused: upTo(0.02),
    clockOffMs: random.below(80_000) - 40_000,
    clockStepMs: random.chance(0.5) ? random.below(60_000) - 30_000 : 0,
  };
}

/** How often each thing has happened. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(kind: string, count = 1): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  of(kind: string): number {
    return this.#counts.get(kind) ?? 0;
  }

  addAll(other: Tally): void {
    for (const [kind, count] of other.entries()) this.add(kind, count);
  }

  entries(): readonly (readonly [string, number])[] {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
