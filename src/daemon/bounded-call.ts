/** Calls a strategy with a real time limit: even an endless loop in it ends. */

import { createContext, Script } from 'node:vm';

/** A call was cut short. Its name stays `Error`, as what is thrown is shown to people. */
export class CallTimedOut extends Error {
  constructor(limitMs: number) {
    super(`took longer than ${limitMs} ms`);
  }
}

/**
 * Makes a bounded caller. V8 can only cut short code that runs inside a `Script` with a time-out, so the call goes
 * through one that does nothing but call. What the strategy had half done when it was cut short is lost with it.
 *
 * @param limitMs the longest a call may take, ms
 */
export function boundedCall(limitMs: number): <T>(call: () => T) => T {
  const script = new Script('run()');
  const sandbox: { run: () => unknown } = { run: () => undefined };
  const context = createContext(sandbox);
  return <T>(call: () => T): T => {
    sandbox.run = call;
    try {
      // The script returns what `run` returned, which is what `call` returned.
      return script.runInContext(context, { timeout: limitMs }) as T;
    } catch (error) {
      if (isTimeout(error)) throw new CallTimedOut(limitMs);
      throw error;
    } finally {
      sandbox.run = () => undefined;
    }
  };
}

/** By its code: the error comes from the script's own realm, so `instanceof Error` does not know it. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
