/**
 * The command line: arguments in, tables or `--json` out, an exit code at the end. It decides nothing about trading: it
 * reads the ledger, talks to the running trader over its control socket, or starts one of the two programs.
 *
 * A user's mistake is a message and a hint, never a stack trace; a secret is never an argument and never printed.
 * One file per group of commands, of which only that of the command is loaded (`command-groups.ts`); heavy rooms are
 * loaded when a command needs them.
 */

import { Command, CommanderError } from 'commander';
import { VERSION } from '../shell/config/version.js';
import { groupsFor } from './command-groups.js';
import { EXIT, type ExitCode } from './output/exit.js';
import { reportFailure } from './output/failure.js';
import type { CliIo, Session } from './output/io.js';
import { plainIo } from './plain-io.js';

/** Runs one command line (without `node` and the program's name). Never throws for what a user did. */
export async function runCli(argv: readonly string[], given: CliIo): Promise<ExitCode> {
  const io = plainIo(given);
  const session: Session = { io, exitCode: EXIT.ok };
  try {
    const program = await buildProgram(session, argv);
    await program.parseAsync(argv, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return reportFailure(error, io);
  }
}

async function buildProgram(session: Session, argv: readonly string[]): Promise<Command> {
  const program = new Command('twinbook')
    .description('Market maker for binary prediction markets, and a paper exchange to run it on.')
    .version(VERSION, '-V, --version', 'print the version')
    .exitOverride()
    // What stands behind the name of a command belongs to it: some have options of their own and commands below them.
    .enablePositionalOptions()
    .configureOutput({ writeOut: session.io.out, writeErr: session.io.err })
    .showHelpAfterError('Run the same command with --help to see what it takes.')
    .helpCommand('help [command]', 'show what a command does and takes')
    .addHelpText(
      'after',
      `
Exit codes: 0 ok, 1 failed, 2 usage, 3 trader not running, 4 configuration, 5 timed out, 6 a check found a difference.
Every command finds ledger, venue and control socket through its configuration file (-c, default config/paper.yaml).`,
    );
  const groups = await Promise.all(groupsFor(argv).map(({ load }) => load()));
  for (const add of groups) add(program, session);
  return program;
}
