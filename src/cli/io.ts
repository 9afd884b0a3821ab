/** What a command may touch of the world, handed in so that tests can run commands in process. */

import type { Command } from 'commander';
import type { ExitCode } from './exit.js';

export interface CliIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Resolves once the user asked this process to stop (SIGINT or SIGTERM). */
  readonly stopAsked: () => Promise<void>;
  /** Calls back at each signal that kills (SIGUSR2). */
  readonly onKillSignal: (kill: (reason: string) => void) => void;
}

/** One command line being run. */
export interface Session {
  readonly io: CliIo;
  exitCode: ExitCode;
}

export const DEFAULT_CONFIG = 'config/paper.yaml';

export const withConfig = (command: Command): Command =>
  command.option('-c, --config <file>', "the trader's configuration file", DEFAULT_CONFIG);

export const withJson = (command: Command): Command => command.option('--json', 'print JSON in place of a table');

/** Registers what a command does: its options and arguments in, its exit code out. */
export function action<Options>(
  command: Command,
  session: Session,
  run: (options: Options, args: readonly string[]) => ExitCode | Promise<ExitCode>,
): void {
  command.action(async () => {
    // Commander fills the options as this command declares them; `Options` is written beside those declarations.
    session.exitCode = await run(command.opts() as Options, command.args);
  });
}
