/** The log: JSON lines, with all secrets removed. */

import { closeSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DestinationStream, type Logger, pino } from 'pino';
import { messageOf, unreadable } from '../../shared/base/errors.js';
import { makeFolder, PRIVATE_FILE } from '../../shared/base/files.js';
import { plainJson } from '../../shared/base/text.js';
import type { LogConfig } from '../config/config.js';
import { secrets } from '../wallet/secrets.js';

/** Field names of possible secrets: redacted by name, besides the removal by value. */
const SECRET_PATHS = [
  ...['secret', 'signature', 'passphrase', 'password', 'token', 'api_key', 'apiKey', 'seed', 'key', 'secret_key'],
  ...['authorization', 'cookie', 'headers'],
];

interface LogSizes {
  /** A file of this size is renamed to `FILE.1`, and a new one begins. */
  readonly maxBytes: number;
  readonly keep: number;
}
const SIZES: LogSizes = { maxBytes: 100_000_000, keep: 5 };

/**
 * A log that can no longer be written ends no process: it must live to cancel orders. `fallback` receives the lines
 * without a file, else its problems. Throws `file_unreadable` when the file cannot be written.
 */
export function openLog({ file, level }: LogConfig, fallback: DestinationStream, sizes: LogSizes = SIZES): Logger {
  const target = file === null ? fallback : openFile(file, sizes, fallback);
  const scrubbed: DestinationStream = {
    write: (line) => target.write(plainJson(secrets.clean(line))),
  };
  const paths = SECRET_PATHS.flatMap((name) => [name, `*.${name}`]);
  return pino({ level, base: null, redact: { paths, censor: '[redacted]' } }, scrubbed);
}

const ERROR_LEVEL = 50;

/** Output on a terminal: errors in words. Its other lines show everything else. */
export const linesAbove = (say: (line: string) => void): DestinationStream => ({
  write: (line) => {
    const text = errorText(line.trimEnd());
    if (text !== null) say(text);
  },
});

/** Null for an entry that is not an error. A line that is not an entry is about the log itself. */
function errorText(line: string): string | null {
  if (!line.startsWith('{')) return line;
  const entry: unknown = JSON.parse(line);
  if (typeof entry !== 'object' || entry === null || !('level' in entry) || entry.level !== ERROR_LEVEL) return null;
  const cause = 'err' in entry && typeof entry.err === 'object' && entry.err !== null ? entry.err : {};
  const why = 'message' in cause ? `: ${String(cause.message)}` : '';
  return `error: ${'msg' in entry ? String(entry.msg) : 'without words'}${why}`;
}

/** Interval of the check whether another program has moved or removed the file, ms. */
const LOOK_EVERY_MS = 2_000;

function openFile(file: string, config: LogSizes, fallback: DestinationStream): DestinationStream {
  try {
    makeFolder(dirname(file));
    const log = new LogFile(file, config, fallback);
    setInterval(() => log.look(), LOOK_EVERY_MS).unref();
    return log;
  } catch (error) {
    throw unreadable(`the log file ${file} cannot be written`, error, 'See log.file.');
  }
}

/** Writes each line at once: the last one before a crash counts. A line that cannot be written is lost. */
class LogFile implements DestinationStream {
  readonly #file: string;
  readonly #config: LogSizes;
  readonly #fallback: DestinationStream;
  #descriptor: number;
  #bytes: number;
  #lost = 0;

  constructor(file: string, config: LogSizes, fallback: DestinationStream) {
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
    if (this.#lost > 0) this.#say(`is written again, ${this.#lost} lines are missing`);
    this.#lost = 0;
  }

  /** Never throws: a file that cannot be opened now may open later. */
  look(): void {
    try {
      const own = fstatSync(this.#descriptor);
      const named = statSync(this.#file, { throwIfNoEntry: false });
      // Another program may have copied and truncated it.
      this.#bytes = own.size;
      if (named?.ino === own.ino && named.dev === own.dev) return;
      this.#open();
      const time = Date.now();
      this.write(
        `${JSON.stringify({ level: 30, time, msg: 'the log was moved or removed; it continues in a new file' })}\n`,
      );
    } catch {
      // The open file still takes the lines.
    }
  }

  /** If the rename fails, the file grows by the same size before the next attempt. */
  #rotate(): void {
    this.#bytes = 0;
    try {
      for (let age = this.#config.keep - 1; age >= 1; age--)
        renameIfThere(`${this.#file}.${age}`, `${this.#file}.${age + 1}`);
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

function renameIfThere(from: string, to: string): void {
  if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, to);
}
