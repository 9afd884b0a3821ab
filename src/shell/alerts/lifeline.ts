/**
 * The dead man's switch: a remote watcher raises an alarm when our calls stop. It is called only after useful work
 * since the last call: a call on a mere timer would prove nothing.
 */

/** Counters that only a working trader increases. */
export interface Work {
  readonly isCurrent: boolean;
  readonly steps: number;
  /** Requests that the venue answered. */
  readonly answered: number;
  /** Unix ms; null before the first. */
  readonly reconciledMs: number | null;
  readonly isGuarded: boolean | null;
}

const RECONCILED_WITHIN_MS = 600_000;

export type LifelineCall = { readonly kind: 'alive' } | { readonly kind: 'failing'; readonly why: string };

export class Lifeline {
  readonly #everyMs: number;
  #before: Work | null = null;
  #calledMs: number;

  /** @param steadyMs a clock that never steps, ms; the first call is due one interval later */
  constructor(everyMs: number, steadyMs: number) {
    this.#everyMs = everyMs;
    this.#calledMs = steadyMs;
  }

  /** The call that is due; null between two. */
  look(work: Work, steadyMs: number, nowMs: number): LifelineCall | null {
    if (steadyMs - this.#calledMs < this.#everyMs) return null;
    this.#calledMs = steadyMs;
    const why = idleness(this.#before, work, nowMs);
    this.#before = work;
    return why === null ? { kind: 'alive' } : { kind: 'failing', why };
  }
}

/** Why this is no useful work; null when it is. */
function idleness(before: Work | null, now: Work, nowMs: number): string | null {
  if (!now.isCurrent) return 'the trader does not answer';
  // A smaller number is a new run.
  if (now.steps === (before?.steps ?? 0)) return 'the trader took no step';
  if (now.answered === (before?.answered ?? 0)) return 'the exchange answered nothing';
  if (now.reconciledMs === null || nowMs - now.reconciledMs > RECONCILED_WITHIN_MS) return 'nothing was reconciled';
  return now.isGuarded === false ? 'no guardian watches' : null;
}
