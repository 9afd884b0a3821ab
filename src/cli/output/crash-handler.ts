/** What a process says that dies of a bug. Node would print the error with all that hangs on it, a secret among it. */

import { writeSync } from 'node:fs';
import { plainText } from '../../shared/base/plain-text.js';
import { secrets } from '../../shell/wallet/secrets.js';
import { EXIT } from './exit.js';

let takeUncaught: ((error: unknown) => void) | null = null;

/** From now on `take` receives such errors, and the process goes on: a trader first cancels what rests. */
export function onUncaught(take: (error: unknown) => void): void {
  takeUncaught = take;
}

/** For exceptions that nobody caught, and promises that nobody waited for. */
export function cleanLastWords(): void {
  process.on('uncaughtException', (error) => {
    if (takeUncaught !== null) return takeUncaught(error);
    // At once: a stream would not be heard any more.
    writeSync(2, plainText(secrets.clean(`Sorry, this is a bug in Twinbook: ${formatStack(error)}\n`)));
    process.exit(EXIT.failed);
  });
}

/** Of the error and its causes. Not what else hangs on it: headers of a request, for instance. */
function formatStack(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined || depth > 4 ? stack : `${stack}\ncaused by ${formatStack(error.cause, depth + 1)}`;
}
