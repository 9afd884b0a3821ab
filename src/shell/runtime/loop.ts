/** The real shell of the core: performs its requests over HTTP, and gives it what came back, and the time. */

import type { FeedValue, Observation, OperatorCommand, Request } from '../../shared/protocol/seam.js';
import { nowMs } from './clock.js';

/** Often enough that a freed place in the budget is used at once, seldom enough to cost nothing. */
export const BEAT_MS = 100;

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

export interface LoopHooks {
  /** Asked before every step: what must be obeyed before anything that was seen is acted upon. What it throws ends the loop. */
  readonly before: () => OperatorCommand | null;
  /** Called after every step, e.g. to log what was said, and when the core has thrown. */
  readonly afterStep: Told;
  /** Called once, with what ended the loop. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Runs until it is ended. An error out of the core (a broken ledger, a failed assertion) ends it at once: nothing more
 * is decided with a memory that may be wrong.
 */
export class Loop {
  readonly #core: Core;
  readonly #performer: Performer;
  readonly #hooks: LoopHooks;
  #timer: NodeJS.Timeout | null = null;
  #ended = false;

  constructor(core: Core, performer: Performer, hooks: LoopHooks) {
    this.#core = core;
    this.#performer = performer;
    this.#hooks = hooks;
  }

  start(): void {
    this.#timer = setInterval(() => this.#observe({ kind: 'time', nowMs: nowMs() }), BEAT_MS);
    this.#observe({ kind: 'time', nowMs: nowMs() });
  }

  /** False when the loop has ended, before it or because of it: then nobody has taken the command. */
  command(command: OperatorCommand): boolean {
    this.#observe({ kind: 'command', nowMs: nowMs(), command });
    return !this.#ended;
  }

  /** What a feed of the user's own says. */
  feed(feed: string, values: readonly FeedValue[]): void {
    this.#observe({ kind: 'feed', nowMs: nowMs(), feed, values });
  }

  /** Outcomes that come later are dropped: the ledger knows what was under way, and the next start asks. */
  end(): void {
    this.#ended = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #observe(observation: Observation): void {
    if (this.#ended) return;
    try {
      const command = this.#hooks.before();
      if (command !== null) this.#step({ kind: 'command', nowMs: observation.nowMs, command });
    } catch (error) {
      return this.#fail(error);
    }
    this.#step(observation);
  }

  #step(observation: Observation): void {
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

  /** If the hook after a step throws, the loop ends: what the operator should know would be lost. */
  #tell(...step: Parameters<Told>): void {
    try {
      this.#hooks.afterStep(...step);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    this.end();
    this.#hooks.onFailure(error);
  }
}
