/** Writes the trader's log: lines of JSON, from which all secrets are removed. */

import { closeSync, existsSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DestinationStream, type Logger, pino } from 'pino';
import { messageOf, unreadable } from '../../shared/base/errors.js';
import { makeFolder, PRIVATE_FILE } from '../../shared/base/files.js';
import { parseJson, plainJson } from '../../shared/base/text.js';
import type { LogConfig } from '../config/config.js';
import { secrets } from '../wallet/secrets.js';

/** Names of log fields whose values are hidden, because they may be secret. Known secrets are removed everywhere. */
const SECRET_PATHS = [
  ...['secret', 'signature', 'passphrase', 'password', 'token', 'api_key', 'apiKey', 'seed', 'key', 'secret_key'],
  ...['authorization', 'cookie', 'headers'],
];

/** At `maxBytes` the log file is renamed to `FILE.1`, and a new file begins; `keep` old log files are kept. */
const SIZES = { maxBytes: 100_000_000, keep: 5 };

/** Opens the log. A later failure goes to `fallback`: the process must still cancel. Throws `file_unreadable`. */
export function openLog({ file, level }: LogConfig, fallback: DestinationStream, sizes = SIZES): Logger {
  const target = file === null ? fallback : openFile(file, sizes, fallback);
  const scrubbed: DestinationStream = {
    write: (line) => target.write(plainJson(secrets.clean(line))),
  };
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

function openFile(file: string, config: typeof SIZES, fallback: DestinationStream): DestinationStream {
  try {
    makeFolder(dirname(file));
    const log = new LogFile(file, config, fallback);
    setInterval(() => log.look(), LOOK_EVERY_MS).unref();
    return log;
  } catch (error) {
    throw unreadable(`the log file ${file} cannot be written`, error, 'See log.file.');
  }
}

/** Writes each log line at once, so that a crash loses no line. A line that cannot be written is lost. */
class LogFile implements DestinationStream {
  readonly #file: string;
  readonly #config: typeof SIZES;
  readonly #fallback: DestinationStream;
  #descriptor: number;
  #bytes: number;
  #lost = 0;

  constructor(file: string, config: typeof SIZES, fallback: DestinationStream) {
    this.#file = file;
    this.#config = config;
    this.#fallback = fallback;
    this.#descriptor = openSync(file, 'a', PRIVATE_FILE);
    this.#bytes = fstatSync(this.#descriptor).size;
  }

  write(line: string): void {
    try {
      if (this.#bytes + line.length > this.#config.maxBytes) this.#rotate();
      this.#bytes += writeSync(this.#descriptor, line);
    } catch (error) {
      if (this.#lost === 0) this.#say(`cannot be written: ${messageOf(error)}`);
      this.#lost += 1;
      return;
    }
    if (this.#lost > 0) this.#say(`can be written again, but ${this.#lost} lines are missing`);
    this.#lost = 0;
  }

  /** Opens the log file again if it was moved. Never throws: a file that cannot be opened now may be opened later. */
  look(): void {
    try {
      const own = fstatSync(this.#descriptor);
      const named = statSync(this.#file, { throwIfNoEntry: false });
      // The size is read again, because another program may have copied and truncated the log file.
      this.#bytes = own.size;
      if (named?.ino === own.ino && named.dev === own.dev) return;
      this.#open();
      const time = Date.now();
      this.write(
        `${JSON.stringify({ level: 30, time, msg: 'the log was moved or removed; it continues in a new file' })}\n`,
      );
    } catch {
      // If this fails, the log continues in the file that is still open.
    }
  }

  /** Begins a new log file. If the log file cannot be renamed, the next attempt follows after `maxBytes` more. */
  #rotate(): void {
    this.#bytes = 0;
    try {
      for (let age = this.#config.keep - 1; age >= 1; age--) {
        const old = `${this.#file}.${age}`;
        if (existsSync(old)) renameSync(old, `${this.#file}.${age + 1}`);
      }
      renameSync(this.#file, `${this.#file}.1`);
      this.#open();
    } catch (error) {
      this.#say(`cannot be renamed: ${messageOf(error)}`);
    }
  }

  #open(): void {
    const before = this.#descriptor;
    this.#descriptor = openSync(this.#file, 'a', PRIVATE_FILE);
    this.#bytes = fstatSync(this.#descriptor).size;
    closeSync(before);
  }

  #say(what: string): void {
    this.#fallback.write(`the log ${this.#file} ${what}\n`);
  }
}
