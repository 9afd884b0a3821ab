/** What a command may touch of the world, handed in so that tests can run commands in process. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { packageRoot } from '../../shell/config/shipped.js';
import type { ExitCode } from './exit.js';
import { requireWritable } from './whole-file.js';

export interface CliIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The same two for sequences of our own that move the cursor; never for a text that came from elsewhere. */
  readonly raw: { readonly out: (sequence: string) => void; readonly err: (sequence: string) => void };
  /** Whether so much output waits to be read that a program which runs on shows nothing more for now. */
  readonly isUnread: () => boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** How wide the terminal is that `out` writes to; left out where it writes elsewhere: then tables are as wide as they are. */
  readonly columns?: number;
  /** Where somebody looks and types; left out where nobody does. */
  readonly terminal?: CliTerminal;
  /** Resolves once the user asked this process to stop (SIGINT or SIGTERM). */
  readonly stopAsked: () => Promise<void>;
  /** Calls back at each signal that kills (SIGUSR2). */
  readonly onKillSignal: (kill: (reason: string) => void) => void;
  /** Calls back with a text for the log at each signal that does nothing (SIGUSR1). */
  readonly onUnusedSignal: (tell: (text: string) => void) => void;
  /** Calls back with each error that no code caught; the process then no longer ends of it. */
  readonly onUncaught: (take: (error: unknown) => void) => void;
}

/** A terminal for a picture that stays. */
export interface CliTerminal {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Tells each key as the terminal sends it, and every new size, until the returned function is called. */
  readonly listen: (events: { readonly key: (key: string) => void; readonly resize: () => void }) => () => void;
}

/** One command line being run. */
export interface Session {
  readonly io: CliIo;
  exitCode: ExitCode;
  /** Runs another command line in this process. Never throws for a mistake in it. */
  readonly run: (argv: readonly string[], io: CliIo) => Promise<ExitCode>;
}

export const DEFAULT_CONFIG = 'config/paper.yaml';

/**
 * The default configuration as seen from a working folder: its own, else that of the clone which is running, so that
 * `./twinbook kill` does the same from everywhere. A package that npm installed for others offers none.
 */
export function defaultConfig(cwd: string): string {
  const ownFile = join(packageRoot, DEFAULT_CONFIG);
  const isInstalled = packageRoot.split('/').includes('node_modules');
  return existsSync(resolve(cwd, DEFAULT_CONFIG)) || isInstalled || !existsSync(ownFile) ? DEFAULT_CONFIG : ownFile;
}

export const addConfigOption = (command: Command): Command =>
  command.option('-c, --config <file>', "the trader's configuration file", DEFAULT_CONFIG);

export const addJsonOption = (command: Command): Command => command.option('--json', 'print JSON in place of a table');

/** Registers what a command does: its options and arguments in, its exit code out. */
export function addAction<Options>(
  command: Command,
  session: Session,
  run: (options: Options, args: readonly string[]) => ExitCode | Promise<ExitCode>,
): void {
  command.action(async () => {
    if (command.getOptionValueSource('config') === 'default') {
      command.setOptionValue('config', defaultConfig(session.io.cwd));
    }
    const { report } = command.opts();
    if (typeof report === 'string') requireWritable(resolve(session.io.cwd, report));
    // Commander fills the options as this command declares them; `Options` is written beside those declarations.
    session.exitCode = await run(command.opts() as Options, command.args);
  });
}

export const changedCodeOption = (): Option =>
  new Option(
    '--accept-changed-code',
    "run the code that the configuration's strategy files have now, though its hash differs from the run's",
  );

/** Whatever programs that keep orders, fills and recordings write is their user's alone, SQLite's and DuckDB's files too. */
export const keepFilesPrivate = (): void => void process.umask(0o077);
