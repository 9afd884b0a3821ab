/** Tells the core again what it was told within a step and no observation says: strategies cut short, and signatures. */

import type { Step } from '../../shell/journal/contract.js';
import type { BoundedCall } from '../../trader/engine/quoting/hosted-quoter.js';
import type { DraftSigner, SignAnswer } from '../../trader/executor/contract.js';

/** For an intent that nobody signed then: the request that carries it is different whatever it says. */
const NEVER_MADE = '0'.repeat(128);

export class RecordedInputs implements DraftSigner {
  readonly #limitMs: number;
  #step: Pick<Step, 'timedOut' | 'signed'> = { timedOut: [], signed: [] };
  #calls = 0;
  #asked: string[] = [];

  /** @param limitMs the longest that a call into a strategy could take then */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  begin(step: Step): void {
    this.#step = step;
    this.#calls = 0;
    this.#asked = [];
  }

  /** Intents that were to be signed since the step began, in order. */
  get asked(): readonly string[] {
    return this.#asked;
  }

  sign(intentId: string): SignAnswer {
    const then = this.#step.signed[this.#asked.length];
    this.#asked.push(intentId);
    return then?.intentId === intentId ? then.answer : { ok: true, signature: NEVER_MADE };
  }

  /**
   * A call that was cut short then is not made at all: what it had half done was lost, and its strategy is never called
   * again.
   */
  readonly boundedCall: BoundedCall = (call) => {
    if (this.#step.timedOut.includes(this.#calls++)) throw new Error(`took longer than ${this.#limitMs} ms`);
    return call();
  };
}
