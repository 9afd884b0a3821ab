/**
 * The file of each command. A process runs one command, and loading all others' code would cost more than most commands
 * take: only the named command's group is loaded, and all groups for no or an unknown name.
 */

import type { Command } from 'commander';
import type { Session } from './output/io.js';

/** Commands declared in one file. */
export interface CommandGroup {
  /** Names of the commands, as typed. */
  readonly names: readonly string[];
  /** Returns the function that adds them to the program. */
  readonly load: () => Promise<(program: Command, session: Session) => void>;
}

/** In the order of the help. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { names: ['start', 'exchange'], load: async () => (await import('./run-commands.js')).addRunCommands },
  { names: ['guardian'], load: async () => (await import('./control/guardian.js')).addGuardianCommand },
  { names: ['console'], load: async () => (await import('./control/console.js')).addConsoleCommand },
  { names: ['dashboard'], load: async () => (await import('./control/dashboard.js')).addDashboardCommand },
  { names: ['mcp'], load: async () => (await import('./mcp.js')).addMcpCommand },
  { names: ['alerts'], load: async () => (await import('./control/alerts.js')).addAlertsCommand },
  { names: ['fleet'], load: async () => (await import('./fleet.js')).addFleetCommands },
  { names: ['record'], load: async () => (await import('./record.js')).addRecordCommand },
  { names: ['replay'], load: async () => (await import('./lab/replay.js')).addReplayCommand },
  { names: ['parity'], load: async () => (await import('./lab/parity.js')).addParityCommand },
  {
    names: ['status', 'orders', 'drafts', 'fills', 'positions', 'markets', 'ledger', 'pnl', 'events'],
    load: async () => (await import('./ledger/ledger-commands.js')).addLedgerCommands,
  },
  { names: ['top'], load: async () => (await import('./top/top.js')).addTopCommand },
  {
    names: ['widen', 'reduce-only', 'pause', 'resume', 'flatten', 'unkill', 'stop', 'cancel-all', 'kill', 'explain'],
    load: async () => (await import('./control/control-commands.js')).addControlCommands,
  },
  { names: ['reconcile'], load: async () => (await import('./ledger/reconcile.js')).addReconcileCommand },
  { names: ['doctor'], load: async () => (await import('./doctor/doctor.js')).addDoctorCommand },
  { names: ['rehearse'], load: async () => (await import('./rehearse.js')).addRehearseCommand },
  { names: ['keys'], load: async () => (await import('./keys.js')).addKeysCommands },
  { names: ['backtest'], load: async () => (await import('./lab/backtest.js')).addBacktestCommand },
  { names: ['sweep'], load: async () => (await import('./lab/sweep/sweep.js')).addSweepCommand },
  { names: ['arena'], load: async () => (await import('./lab/arena.js')).addArenaCommand },
  { names: ['data'], load: async () => (await import('./data/data-commands.js')).addDataCommands },
  { names: ['strategies', 'config'], load: async () => (await import('./config-commands.js')).addConfigCommands },
];

/** Groups that this command line needs: none for the version, all for help or an unknown command. */
export function groupsFor(argv: readonly string[]): readonly CommandGroup[] {
  const [first] = argv;
  if (first === '--version' || first === '-V') return [];
  const named = COMMAND_GROUPS.filter(({ names }) => first !== undefined && names.includes(first));
  return named.length > 0 ? named : COMMAND_GROUPS;
}
