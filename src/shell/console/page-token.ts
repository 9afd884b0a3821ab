/**
 * Token of a page without a password. Its file is beside the ledger, mode 0600, and persists. It is in no backup or
 * journal, which copy named files only.
 */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { TwinbookError } from '../../shared/base/errors.js';
import { readPrivateFile, writePrivateFile } from '../wallet/secrets.js';

const WHAT = 'the token file of the dashboard';
const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{32}$/;

export const locatePageToken = (ledgerPath: string): string => `${ledgerPath}.page-token`;

/** Draws a token if none exists. Throws for a file readable by others, and for one without a token. */
export function obtainPageToken(ledgerPath: string): string {
  const path = locatePageToken(ledgerPath);
  if (!existsSync(path)) drawToken(path);
  return readPageToken(ledgerPath);
}

/** Throws `file_unreadable` when no trader has drawn one. */
export function readPageToken(ledgerPath: string): string {
  const path = locatePageToken(ledgerPath);
  const token = readOwn(path).trim();
  if (TOKEN.test(token)) return token;
  throw new TwinbookError('key_invalid', `${WHAT} ${path} holds no token`, REMOVE_IT);
}

const REMOVE_IT = 'Remove the file and restart the trader: it draws a new token.';

function readOwn(path: string): string {
  try {
    return readPrivateFile(path, WHAT);
  } catch (error) {
    // Others may have read this token: a narrower mode alone does not help.
    if (!(error instanceof TwinbookError && error.code === 'key_insecure')) throw error;
    throw new TwinbookError(error.code, error.message, `Others could read it. ${REMOVE_IT}`, { cause: error });
  }
}

function drawToken(path: string): void {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  try {
    writePrivateFile(path, `${token}\n`, WHAT, { replace: false, verify: () => undefined });
  } catch (error) {
    // The trader and its console may draw one at the same time; the first one counts.
    if (!existsSync(path)) throw error;
  }
}
