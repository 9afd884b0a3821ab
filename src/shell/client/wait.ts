/** Waiting that ends early when its owner closes. */

import { setMaxListeners } from 'node:events';

/** Resolves after `ms`, or as soon as the signal aborts. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    // As many as there are calls in retry: no leak, though the runtime warns of one from the eleventh on.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
