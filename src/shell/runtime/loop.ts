/** The real shell of the core: performs requests over HTTP, returns outcomes and times, bounds the core's calls. */

import { createContext, Script } from 'node:vm';
import type { FeedValue, Observation, OperatorCommand, Request } from '../../shared/protocol/seam.js';
import { nowMs } from './clock.js';

/** Interval of beats, ms: short enough to use a free place in the budget at once, at negligible cost. */
export const BEAT_MS = 100;

/** Performs requests of the core, for example the client. */
export interface Performer {
  perform(request: Request): Promise<Extract<Observation, { kind: 'outcome' }>>;
}

/** The core: the trader, or any other side of the seam. */
export interface Core {
  handle(observation: Observation): readonly Request[];
}

/** Called for each step: the input of the core, its requests, and its error (null without one). */
export type Told = (observation: Observation, requests: readonly Request[], failure: unknown) => void;

export interface LoopHooks {
  /** Called before every step: commands that precede any action. An error ends the loop. */
  readonly before: () => OperatorCommand | null;
  /** Called after every step, e.g. to log notices, and when the core has thrown. */
  readonly afterStep: Told;
  /** Called once, with the error that ended the loop. */
  readonly onFailure: (error: unknown) => void;
}

/** Runs the core. An error of the core (a broken ledger, a failed assertion) ends it: its memory may be wrong. */
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

  /** False when the loop has ended, before or because of it: the command was not taken. */
  command(command: OperatorCommand): boolean {
    this.#observe({ kind: 'command', nowMs: nowMs(), command });
    return !this.#ended;
  }

  /** Value of a user's feed. */
  feed(feed: string, values: readonly FeedValue[]): void {
    this.#observe({ kind: 'feed', nowMs: nowMs(), feed, values });
  }

  /** Later outcomes are dropped: the ledger knows the pending requests, and the next start reads their records. */
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
      // The performer reports every failure as an outcome; any other error is a bug and ends the loop.
      this.#performer.perform(request).then(
        (outcome) => this.#observe(outcome),
        (error: unknown) => this.#fail(error),
      );
    }
    this.#tell(observation, requests, null);
  }

  /** If the hook after a step throws, the loop ends: messages to the operator would be lost. */
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

/** Error of an interrupted call. The error's name stays `Error`, because the operator sees the name. */
export class CallTimedOut extends Error {
  constructor(limitMs: number) {
    super(`took longer than ${limitMs} ms`);
  }
}

/** Maximum attempts of a call: a busy machine may delay the trader by this many limits. */
const MOST_CALLS = 8;
/** Part of the limit: a call with less processor time was not slow, the machine was busy. */
const OWN_SHARE = 0.8;

/**
 * Makes a bounded caller. V8 interrupts only a `Script` with a time-out, so a `Script` makes the call. An interrupted
 * call is made again until this process itself used the time: a busy machine stops no strategy.
 */
export function boundedCall(limitMs: number): <T>(call: () => T) => T {
  const script = new Script('run()');
  const sandbox: { run: () => unknown } = { run: () => undefined };
  const context = createContext(sandbox);
  return <T>(call: () => T): T => {
    sandbox.run = call;
    const before = process.cpuUsage();
    try {
      for (let calls = 1; ; calls++) {
        try {
          // The script returns the result of `run`, which is that of `call`.
          return script.runInContext(context, { timeout: limitMs }) as T;
        } catch (error) {
          if (!isTimeout(error)) throw error;
          if (calls === MOST_CALLS || workedMs(before) >= OWN_SHARE * limitMs) throw new CallTimedOut(limitMs);
        }
      }
    } finally {
      sandbox.run = () => undefined;
    }
  };
}

/** Processor time of this process since then, ms; of all its threads, so rather too much than too little. */
function workedMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Compares the code: the error comes from the script's own realm, so `instanceof Error` fails. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
