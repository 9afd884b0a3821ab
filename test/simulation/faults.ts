/** Faults, with their intended and actual numbers. The ranges are those of the safety document. */

import type { Random } from '../../src/shared/base/random.js';

/** A world without faults. The figures are probabilities per request, unless stated otherwise. */
export const CALM = {
  requestLost: 0,
  /** The call takes effect, and its answer is lost. */
  answerLost: 0,
  deliveredTwice: 0,
  /** A 5xx in place of an answer, without an effect. */
  gatewayBefore: 0,
  /** The same with an effect. */
  gatewayAfter: 0,
  /** A write takes effect and returns an error of the service. */
  errorAfter: 0,
  /** The body of the answer is cut off or replaced. */
  cut: 0,
  /** The call takes effect, and an HTML page with a success status arrives. */
  html: 0,
  throttled: 0,
  /** The answer makes false statements about limits. */
  misjudged: 0,
  /** Signing fails for a draft. */
  signingDown: 0,
  /** A draft of an order expires early. */
  earlyExpiry: 0,
  /** Up to a minute in transit, long after its sender's timeout. */
  tail: 0,
  /** For a merge or split: its market cannot convert when it lands. */
  mergeFails: 0,
  /** For a trade of ours: it fails, settles late, or changes repeatedly. */
  tradeFails: 0,
  /** From then on this list omits its newest row, for some seconds. */
  behind: 0,
  /** The cursor of a later page leads to the page itself. */
  cursorRepeats: 0,
  /** From then on this book does not change, for some seconds. */
  stale: 0,
  /** Mean transit time in each direction, ms. */
  delayMs: 20,
  /** Crashes of the trader per hour; ten times as many while a signed request is in flight. */
  crashes: 0,
  /** Share of the crashes that lose unsynced data. */
  unsyncedLost: 0,
  /** Per write and sync of the disk. */
  diskError: 0,
  /** Connected readers of telemetry, which reconnect while the orders of a failed ledger are canceled. */
  readers: 0,
  /** Restarts of the exchange per hour: down for some seconds, all connections cut. */
  restarts: 0,
  /** The network is down for some seconds: per second. */
  outage: 0,
  /** An operator intervenes: per second. */
  command: 0,
  /** A market is paused for some seconds: per second. */
  marketPaused: 0,
  /** Our clock minus the exchange's at first, ms. */
  clockOffMs: 0,
  /** Steps of our clock per hour, each up to this size in either direction. */
  clockSteps: 0,
  clockStepMs: 0,
  /** Drift of our clock, parts per million. */
  driftPpm: 0,
  /** Times per hour that our clock is set by hours, or is hours ahead for some seconds. */
  clockLeaps: 0,
  clockGlitches: 0,
  /** An answer with public data of one market has impossible rows. */
  poisonedRows: 0,
};
export type Faults = Readonly<typeof CALM>;

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
