/** Commands that act on the running trader through its control socket. */

import type { Command } from 'commander';
import { loadTraderConfig } from '../config/load.js';
import type { ControlRequest, ModeData } from '../daemon/control-protocol.js';
import { nonEmpty } from './arguments.js';
import { addCancelAllCommand } from './cancel-all.js';
import { askTrader } from './control-client.js';
import { type ControlOptions, QUICK_S, SLOW_S, withControl } from './control-options.js';
import { EXIT } from './exit.js';
import { addExplainCommand } from './explain.js';
import { action, type Session } from './io.js';
import { json } from './table.js';

export function addControlCommands(program: Command, session: Session): void {
  const simple = (
    name: 'pause' | 'resume' | 'stop' | 'flatten' | 'kill' | 'unkill',
    summary: string,
    timeoutS: number,
    request: (reason: string) => ControlRequest,
  ) => {
    const command = withControl(program.command(name).description(summary), timeoutS);
    if (name === 'unkill') command.requiredOption('--reason <text>', 'why it may trade again; recorded', nonEmpty);
    else if (name !== 'stop' && name !== 'flatten')
      command.option('--reason <text>', 'recorded in the ledger', nonEmpty);
    action<ControlOptions & { reason?: string }>(command, session, async (options) => {
      const { control } = loadTraderConfig(options.config, session.io);
      const call = { socket: control.socket, timeoutMs: options.timeout * 1000, untilGone: name === 'stop' };
      // Every command listed here answers with the trader's mode.
      const mode = (await askTrader(request(options.reason ?? 'operator'), call)) as ModeData;
      session.io.out(options.json === true ? json(mode) : `${modeText(mode)}\n`);
      return EXIT.ok;
    });
  };
  simple('pause', 'stops quoting and pulls every order; fills are still booked', QUICK_S, (reason) => ({
    command: 'pause',
    reason,
  }));
  simple('resume', 'quotes again after a pause', QUICK_S, (reason) => ({ command: 'resume', reason }));
  simple('stop', 'cancels everything, proves that nothing rests, and ends the trader', SLOW_S, () => ({
    command: 'stop',
  }));
  addCancelAllCommand(program, session);
  simple('flatten', 'cancels everything, then only reduces positions', QUICK_S, () => ({ command: 'flatten' }));
  simple('kill', 'cancels everything and forbids new orders, also after a restart', QUICK_S, (reason) => ({
    command: 'kill',
    reason,
  }));
  simple('unkill', 'lifts a kill; needs a reason', QUICK_S, (reason) => ({ command: 'unkill', reason }));
  addExplainCommand(program, session);
}

const modeText = ({ mode, reason }: ModeData): string => (reason === '' ? mode : `${mode}: ${reason}`);
