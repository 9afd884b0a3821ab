/** Faults, with their intended and actual numbers. The ranges are those of the safety document. */

import type { Random } from '../../src/shared/base/random.js';

/** Probabilities, each per request unless it says otherwise. */
export interface Faults {
  readonly requestLost: number;
  /** It worked, and nobody is told. */
  readonly answerLost: number;
  readonly deliveredTwice: number;
  /** A 5xx in place of an answer; nothing happened. */
  readonly gatewayBefore: number;
  /** The same, but it worked. */
  readonly gatewayAfter: number;
  /** A write works and answers an error of the service itself. */
  readonly errorAfter: number;
  /** The body of the answer is cut off, or other bytes stand in it. */
  readonly cut: number;
  /** It works, and a page of HTML comes with the status of a success. */
  readonly html: number;
  readonly throttled: number;
  /** It says of limits what is not so. */
  readonly misjudged: number;
  /** Of a draft. */
  readonly signingDown: number;
  /** A draft of an order ends before its time. */
  readonly earlyExpiry: number;
  /** Up to a minute under way, long after its sender gave up. */
  readonly tail: number;
  /** Of a merge or split: its market does not convert when it lands. */
  readonly mergeFails: number;
  /** Of a trade of ours: it fails, settles after all, changes its mind. */
  readonly tradeFails: number;
  /** From here on this list misses its newest row, for some seconds. */
  readonly behind: number;
  /** The cursor of a page that is not the first leads to the page itself. */
  readonly cursorRepeats: number;
  /** From here on this book does not change, for some seconds. */
  readonly stale: number;
  /** Mean of either way, ms. */
  readonly delayMs: number;
  /** Crashes of the trader per hour; ten times as many while something signed is under way. */
  readonly crashes: number;
  /** Part of the crashes that lose what was not synced. */
  readonly unsyncedLost: number;
  /** Per write and sync of the disk. */
  readonly diskError: number;
  /** Readers of telemetry that are connected, and connect again while the orders of a failed ledger are canceled. */
  readonly readers: number;
  /** Restarts of the exchange per hour: some seconds away, everything under way cut. */
  readonly restarts: number;
  /** The network is away for some seconds: per second. */
  readonly outage: number;
  /** An operator intervenes: per second. */
  readonly command: number;
  /** A market is paused for some seconds: per second. */
  readonly marketPaused: number;
  /** Our clock minus the exchange's at first, ms. */
  readonly clockOffMs: number;
  /** Steps of our clock per hour, each up to so far either way. */
  readonly clockSteps: number;
  readonly clockStepMs: number;
  /** Of our clock, parts per million. */
  readonly driftPpm: number;
  /** Times per hour that our clock is set by hours, either way; and that it is hours ahead for some seconds. */
  readonly clockLeaps: number;
  readonly clockGlitches: number;
  /** An answer with public data of one market holds rows that no market has. */
  readonly poisonedRows: number;
}

export const CALM: Faults = {
  requestLost: 0,
  answerLost: 0,
  deliveredTwice: 0,
  gatewayBefore: 0,
  gatewayAfter: 0,
  errorAfter: 0,
  cut: 0,
  html: 0,
  throttled: 0,
  misjudged: 0,
  signingDown: 0,
  earlyExpiry: 0,
  tail: 0,
  mergeFails: 0,
  tradeFails: 0,
  behind: 0,
  cursorRepeats: 0,
  stale: 0,
  delayMs: 20,
  crashes: 0,
  unsyncedLost: 0,
  diskError: 0,
  readers: 0,
  restarts: 0,
  outage: 0,
  command: 0,
  marketPaused: 0,
  clockOffMs: 0,
  clockSteps: 0,
  clockStepMs: 0,
  driftPpm: 0,
  clockLeaps: 0,
  clockGlitches: 0,
  poisonedRows: 0,
};

/**
 * The faults of one phase of a seed. A third of them is left out each time, so that none hides what the others bring
 * about; small ones are likelier than large ones, so that there is trading to disturb.
 */
export function drawFaults(random: Random): Faults {
  const upTo = (most: number, steep = 2): number => (random.chance(1 / 3) ? 0 : most * random.uniform() ** steep);
  return {
    requestLost: upTo(0.1),
    answerLost: upTo(0.1),
    deliveredTwice: upTo(0.05),
    gatewayBefore: upTo(0.05),
    gatewayAfter: upTo(0.05),
    errorAfter: upTo(0.08),
    cut: upTo(0.05),
    html: upTo(0.02),
    throttled: upTo(0.2, 5),
    misjudged: upTo(0.02, 3),
    signingDown: upTo(0.05),
    earlyExpiry: upTo(0.05),
    tail: upTo(0.02),
    behind: upTo(0.05),
    cursorRepeats: upTo(0.2),
    stale: upTo(0.02),
    delayMs: 5 + upTo(5000, 5),
    crashes: upTo(12, 1),
    unsyncedLost: 0.8 + 0.2 * random.uniform(),
    diskError: upTo(0.01, 5),
    readers: 2,
    restarts: upTo(6, 1),
    outage: upTo(0.005),
    command: upTo(0.02),
    marketPaused: upTo(0.01),
    clockOffMs: random.below(80_000) - 40_000,
    clockSteps: upTo(6, 1),
    clockStepMs: 30_000,
    driftPpm: upTo(500, 1),
    mergeFails: upTo(0.5, 1),
    tradeFails: upTo(0.4, 1),
    clockLeaps: upTo(6, 1),
    clockGlitches: upTo(6, 1),
    poisonedRows: upTo(0.03),
  };
}

/** How often each thing has happened. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(kind: string, count = 1): void {
    if (count > 0) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
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
