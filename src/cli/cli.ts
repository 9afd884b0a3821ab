/**
 * The command line: arguments in, tables or `--json` out, an exit code at the end. It decides nothing about trading: it
 * reads the ledger, talks to the running trader over its control socket, or starts one of the two programs.
 *
 * A user's mistake is a message and a hint, never a stack trace; a secret is never an argument and never printed.
 * One file per group of commands; heavy rooms are loaded when a command needs them, so that `--help` is quick.
 */

import { Command, CommanderError } from 'commander';
import { VERSION } from '../shell/config/version.js';
import { addConfigCommands } from './config-commands.js';
import { addAlertCommands } from './control/alerts.js';
import { addConsoleCommand } from './control/console.js';
import { addControlCommands } from './control/control-commands.js';
import { addGuardianCommand } from './control/guardian.js';
import { addDataCommands } from './data/data-commands.js';
import { addDoctorCommand } from './doctor/doctor.js';
import { addKeysCommands } from './keys.js';
import { addArenaCommand } from './lab/arena.js';
import { addBacktestCommand } from './lab/backtest.js';
import { addParityCommand } from './lab/parity.js';
import { addReplayCommand } from './lab/replay.js';
import { addSweepCommand } from './lab/sweep/sweep.js';
import { addLedgerCommands } from './ledger/ledger-commands.js';
import { addReconcileCommand } from './ledger/reconcile.js';
import { EXIT, type ExitCode } from './output/exit.js';
import { reportFailure } from './output/failure.js';
import type { CliIo, Session } from './output/io.js';
import { plainIo } from './plain-io.js';
import { addRecordCommand } from './record.js';
import { addRehearseCommand } from './rehearse.js';
import { addRunCommands } from './run-commands.js';

/** Runs one command line (without `node` and the program's name). Never throws for what a user did. */
export async function runCli(argv: readonly string[], given: CliIo): Promise<ExitCode> {
  const io = plainIo(given);
  const session: Session = { io, exitCode: EXIT.ok };
  try {
    await buildProgram(session).parseAsync(argv, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return reportFailure(error, io);
  }
}

function buildProgram(session: Session): Command {
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
  addRunCommands(program, session);
  addGuardianCommand(program, session);
  addConsoleCommand(program, session);
  addAlertCommands(program, session);
  addRecordCommand(program, session);
  addReplayCommand(program, session);
  addParityCommand(program, session);
  addLedgerCommands(program, session);
  addControlCommands(program, session);
  addReconcileCommand(program, session);
  addDoctorCommand(program, session);
  addRehearseCommand(program, session);
  addKeysCommands(program, session);
  addBacktestCommand(program, session);
  addSweepCommand(program, session);
  addArenaCommand(program, session);
  addDataCommands(program, session);
  addConfigCommands(program, session);
  return program;
}
