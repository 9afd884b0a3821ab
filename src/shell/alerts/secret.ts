/** The secret of a channel, from a separate file. */

import { readPrivateFile } from '../wallet/private-file.js';
import { secrets } from '../wallet/secrets.js';

/** Hidden in every text from then on. Throws TwinbookError when it is unreadable, or readable by others. */
export function readSecret(path: string, what: string): string {
  const secret = readPrivateFile(path, what).trim();
  secrets.hide(secret);
  return secret;
}
