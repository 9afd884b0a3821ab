/** The log: JSON lines for machines, with everything secret taken out. */

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
  /** Writes what is buffered. */
  flush(): void;
}

/**
 * @param fallback where lines go when the configuration names no file
 * Throws `file_unreadable` when the file cannot be written.
 */
export function openLog(config: LogConfig, fallback: DestinationStream): Log {
  const secrets = new Set<string>();
  const target = config.file === null ? fallback : openFile(config.file);
  const scrubbed: DestinationStream = {
    write: (line) => target.write(scrub(line, secrets)),
  };
  const paths = SECRET_PATHS.flatMap((name) => [name, `*.${name}`]);
  const logger = pino({ level: config.level, base: null, redact: { paths, censor: CENSOR } }, scrubbed);
  return {
    logger,
    // Short values would take harmless text with them; no secret of ours is that short.
    hide: (secret) => void (secret.length >= 8 && secrets.add(secret)),
    flush: () => {
      if ('flushSync' in target && typeof target.flushSync === 'function') target.flushSync();
    },
  };
}

function scrub(line: string, secrets: ReadonlySet<string>): string {
  let clean = line;
  for (const secret of secrets) clean = clean.replaceAll(secret, CENSOR);
  return clean;
}

function openFile(file: string): DestinationStream {
  try {
    makeFolder(dirname(file));
    return pino.destination({ dest: file, sync: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TwinbookError('file_unreadable', `the log file ${file} cannot be written: ${why}`, 'See log.file.', {
      cause: error,
    });
  }
}
