/** The log: JSON lines for machines, with everything secret taken out. */

import { openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DestinationStream, type Logger, pino } from 'pino';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder } from '../../shared/base/folder.js';
import { plainJson } from '../../shared/base/plain-text.js';
import { PRIVATE_FILE } from '../../shared/base/private.js';
import type { LogConfig } from '../config/types.js';
import { secrets } from '../wallet/secrets.js';

/** Names under which a secret could ever be logged; redacted by name besides being removed by value. */
const SECRET_PATHS = [
  ...['secret', 'signature', 'passphrase', 'password', 'token', 'api_key', 'apiKey', 'seed', 'key', 'secret_key'],
  ...['authorization', 'cookie', 'headers'],
];

const CENSOR = '[redacted]';

export interface Log {
  readonly logger: Logger;
}

/**
 * A log that can no longer be written stops nobody: orders may rest, and whoever logs must live to cancel them.
 *
 * @param fallback where lines go when the configuration names no file; else what is wrong with the file
 * Throws `file_unreadable` when the file cannot be written.
 */
export function openLog(config: LogConfig, fallback: DestinationStream): Log {
  const target = config.file === null ? fallback : openFile(config.file, fallback);
  const scrubbed: DestinationStream = {
    write: (line) => target.write(plainJson(secrets.clean(line))),
  };
  const paths = SECRET_PATHS.flatMap((name) => [name, `*.${name}`]);
  return { logger: pino({ level: config.level, base: null, redact: { paths, censor: CENSOR } }, scrubbed) };
}

const ERROR_LEVEL = 50;

/** For a terminal that shows the status: errors in words. The status says by itself whatever else is worth reading. */
export const linesAbove = (say: (line: string) => void): DestinationStream => ({
  write: (line) => {
    const text = errorText(line.trimEnd());
    if (text !== null) say(text);
  },
});

/** Null for an entry that is no error. What is no entry of the log is about the log itself. */
function errorText(line: string): string | null {
  if (!line.startsWith('{')) return line;
  const entry: unknown = JSON.parse(line);
  if (typeof entry !== 'object' || entry === null || !('level' in entry) || entry.level !== ERROR_LEVEL) return null;
  const cause = 'err' in entry && typeof entry.err === 'object' && entry.err !== null ? entry.err : {};
  const why = 'message' in cause ? `: ${String(cause.message)}` : '';
  return `error: ${'msg' in entry ? String(entry.msg) : 'without words'}${why}`;
}

function openFile(file: string, fallback: DestinationStream): DestinationStream {
  try {
    makeFolder(dirname(file));
    return new LogFile(file, openSync(file, 'a', PRIVATE_FILE), fallback);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TwinbookError('file_unreadable', `the log file ${file} cannot be written: ${why}`, 'See log.file.', {
      cause: error,
    });
  }
}

/** Each line is written when it comes, so that the last one before a crash is there; one that cannot be is lost. */
class LogFile implements DestinationStream {
  readonly #file: string;
  readonly #descriptor: number;
  readonly #fallback: DestinationStream;
  #lost = 0;

  constructor(file: string, descriptor: number, fallback: DestinationStream) {
    this.#file = file;
    this.#descriptor = descriptor;
    this.#fallback = fallback;
  }

  write(line: string): void {
    try {
      writeSync(this.#descriptor, line);
    } catch (error) {
      if (this.#lost === 0) this.#say(`cannot be written: ${error instanceof Error ? error.message : String(error)}`);
      this.#lost += 1;
      return;
    }
    if (this.#lost > 0) this.#say(`is written again, ${this.#lost} lines are missing`);
    this.#lost = 0;
  }

  #say(what: string): void {
    this.#fallback.write(`the log ${this.#file} ${what}\n`);
  }
}
