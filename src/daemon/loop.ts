/** The real shell of the core: performs its requests over HTTP, and gives it what came back, and the time. */

import type { Observation, OperatorCommand, Request } from '../protocol/seam.js';
import { nowMs } from './clock.js';

/** Often enough that a freed place in the budget is used at once, seldom enough to cost nothing. */
const BEAT_MS = 100;

/** What performs requests; the client does. */
export interface Performer {
  perform(request: Request): Promise<Extract<Observation, { kind: 'outcome' }>>;
}

/** The core: the trader, or whatever else speaks the seam. */
export interface Core {
  handle(observation: Observation): readonly Request[];
}

/** What is told of each step: what the core was given, what it asked, and what it threw (null when it did not). */
export type Told = (observation: Observation, requests: readonly Request[], failure: unknown) => void;

/**
 * Runs until it is ended. An error out of the core (a broken ledger, a failed assertion) ends it at once: nothing more
 * is decided with a memory that may be wrong.
 */
export class Loop {
  readonly #core: Core;
  readonly #performer: Performer;
  readonly #afterStep: Told;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #ended = false;

  /**
   * @param afterStep called after every observation, e.g. to log what was said, and when the core has thrown
   * @param failed called once, with what the core threw
   */
  constructor(core: Core, performer: Performer, afterStep: Told, failed: (error: unknown) => void) {
    this.#core = core;
    this.#performer = performer;
    this.#afterStep = afterStep;
    this.#failed = failed;
  }

  start(): void {
    this.#timer = setInterval(() => this.#observe({ kind: 'time', nowMs: nowMs() }), BEAT_MS);
    this.#observe({ kind: 'time', nowMs: nowMs() });
  }

  command(command: OperatorCommand): void {
    this.#observe({ kind: 'command', nowMs: nowMs(), command });
  }

  /** Outcomes that come later are dropped: the ledger knows what was under way, and the next start asks. */
  end(): void {
    this.#ended = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #observe(observation: Observation): void {
    if (this.#ended) return;
    let requests: readonly Request[] = [];
    try {
      requests = this.#core.handle(observation);
    } catch (error) {
      this.#fail(error);
      return this.#tell(observation, [], error);
    }
    for (const request of requests) {
      // The performer reports every failure as an outcome; what it throws all the same is a bug and ends the loop.
      this.#performer.perform(request).then(
        (outcome) => this.#observe(outcome),
        (error: unknown) => this.#fail(error),
      );
    }
    this.#tell(observation, requests, null);
  }

  /** Who cannot be told of a step ends the loop too: what the operator should know would be lost. */
  #tell(...step: Parameters<Told>): void {
    try {
      this.#afterStep(...step);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    this.end();
    this.#failed(error);
  }
}
