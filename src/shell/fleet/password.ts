/** Where the password of a fleet's database comes from: the environment, or a file with mode 0600. Never an argument. */

import type { Environment } from '../config/environment.js';
import { readPrivateFile } from '../wallet/private-file.js';
import { secrets } from '../wallet/secrets.js';

const VARIABLE = 'TWINBOOK_FLEET_PASSWORD';

/** Null when neither the variable nor its `_FILE` is set. Throws TwinbookError as `readPrivateFile` does. */
export function fleetPassword(env: Environment): string | null {
  const password = readPassword(env);
  if (password !== null) secrets.hide(password);
  return password;
}

function readPassword(env: Environment): string | null {
  const direct = env[VARIABLE] ?? '';
  if (direct !== '') return direct;
  const path = env[`${VARIABLE}_FILE`] ?? '';
  return path === '' ? null : readPrivateFile(path, "the file of the fleet's password").replace(/\r?\n$/, '');
}
