/** Faults, with their intended and actual numbers. The ranges are those of the safety document. */

import type { Random } from '../../src/shared/base/random.js';

/** Probabilities per request, unless stated otherwise. */
export interface Faults {
  readonly requestLost: number;
  /** The call takes effect, and its answer is lost. */
  readonly answerLost: number;
  readonly deliveredTwice: number;
  /** A 5xx in place of an answer, without an effect. */
  readonly gatewayBefore: number;
  /** The same with an effect. */
  readonly gatewayAfter: number;
  /** A write takes effect and returns an error of the service. */
  readonly errorAfter: number;
  /** The body of the answer is cut off or replaced. */
  readonly cut: number;
  /** The call takes effect, and an HTML page with a success status arrives. */
  readonly html: number;
  readonly throttled: number;
  /** The answer makes false statements about limits. */
  readonly misjudged: number;
  /** Signing fails for a draft. */
  readonly signingDown: number;
  /** A draft of an order expires early. */
  readonly earlyExpiry: number;
  /** Up to a minute in transit, long after its sender's timeout. */
  readonly tail: number;
  /** For a merge or split: its market cannot convert when it lands. */
  readonly mergeFails: number;
  /** For a trade of ours: it fails, settles late, or changes repeatedly. */
  readonly tradeFails: number;
  /** From then on this list omits its newest row, for some seconds. */
  readonly behind: number;
  /** The cursor of a later page leads to the page itself. */
  readonly cursorRepeats: number;
  /** From then on this book does not change, for some seconds. */
  readonly stale: number;
  /** Mean transit time in each direction, ms. */
  readonly delayMs: number;
  /** Crashes of the trader per hour; ten times as many while a signed request is in flight. */
  readonly crashes: number;
  /** Share of the crashes that lose unsynced data. */
  readonly unsyncedLost: number;
  /** Per write and sync of the disk. */
  readonly diskError: number;
  /** Connected readers of telemetry, which reconnect while the orders of a failed ledger are canceled. */
  readonly readers: number;
  /** Restarts of the exchange per hour: down for some seconds, all connections cut. */
  readonly restarts: number;
  /** The network is down for some seconds: per second. */
  readonly outage: number;
  /** An operator intervenes: per second. */
  readonly command: number;
  /** A market is paused for some seconds: per second. */
  readonly marketPaused: number;
  /** Our clock minus the exchange's at first, ms. */
  readonly clockOffMs: number;
  /** Steps of our clock per hour, each up to this size in either direction. */
  readonly clockSteps: number;
  readonly clockStepMs: number;
  /** Drift of our clock, parts per million. */
  readonly driftPpm: number;
  /** Times per hour that our clock is set by hours, or is hours ahead for some seconds. */
  readonly clockLeaps: number;
  readonly clockGlitches: number;
  /** An answer with public data of one market has impossible rows. */
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
 * The faults of one phase of a seed. A third of them is omitted each time, so that none hides the effects of others;
 * small ones are more frequent, so that there is trading to disturb.
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

/** Number of times that each fault happened. */
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
