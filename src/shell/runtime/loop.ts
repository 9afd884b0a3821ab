/** Runs the core: performs its requests, gives the core outcomes and times, and limits the time of strategy calls. */

import { createContext, Script } from 'node:vm';
import type { FeedValue, Observation, OperatorCommand, Request } from '../../shared/protocol/seam.js';
import { nowMs } from './clock.js';

/** Interval of the core's time steps, ms: short, so that free request budget is used at once. */
export const BEAT_MS = 100;

/** The core of a program such as the trader, which takes observations and returns requests. */
interface SteppedCore {
  handle(observation: Observation): readonly Request[];
}

/** Function called after each step with the core's input, its requests, and its error (null if it did not fail). */
export type Told = (observation: Observation, requests: readonly Request[], failure: unknown) => void;

interface LoopHooks {
  /** Performs a request of the core. Failures are outcomes. */
  readonly perform: (request: Request) => Promise<Extract<Observation, { kind: 'outcome' }>>;
  /** Called before every step; returns a command to execute first, or null. An error of this hook ends the loop. */
  readonly before: () => OperatorCommand | null;
  /** Called after every step, for example to log notices, and after an error of the core. */
  readonly afterStep: Told;
  readonly onFailure: (error: unknown) => void;
}

/** Runs the core. An error of the core (such as a broken ledger) ends the loop: the core's memory may be wrong. */
export class Loop {
  readonly #core: SteppedCore;
  readonly #hooks: LoopHooks;
  #timer: NodeJS.Timeout | null = null;
  #ended = false;

  constructor(core: SteppedCore, hooks: LoopHooks) {
    this.#core = core;
    this.#hooks = hooks;
  }

  start(): void {
    this.#timer = setInterval(() => this.#observe({ kind: 'time', nowMs: nowMs() }), BEAT_MS);
    this.#observe({ kind: 'time', nowMs: nowMs() });
  }

  /** Gives the core a command. Returns false if the loop had already ended, or ended because of the command. */
  command(command: OperatorCommand): boolean {
    this.#observe({ kind: 'command', nowMs: nowMs(), command });
    return !this.#ended;
  }

  feed(feed: string, values: readonly FeedValue[]): void {
    this.#observe({ kind: 'feed', nowMs: nowMs(), feed, values });
  }

  /** Ends the loop and drops later outcomes. The next start reads the results of pending requests at the venue. */
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
      // A rejected promise is a bug and ends the loop.
      this.#hooks.perform(request).then(
        (outcome) => this.#observe(outcome),
        (error: unknown) => this.#fail(error),
      );
    }
    this.#tell(observation, requests, null);
  }

  /** Calls `afterStep`. An error of this hook ends the loop, because messages for the operator would be lost. */
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

/** Error of a call that was interrupted at its time limit. The error's `name`, seen by the operator, stays `Error`. */
export class CallTimedOut extends Error {
  constructor(limitMs: number) {
    super(`took longer than ${limitMs} ms`);
  }
}

/** Maximum attempts of a call. On a busy machine a call may delay the trader by this many times its time limit. */
const MOST_CALLS = 8;
/** Fraction of the time limit. A late call that used less CPU time was delayed by a busy machine, and is repeated. */
const OWN_SHARE = 0.8;

/** Returns a function that limits the time of calls by a V8 `Script`. Delays by a busy machine stop no strategy. */
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
          // The cast is safe: the script returns the result of `run`, which is `call`.
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

/** Returns the CPU time of this process since `before`, ms. The time includes other threads, so it may be too high. */
function workedMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Compares the error's code, because `instanceof Error` is false for an error from the script's own context. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
