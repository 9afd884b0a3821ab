/** What opens the page: the operator's password, or a token that is drawn anew where none is set. */

import { randomBytes } from 'node:crypto';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Environment } from '../config/environment.js';
import { readPrivateFile } from '../wallet/private-file.js';
import { secrets } from '../wallet/secrets.js';

const SHORTEST_PASSWORD = 8;

/** From the environment or a file of mode 0600; null when none is set. Throws `usage` for one that is too short. */
export function passwordFrom(env: Environment): string | null {
  const path = env['TWINBOOK_DASHBOARD_PASSWORD_FILE'] ?? '';
  const direct = env['TWINBOOK_DASHBOARD_PASSWORD'] ?? '';
  const password = direct === '' && path !== '' ? readPrivateFile(path, 'the password file').trimEnd() : direct;
  if (password === '') return null;
  secrets.hide(password);
  if (password.length >= SHORTEST_PASSWORD) return password;
  throw new TwinbookError(
    'usage',
    `its password is shorter than ${SHORTEST_PASSWORD} characters`,
    'Set a longer TWINBOOK_DASHBOARD_PASSWORD, or none: then the start prints an address that opens it.',
  );
}

export const drawToken = (): string => randomBytes(24).toString('base64url');

/** What the operator is told, once, where he looks. A token is shown behind the address, a password never. */
export const addressText = (url: string, password: string | null, token: string): string =>
  `dashboard ${url}${password === null ? `#${token}` : ' (with your password)'}`;
