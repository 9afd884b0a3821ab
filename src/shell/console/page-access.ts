/** Access to the operator's page: reads its passwords and token, checks that a page is ours, and opens a browser. */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { TwinbookError } from '../../shared/base/errors.js';
import { readBounded } from '../alerts/senders.js';
import type { Environment, TraderConfig } from '../config/config.js';
import { deriveKey, greetingSchema, prove } from '../dashboard/sessions.js';
import { readPrivateFile, secrets, writePrivateFile } from '../wallet/secrets.js';

export const hasDisplay = (env: Environment, platform = process.platform): boolean =>
  platform === 'darwin' ? !env['SSH_CONNECTION'] : Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);

/**
 * Opens the page in a browser. Every user of this machine can read a process's arguments. The browser therefore gets
 * the name of a file of mode 0600; the file contains the address. Rejects if no program opens the file.
 */
export async function openInBrowser(address: string, ledgerPath: string, env: Environment): Promise<void> {
  const file = `${ledgerPath}.page-open.html`;
  const script = `location.replace(${JSON.stringify(address)})`;
  const html = `<!doctype html><meta charset="utf-8"><title>Twinbook</title><script>${script}</script>\n`;
  writePrivateFile(file, html, 'the file that opens the dashboard', { replace: true, verify: () => undefined });
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(opener, [file], { detached: true, stdio: 'ignore', env });
  await once(child, 'spawn');
  child.unref();
}

const ANSWERS_WITHIN_MS = 5_000;
const NONCE_BYTES = 32;
/** Maximum size of the page's answer in `provePage`, bytes; a valid answer has about a tenth of this size. */
const MOST_BYTES = 16_384;

/** Checks that the page at `url` knows the secret, without sending the secret. Browsers make the same check. */
export async function provePage(url: string, secret: string): Promise<'proven' | 'not proven' | 'no answer'> {
  const pageNonce = randomBytes(NONCE_BYTES).toString('hex');
  const answer: unknown = await fetch(new URL('/session/greeting', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nonce: pageNonce }),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
  })
    .then((response) => readBounded(response, MOST_BYTES).catch(() => '{}'))
    .then((text) => JSON.parse(text))
    .catch(() => null);
  if (answer === null) return 'no answer';
  const greeting = greetingSchema.safeParse(answer);
  if (!greeting.success) return 'not proven';
  const { nonce: serverNonce, proofs, ...derivation } = greeting.data;
  const key = await deriveKey(secret, derivation);
  const proof = prove(key, ['server', pageNonce, serverNonce, new URL(url).host]);
  return proofs.includes(proof) ? 'proven' : 'not proven';
}

// A page without a password has a token. The token's file, beside the ledger, has mode 0600 and is not backed up.
const WHAT = 'the token file of the dashboard';
const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{32}$/;

export const locatePageToken = (ledgerPath: string): string => `${ledgerPath}.page-token`;

/** Returns the page's token; creates one if none exists. Throws for a file readable by others or without a token. */
export function obtainPageToken(ledgerPath: string): string {
  const path = locatePageToken(ledgerPath);
  if (!existsSync(path)) drawToken(path);
  return readPageToken(ledgerPath);
}

/** Reads the page's token. Throws `file_unreadable` when no trader has created a token. */
export function readPageToken(ledgerPath: string): string {
  const path = locatePageToken(ledgerPath);
  try {
    const token = readPrivateFile(path, WHAT).trim();
    if (TOKEN.test(token)) return token;
  } catch (error) {
    // The token must be replaced, because other users may have read it while the file's mode was too open.
    if (!(error instanceof TwinbookError && error.code === 'key_insecure')) throw error;
    throw new TwinbookError(error.code, error.message, `Others could read the file. ${REMOVE_IT}`, { cause: error });
  }
  throw new TwinbookError('key_invalid', `${WHAT} ${path} contains no token`, REMOVE_IT);
}

const REMOVE_IT = 'Remove the file and restart the trader, which creates a new token.';

function drawToken(path: string): void {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  try {
    writePrivateFile(path, `${token}\n`, WHAT, { replace: false, verify: () => undefined });
  } catch (error) {
    // Trader and console may create a token at the same time; the first stored token is valid.
    if (!existsSync(path)) throw error;
  }
}

const SHORTEST_PASSWORD = 8;

/** Reads the page's password from environment or private file; null when unset. Throws `usage` for a short password. */
export function passwordFrom(env: Environment): string | null {
  const path = env['TWINBOOK_DASHBOARD_PASSWORD_FILE'] ?? '';
  const direct = env['TWINBOOK_DASHBOARD_PASSWORD'] ?? '';
  const password = direct === '' && path !== '' ? readPrivateFile(path, 'the password file').trimEnd() : direct;
  if (password === '') return null;
  return requireLong(
    password,
    'the password of the dashboard',
    'Set a longer TWINBOOK_DASHBOARD_PASSWORD, or unset it: then `twinbook dashboard` prints an address with a token.',
  );
}

/** Returns the password, and hides it in all later logs. Throws `usage` for a password that is too short. */
function requireLong(password: string, what: string, hint: string): string {
  secrets.hide(password);
  if (password.length >= SHORTEST_PASSWORD) return password;
  throw new TwinbookError('usage', `${what} has ${password.length} characters; minimum ${SHORTEST_PASSWORD}`, hint);
}

/** Reads the stop and view passwords; null if unset. Throws for an unprotected file, and a short or shared password. */
export function readPasses(
  { stopPasswordFile, viewPasswordFile }: Pick<TraderConfig['dashboard'], 'stopPasswordFile' | 'viewPasswordFile'>,
  operate: string,
) {
  const stop = readRolePassword(stopPasswordFile, 'dashboard.stop_password_file');
  const view = readRolePassword(viewPasswordFile, 'dashboard.view_password_file');
  const given = [operate, stop, view].filter((one) => one !== null);
  if (new Set(given).size < given.length)
    throw new TwinbookError('usage', 'two dashboard roles have the same password', 'Give each role its own password.');
  return { stop, view };
}

function readRolePassword(file: string | null, setting: string): string | null {
  if (file === null) return null;
  const password = readPrivateFile(file, `the password file of ${setting}`).trimEnd();
  return requireLong(password, `${setting}: the password in ${file}`, 'Write a longer password into the file.');
}

/** Returns the page's address for the operator: with the token after `#`, but never with a password. */
export const addressText = (url: string, password: string | null, token: string): string =>
  `dashboard ${url}${password === null ? `#${token}` : ' (with your password)'}`;
