/** Surroundings of a command, injected so that tests can run commands in process. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ErrorCode, TwinbookError } from '../../shared/base/errors.js';
import { packageRoot } from '../../shell/config/shipped.js';
import type { TraderIo } from '../../shell/daemon/daemon.js';

export interface CliIo extends TraderIo {
  readonly raw: TraderIo['raw'] & { readonly err: (sequence: string) => void };
  readonly cwd: string;
  /** Width of the terminal that `out` writes to; absent elsewhere: tables are then as wide as needed. */
  readonly columns?: number;
  readonly terminal?: CliTerminal;
}

export interface CliTerminal {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Reports each key as sent by the terminal, and every new size, until the returned function is called. */
  readonly listen: (events: { readonly key: (key: string) => void; readonly resize: () => void }) => () => void;
}

export interface Session {
  readonly io: CliIo;
  exitCode: ExitCode;
  /** Runs another command line in this process. Never throws for a mistake in it. */
  readonly run: (argv: readonly string[], io: CliIo) => Promise<ExitCode>;
}

export const DEFAULT_CONFIG = 'config/paper.yaml';
/** Written by `twinbook init`. */
export const OWN_CONFIG = 'twinbook.yaml';

/**
 * Default configuration for a working folder: its own, else that of the running clone, so that `./twinbook kill` works
 * the same everywhere. A package installed by npm for others has none.
 */
export function defaultConfig(cwd: string): string {
  const ownFile = join(packageRoot, DEFAULT_CONFIG);
  const isInstalled = packageRoot.split('/').includes('node_modules');
  const here = [DEFAULT_CONFIG, OWN_CONFIG].find((file) => existsSync(resolve(cwd, file)));
  return here ?? (isInstalled || !existsSync(ownFile) ? DEFAULT_CONFIG : ownFile);
}

/**
 * Files of programs with orders, fills and recordings are readable by their user only, including those of SQLite and
 * DuckDB.
 */
export const keepFilesPrivate = (): void => void process.umask(0o077);

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notRunning: 3,
  configuration: 4,
  timedOut: 5,
  difference: 6,
  accepted: 7,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_CODE: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  config_invalid: EXIT.configuration,
  strategy_invalid: EXIT.configuration,
  key_insecure: EXIT.configuration,
  key_invalid: EXIT.configuration,
  usage: EXIT.usage,
  not_running: EXIT.notRunning,
  timed_out: EXIT.timedOut,
  results_differ: EXIT.difference,
};

export const findExitCode = (error: unknown): ExitCode =>
  error instanceof TwinbookError ? (BY_CODE[error.code] ?? EXIT.failed) : EXIT.failed;
