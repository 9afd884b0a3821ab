/** Writes the trader's log: lines of JSON, from which all secrets are removed. */

import { closeSync, existsSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DestinationStream, type Logger, pino } from 'pino';
import { messageOf, unreadable } from '../../shared/base/errors.js';
import { makeFolder, PRIVATE_FILE } from '../../shared/base/files.js';
import { parseJson, plainJson } from '../../shared/base/text.js';
import type { TraderConfig } from '../config/config.js';
import { secrets } from '../wallet/secrets.js';

/** Names of log fields whose values are hidden, because they may be secret. Known secrets are removed everywhere. */
const SECRET_PATHS = [
  ...['secret', 'signature', 'passphrase', 'password', 'token', 'api_key', 'apiKey', 'seed', 'key', 'secret_key'],
  ...['authorization', 'cookie', 'headers'],
];

/** At `maxBytes` the log file is renamed to `FILE.1`, and a new file begins; `keep` old log files are kept. */
const SIZES = { maxBytes: 100_000_000, keep: 5 };

/** Opens the log. Throws `file_unreadable`. Later errors of writes go to `fallback`, and do not stop the trader. */
export function openLog({ file, level }: TraderConfig['log'], fallback: DestinationStream, sizes = SIZES): Logger {
  const target = file === null ? fallback : openFile(file, sizes, fallback);
  const scrubbed: DestinationStream = { write: (line) => target.write(plainJson(secrets.clean(line))) };
  const paths = SECRET_PATHS.flatMap((name) => [name, `*.${name}`]);
  return pino({ level, base: null, redact: { paths, censor: '[redacted]' } }, scrubbed);
}

const ERROR_LEVEL = 50;

/** Makes a log target that shows only errors, as plain lines for a terminal. */
export const linesAbove = (say: (line: string) => void): DestinationStream => ({
  write: (line) => {
    // Each line is JSON from pino, or a plain text about a problem of the log file.
    const entry = parseJson(line) as { level: number; msg?: string; err?: { message?: string } | null } | undefined;
    if (entry === undefined) say(line.trimEnd());
    else if (entry.level === ERROR_LEVEL)
      say(`error: ${[entry.msg ?? 'no message', entry.err?.message].filter(Boolean).join(': ')}`);
  },
});

/** Interval of the check whether another program has moved or removed the log file, ms. */
const LOOK_EVERY_MS = 2_000;

function openFile(file: string, sizes: typeof SIZES, fallback: DestinationStream): DestinationStream {
  try {
    makeFolder(dirname(file));
    return openLogFile(file, sizes, fallback);
  } catch (error) {
    throw unreadable(`the log file ${file} cannot be written`, error, 'See log.file.');
  }
}

/** Writes each log line at once, so that a crash loses no line. A line that cannot be written is lost. */
function openLogFile(file: string, { maxBytes, keep }: typeof SIZES, fallback: DestinationStream): DestinationStream {
  let descriptor = openSync(file, 'a', PRIVATE_FILE);
  let bytes = fstatSync(descriptor).size;
  let lost = 0;
  const say = (what: string) => fallback.write(`the log ${file} ${what}\n`);
  const reopen = () => {
    const before = descriptor;
    descriptor = openSync(file, 'a', PRIVATE_FILE);
    bytes = fstatSync(descriptor).size;
    closeSync(before);
  };
  /** Begins a new log file. If the log file cannot be renamed, tries again after the next call of `look`. */
  const rotate = () => {
    bytes = 0;
    try {
      for (let age = keep - 1; age >= 1; age--)
        if (existsSync(`${file}.${age}`)) renameSync(`${file}.${age}`, `${file}.${age + 1}`);
      renameSync(file, `${file}.1`);
      reopen();
    } catch (error) {
      say(`cannot be renamed: ${messageOf(error)}`);
    }
  };
  const write = (line: string) => {
    try {
      if (bytes + line.length > maxBytes) rotate();
      bytes += writeSync(descriptor, line);
    } catch (error) {
      if (lost === 0) say(`cannot be written: ${messageOf(error)}`);
      lost += 1;
      return;
    }
    if (lost > 0) say(`can be written again, but ${lost} lines are missing`);
    lost = 0;
  };
  /** Opens the log file again if it was moved. Never throws: a file that cannot be opened now may be opened later. */
  const look = () => {
    try {
      const own = fstatSync(descriptor);
      const named = statSync(file, { throwIfNoEntry: false });
      // The size is read again, because another program may have copied and truncated the log file.
      bytes = own.size;
      if (named?.ino === own.ino && named.dev === own.dev) return;
      reopen();
      const msg = 'the log was moved or removed; it continues in a new file';
      write(`${JSON.stringify({ level: 30, time: Date.now(), msg })}\n`);
    } catch {
      // If the file cannot be opened again, the log continues in the file that is still open.
    }
  };
  setInterval(look, LOOK_EVERY_MS).unref();
  return { write };
}
