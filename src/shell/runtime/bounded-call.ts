/** Calls a strategy with a real time limit: even an endless loop in it ends. */

import { createContext, Script } from 'node:vm';

/** A call was interrupted. Its name stays `Error`, because the error is shown to people. */
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
 * Makes a bounded caller. V8 can only cut short code that runs inside a `Script` with a time-out, so the call goes
 * through one that does nothing but call. The unfinished work of a strategy that was cut short is lost.
 *
 * V8 counts the time on the wall. A call that was cut short while other programs had the processor is made again, until
 * it ends or this process has used that much processor time: a busy machine stops no strategy.
 *
 * @param limitMs the longest a call may take, ms
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

/** By its code: the error comes from the script's own realm, so `instanceof Error` does not know it. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
