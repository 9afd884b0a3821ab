/** Surroundings of a command, injected so that tests can run commands in process. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageRoot } from '../../shell/config/shipped.js';
import type { ExitCode } from './exit.js';

export interface CliIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The same two for own sequences that move the cursor; never for foreign text. */
  readonly raw: { readonly out: (sequence: string) => void; readonly err: (sequence: string) => void };
  /** True when so much output is unread that a long-running program pauses its output. */
  readonly isUnread: () => boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Width of the terminal that `out` writes to; absent elsewhere: tables are then as wide as needed. */
  readonly columns?: number;
  readonly terminal?: CliTerminal;
  /** Resolves once the user asked this process to stop (SIGINT or SIGTERM). */
  readonly stopAsked: () => Promise<void>;
  /** Calls back at each signal that kills (SIGUSR2). */
  readonly onKillSignal: (kill: (reason: string) => void) => void;
  /** Calls back with a text for the log at each unused signal (SIGUSR1). */
  readonly onUnusedSignal: (tell: (text: string) => void) => void;
  /** Calls back with each uncaught error; it then no longer ends the process. */
  readonly onUncaught: (take: (error: unknown) => void) => void;
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
