/** Runs one command line; loads only the code of its command group. Secrets are never arguments and never printed. */

import { Command, CommanderError } from 'commander';
import { plainText } from '../shared/base/text.js';
import { VERSION } from '../shell/config/shipped.js';
import { type CliIo, type CommandSession, EXIT, type ExitCode, reportFailure } from './io.js';

/** @param argv arguments without `node` and the program's name. Never throws for a user's error. */
export async function runCli(argv: readonly string[], given: CliIo): Promise<ExitCode> {
  // Control characters are removed from all texts that commands print; `raw` stays unchanged.
  const io: CliIo = {
    ...given,
    out: (text) => given.out(plainText(text)),
    err: (text) => given.err(plainText(text)),
  };
  const session: CommandSession = { io, exitCode: EXIT.ok, run: runCli };
  try {
    await (await buildProgram(session, argv)).parseAsync(argv, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return reportFailure(error, io);
  }
}

async function buildProgram(session: CommandSession, argv: readonly string[]): Promise<Command> {
  const program = new Command('twinbook')
    .description('Market maker for binary prediction markets, and a paper exchange to run it on.')
    .version(VERSION, '-V, --version', 'print the version')
    .exitOverride()
    // Options after a command's name belong to that command, because some commands have both options and subcommands.
    .enablePositionalOptions()
    .configureOutput({ writeOut: session.io.out, writeErr: session.io.err })
    .showHelpAfterError('Run the same command with --help to see its arguments and options.')
    .helpCommand('help [command]', "show a command's purpose, arguments and options")
    .addHelpText(
      'after',
      `
Exit codes: 0 ok, 1 failed, 2 usage, 3 trader not running, 4 configuration, 5 timed out, 6 a check found a difference, 7 a check found accepted differences only.
Every command finds ledger, venue and control socket through its configuration file (-c; default: config/paper.yaml, else twinbook.yaml).`,
    );
  const groups = await Promise.all(groupsFor(argv).map(({ load }) => load()));
  for (const add of groups) add(program, session);
  return program;
}

interface CommandGroup {
  readonly names: readonly string[];
  readonly load: () => Promise<(program: Command, session: CommandSession) => void>;
}

/** Command groups, in the order in which the help lists them. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { names: ['start', 'exchange', 'record'], load: async () => (await import('./run-commands.js')).addRunCommands },
  { names: ['init'], load: async () => (await import('./strategy-commands.js')).addInitCommand },
  {
    names: ['guardian', 'console', 'dashboard', 'alerts'],
    load: async () => (await import('./console-commands.js')).addConsoleCommands,
  },
  { names: ['mcp'], load: async () => (await import('./mcp.js')).addMcpCommand },
  { names: ['fleet'], load: async () => (await import('./fleet.js')).addFleetCommands },
  { names: ['replay', 'parity'], load: async () => (await import('./lab/replay.js')).addReplayCommands },
  {
    names: ['status', 'orders', 'drafts', 'fills', 'positions', 'markets', 'ledger', 'pnl', 'events'],
    load: async () => (await import('./ledger/ledger-commands.js')).addLedgerCommands,
  },
  { names: ['top'], load: async () => (await import('./top.js')).addTopCommand },
  {
    names: ['widen', 'reduce-only', 'pause', 'resume', 'flatten', 'unkill', 'stop', 'cancel-all', 'kill', 'explain'],
    load: async () => (await import('./control-commands.js')).addControlCommands,
  },
  { names: ['reconcile'], load: async () => (await import('./ledger/reconcile.js')).addReconcileCommand },
  { names: ['doctor'], load: async () => (await import('./doctor.js')).addDoctorCommand },
  { names: ['rehearse'], load: async () => (await import('./rehearsal/rehearse.js')).addRehearseCommand },
  { names: ['keys'], load: async () => (await import('./keys.js')).addKeysCommands },
  { names: ['backtest'], load: async () => (await import('./lab/backtest.js')).addBacktestCommand },
  { names: ['sweep'], load: async () => (await import('./lab/sweep.js')).addSweepCommand },
  { names: ['arena'], load: async () => (await import('./lab/arena.js')).addArenaCommand },
  { names: ['data'], load: async () => (await import('./data-commands.js')).addDataCommands },
  { names: ['strategies', 'config'], load: async () => (await import('./config-commands.js')).addConfigCommands },
];

/** Returns the command groups to load: none for `--version`, all for help or an unknown command. */
export function groupsFor(argv: readonly string[]): readonly CommandGroup[] {
  const [first] = argv;
  if (first === '--version' || first === '-V') return [];
  const named = COMMAND_GROUPS.filter(({ names }) => first !== undefined && names.includes(first));
  return named.length > 0 ? named : COMMAND_GROUPS;
}
