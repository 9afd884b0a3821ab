/** Passwords of the page: the operator's, and those of weaker roles. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { DashboardConfig, Environment } from '../config/config.js';
import type { Passes } from '../dashboard/admission.js';
import { readPrivateFile, secrets } from '../wallet/secrets.js';

const SHORTEST_PASSWORD = 8;

/** From the environment or a file of mode 0600; null when unset. Throws `usage` for a short one. */
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
    'Set a longer TWINBOOK_DASHBOARD_PASSWORD, or none: then `twinbook dashboard` prints an address that opens it.',
  );
}

/**
 * Passwords of the roles stop and view; null without one. Throws for a file readable by others, a short password, and
 * one shared by two roles.
 */
export function readPasses(
  { stopPasswordFile, viewPasswordFile }: Pick<DashboardConfig, 'stopPasswordFile' | 'viewPasswordFile'>,
  operate: string,
): Omit<Passes, 'operate'> {
  const stop = readRolePassword(stopPasswordFile, 'dashboard.stop_password_file');
  const view = readRolePassword(viewPasswordFile, 'dashboard.view_password_file');
  const given = [operate, stop, view].filter((one) => one !== null);
  if (new Set(given).size < given.length)
    throw new TwinbookError('usage', 'two roles of the dashboard have the same password', 'Give each its own.');
  return { stop, view };
}

function readRolePassword(file: string | null, setting: string): string | null {
  if (file === null) return null;
  const password = readPrivateFile(file, `the password file ${setting} names,`).trimEnd();
  secrets.hide(password);
  if (password.length >= SHORTEST_PASSWORD) return password;
  const what = `${setting}: the password in ${file} has ${password.length} characters, it wants at least ${SHORTEST_PASSWORD}`;
  throw new TwinbookError('usage', what, 'Write a longer one into the file.');
}

/** One line for the operator: the address with its token behind the #, or without the password. */
export const addressText = (url: string, password: string | null, token: string): string =>
  `dashboard ${url}${password === null ? `#${token}` : ' (with your password)'}`;
