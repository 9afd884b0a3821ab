/** The one place where everything that is said, by whichever command, loses what could steer the user's terminal. */

import { plainText } from '../shared/base/plain-text.js';
import type { CliIo } from './output/io.js';

/** Hands texts on without control characters; `raw` stays what it is. */
export const plainIo = (io: CliIo): CliIo => ({
  ...io,
  out: (text) => io.out(plainText(text)),
  err: (text) => io.err(plainText(text)),
});
