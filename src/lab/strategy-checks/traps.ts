/**
 * Removes clocks, timers, randomness and network while a strategy is called: with them equal views would not give equal
 * quotes.
 */

/** What is taken away, by its path from the global object. */
const TRAPPED = [
  'Date',
  'performance.now',
  'Math.random',
  'crypto.getRandomValues',
  'crypto.randomUUID',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
] as const;

/** Thrown inside of the strategy that reached for it. */
export class TrappedCall extends Error {
  constructor(what: string) {
    super(`used ${what}; a strategy has the view's nowMs and nothing else that changes`);
  }
}

/**
 * Makes a call during which everything above throws, and puts it back. A strategy that catches what it is thrown is found
 * out all the same: returns the first thing that was reached for, or null.
 */
export function callTrapped(call: () => void): string | null {
  let reached: string | null = null;
  const restore = TRAPPED.map((path) =>
    takeAway(path, () => {
      reached ??= path;
      throw new TrappedCall(path);
    }),
  );
  try {
    call();
  } catch (error) {
    if (!(error instanceof TrappedCall)) throw error;
  } finally {
    for (const putBack of restore) putBack();
  }
  return reached;
}

function takeAway(path: string, refuse: () => never): () => void {
  const [name = '', member] = path.split('.');
  const holder: unknown = member === undefined ? globalThis : Reflect.get(globalThis, name);
  const key = member ?? name;
  if (typeof holder !== 'object' || holder === null) return () => undefined;
  const own = Object.getOwnPropertyDescriptor(holder, key);
  const value: unknown = Reflect.get(holder, key);
  if (typeof value !== 'function') return () => undefined;
  // A proxy instead of a function: it covers both `Date.now` and `new Date`.
  const trapped = new Proxy(value, { apply: refuse, construct: refuse, get: refuse });
  Object.defineProperty(holder, key, { value: trapped, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(holder, key);
    else Object.defineProperty(holder, key, own);
  };
}
