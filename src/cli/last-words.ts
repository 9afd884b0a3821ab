/** What a process says that dies of a bug. Node would print the error with all that hangs on it, a secret among it. */

import { writeSync } from 'node:fs';
import { inspect } from 'node:util';
import { secrets } from '../wallet/secrets.js';
import { EXIT } from './exit.js';

/** For exceptions that nobody caught, and promises that nobody waited for. */
export function cleanLastWords(): void {
  process.on('uncaughtException', (error) => {
    // At once: a stream would not be heard any more.
    writeSync(2, secrets.clean(`Sorry, this is a bug in Twinbook: ${inspect(error)}\n`));
    process.exit(EXIT.failed);
  });
}
