/** Last message of a process that dies of a bug. Node would print the error with all its fields, perhaps a secret. */

import { writeSync } from 'node:fs';
import { plainText } from '../../shared/base/plain-text.js';
import { secrets } from '../../shell/wallet/secrets.js';
import { EXIT } from './exit.js';

let takeUncaught: ((error: unknown) => void) | null = null;

/** From now on `take` gets such errors and the process continues: a trader first cancels its orders. */
export function onUncaught(take: (error: unknown) => void): void {
  takeUncaught = take;
}

/** For uncaught exceptions and unhandled rejections. */
export function cleanLastWords(): void {
  process.on('uncaughtException', (error) => {
    if (takeUncaught !== null) return takeUncaught(error);
    // Synchronous: a stream would not be flushed.
    writeSync(2, plainText(secrets.clean(`Sorry, this is a bug in Twinbook: ${formatStack(error)}\n`)));
    process.exit(EXIT.failed);
  });
}

/** Stack of the error and its causes, without other fields such as a request's headers. */
function formatStack(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined || depth > 4 ? stack : `${stack}\ncaused by ${formatStack(error.cause, depth + 1)}`;
}
