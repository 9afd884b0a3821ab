/** The log: JSON lines for machines, with everything secret taken out. */

import { openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DestinationStream, type Logger, pino } from 'pino';
import { TwinbookError } from '../base/errors.js';
import { makeFolder } from '../base/folder.js';
import type { LogConfig } from '../config/types.js';

/** Names under which a secret could ever be logged; redacted by name besides being removed by value. */
const SECRET_PATHS = ['secret', 'signature', 'passphrase', 'api_key', 'apiKey', 'authorization', 'seed', 'key'];

const CENSOR = '[redacted]';

export interface Log {
  readonly logger: Logger;
  /** From now on this value never reaches the log, wherever it stands. */
  hide(secret: string): void;
}

/**
 * A log that can no longer be written stops nobody: orders may rest, and whoever logs must live to cancel them.
 *
 * @param fallback where lines go when the configuration names no file; else what is wrong with the file
 * Throws `file_unreadable` when the file cannot be written.
 */
export function openLog(config: LogConfig, fallback: DestinationStream): Log {
  const secrets = new Set<string>();
  const target = config.file === null ? fallback : openFile(config.file, fallback);
  const scrubbed: DestinationStream = {
    write: (line) => target.write(scrub(line, secrets)),
  };
  const paths = SECRET_PATHS.flatMap((name) => [name, `*.${name}`]);
  const logger = pino({ level: config.level, base: null, redact: { paths, censor: CENSOR } }, scrubbed);
  return {
    logger,
    // Short values would take harmless text with them; no secret of ours is that short.
    hide: (secret) => void (secret.length >= 8 && secrets.add(secret)),
  };
}

function scrub(line: string, secrets: ReadonlySet<string>): string {
  let clean = line;
  for (const secret of secrets) clean = clean.replaceAll(secret, CENSOR);
  return clean;
}

function openFile(file: string, fallback: DestinationStream): DestinationStream {
  try {
    makeFolder(dirname(file));
    return new LogFile(file, openSync(file, 'a'), fallback);
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
