/** Stores secrets in private files, which a crash never leaves half-written. Removes secrets from texts. */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import { base58, base64 } from '@scure/base';
import { systemCode, TwinbookError } from '../../shared/base/errors.js';
import { makeFolder, syncFolder } from '../../shared/base/files.js';

/** Maximum size of a secrets file, bytes; far above the usual size. */
const LARGEST_BYTES = 65_536;

/** Reads a secrets file after checking its type, mode and size. Throws file_unreadable, key_insecure or key_invalid. */
export function readPrivateFile(path: string, what: string): string {
  // Without O_NONBLOCK, opening a named pipe would block until another process writes to it.
  const descriptor = attempt(path, what, () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new TwinbookError('file_unreadable', `${what} ${path} is not a file`, LOOK);
    requirePrivate(path, what, status.mode);
    if (status.size > LARGEST_BYTES)
      throw new TwinbookError('key_invalid', `${what} ${path} has ${status.size} bytes, which is too large`, LOOK);
    return attempt(path, what, () => readAll(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

function requirePrivate(path: string, what: string, mode: number): void {
  if ((mode & 0o077) === 0) return;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  const hint = `Other users of this machine can reach the file. Run: chmod 600 '${path.replaceAll("'", "'\\''")}'`;
  throw new TwinbookError('key_insecure', `${what} ${path} has mode ${shown}; it must be 0600`, hint);
}

function readAll(descriptor: number): string {
  const bytes = readFileSync(descriptor);
  const text = bytes.toString('utf8');
  bytes.fill(0);
  return text;
}

/** Writes a file of mode 0600, then calls `verify` with its text. Throws file_unreadable, or the error of `verify`. */
export function writePrivateFile(
  path: string,
  text: string,
  what: string,
  { replace, verify }: { readonly replace: boolean; readonly verify: (text: string) => void },
): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  // New folders are synced to disk too, because a power cut could otherwise remove them with the file.
  attempt(path, what, () => {
    for (const made of makeFolder(dirname(path))) syncFolder(dirname(made));
  });
  try {
    attempt(path, what, () => writeSynced(temporary, text));
    verify(readPrivateFile(temporary, what));
    attempt(path, what, () => (replace ? renameSync(temporary, path) : moveToFreePlace(temporary, path)));
    attempt(path, what, () => syncFolder(dirname(path)));
  } catch (error) {
    if (existsSync(temporary)) unlinkSync(temporary);
    throw error;
  }
}

function writeSynced(path: string, text: string): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    // The mode is set again, because the umask may have removed permissions of the owner.
    fchmodSync(descriptor, 0o600);
    writeFileSync(descriptor, text, { flush: true });
  } finally {
    closeSync(descriptor);
  }
}

/** Gives the new file its name by a link: a rename could overwrite a key that another process has just written. */
function moveToFreePlace(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
    unlinkSync(temporary);
  } catch (error) {
    if (systemCode(error) === 'EEXIST' || existsSync(path)) throw error;
    renameSync(temporary, path); // The file system supports no links.
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read or written: this user has no permission',
  EPERM: 'cannot be read or written: this user has no permission',
  EISDIR: 'is a folder',
  EEXIST: 'exists already and is not overwritten',
  ENOTDIR: 'cannot exist: a part of its path is not a folder',
  ENOSPC: 'cannot be written: the disk is full',
  EROFS: 'cannot be written: the disk is read-only',
};

function attempt<T>(path: string, what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const code = systemCode(error);
    const why = WHY[code] ?? `cannot be used (${code || 'unknown error'})`;
    throw new TwinbookError('file_unreadable', `${what} ${path} ${why}`, LOOK, { cause: error });
  }
}

const LOOK = 'Check that the path names the intended file, and that this user may read it.';

/** Minimum length of a secret to remove, bytes. Shorter values occur in harmless text; real secrets are far longer. */
const SHORTEST_CHARACTERS = 6;

/** Last filter of texts that people read: removes secrets in every encoding that a library or a server may use. */
export class Secrets {
  readonly #spellings = new Set<string>();
  #pattern: RegExp | null = null;

  /** Adds a secret to remove from texts: a text, or the bytes of a key in all encodings of key files. */
  hide(secret: string | Uint8Array): void {
    const bytes = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret;
    if (bytes.length < SHORTEST_CHARACTERS) return;
    for (const spelling of listSpellings(secret, bytes)) this.#spellings.add(spelling);
    this.#pattern = null;
  }

  clean(text: string): string {
    if (this.#spellings.size === 0) return text;
    this.#pattern ??= makePattern(this.#spellings);
    return text.replace(this.#pattern, '[redacted]');
  }
}

/** The longest encodings come first, because one encoding may be a prefix of another. */
function makePattern(spellings: ReadonlySet<string>): RegExp {
  const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((text) => text.replace(/[^\p{L}\p{N}]/gu, escapeCharacter)).join('|'), 'gu');
}

const escapeCharacter = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;

function listSpellings(secret: string | Uint8Array, bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes).toString('hex');
  const asText =
    typeof secret === 'string'
      ? [
          ...[secret, JSON.stringify(secret).slice(1, -1), inspect(secret).slice(1, -1)],
          encodeURIComponent(Buffer.from(secret, 'utf8').toString('utf8')),
        ]
      : [[...bytes].join(','), [...bytes].join(', '), hex.replace(/..(?=.)/g, '$& ')];
  return [...asText, hex, hex.toUpperCase(), base58.encode(bytes), ...inBase64(bytes)];
}

/** Returns the forms that a secret may have within base64 text, for each number of preceding bytes modulo 3. */
function inBase64(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = base64.encode(Buffer.concat([Buffer.alloc(before), bytes])).replace(/=+$/, '');
    // The characters at both ends are cut off, because these contain bits of neighboring bytes.
    const from = before === 0 ? 0 : before + 1;
    const to = (before + bytes.length) % 3 === 0 ? text.length : text.length - 1;
    const own = text.slice(from, to);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

export const secrets = new Secrets();
