/** Commands that act on the running trader through its control socket. */

import type { Command } from 'commander';
import { loadTraderConfig } from '../config/load.js';
import type { ControlRequest, ModeData } from '../daemon/control-protocol.js';
import { nonEmpty } from './arguments.js';
import { addCancelAllCommand } from './cancel-all.js';
import { askTrader } from './control-client.js';
import { type ControlOptions, QUICK_S, withControl } from './control-options.js';
import { EXIT } from './exit.js';
import { addExplainCommand } from './explain.js';
import { action, type Session } from './io.js';
import { addStopCommand } from './stop.js';
import { json } from './table.js';

/** Commands that the trader answers with the mode that it is in then. */
type ModeRequest = Extract<ControlRequest, { command: 'pause' | 'resume' | 'flatten' | 'kill' | 'unkill' }>;

interface ModeCommand {
  readonly summary: string;
  /** Whether a reason can be given, and whether it must be. */
  readonly reason: 'none' | 'optional' | 'required';
  readonly request: (reason: string) => ModeRequest;
}

const MODE_COMMANDS: readonly ModeCommand[] = [
  {
    summary: 'stops quoting and pulls every order; fills are still booked',
    reason: 'optional',
    request: (reason) => ({ command: 'pause', reason }),
  },
  {
    summary: 'quotes again after a pause',
    reason: 'optional',
    request: (reason) => ({ command: 'resume', reason }),
  },
  {
    summary: 'cancels everything, then only reduces positions',
    reason: 'none',
    request: () => ({ command: 'flatten' }),
  },
  {
    summary: 'cancels everything and forbids new orders, also after a restart',
    reason: 'optional',
    request: (reason) => ({ command: 'kill', reason }),
  },
  {
    summary: 'lifts a kill; needs a reason',
    reason: 'required',
    request: (reason) => ({ command: 'unkill', reason }),
  },
];

export function addControlCommands(program: Command, session: Session): void {
  for (const command of MODE_COMMANDS) addModeCommand(program, session, command);
  addStopCommand(program, session);
  addCancelAllCommand(program, session);
  addExplainCommand(program, session);
}

function addModeCommand(program: Command, session: Session, { summary, reason, request }: ModeCommand): void {
  const command = withControl(program.command(request('').command).description(summary), QUICK_S);
  if (reason === 'required') command.requiredOption('--reason <text>', 'why it may trade again; recorded', nonEmpty);
  if (reason === 'optional') command.option('--reason <text>', 'recorded in the ledger', nonEmpty);
  action<ControlOptions & { reason?: string }>(command, session, async (options) => {
    const { control } = loadTraderConfig(options.config, session.io);
    const call = { socket: control.socket, timeoutMs: options.timeout * 1000 };
    const mode: ModeData = await askTrader(request(options.reason ?? 'operator'), call);
    session.io.out(options.json === true ? json(mode) : `${modeText(mode)}\n`);
    return EXIT.ok;
  });
}

const modeText = ({ mode, reason }: ModeData): string => (reason === '' ? mode : `${mode}: ${reason}`);
